// The fields that can be changed in many jobs at once, each with its new value.

import type { Job } from "../api";
import { t, word, type Key } from "../i18n";
import { Button } from "../parts/basic";
import { Select } from "../parts/form";
import { choices, FieldError, tagsOf } from "./jobfields";
import { useGroups } from "./jobwords";

const fields = ["author", "alarmEmail", "jobGroup", "misfireStrategy", "executorRouteStrategy", "executorBlockStrategy", "executorTimeout", "executorFailRetryCount", "executorHandler", "executorParam", "tags"] as const;
type Name = (typeof fields)[number];

export type Changes = { field: Name; value: string }[];

const numbers: Name[] = ["jobGroup", "executorTimeout", "executorFailRetryCount"];

// changeOf returns what the API takes. It throws a FieldError for text that is no number.
export function changeOf(changes: Changes): Job {
	return Object.fromEntries(changes.map(({ field, value }) => {
		if (field === "tags") return [field, tagsOf(value)];
		if (!numbers.includes(field)) return [field, value];
		const n = Number(value.trim() || NaN);
		if (!Number.isSafeInteger(n)) throw new FieldError(field as "author", value);
		return [field, n];
	})) as Job;
}

export function ChangeFields({ changes, set }: { changes: Changes; set: (c: Changes) => void }) {
	const groups = useGroups();
	const label = (f: Name) => t(`field.${f}` as Key);
	const free = fields.filter((f) => !changes.some((c) => c.field === f));
	const first = (field: Name) => (field === "jobGroup" ? (groups.options[0]?.value ?? "") : field in choices ? choices[field as "misfireStrategy"][0]! : "");
	const put = (at: number, to: Partial<Changes[number]>) => set(changes.map((c, i) => (i === at ? { ...c, ...to } : c)));
	return (
		<fieldset class="checks">
			<legend>{t("bulk.changes")}</legend>
			{changes.map((c, i) => (
				<span class="row-main" key={c.field}>
					<Select aria-label={t("diff.field")} value={c.field} onChange={(e) => put(i, { field: e.currentTarget.value as Name, value: first(e.currentTarget.value as Name) })}
						options={fields.filter((f) => f === c.field || free.includes(f)).map((f) => ({ value: f, text: label(f) }))} />
					{c.field === "jobGroup" ? (
						<Select aria-label={label(c.field)} value={c.value} onChange={(e) => put(i, { value: e.currentTarget.value })} options={groups.options} />
					) : c.field in choices ? (
						<Select aria-label={label(c.field)} value={c.value} onChange={(e) => put(i, { value: e.currentTarget.value })} options={choices[c.field as "misfireStrategy"].map((v) => ({ value: v, text: word(c.field, v) }))} />
					) : (
						<input aria-label={label(c.field)} value={c.value} inputMode={numbers.includes(c.field) ? "numeric" : undefined} onInput={(e) => put(i, { value: e.currentTarget.value })} />
					)}
					<Button icon="remove" tone="quiet" aria-label={t("bulk.removeField")} disabled={changes.length === 1} onClick={() => set(changes.filter((_, at) => at !== i))} />
				</span>
			))}
			<span>
				<Button icon="add" disabled={free.length === 0} onClick={() => set([...changes, { field: free[0]!, value: first(free[0]!) }])}>{t("bulk.addField")}</Button>
			</span>
		</fieldset>
	);
}
