// When a job was due, and when it ran.

import { useMemo, useRef } from "preact/hooks";
import type { Answer, Job, Misfire } from "../api";
import { useCall } from "../data";
import { number, t, word } from "../i18n";
import { href, query, setQuery } from "../route";
import { Button, Empty, Nothing, Pending, Status, Time } from "../parts/basic";
import { FigureTable } from "../parts/figures";
import { Icon } from "../parts/icons";
import { Panel } from "../parts/page";
import { marksOf, misfireText, tripsOf, Trips, type Mark, type Trip } from "../parts/trips";
import { instant, now, span } from "../time";
import { Lateness } from "./runtable";

const hour = 3600e3;
const spans = { "1h": hour, "6h": 6 * hour, "24h": 24 * hour, "7d": 168 * hour, "30d": 720 * hour } as const;
const spanText = { "1h": "timeline.hour", "6h": "timeline.hours", "24h": "timeline.day", "7d": "timeline.week", "30d": "timeline.month" } as const;
type Span = keyof typeof spans;
const names = Object.keys(spans) as Span[];

export function Timeline({ job: j }: { job: Job }) {
	const chosen = names.find((s) => s === query.value.get("span")) ?? "1h";
	const length = spans[chosen];
	// The present stands near the right edge and moves on in sixtieths; what is still to come follows it.
	const piece = length / 60;
	const live = Math.ceil(now.value / piece) * piece + 5 * piece;
	const given = Date.parse(query.value.get("to") ?? "");
	const to = isNaN(given) ? live : given;
	const from = to - length;
	const line = useCall("GET /jobs/{id}/timeline", { id: j.id!, from: new Date(from).toISOString(), to: new Date(to).toISOString() }, from < now.value && now.value < to ? 5e3 : 0);
	// The last answer stays while the next one is loaded, so that nothing flickers.
	const last = useRef<Answer<"GET /jobs/{id}/timeline"> | undefined>(undefined);
	if (line.data) last.current = line.data;
	const data = line.data ?? (line.error ? undefined : last.current);
	const move = (by: number) => {
		const next = to + by * length;
		setQuery({ to: next >= live ? undefined : new Date(next).toISOString() });
	};
	return (
		<div class="stack">
			<div class="filters">
				<div class="segments" role="group" aria-label={t("timeline.span")}>
					{names.map((s) => (
						<button key={s} type="button" aria-pressed={s === chosen} onClick={() => setQuery({ span: s })}>{t(spanText[s])}</button>
					))}
				</div>
				<Button onClick={() => move(-1)}>{t("timeline.earlier")}</Button>
				<Button disabled={isNaN(given)} onClick={() => move(1)}>{t("timeline.later")}</Button>
				<Button disabled={isNaN(given)} onClick={() => setQuery({ to: undefined })}>{t("timeline.now")}</Button>
				<span class="muted">{instant(new Date(from))} – {instant(new Date(to))}</span>
			</div>
			{data ? <Shown job={j} data={data} /> : <Panel><Pending call={line} /></Panel>}
		</div>
	);
}

