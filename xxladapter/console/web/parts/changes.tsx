// The fields that a change is about, each before and after.

import type { CalendarYear, DrainView, FieldChange, Grant } from "../api";
import { t, word } from "../i18n";
import { calendarName, useGroups } from "../pages/jobwords";
import { instant, weekdayName } from "../time";

// FieldChanges shows fields with the words of jobs. For objects of another kind, some words differ.
export function FieldChanges({ changes, kind }: { changes: FieldChange[]; kind?: string }) {
	const groups = useGroups();
	const group = (id: number) => (id ? groups.name(id) : t("jobs.allGroups"));
	// text shows a value as the forms do: the words of choices, the names of groups, times in the zone.
	const text = (field: string, value: unknown): string => {
		if (value === "" || value === null || (Array.isArray(value) && value.length === 0)) return t("audit.empty");
		if (Array.isArray(value)) return value.map((v) => text(field, v)).join(", ");
		if (typeof value === "boolean") return t(value ? "form.yes" : "form.no");
		if (field === "addressType") return t(value ? "group.manual" : "group.automatic");
		if (["jobGroup", "groups"].includes(field)) return group(Number(value));
		if (field === "grants" && (value as Grant).jobGroup !== undefined) return `${word("role", (value as Grant).role)} · ${group((value as Grant).jobGroup)}`;
		if (field === "drains") return [(value as DrainView).address, (value as DrainView).note].filter(Boolean).join(" · ");
		if (typeof value !== "string") return JSON.stringify(value);
		if (field === "calendar") return calendarName(value);
		if (field === "weekend") return weekdayName(value);
		if (kind === "alarm") return word("delivery", value);
		if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value)) return instant(new Date(value));
		return word(field === "glueType" ? "glue" : field, value);
	};
	// What is new has all fields; those that are empty say nothing.
	const shown = changes.flatMap(single).filter((c) => c.before !== undefined || !["", "[]", "{}", "null", "0", "false"].includes(typeof c.after === "string" ? c.after : JSON.stringify(c.after)));
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

// single returns the changes within a field that holds others: each setting that differs, and of each
// year of a calendar the days that were removed and those that were added.
function single({ field, before, after }: FieldChange): FieldChange[] {
	if (field !== "settings" && field !== "years") return [{ field, before, after }];
	const [had, has] = field === "settings" ? [before, after] as Values[] : [days(before), days(after)];
	return Object.keys({ ...had, ...has }).map((name) => ({ field: name, before: without(had?.[name], has?.[name]), after: without(has?.[name], had?.[name]) }))
		.filter((c) => c.before !== undefined || c.after !== undefined);
}

type Values = Record<string, unknown> | undefined;

// days returns the days of a calendar's years by what they are. The audit writes a day as 0501.
function days(years: unknown): Values {
	const dates = (list: string[]) => list.map((d) => d.replace(/^(\d\d)(\d\d)$/, "$1-$2"));
	return Object.fromEntries(((years ?? []) as CalendarYear[]).flatMap((y) => [
		[`${y.year} · ${t("calendar.offDays")}`, dates(y.off)], [`${y.year} · ${t("calendar.workDays")}`, dates(y.work)], [`${y.year} · ${t("calendar.source")}`, y.source],
	]));
}

// without returns a value, or undefined if the other one equals it. For a list it returns the items
// that the other one lacks, or undefined if there are none.
function without(value: unknown, other: unknown): unknown {
	if (!Array.isArray(value)) return value === other ? undefined : value;
	const left = value.filter((v) => !((other ?? []) as unknown[]).includes(v));
	return left.length ? left : undefined;
}
