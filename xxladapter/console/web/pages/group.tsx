// One group of executors: its addresses, whether they answer, and its settings.

import { useState } from "preact/hooks";
import { apiError, call, type ApiError, type Executor, type Group as GroupData, type Queue } from "../api";
import { changedSomething, useCall } from "../data";
import { number, plural, t } from "../i18n";
import { go, href } from "../route";
import { may } from "../session";
import { Button, Empty, Fact, Facts, Nothing, Pending, Status, Tag, Time } from "../parts/basic";
import { Conflict } from "../parts/conflict";
import { Confirm } from "../parts/dialog";
import { Field, Select } from "../parts/form";
import { Page, Panel } from "../parts/page";
import { Table } from "../parts/table";
import { tell } from "../parts/toast";
import { fromWall, now, offset, span } from "../time";

export function Group({ id }: { id: number }) {
	const group = useCall("GET /groups/{id}", { id }, 5e3);
	const probes = useCall("GET /groups/{id}/executors", group.data?.addressList?.length ? { id } : undefined, 15e3);
	const gone = useCall("GET /overview", {}, 10e3).data?.gone.filter((e) => e.jobGroup === id) ?? [];
	const jobs = useCall("GET /jobs", { group: id, count: true, limit: 1, light: true });
	const [edit, setEdit] = useState(false);
	const [remove, setRemove] = useState(false);
	const [drain, setDrain] = useState<string>();
	const above = { to: href("executors"), text: t("nav.executors") };
	const g = group.data;
	if (!g) return <Page title={`${t("field.jobGroup")} #${id}`} above={above}><Pending call={group} /></Page>;
	const drains = new Map((g.drains ?? []).map((d) => [d.address, d]));
	// An address that is drained may have gone; it is shown until that is undone.
	const addresses = [...new Set([...(g.addressList ?? []), ...drains.keys(), ...gone.map((e) => e.address)])];
	const byAddress = new Map((probes.data?.executors ?? []).map((e) => [e.address, e]));
	return (
		<Page
			title={g.title || g.appName || ""} above={above} wide beside={<Tag>{g.appName}</Tag>}
			actions={
				<>
					<Button icon="probe" disabled={!g.addressList?.length} onClick={probes.reload}>{t("group.probe")}</Button>
					{may("admin", id) && <Button icon="edit" shortcut="e" onClick={() => setEdit(true)}>{t("job.edit")}</Button>}
					{may("admin", 0) && <Button icon="remove" aria-label={t("bulk.delete")} onClick={() => setRemove(true)} />}
				</>
			}
		>
			<Panel>
				<Facts>
					<Fact name={t("field.appName")}><code>{g.appName}</code></Fact>
					<Fact name={t("group.type")}>{t(g.addressType === 1 ? "group.manual" : "group.automatic")}</Fact>
					<Fact name={t("group.token")}>{t(g.hasAccessToken ? "group.ownToken" : "group.sharedToken")}</Fact>
					<Fact name={t("nav.jobs")}><a href={href(`jobs?group=${id}`)}>{jobs.data?.count === undefined ? "–" : plural("group.jobs", jobs.data.count)}</a></Fact>
					<Fact name={t("fact.updated")}><Time at={g.updateTime} relative /></Fact>
				</Facts>
			</Panel>
			{probes.data?.queue && <Waiting queue={probes.data.queue} />}
			<Panel flush title={t("group.addresses")}>
				<Table label={t("group.addresses")} rows={addresses} id={(a) => a}
					empty={<Empty icon="executors" title={t("group.noneAlive")}>{t("group.noneAliveText", { app: g.appName ?? "" })}</Empty>}
					columns={[
						{
							head: t("group.address"), grow: true,
							cell: (a) => {
								const d = drains.get(a);
								return (
									<>
										<span class="row-main"><code>{a}</code></span>
										{d && <Tag tone="warn">{t("drain.on")}</Tag>}
										<span class="row-under"><Working on={byAddress.get(a)} group={id} name={t("overview.now") + " "} /></span>
										{d && <span class="row-under is-note">{d.note} {d.until && <Time at={d.until} relative />}</span>}
									</>
								);
							},
						},
						{
							head: t("group.answer"),
							cell: (a) => {
								const e = byAddress.get(a), left = gone.find((e) => e.address === a);
								if (left) return <a href={href(`runs/${left.logId}`)}><Status is="WARN" text={t("group.gone")} /></a>;
								if (!e) return probes.error ? <Nothing /> : <span class="muted">{t("group.probing")}</span>;
								if (e.shared) return <Status is="NONE" text={t("group.shared")} />;
								return e.alive ? <Status is="SUCCESS" text={t("group.alive")} /> : <span title={e.error}><Status is="FAIL" text={t("group.dead")} /></span>;
							},
						},
						{ head: t("overview.now"), end: true, from: "mid", cell: (a) => <Working on={byAddress.get(a)} group={id} /> },
						{ head: t("group.beat"), from: "wide", cell: (a) => <Time at={byAddress.get(a)?.beat} relative /> },
						{ head: t("group.roundTrip"), end: true, from: "wide", cell: (a) => (byAddress.get(a)?.roundTripMs === undefined ? <Nothing /> : span(byAddress.get(a)!.roundTripMs!)) },
						{ head: t("group.generation"), from: "wide", cell: (a) => generation(byAddress.get(a)?.generation) },
						{ head: t("list.actions"), hidden: true, end: true, cell: (a) => may("operator", id) && <Button tone="quiet" icon={drains.has(a) ? "run" : "pause"} aria-label={t(drains.has(a) ? "drain.undo" : "drain.do", { address: a })} onClick={() => setDrain(a)} /> },
					]} />
			</Panel>
			{[...byAddress.values()].filter((e) => e.error).map((e) => (
				<pre key={e.address} class="block is-fail" tabIndex={0}>{e.address}: {e.error}</pre>
			))}
			{drain && <DrainDialog group={id} address={drain} on={drains.has(drain)} onClose={() => setDrain(undefined)} />}
			{edit && <GroupDialog group={g} onClose={() => setEdit(false)} />}
			{remove && (
				<Confirm title={t("calendar.remove", { name: g.title || g.appName || "" })} action={t("bulk.delete")} danger onClose={() => setRemove(false)}
					onConfirm={async () => {
						await call("DELETE /groups/{id}", { id });
						tell(t("group.removed", { name: g.title || g.appName || "" }));
						changedSomething();
						go("executors");
					}}>
					<p>{t("group.removeText")}</p>
				</Confirm>
			)}
		</Page>
	);
}

