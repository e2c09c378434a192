// Calendars of days without work: which there are, what they contain, and how they are changed.

import { useState } from "preact/hooks";
import { ApiError, call, type Calendar } from "../api";
import { changedSomething, useCall } from "../data";
import { plural, t, word } from "../i18n";
import { may } from "../session";
import { Button, Checks, Empty, Tag } from "../parts/basic";
import { Confirm } from "../parts/dialog";
import { Field } from "../parts/form";
import { Panel } from "../parts/page";
import { Table } from "../parts/table";
import { tell } from "../parts/toast";
import { weekdayName, weekdays } from "../time";
import { calendarName } from "./jobwords";

const days = (text: string) => text.split(/[\s,，]+/).filter(Boolean);

export function Calendars() {
	const list = useCall("GET /calendars", {}, 30e3);
	const [edit, setEdit] = useState<Calendar>();
	const [remove, setRemove] = useState<Calendar>();
	const mayEdit = may("admin", 0);
	return (
		<Panel flush title={t("auditKind.calendar")} beside={mayEdit && <Button icon="add" onClick={() => setEdit({ name: "", weekend: ["SATURDAY", "SUNDAY"], years: [] })}>{t("calendar.new")}</Button>}>
			<Table label={t("auditKind.calendar")} rows={list.data?.calendars} id={(c) => c.name!} error={list.error} retry={list.reload}
				empty={<Empty icon="clock" title={t("calendar.none")} />}
				columns={[
					{
						head: t("field.title"), grow: true,
						cell: (c) => (
							<>
								<span class="row-main"><b>{calendarName(c.name ?? "")}</b>{c.builtIn && <Tag>{t("calendar.builtIn")}</Tag>}</span>
								{c.note && <span class="row-under is-note">{c.builtIn ? word("calendarNote", c.name ?? "") : c.note}</span>}
							</>
						),
					},
					{ head: t("calendar.weekend"), from: "mid", cell: (c) => weekdays.flatMap((d) => (c.weekend.includes(d) ? [weekdayName(d)] : [])).join(" ") || "–" },
					{ head: t("calendar.years"), from: "mid", cell: (c) => <span title={c.years.map((y) => `${y.year}: ${plural("calendar.off", y.off.length)}, ${plural("calendar.work", y.work.length)}${y.source ? ` (${y.source})` : ""}`).join("\n")}>{c.years.map((y) => y.year).join(", ") || "–"}</span> },
					{
						head: t("list.actions"), hidden: true, end: true,
						cell: (c) => (
							<span class="row-actions">
								<Button tone="quiet" icon={mayEdit ? "edit" : "search"} aria-label={t(mayEdit ? "calendar.edit" : "calendar.show", { name: c.name ?? "" })} onClick={() => setEdit(c)} />
								{mayEdit && !c.builtIn && <Button tone="quiet" icon="remove" aria-label={t("calendar.remove", { name: c.name ?? "" })} onClick={() => setRemove(c)} />}
							</span>
						),
					},
				]} />
			{edit && <CalendarDialog calendar={edit} all={list.data?.calendars} onClose={() => setEdit(undefined)} />}
			{remove && (
				<Confirm title={t("calendar.remove", { name: remove.name ?? "" })} action={t("bulk.delete")} danger onClose={() => setRemove(undefined)}
					onConfirm={async () => {
						await call("DELETE /calendars/{name}", { name: remove.name! });
						tell(t("group.removed", { name: remove.name ?? "" }));
						changedSomething();
					}}>
					<p>{t("calendar.removeText")}</p>
				</Confirm>
			)}
		</Panel>
	);
}

interface YearDraft {
	year: number;
	source: string;
	off: string;
	work: string;
}

function CalendarDialog({ calendar: c, all, onClose }: { calendar: Calendar; all?: Calendar[]; onClose: () => void }) {
	const [name, setName] = useState(c.name ?? "");
	const [note, setNote] = useState(c.note ?? "");
	const [weekend, setWeekend] = useState(c.weekend);
	const [years, setYears] = useState<YearDraft[]>(c.years.map((y) => ({ year: y.year, source: y.source ?? "", off: y.off.join("\n"), work: y.work.join("\n") })));
	const fresh = !c.name;
	const put = (at: number, to: Partial<YearDraft>) => setYears(years.map((y, i) => (i === at ? { ...y, ...to } : y)));
	const save = async () => {
		if (!may("admin", 0)) return;
		if (fresh && all?.some((is) => is.name === name.trim())) throw new ApiError(0, "conflict", t("calendar.taken"));
		const form: Calendar = { note: note.trim() || undefined, weekend, updateTime: c.updateTime, years: years.map((y) => ({ year: y.year, source: y.source.trim() || undefined, off: days(y.off), work: days(y.work) })) };
		await call("PUT /calendars/{name}", { name: name.trim() }, form);
		tell(t("form.saved", { name }));
		changedSomething();
	};
	return (
		<Confirm title={fresh ? t("calendar.new") : t("calendar.show", { name })} action={t(may("admin", 0) ? "code.save" : "action.close")} wide onClose={onClose} onConfirm={save}>
			{fresh && (
				<Field label={t("login.name")} required>
					<input value={name} spellcheck={false} onInput={(e) => setName(e.currentTarget.value)} />
				</Field>
			)}
			<Field label={t("field.note")}>
				<input value={note} maxLength={500} onInput={(e) => setNote(e.currentTarget.value)} />
			</Field>
			<fieldset class="inline">
				<legend>{t("calendar.weekend")}</legend>
				<Checks of={weekdays} chosen={weekend} set={setWeekend} label={weekdayName} />
			</fieldset>
			{years.map((y, i) => (
				<fieldset class="fields" key={y.year}>
					<legend><b>{y.year}</b></legend>
					<Field label={t("calendar.offDays")}>
						<textarea rows={6} class="mono-input" value={y.off} placeholder={`${y.year}-05-01`} onInput={(e) => put(i, { off: e.currentTarget.value })} />
					</Field>
					<Field label={t("calendar.workDays")}>
						<textarea rows={6} class="mono-input" value={y.work} placeholder={`${y.year}-05-09`} onInput={(e) => put(i, { work: e.currentTarget.value })} />
					</Field>
					<Field label={t("calendar.source")} wide>
						<input value={y.source} maxLength={500} onInput={(e) => put(i, { source: e.currentTarget.value })} />
					</Field>
				</fieldset>
			))}
			<span>
				<Button icon="add" onClick={() => setYears([...years, { year: (years.at(-1)?.year ?? new Date().getFullYear() - 1) + 1, source: "", off: "", work: "" }])}>{t("calendar.addYear")}</Button>
			</span>
		</Confirm>
	);
}
