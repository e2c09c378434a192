// Pauses: schedules of a group, or of all, that do not fire for a time.

import { useState } from "preact/hooks";
import { call, type Pause } from "../api";
import { changedSomething, useCall } from "../data";
import { t, word } from "../i18n";
import { may } from "../session";
import { Button, Empty, Tag, Time } from "../parts/basic";
import { Confirm } from "../parts/dialog";
import { Field, Select } from "../parts/form";
import { Icon } from "../parts/icons";
import { Panel } from "../parts/page";
import { Table } from "../parts/table";
import { tell } from "../parts/toast";
import { fromWall, now, offset } from "../time";
import { useGroups } from "./jobwords";

// usePauseName returns what a pause holds up, in words.
function usePauseName() {
	const groups = useGroups();
	return (p: Pause) => (p.jobGroup ? groups.name(p.jobGroup) : t("jobs.allGroups"));
}

export function Pauses() {
	const list = useCall("GET /pauses", { limit: 20 }, 10e3);
	const current = useCall("GET /pauses", { open: true }, 10e3);
	const open = current.data?.pauses;
	const rows = open && list.data && [...open, ...list.data.pauses.filter((p) => !open.some((o) => o.id === p.id))];
	const failed = list.error ? list : current;
	const name = usePauseName();
	const [add, setAdd] = useState(false);
	const [end, setEnd] = useState<Pause>();
	return (
		<Panel flush title={t("pause.title")} beside={may("operator") && <Button icon="pause" onClick={() => setAdd(true)}>{t("pause.new")}</Button>}>
			<Table label={t("pause.title")} rows={rows} id={(p) => p.id} error={failed.error} retry={failed.reload} tone={(p) => (p.open ? undefined : "is-off")}
				empty={<Empty icon="pause" title={t("pause.none")}>{t("pause.noneText")}</Empty>}
				columns={[
					{
						head: t("pause.what"), grow: true,
						cell: (p) => (
							<>
								<span class="row-main"><b class="cut">{name(p)}</b>{p.open && <Tag tone="warn">{t("pause.open")}</Tag>}</span>
								{p.note && <span class="row-under is-note">{p.note}</span>}
							</>
						),
					},
					{ head: t("pause.by"), from: "mid", cell: (p) => p.by.replace(/^\w+/, (kind) => word("actor", kind)) },
					{ head: t("runs.from"), from: "mid", end: true, cell: (p) => <Time at={p.from} relative /> },
					{ head: t("pause.until"), from: "mid", end: true, cell: (p) => (p.until ? <Time at={p.until} /> : t("pause.endless")) },
					{ head: t("list.actions"), hidden: true, end: true, cell: (p) => p.open && may("operator", p.jobGroup ?? 0) && <Button tone="quiet" icon="run" aria-label={t("pause.end", { name: name(p) })} onClick={() => setEnd(p)} /> },
				]} />
			{add && <PauseDialog onClose={() => setAdd(false)} />}
			{end && (
				<Confirm title={t("pause.endTitle", { name: name(end) })} action={t("me.endAction")} onClose={() => setEnd(undefined)}
					onConfirm={async () => {
						await call("POST /pauses/{id}/end", { id: end.id });
						tell(t("pause.ended", { name: name(end) }));
						changedSomething();
					}}>
					<p>{t("pause.endText")}</p>
				</Confirm>
			)}
		</Panel>
	);
}

function PauseDialog({ onClose }: { onClose: () => void }) {
	const groups = useGroups();
	const options = [...(may("operator", 0) ? [{ value: "0", text: t("jobs.allGroups") }] : []), ...groups.options.filter((g) => may("operator", Number(g.value)))];
	const [group, setGroup] = useState<string>();
	const [note, setNote] = useState("");
	const [until, setUntil] = useState("");
	const chosen = group ?? options[0]?.value ?? "0";
	const begin = async () => {
		const end = until ? fromWall(until) : undefined;
		await call("POST /pauses", {}, { ...(chosen === "0" ? { all: true } : { jobGroup: Number(chosen) }), note: note.trim() || undefined, until: end?.toISOString() });
		tell(t("pause.begun", { name: options.find((o) => o.value === chosen)?.text ?? "" }));
		changedSomething();
	};
	return (
		<Confirm title={t("pause.new")} action={t("pause.begin")} onClose={onClose} onConfirm={begin}>
			<p>{t("pause.about")}</p>
			<Field label={t("pause.what")}>
				<Select value={chosen} onChange={(e) => setGroup(e.currentTarget.value)} options={options} />
			</Field>
			<Field label={t("field.note")}>
				<input value={note} maxLength={500} onInput={(e) => setNote(e.currentTarget.value)} />
			</Field>
			<Field label={`${t("pause.until")} (${offset(fromWall(until) ?? new Date(now.peek()))})`} help={t("pause.untilHelp")}>
				<input type="datetime-local" value={until} onInput={(e) => setUntil(e.currentTarget.value)} />
			</Field>
		</Confirm>
	);
}

// PauseNotice says on a page that schedules are held up now: all, or those of one group.
export function PauseNotice({ group }: { group?: number }) {
	const list = useCall("GET /pauses", { open: true }, 10e3);
	const name = usePauseName();
	const now = list.data?.pauses.filter((p) => p.open && (!group || !p.jobGroup || p.jobGroup === group)) ?? [];
	if (now.length === 0) return null;
	return (
		<p class="banner is-inside" role="status">
			<Icon name="pause" />
			<span>
				{now.map((p, i) => (
					<>{i > 0 && " · "}<bdi>{t("pause.notice", { name: name(p) })}</bdi>{p.note && <>{": "}<bdi>{p.note}</bdi></>}</>
				))}
			</span>
		</p>
	);
}
