// The list of jobs.

import { useEffect, useState } from "preact/hooks";
import type { Job } from "../api";
import { useCall } from "../data";
import { number, t } from "../i18n";
import { lang } from "../prefs";
import { href, query, setQuery } from "../route";
import { may } from "../session";
import { Button, Empty, LinkButton, Mono, Nothing, Status, Switch, Time } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { RunDialog } from "../parts/rundialog";
import { Spark } from "../parts/spark";
import { Pager, Table, type Column } from "../parts/table";
import type { Action } from "../bulk";
import { BulkBar, BulkDialog, bulkFilter } from "./bulk";
import { JobDrawer, useRoomy } from "./jobdrawer";
import { PauseNotice } from "./pauses";
import { instant, now } from "../time";
import { Schedule, switchJob, useGroups } from "./jobwords";
import { Typed } from "./runtable";

const pageSize = 100;

// sought are the fields that the text is searched in; each is a parameter of the address.
const sought = ["name", "handler", "author"] as const;
const results = ["FAIL", "SUCCESS", "NONE"] as const;

// overdueAfter is the time in ms after which the API calls a job overdue, too.
const overdueAfter = 10e3;

// NextFire shows when a job fires next, and leads to the reasons if that time has passed.
function NextFire({ job: j }: { job: Job }) {
	if (!j.running) return <Nothing />;
	if (!(Date.parse(j.triggerNextTime ?? "") < now.value - overdueAfter)) return <Time at={j.triggerNextTime} relative />;
	return <a href={href(`jobs/${j.id}/why`)} title={instant(new Date(j.triggerNextTime!))}><Status is="WARN" text={t("finding.overdue")} /></a>;
}

