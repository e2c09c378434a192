// One job: what it is, what it does next, and its runs.

import { useState } from "preact/hooks";
import { call, type Job as JobData } from "../api";
import { changedSomething, useCall } from "../data";
import { number, t, word } from "../i18n";
import { lang } from "../prefs";
import { bundle } from "../later";
import { go, href, jobTabs } from "../route";
import { may } from "../session";
import { Button, Empty, Fact, Facts, InZone, LinkButton, Mono, Nothing, Pending, Switch, Tag, Time, Waiting } from "../parts/basic";
import { Confirm } from "../parts/dialog";
import { Page, Panel, Tabs } from "../parts/page";
import { RunDialog } from "../parts/rundialog";
import { Table } from "../parts/table";
import { tell } from "../parts/toast";
import { instant, now, span, useJobZone, weekday } from "../time";
import { AuditList } from "./audit";
import { JobLink, Schedule, switchJob, useGroups } from "./jobwords";
import { Lateness, RunStatus, RunTable } from "./runtable";
import { PauseNotice } from "./pauses";
import { Timeline } from "./timeline";
import { JobVersions } from "./versions";
import { Why } from "./why";

const tabText = { "": "job.tabState", runs: "job.tabRuns", timeline: "job.tabTimeline", why: "job.tabWhy", code: "job.tabCode", misfires: "job.tabMisfires", changes: "job.tabChanges" } as const;
type Tab = (typeof jobTabs)[number];

// The page of the source has the editor in its bundle, and is of no use without it.
const code = bundle(() => import("./code"), (instead) => <Panel>{instead}</Panel>)((parts, job: JobData) => <parts.Code job={job} />);

export function Job({ id, tab }: { id: number; tab: Tab }) {
	const job = useCall("GET /jobs/{id}", { id }, 5e3);
	const [run, setRun] = useState(false);
	const [remove, setRemove] = useState(false);
	const above = { to: href("jobs"), text: t("nav.jobs") };
	const j = job.data;
	const zone = useJobZone(j?.settings?.zone);
	// A job that is gone still has its editor, for what was typed there.
	if (!j || (job.error?.status === 404 && tab !== "code")) return <Page title={`${t("job.one")} #${id}`} above={above}><Pending call={job} /></Page>;
	return (
		<Page
			title={j.name ?? ""} above={above} wide
			beside={
				<>
					<Tag>#{id}</Tag>
					<InZone name={zone} />
					<span class="row-main">
						<Switch on={!!j.running} disabled={!may("operator", j.jobGroup)} label={t("jobs.switch", { name: j.name ?? "" })} onChange={(on) => void switchJob(j, on)} />
						<span class="muted">{t(j.running ? "jobs.on" : "jobs.off")}</span>
					</span>
				</>
			}
			actions={
				<>
					{may("operator", j.jobGroup) && <Button icon="run" tone="primary" shortcut="r" onClick={() => setRun(true)}>{t("bulk.trigger")}</Button>}
					{may("editor", j.jobGroup) && <LinkButton icon="edit" shortcut="e" to={href(`jobs/${id}/edit`)}>{t("job.edit")}</LinkButton>}
					{may("editor") && <LinkButton icon="copy" to={href(`jobs/new?copy=${id}`)} label={t("api.copy")} />}
					{may("editor", j.jobGroup) && <Button icon="remove" aria-label={t("bulk.delete")} onClick={() => setRemove(true)} />}
				</>
			}
		>
			<PauseNotice group={j.jobGroup} />
			<Tabs label={t("job.tabs")} current={tab} tabs={jobTabs.filter((name) => name !== "code" || j.glueType !== "BEAN" || tab === "code").map((name) => ({ id: name, to: href(`jobs/${id}${name && "/" + name}`), text: t(tabText[name]) }))} />
			{tab === "" && <State job={j} />}
			{tab === "runs" && <RunTable fixed={{ job: id }} />}
			{tab === "timeline" && <Timeline job={j} />}
			{tab === "why" && <Why job={j} />}
			{tab === "code" && code(j)}
			{tab === "misfires" && <Misfires id={id} />}
			{tab === "changes" && (
				<div class="columns">
					<div class="col-8"><AuditList fixed={{ job: id }} /></div>
					<div class="col-4"><JobVersions job={j} /></div>
				</div>
			)}
			{run && <RunDialog job={j} onClose={() => setRun(false)} />}
			{remove && (
				<Confirm title={t("calendar.remove", { name: j.name ?? "" })} action={t("bulk.delete")} danger onClose={() => setRemove(false)}
					onConfirm={async () => {
						await call("DELETE /jobs/{id}", { id });
						tell(t("group.removed", { name: j.name ?? "" }));
						changedSomething();
						go("jobs");
					}}>
					<p>{t("job.removeText")}</p>
				</Confirm>
			)}
		</Page>
	);
}

