// One run: its way, what was said of it, and what it wrote.

import { useState } from "preact/hooks";
import { call, type RelatedRun, type Run as RunForm } from "../api";
import { changedSomething, useCall } from "../data";
import { plural, t, word } from "../i18n";
import { href } from "../route";
import { may } from "../session";
import { Button, Fact, Facts, InZone, Nothing, Pending, Status, Time } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { RunDialog } from "../parts/rundialog";
import { Tail } from "../parts/tail";
import { tell, tellError } from "../parts/toast";
import { span, useJobZone } from "../time";
import { KillDialog, mayKill } from "./killrun";
import { plain, reason, RunStatus } from "./runtable";

export function Run({ id }: { id: number }) {
	const run = useCall("GET /runs/{id}", { id, related: true }, 2e3);
	const job = useCall("GET /jobs/{id}", run.data ? { id: run.data.jobId } : undefined);
	const [kill, setKill] = useState(false);
	const [again, setAgain] = useState(false);
	const zone = useJobZone(job.data?.settings?.zone);
	const above = { to: href("runs"), text: t("job.tabRuns") };
	const title = t("runs.title", { id });
	const l = run.data;
	if (!l) return <Page title={title} above={above}><Pending call={run} /></Page>;
	const mayRun = may("operator", l.jobGroup);
	const repeats = l.related?.filter((r) => r.kin === "REPEAT");
	const name = job.data?.name ?? `${t("job.one")} #${l.jobId}`;
	return (
		<Page
			title={title} above={above} wide beside={<><RunStatus run={l} /><InZone name={zone} /></>}
			actions={
				<>
					{mayKill(l) && <Button icon="stop" onClick={() => setKill(true)}>{t("runs.kill")}</Button>}
					{l.status !== "RUNNING" && mayRun && <Button icon="reload" onClick={() => void rerun(id)}>{t("runs.again")}</Button>}
					{job.data && mayRun && <Button icon="run" shortcut="r" onClick={() => setAgain(true)}>{t("bulk.trigger")}</Button>}
				</>
			}
		>
			<Panel>
				<Track log={l} />
				<Kin runs={l.related?.filter((r) => r.kin === "SHARD" || r.kin === "ATTEMPT")} title={t("runs.fire")} />
			</Panel>
			{l.status === "FAIL" && (
				<Panel title={t("runs.why")}>
					<pre class="block is-fail" tabIndex={0}>{reason(l) || t("runs.noReason")}</pre>
				</Panel>
			)}
			<Panel title={t("runs.facts")}>
				<Facts>
					<Fact name={t("job.one")}><a href={href(`jobs/${l.jobId}`)}>{name}</a></Fact>
					<Fact name={t("field.executorHandler")}>{l.executorHandler ? <code>{l.executorHandler}</code> : <Nothing />}</Fact>
					<Fact name={t("runs.address")}>{l.executorAddress ? <code>{l.executorAddress}</code> : <Nothing />}</Fact>
					<Fact name={t("field.executorParam")}>{l.executorParam ? <code>{l.executorParam}</code> : <Nothing />}</Fact>
					{l.executorShardingParam && <Fact name={t("runs.shard")}><code>{l.executorShardingParam}</code></Fact>}
					<Fact name={t("runs.retries")}>{l.executorFailRetryCount}</Fact>
					{l.history && <Fact name={t("runs.attemptName")}>{l.history.attempt}</Fact>}
					{l.history?.parentLogId ? <Fact name={t("runs.parent")}><a href={href(`runs/${l.history.parentLogId}`)}>#{l.history.parentLogId}</a> {l.related?.find((r) => r.kin === "PARENT")?.jobName}</Fact> : null}
					{repeats?.length ? <Fact name={t("runs.repeats")}>{repeats.map((r) => <><a href={href(`runs/${r.logId}`)}>#{r.logId}</a> </>)}</Fact> : null}
				</Facts>
				{l.status !== "FAIL" && l.handleMsg && (
					<>
						<h3 class="block-head">{t("runs.message")}</h3>
						<pre class="block" tabIndex={0}>{plain(l.handleMsg)}</pre>
					</>
				)}
				<details>
					<summary>{t("runs.dispatch")}</summary>
					<pre class="block" tabIndex={0}>{plain(l.triggerMsg)}</pre>
				</details>
			</Panel>
			{l.triggerCode === 200 && <Tail id={id} grows={l.status === "RUNNING"} />}
			{kill && <KillDialog run={l} name={job.data?.name} onClose={() => setKill(false)} />}
			{again && job.data && <RunDialog job={{ ...job.data, executorParam: l.executorParam }} onClose={() => setAgain(false)} />}
		</Page>
	);
}

// rerun repeats a run with its parameter and its shard.
async function rerun(id: number) {
	try {
		await call("POST /runs/{id}/rerun", { id });
		tell(t("runs.rerun", { id }), { to: href("runs"), text: t("run.show") });
		changedSomething();
	} catch (e) {
		tellError(e);
	}
}

// mostKin is how many runs of one fire are named.
const mostKin = 40;

// Kin names the other runs of a fire, or the runs of child jobs, each with its result.
function Kin({ runs = [], title }: { runs?: RelatedRun[]; title?: string }) {
	if (runs.length === 0) return null;
	return (
		<div class="kin">
			{title && <b>{title}</b>}
			{runs.slice(0, mostKin).map((r) => (
				<a key={r.logId} href={href(`runs/${r.logId}`)}>
					<Status is={r.status} />{" "}
					{r.kin === "CHILD" ? r.jobName : [r.executorShardingParam && `${t("runs.shard")} ${r.executorShardingParam}`, (r.attempt > 1 || !r.executorShardingParam) && t("runs.attempt", { n: r.attempt })].filter(Boolean).join(" · ")}
				</a>
			))}
			{runs.length > mostKin && <span>{plural("overview.more", runs.length - mostKin)}</span>}
		</div>
	);
}

// Track is the way of a run from its trigger to its result.
function Track({ log: l }: { log: RunForm }) {
	const h = l.history;
	const sent = l.triggerCode === 200, refused = l.triggerCode !== 200 && l.triggerCode !== 0;
	const ended = l.handleCode !== 0;
	const children = l.related?.filter((r) => r.kin === "CHILD");
	const took = h?.durationMs ?? (l.handleTime && l.triggerTime ? Date.parse(l.handleTime) - Date.parse(l.triggerTime) : undefined);
	return (
		<ol class="track">
			<li class="is-done">
				<b>{t(h ? "track.due" : "track.triggered")}</b>
				<Time at={h?.due ?? l.triggerTime} relative />
				{h && <span class="muted">{word("triggerType", h.triggerType)}</span>}
			</li>
			{h && (
				<li class="is-done">
					<b>{t(h.takenOver ? "track.takenOver" : "track.claimed")}</b>
					<Time at={h.takenOver ?? h.claimed} />
					<span class="muted">{h.takenOverBy ?? h.node}</span>
				</li>
			)}
			<li class={sent ? "is-done" : refused ? "is-fail" : "is-now"}>
				<b>{t(sent ? "track.accepted" : refused ? "track.refused" : "track.sending")}</b>
				<span>
					<Time at={h?.sent} /> {h && <small class={h.latenessMs > 1000 ? "late" : undefined}>{t("track.late", { span: span(h.latenessMs) })}</small>}
				</span>
				<span class="muted">{l.executorAddress || "–"}</span>
			</li>
			<li class={ended ? (l.handleCode === 200 ? "is-done" : "is-fail") : sent ? "is-now" : ""}>
				<b>{ended ? t(l.handleCode === 200 ? "status.SUCCESS" : "status.FAIL") : t(sent ? "status.RUNNING" : "track.noResult")}</b>
				<span>{ended ? <Time at={h?.finished ?? l.handleTime} /> : <Nothing />}</span>
				{ended && took !== undefined && <span class="muted">{t("track.took", { span: span(took) })}</span>}
			</li>
			{children?.length ? (
				<li class={children.some((r) => r.status === "FAIL") ? "is-fail" : children.some((r) => r.status === "RUNNING") ? "is-now" : "is-done"}>
					<b>{t("field.childJobIds")}</b>
					<Kin runs={children} />
				</li>
			) : null}
			{l.status === "FAIL" && (
				<li class={l.alarmStatus === 2 ? "is-done" : l.alarmStatus === 3 ? "is-fail" : ""}>
					<b>{t("track.alarm")}</b>
					<span class="muted">{t(l.alarmStatus === 1 ? "alarm.none" : l.alarmStatus === 2 ? "alarm.sent" : l.alarmStatus === 3 ? "alarm.failed" : "alarm.open")}</span>
				</li>
			)}
		</ol>
	);
}
