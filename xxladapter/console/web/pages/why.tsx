// Why a job did or did not run at a time: the reasons, with the records that prove each.

import { useLayoutEffect, useState } from "preact/hooks";
import type { Evidence, Finding, Job } from "../api";
import { useCall } from "../data";
import { t, word } from "../i18n";
import { lang } from "../prefs";
import { href, query, setQuery } from "../route";
import { Button, Empty, Failure, Pending, Status, Time, Waiting } from "../parts/basic";
import { Icon } from "../parts/icons";
import { Panel } from "../parts/page";
import { brief, fromWall, instant, instantOf, now, offset, span, wall } from "../time";

const hour = 3600e3;
const longest = 32 * 24 * hour; // the longest time that the API shows at once

export function Why({ job: j }: { job: Job }) {
	const due = useDue(j);
	const given = query.value.get("at");
	const at = given ?? due.times?.[0]?.due;
	const why = useCall("GET /jobs/{id}/why", due.times || given ? { id: j.id!, at } : undefined, 5e3);
	return (
		<div class="columns">
			<div class="col-8">
				<Ask at={at} latest={due.times?.[0]?.due} />
				{why.data?.scheduleIsPresent && <p class="inline late"><Icon name="warn" />{t("why.present")}</p>}
				<Panel flush title={why.data ? t("why.between", { from: instant(new Date(why.data.from)), to: instant(new Date(why.data.to)) }) : t("job.tabWhy")}>
					{!why.data ? <Pending call={why} /> : why.data.findings.length === 0 ? (
						<Empty icon="search" title={t("why.none")}>{t("why.noneText")}</Empty>
					) : (
						<ol class="entries">
							{why.data.findings.map((f, i) => <Reason key={i} finding={f} job={j.id!} />)}
						</ol>
					)}
				</Panel>
			</div>
			<div class="col-4">
				<Panel title={t("why.recent")}>
					{due.error ? <Failure error={due.error} retry={due.reload} /> : !due.times ? <Waiting /> : due.times.length === 0 ? <Empty icon="clock" title={t("why.noRecent")} /> : (
						<ul class="times is-one">
							{due.times.slice(0, 12).map((d) => (
								<li key={d.due}>
									<a href={href(`jobs/${j.id}/why?at=${encodeURIComponent(d.due)}`)} aria-current={d.due === at ? "true" : undefined}><Time at={d.due} relative /></a>
									<Status is={d.is} text={d.text} />
								</li>
							))}
						</ul>
					)}
				</Panel>
			</div>
		</div>
	);
}

// Ask is the form in which people name the time.
function Ask({ at, latest }: { at?: string; latest?: string }) {
	const instant = instantOf(at);
	const shown = instant ? wall(instant) : "";
	const [text, setText] = useState(shown);
	const [wrong, setWrong] = useState(false);
	// The field changes before anybody can type into it again.
	useLayoutEffect(() => {
		setText(shown);
		setWrong(false);
	}, [shown]);
	const ask = (e: Event) => {
		e.preventDefault();
		const named = fromWall(text);
		setWrong(!named);
		if (named) setQuery({ at: named.toISOString() });
	};
	return (
		<form class="filters" onSubmit={ask} noValidate>
			<label>
				{t("why.time", { zone: offset(instant ?? new Date(now.peek())) })}
				<input type="datetime-local" step={1} value={text} aria-invalid={wrong || undefined} aria-describedby={wrong ? "why-wrong" : undefined} onInput={(e) => setText(e.currentTarget.value)} />
			</label>
			<Button type="submit" icon="search" tone="primary">{t("why.ask")}</Button>
			{latest && latest !== at && <Button onClick={() => setQuery({ at: undefined })}>{t("why.latest")}</Button>}
			{wrong && <p id="why-wrong" class="field-error" role="alert">{t("why.noTime")}</p>}
		</form>
	);
}

const good: Finding["code"][] = ["ran"];
const busy: Finding["code"][] = ["running", "being_sent"];
const calm: Finding["code"][] = ["not_yet", "no_match", "no_schedule", "after_run", "not_created", "not_traced"];
const late: Finding["code"][] = ["stopped", "misfire", "ran_late", "overdue", "no_record", "no_place", "ambiguous", "node_froze", "covered", "clocks_apart", "paused", "excluded"];

function tone(code: Finding["code"]): string {
	if (good.includes(code)) return "SUCCESS";
	if (busy.includes(code)) return "RUNNING";
	if (calm.includes(code)) return "NONE";
	return late.includes(code) ? "WARN" : "FAIL";
}