function State({ job: j }: { job: JobData }) {
	const groups = useGroups();
	const preview = useCall("GET /schedule/preview", j.scheduleType === "NONE" || !j.scheduleConf ? undefined : { scheduleType: j.scheduleType, scheduleConf: j.scheduleConf, zone: j.settings?.zone, count: 1 });
	const next = useCall("GET /jobs/{id}/next", j.scheduleType === "NONE" ? undefined : { id: j.id!, count: 12 }, 10e3);
	const last = useCall("GET /runs", { job: j.id, newest: true, limit: 8 }, 3e3);
	const s = j.settings ?? {};
	const beyond: [string, string][] = [];
	if (s.ambiguous) beyond.push([t("field.ambiguous"), word("ambiguous", s.ambiguous)]);
	if (s.keepLogs) beyond.push([t("field.keepLogs"), word("keepLogs", s.keepLogs)]);
	if (s.misfireWindowMs) beyond.push([t("field.misfireWindowMs"), span(s.misfireWindowMs)]);
	if (s.misfireLimit) beyond.push([t("field.misfireLimit"), number(s.misfireLimit)]);
	if (s.misfireSpacingMs) beyond.push([t("field.misfireSpacingMs"), span(s.misfireSpacingMs)]);
	if (s.retryBackoffMs) beyond.push([t("field.retryBackoffMs"), span(s.retryBackoffMs)]);
	if (s.alarmOn) beyond.push([t("field.alarmOn"), word("alarmOn", s.alarmOn)]);
	return (
		<div class="columns">
			<div class="col-8">
				<Panel title={t("fact.scheduleConf")}>
					<Facts>
						<Fact name={t("fact.scheduleConf")}><Schedule job={j} /></Fact>
						<Fact name={t("field.scheduleType")}>{word("scheduleType", j.scheduleType ?? "")}</Fact>
						{preview.data && <Fact name={t("job.words")}>{lang.value === "en" ? preview.data.words.en : preview.data.words.zh}</Fact>}
						<Fact name={t("fact.triggerNextTime")}>{j.running ? <Time at={j.triggerNextTime} relative /> : t("job.offNow")}</Fact>
						<Fact name={t("job.last")}><Time at={j.triggerLastTime} relative={Date.parse(j.triggerLastTime ?? "") < now.value} /></Fact>
						<Fact name={t("field.misfireStrategy")}>{word("misfireStrategy", j.misfireStrategy ?? "")}</Fact>
						<Fact name={t("field.zone")}>{s.zone || t("job.zoneDefault")}</Fact>
					</Facts>
				</Panel>
				<Panel flush title={t("job.latest")} beside={<a href={href(`jobs/${j.id}/runs`)}>{t("transfer.all")}</a>}>
					<Table label={t("job.latest")} rows={last.data?.runs} id={(l) => l.id} error={last.error} retry={last.reload} empty={<Empty icon="runs" title={t("job.neverRan")} />}
						columns={[
							{ head: t("runs.id"), cell: (l) => <a class="row-link" href={href(`runs/${l.id}`)}>#{l.id}</a> },
							{ head: t("runs.result"), cell: (l) => <RunStatus run={l} /> },
							{ head: t("runs.triggered"), cell: (l) => <Time at={l.triggerTime} relative /> },
							{ head: t("runs.duration"), end: true, from: "mid", cell: (l) => (l.tookMs === undefined ? <Nothing /> : span(l.tookMs)) },
							{ head: t("runs.late"), end: true, from: "mid", cell: (l) => <Lateness ms={l.history?.latenessMs} /> },
							{ head: t("runs.address"), from: "mid", cell: (l) => <Mono>{l.executorAddress || "–"}</Mono> },
						]} />
				</Panel>
				<Panel title={t("form.task")}>
					<Facts>
						<Fact name={t("field.jobGroup")}><a href={href(`executors/${j.jobGroup}`)}>{groups.name(j.jobGroup)}</a></Fact>
						<Fact name={t("field.glueType")}>{t(`glue.${j.glueType ?? "BEAN"}`)}</Fact>
						{j.glueType === "BEAN" && <Fact name={t("field.executorHandler")}><code>{j.executorHandler}</code></Fact>}
						<Fact name={t("field.executorRouteStrategy")}>{word("executorRouteStrategy", j.executorRouteStrategy ?? "")}</Fact>
						<Fact name={t("field.executorBlockStrategy")}>{word("executorBlockStrategy", j.executorBlockStrategy ?? "")}</Fact>
						<Fact name={t("field.executorTimeout")}>{j.executorTimeout ? span(j.executorTimeout * 1000) : t("job.noLimit")}</Fact>
						<Fact name={t("field.executorFailRetryCount")}>{number(j.executorFailRetryCount ?? 0)}</Fact>
						{beyond.map(([name, value]) => <Fact key={name} name={name}>{value}</Fact>)}
						{j.childJobIds?.length ? <Fact name={t("field.childJobIds")}>{j.childJobIds.map((c) => <JobLink key={c} id={c} />)}</Fact> : null}
					</Facts>
					{j.executorParam && (
						<>
							<h3 class="block-head">{t("field.executorParam")}</h3>
							<pre class="block">{j.executorParam}</pre>
						</>
					)}
				</Panel>
			</div>
			<div class="col-4">
				<Panel title={t("job.nextTimes")}>
					{j.scheduleType === "NONE" ? <Empty icon="clock" title={t("dry.none")} /> : next.error ? <p class="field-error">{next.error.message}</p> : !next.data ? <Waiting rows={5} /> : (
						<ol class="times is-one">
							{next.data.next.map((at) => (
								<li key={at}>
									<span>{instant(new Date(at)).slice(0, 10)} <small>{weekday(new Date(at))}</small></span>
									<span>{instant(new Date(at)).slice(11, 19)}</span>
								</li>
							))}
						</ol>
					)}
				</Panel>
				<Panel title={t("form.base")}>
					<dl class="facts is-list">
						<Fact name={t("field.author")}>{j.author}</Fact>
						{!!j.tags?.length && <Fact name={t("field.tags")}><span class="inline">{j.tags.map((name) => <a key={name} class="tag" href={href(`jobs?tag=${encodeURIComponent(name)}`)}>{name}</a>)}</span></Fact>}
						<Fact name={t("field.alarmEmail")}>{j.alarmEmail || <Nothing />}</Fact>
						<Fact name={t("fact.added")}><Time at={j.addTime} /></Fact>
						<Fact name={t("fact.updated")}><Time at={j.updateTime} /></Fact>
					</dl>
				</Panel>
			</div>
		</div>
	);
}

function Misfires({ id }: { id: number }) {
	const misfires = useCall("GET /jobs/{id}/misfires", { id, newest: true, limit: 100 }, 10e3);
	return (
		<Panel flush>
			<Table bare label={t("job.tabMisfires")} rows={misfires.data?.misfires} id={(m) => m.id} error={misfires.error} retry={misfires.reload}
				empty={<Empty icon="check" title={t("misfires.none")}>{t("misfires.noneText")}</Empty>}
				columns={[
					{ head: t("misfires.due"), cell: (m) => <Time at={m.due} relative /> },
					{ head: t("misfires.until"), from: "mid", cell: (m) => <Time at={m.until} /> },
					{ head: t("misfires.kind"), cell: (m) => t(`misfireKind.${m.kind}`) },
					{ head: t("field.misfireStrategy"), from: "mid", cell: (m) => m.misfireStrategy ? word("misfireStrategy", m.misfireStrategy) : <Nothing /> },
					{ head: t("fact.at"), end: true, from: "mid", cell: (m) => <Time at={m.at} /> },
				]} />
		</Panel>
	);
}