// Waiting shows what the broker keeps for the group's executors.
function Waiting({ queue: q }: { queue: Queue }) {
	return (
		<Panel title={t("queue.title")}>
			{q.error ? <p class="field-error">{t("queue.silent", { error: q.error })}</p> : (
				<Facts>
					<Fact name={t("queue.runs")}>{number(q.runs)}</Fact>
					<Fact name={t("queue.oldest")}><Time at={q.oldest} relative /></Fact>
					<Fact name={t("queue.redelivered")}>{q.redelivered ? <span class="late">{number(q.redelivered)}</span> : 0}</Fact>
				</Facts>
			)}
		</Panel>
	);
}

// Working leads to the runs that an executor has; name stands before their number.
function Working({ on, group, name = "" }: { on?: Executor; group: number; name?: string }) {
	if (!on) return <Nothing />;
	if (!on.runsNow) return <>{name}0</>;
	return <a href={href(`runs?status=RUNNING&group=${group}&address=${encodeURIComponent(on.address)}`)}>{name}{number(on.runsNow)}</a>;
}

// DrainDialog keeps new runs from an address, or sends them there again.
function DrainDialog({ group: id, address, on, onClose }: { group: number; address: string; on: boolean; onClose: () => void }) {
	const [note, setNote] = useState("");
	const [until, setUntil] = useState("");
	const confirm = async () => {
		if (on) await call("POST /groups/{id}/undrain", { id }, { address });
		else await call("POST /groups/{id}/drain", { id }, { address, note: note.trim() || undefined, until: until ? fromWall(until)?.toISOString() : undefined });
		tell(t(on ? "drain.undone" : "drain.done", { address }));
		changedSomething();
	};
	return (
		<Confirm title={t(on ? "drain.undo" : "drain.do", { address })} action={t(on ? "me.endAction" : "drain.action")} onClose={onClose} onConfirm={confirm}>
			<p>{t(on ? "drain.undoText" : "drain.text")}</p>
			{!on && (
				<>
					<Field label={t("field.note")}>
						<input value={note} maxLength={255} onInput={(e) => setNote(e.currentTarget.value)} />
					</Field>
					<Field label={`${t("pause.until")} (${offset(fromWall(until) ?? new Date(now.peek()))})`} help={t("pause.untilHelp")}>
						<input type="datetime-local" value={until} onInput={(e) => setUntil(e.currentTarget.value)} />
					</Field>
				</>
			)}
		</Confirm>
	);
}

function generation(g?: string) {
	if (!g) return <Nothing />;
	return <span>{g === "xxlwheel" ? g : `XXL-JOB ${({ G1: "2.2 – 3.1", G2: "3.2", G3: "3.3 – 3.4", G4: "3.5" } as Record<string, string>)[g] ?? g}`}</span>;
}

interface GroupDraft {
	app: string;
	title: string;
	type: string;
	list: string;
}

