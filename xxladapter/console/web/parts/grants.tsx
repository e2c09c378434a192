// Roles of a user: shown as words, and chosen for each group or for all.

import type { Grant } from "../api";
import { t, word } from "../i18n";
import { useGroups } from "../pages/jobwords";
import { roles, type Role } from "../session";
import { Button, Tag } from "./basic";
import { Select } from "./form";

export function Roles({ grants }: { grants: Grant[] }) {
	const groups = useGroups();
	if (grants.length === 0) return <span class="muted">{t("roles.none")}</span>;
	return (
		<span class="inline">
			{grants.map((g) => (
				<Tag key={g.jobGroup} tone={g.role === "admin" && g.jobGroup === 0 ? "accent" : undefined}>
					{`${word("role", g.role)} · ${g.jobGroup ? groups.name(g.jobGroup) : t("jobs.allGroups")}`}
				</Tag>
			))}
		</span>
	);
}

export const roleOptions = () => roles.map((r) => ({ value: r, text: word("role", r) }));

// GrantFields chooses one role for each group. A group that has a role is not offered again.
export function GrantFields({ grants, set }: { grants: Grant[]; set: (grants: Grant[]) => void }) {
	const groups = useGroups();
	const all = [{ value: "0", text: t("jobs.allGroups") }, ...groups.options];
	const free = all.filter((o) => !grants.some((g) => String(g.jobGroup) === o.value));
	const change = (at: number, to: Partial<Grant>) => set(grants.map((g, i) => (i === at ? { ...g, ...to } : g)));
	return (
		<fieldset class="checks">
			<legend>{t("field.grants")}</legend>
			{grants.map((g, i) => (
				<span class="row-main" key={g.jobGroup}>
					<Select aria-label={t("field.jobGroup")} value={String(g.jobGroup)} onChange={(e) => change(i, { jobGroup: Number(e.currentTarget.value) })} options={all.filter((o) => o.value === String(g.jobGroup) || free.includes(o))} />
					<Select aria-label={t("roles.one")} value={g.role} onChange={(e) => change(i, { role: e.currentTarget.value as Role })} options={roleOptions()} />
					<Button icon="remove" tone="quiet" aria-label={t("roles.remove")} onClick={() => set(grants.filter((_, at) => at !== i))} />
				</span>
			))}
			<span>
				<Button icon="add" disabled={free.length === 0} onClick={() => set([...grants, { jobGroup: Number(free[0]!.value), role: "viewer" }])}>{t("roles.add")}</Button>
			</span>
			<p class="field-help">{t("roles.help")}</p>
		</fieldset>
	);
}