export function Jobs() {
	const q = query.value;
	const group = q.get("group") ?? "";
	const state = q.get("running") ?? "";
	const tag = q.get("tag") ?? "";
	const last = (q.get("last") ?? "") as "" | (typeof results)[number];
	// The field that the address names remains chosen once its text is empty.
	const [kept, setField] = useState<(typeof sought)[number]>("name");
	const field = sought.find((f) => q.get(f)) ?? kept;
	if (field !== kept) setField(field);
	const detail = Number(q.get("show")) || undefined;
	const beside = useRoomy() && !!detail;
	const by = q.get("sort") ?? "ID";
	const desc = q.get("desc") === "true";
	// Each cursor is the id, and the key of another order than by id.
	const cursors: { id: string; key: string }[] = q.has("after") ? JSON.parse(q.get("after")!) : [];
	const cursor = cursors.at(-1);
	const [run, setRun] = useState<Job>();
	const [chosen, setChosen] = useState(new Map<number, string>());
	const [all, setAll] = useState(false);
	const [action, setAction] = useState<Action>();
	const jobs = useCall("GET /jobs", {
		name: q.get("name") || undefined, handler: q.get("handler") || undefined, author: q.get("author") || undefined, group: group ? Number(group) : undefined, lastResult: last || undefined,
		running: state ? state === "true" : undefined, tag: tag || undefined, after: cursor && Number(cursor.id), afterKey: cursor && by !== "ID" ? cursor.key : undefined,
		limit: pageSize, light: true, count: true, recent: true, words: true, sort: by as "ID", desc,
	}, 5000);
	// After the jobs: a browser has six connections, and what is asked last may wait for one.
	const groups = useGroups();
	const tags = useCall("GET /tags", {}, 60e3);
	const found = q.get(field) ?? "";
	const filtered = !!(found || group || state || tag || last);
	const rows = jobs.data?.jobs;
	const recent = new Map((jobs.data?.recent ?? []).map((r) => [r.id, r.runs]));
	const words = new Map((jobs.data?.words ?? []).map((w) => [w.id, lang.value === "en" ? w.en : w.zh]));
	const whole = !!rows?.length && rows.every((j) => chosen.has(j.id!));
	const choose = (list: Job[], on: boolean) => {
		setAll(false);
		setChosen((had) => {
			const now = new Map(had);
			for (const j of list) if (on) now.set(j.id!, j.name ?? ""); else now.delete(j.id!);
			return now;
		});
	};
	const chooseNone = () => {
		setAll(false);
		setChosen(new Map());
	};
	// What a filter selects is no longer what was chosen once it changes.
	useEffect(() => setAll(false), [field, found, group, state, tag, last]);
	const columns: Column<Job>[] = [
		...(may("operator") ? [{
			head: t("bulk.choose"),
			control: <input type="checkbox" aria-label={t("bulk.choosePage")} checked={all || whole} disabled={!rows?.length} onChange={(e) => choose(rows ?? [], e.currentTarget.checked)} />,
			cell: (j: Job) => <input type="checkbox" data-key="x" aria-label={t("bulk.chooseOne", { name: j.name ?? "" })} checked={all || chosen.has(j.id!)} onChange={(e) => choose([j], e.currentTarget.checked)} />,
		}] : []),
		{
			head: t("job.name"), sort: "NAME", grow: true, share: !beside,
			cell: (j) => (
				<>
					<span class="row-main">
						<a dir="auto" class="row-link" href={href(`jobs/${j.id}`)} title={j.name}>
							{j.name}
						</a>
						<small>#{j.id}</small>
					</span>
					{!!j.tags?.length && (
						<span class="row-tags">
							{j.tags.slice(0, 2).map((name) => <button key={name} type="button" class="tag" title={name} onClick={() => setQuery({ tag: name, after: undefined })}>{name}</button>)}
							{j.tags.length > 2 && <small title={j.tags.slice(2).join(", ")}>+{j.tags.length - 2}</small>}
						</span>
					)}
					<span class="row-under">
						<Schedule job={j} words={words.get(j.id!)} />
					</span>
				</>
			),
		},
		{ head: t("field.jobGroup"), sort: "GROUP", from: "mid", share: true, cell: (j) => <span class="cut">{groups.name(j.jobGroup)}</span> },
		{ head: t("field.executorHandler"), sort: "HANDLER", from: "vast", share: true, cell: (j) => <span class="cut">{j.glueType === "BEAN" ? <Mono>{j.executorHandler}</Mono> : t(`glue.${j.glueType ?? "BEAN"}`)}</span> },
		{ head: t("field.author"), sort: "AUTHOR", from: "vast", cell: (j) => <span class="cut">{j.author}</span> },
		{ head: t("fact.scheduleConf"), sort: "TYPE", from: "mid", share: true, cell: (j) => <Schedule job={j} words={words.get(j.id!)} /> },
		{ head: t("job.latest"), sort: "RESULT", from: "wide", cell: (j) => <Spark runs={recent.get(j.id!)} /> },
		{ head: t("fact.triggerNextTime"), sort: "NEXT", end: true, from: "mid", cell: (j) => <NextFire job={j} /> },
		{ head: t("job.running"), sort: "STATUS", end: true, cell: (j) => <Switch on={!!j.running} disabled={!may("operator", j.jobGroup)} label={t("jobs.switch", { name: j.name ?? "" })} onChange={(on) => void switchJob(j, on)} /> },
		{
			head: t("list.actions"), hidden: true, end: true,
			cell: (j) => (
				<span class="row-actions">
					{may("operator", j.jobGroup) && <Button icon="run" tone="quiet" shortcut="r" aria-label={t("jobs.run", { name: j.name ?? "" })} onClick={() => setRun(j)} />}
					<span class="from-mid">
						<Button icon="search" tone="quiet" shortcut="d" aria-label={t("jobs.details", { name: j.name ?? "" })} aria-expanded={detail === j.id} onClick={() => setQuery({ show: detail === j.id ? undefined : String(j.id) })} />
						{may("editor", j.jobGroup) && <LinkButton icon="edit" tone="quiet" shortcut="e" to={href(`jobs/${j.id}/edit`)} label={t("calendar.edit", { name: j.name ?? "" })} />}
						{may("editor", j.jobGroup) && <LinkButton icon="copy" tone="quiet" to={href(`jobs/new?copy=${j.id}`)} label={t("jobs.copy", { name: j.name ?? "" })} />}
						<LinkButton icon="runs" tone="quiet" shortcut="l" to={href(`runs?job=${j.id}`)} label={t("jobs.runs", { name: j.name ?? "" })} />
					</span>
				</span>
			),
		},
	];
	const shown = jobs.data?.jobs.length ?? 0;
	return (
		<Page
			title={t("nav.jobs")} wide
			beside={jobs.data?.count !== undefined && <span class="muted">{number(jobs.data.count)}{jobs.data.more && "+"}</span>}
			actions={may("editor") && <LinkButton icon="add" tone="primary" to={href("jobs/new")}>{t("jobs.new")}</LinkButton>}
		>
			<PauseNotice group={Number(group) || undefined} />
			<div class="filters" role="search">
				<span class="inline">
					<Typed name={field} label={t("frame.search")} />
					<select aria-label={t("jobs.searchIn")} value={field} onChange={(e) => {
						const to = e.currentTarget.value as "name";
						setField(to);
						if (found) setQuery({ [field]: undefined, [to]: found, after: undefined });
					}}>
						<option value="name">{t("job.name")}</option>
						<option value="handler">{t("field.executorHandler")}</option>
						<option value="author">{t("field.author")}</option>
					</select>
				</span>
				<select aria-label={t("field.jobGroup")} value={group} onChange={(e) => setQuery({ group: e.currentTarget.value, after: undefined })}>
					<option value="">{t("jobs.allGroups")}</option>
					{groups.options.map((g) => (
						<option key={g.value} value={g.value}>{g.text}</option>
					))}
				</select>
				{(tag || !!tags.data?.tags.length) && (
					<select aria-label={t("field.tags")} value={tag} onChange={(e) => setQuery({ tag: e.currentTarget.value, after: undefined })}>
						<option value="">{t("jobs.allTags")}</option>
						{tag && !tags.data?.tags.some((c) => c.tag === tag) && <option value={tag}>{tag}</option>}
						{tags.data?.tags.map((c) => (
							<option key={c.tag} value={c.tag}>{`${c.tag} (${number(c.jobs)})`}</option>
						))}
					</select>
				)}
				<select aria-label={t("jobs.last")} value={last} onChange={(e) => setQuery({ last: e.currentTarget.value, after: undefined })}>
					<option value="">{t("jobs.anyLast")}</option>
					{results.map((r) => <option key={r} value={r}>{t(`lastResult.${r}`)}</option>)}
				</select>
				<div class="segments" role="group" aria-label={t("job.running")}>
					{(["", "true", "false"] as const).map((s) => (
						<button key={s} type="button" aria-pressed={state === s} onClick={() => setQuery({ running: s, after: undefined })}>
							{t(s === "" ? "transfer.all" : s === "true" ? "jobs.on" : "jobs.off")}
						</button>
					))}
				</div>
			</div>
			{(all || chosen.size > 0) && <BulkBar chosen={chosen} all={all} matching={jobs.data?.count} more={jobs.data?.more} onAll={() => setAll(true)} onNone={chooseNone} onAction={setAction} />}
			<div class={beside ? "beside" : undefined}>
			<Panel flush>
				<Table
					label={t("nav.jobs")} columns={beside ? columns.filter((c) => !c.from || c.sort === "NEXT") : columns} rows={rows} id={(j) => j.id!} order={{ by, desc, set: (sort, down) => setQuery({ sort, desc: down ? "true" : undefined, after: undefined }) }} error={jobs.error} retry={jobs.reload}
					tone={(j) => [!j.running && "is-off", (all || chosen.has(j.id!)) && "is-chosen"].filter(Boolean).join(" ") || undefined}
					empty={
						filtered ? (
							<Empty icon="filter" title={t("list.noneMatch")}>
								<Button onClick={() => setQuery({ name: "", handler: "", author: "", group: "", running: "", tag: "", last: "", after: "" })}>{t("list.clearFilters")}</Button>
							</Empty>
						) : (
							<Empty icon="jobs" title={t("jobs.none")}>{t("jobs.noneText")}</Empty>
						)
					}
				/>
				{(cursors.length > 0 || jobs.data?.next) && (
					<Pager first={cursors.length === 0} last={!jobs.data?.next}
						onBack={() => setQuery({ after: cursors.length > 1 ? JSON.stringify(cursors.slice(0, -1)) : undefined })}
						onNext={() => setQuery({ after: JSON.stringify([...cursors, { id: String(jobs.data?.next), key: jobs.data?.nextKey ?? "" }]) })} shown={t("list.shown", { from: number(cursors.length * pageSize + 1), to: number(cursors.length * pageSize + shown) })} />
				)}
			</Panel>
			{detail && <JobDrawer key={detail} id={detail} words={words.get(detail)} onClose={() => setQuery({ show: undefined })} />}
			</div>
			{action && (
				<BulkDialog action={action} choice={all ? { filter: bulkFilter({ name: q.get("name") ?? "", handler: q.get("handler") ?? "", author: q.get("author") ?? "", lastResult: last, group, running: state, tag }) } : { ids: [...chosen.keys()] }} names={chosen}
					onClose={(changed) => {
						setAction(undefined);
						if (changed) chooseNone();
					}} />
			)}
			{run && <RunDialog job={run} onClose={() => setRun(undefined)} />}
		</Page>
	);
}