const draftOf = (g?: GroupData): GroupDraft => ({ app: g?.appName ?? "", title: g?.title ?? "", type: String(g?.addressType ?? 0), list: g?.addressType === 1 ? (g.addressList ?? []).join("\n") : "" });
const draftFields = { app: "field.appName", title: "field.title", type: "group.type", list: "group.addresses" } as const;
const fieldNames = Object.keys(draftFields) as (keyof GroupDraft)[];
const typeText = (type: string) => t(type === "1" ? "group.manual" : "group.automatic");
const tokenText = (g?: GroupData) => t(g?.hasAccessToken ? "group.ownToken" : "group.sharedToken");

// GroupDialog creates a group, or changes one.
export function GroupDialog({ group, onClose }: { group?: GroupData; onClose: () => void }) {
	const [base, setBase] = useState(group); // the group may be read again while the dialog is open
	const [draft, setDraft] = useState(draftOf(group));
	const [token, setToken] = useState("");
	const [wrong, setWrong] = useState<ApiError>();
	// theirs is what somebody else has saved since base.
	const [theirs, setTheirs] = useState<GroupData>();
	const { app, title, type, list } = draft;
	const set = (change: Partial<GroupDraft>) => setDraft((d) => ({ ...d, ...change }));
	const at = (field: string) => (wrong?.field === field ? wrong.message : undefined);
	const save = async () => {
		const form: GroupData = { appName: app.trim(), title: title.trim(), addressType: Number(type) };
		if (type === "1") form.addressList = list.split(/[\s,]+/).filter(Boolean);
		if (token) form.accessToken = token;
		try {
			if (group) await call("PUT /groups/{id}", { id: group.id! }, { ...form, ifUnchanged: base });
			else go(`executors/${(await call("POST /groups", {}, form)).id}`);
		} catch (e) {
			const error = apiError(e);
			setWrong(error);
			if (group && error.code === "conflict") {
				const now = await call("GET /groups/{id}", { id: group.id! }).catch(() => undefined);
				const [was, is] = [draftOf(base), draftOf(now)];
				if (now && (now.hasAccessToken !== base?.hasAccessToken || fieldNames.some((f) => was[f] !== is[f]))) setTheirs(now);
			}
			throw e;
		}
		tell(t("form.saved", { name: form.title || form.appName || "" }));
		changedSomething();
	};
	if (theirs) {
		const [was, is] = [draftOf(base), draftOf(theirs)];
		const show = (f: keyof GroupDraft, d: GroupDraft) => (f === "type" ? typeText(d.type) : d[f]);
		const differences = fieldNames.filter((f) => draft[f] !== is[f]).map((f) => ({ label: t(draftFields[f]), base: show(f, was), theirs: show(f, is), yours: show(f, draft) }));
		if (base?.hasAccessToken !== theirs.hasAccessToken) differences.push({ label: t("group.token"), base: tokenText(base), theirs: tokenText(theirs), yours: token ? t("group.ownToken") : tokenText(base) });
		const startFrom = (next: GroupDraft) => {
			setDraft(next);
			setBase(theirs);
			setTheirs(undefined);
			setWrong(undefined);
		};
		return <Conflict differences={differences} onBack={() => setTheirs(undefined)} onTheirs={() => { setToken(""); startFrom(is); }} onMine={() => startFrom({ ...is, ...Object.fromEntries(fieldNames.filter((f) => draft[f] !== was[f]).map((f) => [f, draft[f]])) })} />;
	}
	return (
		<Confirm title={group ? t("calendar.edit", { name: group.title || group.appName || "" }) : t("group.new")} action={t(group ? "code.save" : "form.create")} onClose={onClose} onConfirm={save}>
			<Field label={t("field.appName")} required error={at("appName")} help={t("group.appHelp")}>
				<input class="mono-input" value={app} maxLength={64} spellcheck={false} onInput={(e) => set({ app: e.currentTarget.value })} />
			</Field>
			<Field label={t("field.title")} error={at("title")}>
				<input value={title} onInput={(e) => set({ title: e.currentTarget.value })} />
			</Field>
			<Field label={t("group.type")}>
				<Select value={type} onChange={(e) => set({ type: e.currentTarget.value })} options={["0", "1"].map((value) => ({ value, text: typeText(value) }))} />
			</Field>
			{type === "1" && (
				<Field label={t("group.addresses")} error={at("addressList")} help={t("group.addressesHelp")}>
					<textarea rows={3} class="mono-input" value={list} onInput={(e) => set({ list: e.currentTarget.value })} />
				</Field>
			)}
			<Field label={t("group.ownTokenField")} error={at("accessToken")} help={t(group?.hasAccessToken ? "group.tokenKept" : "group.tokenHelp")}>
				<input type="password" autocomplete="new-password" value={token} onInput={(e) => setToken(e.currentTarget.value)} />
			</Field>
		</Confirm>
	);
}