function Shown({ job: j, data }: { job: Job; data: Answer<"GET /jobs/{id}/timeline"> }) {
	// Nothing was due before the job existed.
	const begin = Date.parse(j.addTime ?? "") || 0;
	const ticks = useMemo(() => marksOf(data.planned).filter((p) => p.due >= begin), [data, begin]);
	const runs = useMemo(() => tripsOf(data.runs), [data]);
	const nothing = ticks.length + data.runs.length + data.misfires.length === 0;
	const label = t("timeline.label", { due: number(ticks.length), runs: number(data.runs.length), failed: number(data.runs.filter((r) => r.status === "FAIL").length), misfires: number(data.misfires.length) });
	return (
		<>
			{data.scheduleIsPresent && <p class="inline late"><Icon name="warn" />{t("why.present")}</p>}
			{data.more && <p class="inline late"><Icon name="warn" />{t("timeline.more")}</p>}
			<Panel title={label}>
				{nothing ? <Empty icon="clock" title={t("timeline.none")} /> : (
					<div class="stack">
						<Trips label={label} from={Date.parse(data.from)} to={Date.parse(data.to)} ticks={ticks} runs={runs} misfires={data.misfires} />
						<div class="legend" aria-hidden="true">
							<span class="of-ok">{t("status.SUCCESS")}</span>
							<span class="of-run">{t("status.RUNNING")}</span>
							<span class="of-fail">✕ {t("status.FAIL")}</span>
							<span class="late">{t("timeline.gap")}</span>
							<small>│ {t("fate.FIRED")} &nbsp; ┊ {t("fate.COMING")} &nbsp; ◆ {t("fate.OPEN")} &nbsp; ▲ {t("fate.MISFIRE")} &nbsp; ✕ {t("fate.NOTHING")}</small>
						</div>
					</div>
				)}
			</Panel>
			{!nothing && <Figures job={j} ticks={ticks} runs={runs} misfires={data.misfires} />}
		</>
	);
}

interface Row {
	key: string;
	text: string; // the due time as the API writes it
	due: number;
	tick?: Mark;
	run?: Trip;
	misfire?: Misfire;
}

const coming = (r: Row) => !r.run && r.tick?.tick.fate === "COMING";

// rowsOf lists what the picture shows: newest first, and then what is still to come, soonest first.
function rowsOf(ticks: Mark[], runs: Trip[], misfires: Misfire[]): Row[] {
	const ran = new Set(runs.map((r) => r.due));
	const planned = new Set(ticks.map((p) => p.due));
	const all: Row[] = [
		...runs.map((r) => ({ key: "r" + r.run.logId, text: r.run.due, due: r.due, run: r })),
		...ticks.filter((p) => !ran.has(p.due)).map((p) => ({ key: "t" + p.tick.due, text: p.tick.due, due: p.due, tick: p })),
		...misfires.map((m) => ({ key: "m" + m.id, text: m.due, due: Date.parse(m.due), misfire: m })).filter((r) => !planned.has(r.due)),
	];
	return all.sort((a, b) => Number(coming(a)) - Number(coming(b)) || (coming(a) ? a.due - b.due : b.due - a.due));
}

// Figures is the table of what the picture shows.
function Figures({ job: j, ticks, runs, misfires }: { job: Job; ticks: Mark[]; runs: Trip[]; misfires: Misfire[] }) {
	const all = useMemo(() => rowsOf(ticks, runs, misfires), [ticks, runs, misfires]);
	const missed = (r: Row) => r.misfire ?? misfires.find((m) => Date.parse(m.due) <= r.due && r.due <= Date.parse(m.until));
	const result = (r: Row) => {
		if (r.run) return <Status is={r.run.run.status} />;
		const m = missed(r);
		return <Status is={m ? "WARN" : "NONE"} text={m ? misfireText(m) : t(`fate.${r.tick!.tick.fate}`)} />;
	};
	return (
		<FigureTable all={all} id={(r) => r.key}
			columns={[
				{ head: t("fact.due"), cell: (r) => <a class="row-link" href={href(`jobs/${j.id}/why?at=${encodeURIComponent(r.text)}`)}><Time at={r.text} /></a> },
				{ head: t("runs.result"), cell: result },
				{ head: t("runs.id"), cell: (r) => r.run ? <a href={href(`runs/${r.run.run.logId}`)}>#{r.run.run.logId}</a> : <Nothing /> },
				{ head: t("runs.cause"), from: "mid", cell: (r) => r.run ? word("triggerType", r.run.run.triggerType) : <Nothing /> },
				{ head: t("fact.sent"), from: "mid", cell: (r) => <Time at={r.run?.run.sent} /> },
				{ head: t("runs.late"), end: true, cell: (r) => <Lateness ms={r.run?.run.latenessMs} /> },
				{ head: t("runs.duration"), end: true, from: "mid", cell: (r) => r.run?.end && r.run.run.sent ? span(r.run.end - r.run.begin) : <Nothing /> },
			]} />
	);
}