function Reason({ finding: f, job }: { finding: Finding; job: number }) {
	const text = inZone(lang.value === "en" ? f.words.en : f.words.zh, f);
	// A failed run gives its reason in the words; its first line belongs to the sentence.
	const cut = text.indexOf("\n");
	return (
		<li data-code={f.code}>
			<Status is={tone(f.code)} text={t(`finding.${f.code}`)} />
			<p class="diff-values">{cut < 0 ? text : text.slice(0, cut)}</p>
			{cut >= 0 && (
				<details>
					<summary>{t("why.rest")}</summary>
					<pre class="block" tabIndex={0}>{text.slice(cut + 1)}</pre>
				</details>
			)}
			<ul class="audit-changes">
				{f.evidence.map((e, i) => (
					<li key={i}>
						<Proof evidence={e} job={job} />
						<span class="entry-head">
							{Object.entries(e.facts).filter(([name]) => name !== "handleMsg").sort((a, b) => steps.indexOf(a[0]) - steps.indexOf(b[0])).map(([name, value]) => (
								<span key={name}><span class="muted">{word("fact", name)}</span> {fact(name, String(value))}</span>
							))}
						</span>
					</li>
				))}
			</ul>
		</li>
	);
}

const isInstant = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

// inZone shows the times that a sentence names as the rest of the page shows times. Only values of the
// finding are times: what an executor has written stays as it is.
function inZone(text: string, f: Finding): string {
	return Object.values(f.params).map(String).filter((value) => isInstant.test(value)).reduce((sentence, at) => sentence.replaceAll(at, brief(new Date(at))), text);
}

// steps is the order of what happens to a run; other facts stand before it.
const steps = ["due", "triggerTime", "claimed", "sent", "acknowledged", "finished", "takenOver", "takenOverBy", "node", "term"];

// Proof leads to the page that shows the record.
function Proof({ evidence: e, job }: { evidence: Evidence; job: number }) {
	const pages: Record<string, string> = {
		log: `runs/${e.id}`, history: `runs/${e.id}`, misfire: `jobs/${job}/misfires`, audit: `jobs/${job}/changes`, job: `jobs/${job}`, lease: "nodes", clock: "nodes",
	};
	const page = pages[e.record];
	const text = word("record", e.record).replace("{id}", e.id ? `#${e.id}` : "");
	return page ? <a href={href(page)}>{text}</a> : <span>{text}</span>;
}

function fact(name: string, value: string) {
	if (isInstant.test(value)) return <Time at={value} />;
	if (name === "misfireStrategy" || name === "scheduleType") return word(name, value);
	if (name === "running") return t(value === "true" ? "form.yes" : "form.no");
	return value;
}

interface Due {
	due: string;
	is: string;
	text: string;
}

// useDue returns the last due times of a job, newest first: those of the last hour, or else those
// of the longest time that the API shows. A job without times in its schedule was due when its runs
// were.
function useDue(j: Job): { times?: Due[]; error?: ReturnType<typeof useCall>["error"]; reload: () => void } {
	const [to] = useState(() => new Date(now.peek()));
	const recent = useCall("GET /jobs/{id}/timeline", { id: j.id!, from: new Date(to.getTime() - hour).toISOString(), to: to.toISOString() });
	const none = recent.data && recent.data.planned.length + recent.data.runs.length === 0;
	const all = useCall("GET /jobs/{id}/timeline", none ? { id: j.id!, from: new Date(to.getTime() - longest).toISOString(), to: to.toISOString() } : undefined);
	const data = none ? all.data : recent.data;
	const { error, reload } = recent.error ? recent : all;
	if (!data) return { error, reload };
	const times = new Map<number, Due>();
	const begin = Date.parse(j.addTime ?? "") || 0;
	for (const p of data.planned) if (Date.parse(p.due) >= begin) times.set(Date.parse(p.due), { due: p.due, is: p.fate === "MISFIRE" ? "WARN" : "NONE", text: t(`fate.${p.fate}`) });
	for (const r of data.runs) times.set(Date.parse(r.due), { due: r.due, is: r.status, text: r.latenessMs > 1000 ? `${word("status", r.status)} · ${span(r.latenessMs)}` : word("status", r.status) });
	return { times: [...times].sort((a, b) => b[0] - a[0]).map(([, d]) => d), reload };
}
