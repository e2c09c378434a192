// The fields that a change is about, each before and after.

import type { FieldChange, Grant } from "../api";
import { t, word } from "../i18n";
import { useGroups } from "../pages/jobwords";
import { instant } from "../time";

// FieldChanges has the words of jobs, and for objects of another kind those that differ.
export function FieldChanges({ changes, kind }: { changes: FieldChange[]; kind?: string }) {
	const groups = useGroups();
	const group = (id: number) => (id ? groups.name(id) : t("jobs.allGroups"));
	// text shows a value as the forms do: the words of choices, the names of groups, times in the zone.
	const text = (field: string, value: unknown): string => {
		if (value === "" || value === null) return t("audit.empty");
		if (typeof value === "boolean") return t(value ? "form.yes" : "form.no");
		if (field === "jobGroup" || field === "group") return group(Number(value));
		if (field === "grants" && Array.isArray(value)) return (value as Grant[]).map((g) => `${word("role", g.role)} · ${group(g.group)}`).join(", ") || t("roles.none");
		if (field === "groups" && Array.isArray(value)) return value.map(group).join(", ");
		if (Array.isArray(value) && value.every((v) => typeof v !== "object")) return value.join(", ");
		if (typeof value !== "string") return JSON.stringify(value);
		if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value)) return instant(new Date(value));
		return word(field === "glueType" ? "glue" : field, value);
	};
	// What is new has all fields; those that are empty say nothing.
	const shown = changes.filter((c) => c.before !== undefined || !["", "[]", "{}", "null", "0", "false"].includes(typeof c.after === "string" ? c.after : JSON.stringify(c.after)));
	return shown.length === 0 ? null : (
		<ul class="audit-changes">
			{shown.map((c) => (
				<li key={c.field}>
					<span class="muted">{c.field === "name" && kind && kind !== "job" ? t("field.title") : word("field", c.field)}</span>
					<span class="diff-values">
						{c.before !== undefined && <del>{text(c.field, c.before)}</del>}
						{c.before !== undefined && c.after !== undefined && " → "}
						{c.after !== undefined && <ins>{text(c.field, c.after)}</ins>}
					</span>
				</li>
			))}
		</ul>
	);
}
