// The list of runs, of all jobs or of one.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useCall, useDelayed } from "../data";
import type { ListedRun, Run } from "../api";
import { number, t, word } from "../i18n";
import { href, query, setQuery } from "../route";
import { Button, Empty, Mono, Nothing, Status, Tag, Time } from "../parts/basic";
import { Panel } from "../parts/page";
import { Pager, Table, type Column } from "../parts/table";
import { fromWall, instantOf, midnight, now, offset, span, wall } from "../time";
import { KillDialog, mayKill } from "./killrun";

const pageSize = 50;
const states = ["", "RUNNING", "SUCCESS", "FAIL", "LOST"] as const;

const causes = ["CRON", "MISFIRE", "MANUAL", "PARENT", "RETRY", "API", "BACKFILL"] as const;

// spans of time that the list can be restricted to, in hours.
const spans: Record<string, number> = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 };

// limits returns the first instant of a choice of time and, of days that are over, the end. Whole
// minutes make the same question again and again, and not a new one each second.
function limits(since: string, q: URLSearchParams): [from?: Date, before?: Date] {
	if (spans[since]) return [new Date(Math.floor(Date.now() / 60e3) * 60e3 - spans[since] * 3600e3)];
	if (since === "custom") return [instantOf(q.get("from")), instantOf(q.get("to"))];
	if (since === "today") return [midnight(0)];
	return since === "yesterday" ? [midnight(-1), midnight(0)] : [];
}

export function RunTable({ fixed, groups }: { fixed?: { job: number }; groups?: { value: string; text: string }[] }) {
	const q = query.value;
	const status = q.get("status") ?? "";
	const since = q.get("since") ?? "";
	const job = fixed?.job ?? (Number(q.get("job")) || undefined);
	const group = Number(q.get("group")) || undefined;
	const type = q.get("type") ?? "";
	const longer = q.get("longer") ?? "";
	const address = q.get("address") || undefined;
	const [kill, setKill] = useState<ListedRun>();
	const cursors = (q.get("after") ?? "").split(".").filter(Boolean);
	const [from, before] = limits(since, q);
	const runs = useCall("GET /runs", { job, group, status: (status || undefined) as Run["status"] | undefined, text: q.get("text") || undefined,
		triggerType: (type || undefined) as "CRON" | undefined, atLeastMs: longer ? Number(longer) : undefined, address, since: from?.toISOString(), before: before?.toISOString(), newest: true, after: Number(cursors.at(-1)) || undefined, limit: pageSize }, 3e3);
	const named = useCall("GET /jobs/{id}", !fixed && job ? { id: job } : undefined);
	const jobs = useCall("GET /jobs", !fixed && group ? { group, name: q.get("name") || undefined, light: true, sort: "NAME", limit: 1000 } : undefined);
	const filtered = !!(status || since || (!fixed && job) || group || type || longer || address || q.get("text"));
	const columns: Column<ListedRun>[] = [
		{
			head: t(fixed ? "runs.id" : "job.name"), grow: !fixed,
			cell: (l) => (
				<>
					<span class="row-main">
						<a dir="auto" class="row-link" href={href(`runs/${l.id}`)}>{fixed ? `#${l.id}` : (l.jobName ?? `${t("job.one")} #${l.jobId}`)}</a>
						{!fixed && <small>#{l.id}</small>}
					</span>
					<span class="row-under"><Time at={l.triggerTime} relative />{l.tookMs !== undefined && " · " + span(l.tookMs)}</span>
				</>
			),
		},
		{ head: t("runs.result"), cell: (l) => (
			<span class="inline">
				<RunStatus run={l} />
				{l.history && l.history.attempt > 1 && <Tag>{t("runs.attempt", { n: l.history.attempt })}</Tag>}
			</span>
		) },
		{ head: t("runs.triggered"), from: "mid", cell: (l) => <Time at={l.triggerTime} relative /> },
		{ head: t("runs.late"), end: true, from: "mid", cell: (l) => <Lateness ms={l.history?.latenessMs} /> },
		{ head: t("runs.duration"), end: true, from: "mid", cell: (l) => (l.tookMs === undefined ? <Nothing /> : span(l.tookMs)) },
		{
			head: t("runs.cause"), from: "wide",
			cell: (l) => l.history ? word("triggerType", l.history.triggerType) : <Nothing />,
		},
		{ head: t("runs.address"), from: "mid", cell: (l) => (l.executorAddress ? <Mono>{l.executorAddress.replace(/^https?:\/\/|\/$/g, "")}</Mono> : <Nothing />) },
		{ head: t("runs.message"), from: "wide", grow: !!fixed, cell: (l) => <span class="cut muted">{summary(l)}</span> },
		{
			head: t("list.actions"), hidden: true, end: true,
			cell: (l) => mayKill(l) && <Button icon="stop" tone="quiet" aria-label={t("runs.killOne", { id: l.id })} onClick={() => setKill(l)} />,
		},
	];
	const shown = runs.data?.runs.length ?? 0;
	return (
		<div class="stack">
			<div class="filters" role="search">
				<Typed name="text" label={t("runs.search")} />
				<div class="segments" role="group" aria-label={t("runs.result")}>
					{states.map((s) => (
						<button key={s} type="button" aria-pressed={status === s} onClick={() => setQuery({ status: s, after: undefined })}>
							{s === "" ? t("transfer.all") : t(`status.${s}`)}
						</button>
					))}
				</div>
				<select aria-label={t("runs.since")} value={since} onChange={(e) => setQuery({ since: e.currentTarget.value, from: undefined, to: undefined, after: undefined })}>
					<option value="">{t("runs.anyTime")}</option>
					<option value="1h">{t("runs.lastHour")}</option>
					<option value="24h">{t("runs.lastDay")}</option>
					<option value="7d">{t("runs.lastWeek")}</option>
					<option value="30d">{t("runs.lastMonth")}</option>
					<option value="today">{t("runs.today")}</option>
					<option value="yesterday">{t("runs.yesterday")}</option>
					<option value="custom">{t("runs.custom")}</option>
				</select>
				{since === "custom" && <><Bound end="from" label="runs.notBefore" /><Bound end="to" label="runs.before" /></>}
				<select aria-label={t("runs.cause")} value={type} onChange={(e) => setQuery({ type: e.currentTarget.value, after: undefined })}>
					<option value="">{t("runs.anyCause")}</option>
					{causes.map((c) => (
						<option key={c} value={c}>{word("triggerType", c)}</option>
					))}
				</select>
				<select aria-label={t("runs.longer")} value={longer} onChange={(e) => setQuery({ longer: e.currentTarget.value, after: undefined })}>
					<option value="">{t("runs.anyDuration")}</option>
					{["1000", "10000", "60000", "600000", "3600000"].map((ms) => (
						<option key={ms} value={ms}>{t("runs.atLeast", { span: span(Number(ms)) })}</option>
					))}
				</select>
				{groups && (
					<select aria-label={t("field.jobGroup")} value={String(group ?? "")} onChange={(e) => setQuery({ group: e.currentTarget.value, job: undefined, name: undefined, after: undefined })}>
						<option value="">{t("jobs.allGroups")}</option>
						{groups.map((g) => (
							<option key={g.value} value={g.value}>{g.text}</option>
						))}
					</select>
				)}
				{(jobs.data?.next || q.has("name")) && <Typed name="name" label={t("runs.findJob")} />}
				{!!jobs.data?.jobs.length && (
					<select aria-label={t("job.name")} value={String(job ?? "")} onChange={(e) => setQuery({ job: e.currentTarget.value, after: undefined })}>
						<option value="">{t("runs.allJobs")}</option>
						{jobs.data.jobs.map((j) => (
							<option key={j.id} value={String(j.id)}>{j.name}</option>
						))}
					</select>
				)}
				{!fixed && job && !jobs.data?.jobs.some((j) => j.id === job) && (
					<Button icon="close" onClick={() => setQuery({ job: undefined, after: undefined })}>
						<span class="cut">{named.data?.name ?? `${t("job.one")} #${job}`}</span>
					</Button>
				)}
				<Typed name="address" label={t("runs.byAddress")} />
			</div>
			<Panel flush>
				<Table label={t("job.tabRuns")} columns={columns} rows={runs.data?.runs} id={(l) => l.id} error={runs.error} retry={runs.reload}
					empty={
						<Empty icon="runs" title={t(filtered ? "list.noneMatch" : "runs.none")}>
							{filtered && <Button onClick={() => setQuery({ status: "", since: "", job: "", group: "", type: "", longer: "", address: "", text: "", name: "", after: "" })}>{t("list.clearFilters")}</Button>}
						</Empty>
					} />
				{(cursors.length > 0 || runs.data?.next) && (
					<Pager first={cursors.length === 0} last={!runs.data?.next} onBack={() => setQuery({ after: cursors.slice(0, -1).join(".") })} onNext={() => setQuery({ after: [...cursors, runs.data?.next].join(".") })} shown={t("list.shown", { from: number(cursors.length * pageSize + 1), to: number(cursors.length * pageSize + shown) })} />
				)}
			</Panel>
			{kill && <KillDialog run={kill} name={kill.jobName} onClose={() => setKill(undefined)} />}
		</div>
	);
}

// Typed filters the list by what people type, once they pause. The field follows its parameter of the
// address when something else changes that, as a link does.
export function Typed({ name, label }: { name: string; label: string }) {
	const is = query.value.get(name) ?? "";
	const [text, setText] = useState(is);
	const own = useRef(is); // the value of the parameter that the field has
	const wanted = useDelayed(text, 200);
	useEffect(() => {
		if (wanted === own.current) return;
		own.current = wanted;
		setQuery({ [name]: wanted, after: undefined });
	}, [wanted]);
	useLayoutEffect(() => {
		if (is === own.current) return;
		own.current = is;
		setText(is);
	}, [is]);
	return <input type="search" aria-label={label} placeholder={label} value={text} onInput={(e) => setText(e.currentTarget.value)} />;
}

// Bound is an end of the time that the list is restricted to. The address has the instant, so that a
// link means the same on a page with another zone.
function Bound({ end, label }: { end: string; label: "runs.notBefore" | "runs.before" }) {
	const at = instantOf(query.value.get(end));
	return (
		<label>
			{t(label, { zone: offset(at ?? new Date(now.peek())) })}
			<input type="datetime-local" value={at ? wall(at) : ""} onChange={(e) => setQuery({ [end]: fromWall(e.currentTarget.value)?.toISOString(), after: undefined })} />
		</label>
	);
}

// Lateness marks runs that left more than a second after they were due.
export function Lateness({ ms }: { ms?: number }) {
	if (ms === undefined) return <Nothing />;
	return <span class={ms > 1000 ? "late" : "muted"}>{span(ms)}</span>;
}

// RunStatus is the result of a run, with the two failures that have names of their own.
export function RunStatus({ run: l }: { run: Pick<Run, "status" | "handleCode"> & { lost?: boolean } }) {
	return <Status is={l.status} text={l.lost ? t("status.LOST") : l.handleCode === 502 ? t("status.TIMEOUT") : undefined} />;
}

type Said = Pick<Run, "status" | "triggerCode" | "triggerMsg" | "handleMsg">;

// reason returns what a run says of itself or, if it failed without being accepted, the result of
// sending it.
export function reason(l: Said): string {
	if (l.status !== "FAIL" || l.triggerCode === 200) return plain(l.handleMsg ?? "");
	const text = plain(l.triggerMsg);
	return /^result：(?:error|unknown), ([^]*?)(?:\nnext attempt：.*)?$/m.exec(text)?.[1] ?? text;
}

// summary returns the first line of the reason.
export function summary(l: Said): string {
	return reason(l).split("\n", 1)[0] ?? "";
}

const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&" };

// plain returns the text of a message that was made to be put into HTML, as upstream's are.
export function plain(text: string): string {
	return text.replace(/<br\s*\/?>/g, "\n").replace(/<\/?span[^>]*>/g, "").replace(/&(lt|gt|amp|#34|#39);/g, (e) => entities[e]!).trim();
}
