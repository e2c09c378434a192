// Due times above, runs below, over time: our own SVG. Marks of one kind are one path, so that
// 10,000 of them are drawn at once. The table that stands beside it has the same figures.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Bar, Misfire, Tick } from "../api";
import { t, word } from "../i18n";
import { go } from "../route";
import { clock, day, now, shift, span } from "../time";

const minute = 60e3;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080, 14400, 20160].map((n) => n * minute);
const planned = 20; // where due times begin, in px
const lanes = 64; // where runs begin
const lane = 14;
const mostLanes = 8;

// A Mark is a due time in ms.
export interface Mark {
	tick: Tick;
	due: number;
}

// A Trip is a run with its instants in ms.
export interface Trip {
	run: Bar;
	due: number;
	begin: number;
	end?: number; // undefined while it runs
}

// marksOf and tripsOf read the instants of an answer once: 10,000 runs have 30,000.
export const marksOf = (ticks: Tick[]): Mark[] => ticks.map((tick) => ({ tick, due: Date.parse(tick.due) }));
export const tripsOf = (runs: Bar[]): Trip[] => runs.map((run) => ({ run, due: Date.parse(run.due), begin: Date.parse(run.sent ?? run.claimed), end: run.finished ? Date.parse(run.finished) : undefined }));

interface Props {
	label: string;
	from: number;
	to: number;
	ticks: Mark[];
	runs: Trip[];
	misfires: Misfire[];
}

interface Placed {
	run: Bar;
	due: number;
	x: number;
	end: number;
	row: number;
}

const cross = (at: number, y: number) => `M${at - 3} ${y - 3}l6 6m0-6l-6 6`;

// draw returns the path of each kind.
function draw(ticks: Mark[], runs: Trip[], x: (at: number) => number, present: number) {
	const placed = place(runs, x, present);
	const bars: Record<Bar["status"], string[]> = { SUCCESS: [], RUNNING: [], FAIL: [] };
	const late: string[] = [], crosses: string[] = [];
	let rows = 2;
	for (const p of placed) {
		const y = lanes + p.row * lane;
		rows = Math.max(rows, p.row + 1);
		bars[p.run.status].push(`M${p.x} ${y + 2}H${p.end}v${lane - 4}H${p.x}z`);
		// What lies between due and sent.
		if (p.run.latenessMs > 1000) late.push(`M${x(p.due)} ${y + lane / 2}H${p.x}`);
		if (p.run.status === "FAIL") crosses.push(cross((p.x + p.end) / 2, y + lane / 2));
	}
	const due: Partial<Record<Tick["fate"], string>> = {};
	for (const { tick, due: at } of ticks) due[tick.fate] = (due[tick.fate] ?? "") + marks[tick.fate](x(at));
	return { placed, rows, due, late: late.join(""), crosses: crosses.join(""), ok: bars.SUCCESS.join(""), run: bars.RUNNING.join(""), fail: bars.FAIL.join("") };
}

const bar = (at: number) => `M${at} ${planned + 2}v16`;
const marks: Record<Tick["fate"], (at: number) => string> = {
	FIRED: bar,
	COMING: bar,
	PAUSED: (at) => `M${at - 2} ${planned + 4}v8M${at + 2} ${planned + 4}v8`,
	EXCLUDED: (at) => `M${at - 3} ${planned + 8}h6`,
	NOTHING: (at) => cross(at, planned + 10),
	OPEN: (at) => `M${at - 4} ${planned + 10}l4-5 4 5-4 5z`,
	MISFIRE: (at) => `M${at - 4} ${planned + 15}h8l-4-9z`,
};

// misfireText says what became of missed due times.
export function misfireText(m: Misfire): string {
	return `${t("fate.MISFIRE")}: ${m.misfireStrategy ? word("misfireStrategy", m.misfireStrategy) : t(`misfireKind.${m.kind}`)}`;
}

export function Trips({ label, from, to, ticks, runs, misfires }: Props) {
	const box = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(0);
	// The picture is drawn once its width is known, in the task that paints: not in that of the answer.
	useLayoutEffect(() => {
		const watch = new ResizeObserver(([e]) => e && setWidth(Math.max(240, Math.floor(e.contentRect.width))));
		watch.observe(box.current!);
		return () => watch.disconnect();
	}, []);
	const x = (at: number) => Math.round(((Math.min(Math.max(at, from), to) - from) / (to - from)) * (width - 2) * 10) / 10 + 1;
	const present = runs.some((r) => r.end === undefined) ? now.value : 0;
	const { placed, rows, due, ...paths } = useMemo(() => draw(width ? ticks : [], width ? runs : [], x, present), [ticks, runs, from, to, width, present]);
	const foot = lanes + rows * lane + 6;
	const step = steps.find((s) => (width * s) / (to - from) >= (s >= 1440 * minute ? 84 : 60)) ?? steps.at(-1)!;
	const ahead = shift(new Date(from));
	const labels: number[] = [];
	// The names of both halves stand at the left.
	if (width) for (let nominal = Math.ceil((from + ahead) / step) * step - ahead; nominal < to; nominal += step) {
		// Longer steps follow the wall clock where it changes.
		const at = step > 60 * minute ? nominal + ahead - shift(new Date(nominal)) : nominal;
		if (x(at) > 60) labels.push(at);
	}
	const stroke = { fill: "none", stroke: "currentColor", "stroke-width": 1.5 };
	const under = (e: MouseEvent) => {
		const area = (e.currentTarget as Element).getBoundingClientRect();
		const at = { x: ((e.clientX - area.left) / area.width) * width, y: e.clientY - area.top };
		return placed.find((p) => at.x >= p.x - 2 && at.x <= p.end + 2 && Math.floor((at.y - lanes) / lane) === p.row);
	};
	const [over, setOver] = useState<Placed>();
	return (
		<figure ref={box}>
			<svg class="chart" viewBox={`0 0 ${width} ${foot + 20}`} role="img" aria-label={label} onMouseMove={(e) => setOver(under(e))} onMouseLeave={() => setOver(undefined)}
				onClick={(e) => { const p = under(e); if (p) go(`runs/${p.run.logId}`); }}>
				{over && <title>{describe(over.run)}</title>}
				{labels.map((at) => (
					<g key={at}>
						<line class="grid" x1={x(at)} x2={x(at)} y1={planned} y2={foot} />
						<text x={x(at)} y={foot + 14} text-anchor={x(at) > width - 30 ? "end" : "middle"}>
							{step >= 1440 * minute ? day(new Date(at)).slice(5) : clock(new Date(at)).slice(0, 5)}
						</text>
					</g>
				))}
				<text x={1} y={12}>{t("timeline.planned")}</text>
				<text x={1} y={lanes - 8}>{t("timeline.actual")}</text>
				{misfires.map((m) => (
					<g key={m.id} class="late">
						<rect x={x(Date.parse(m.due)) - 2} width={x(Date.parse(m.until)) - x(Date.parse(m.due)) + 4} y={planned} height={20} fill="currentColor" opacity={0.18} />
						<title>{misfireText(m)}</title>
					</g>
				))}
				<path class="muted" {...stroke} d={due.FIRED} />
				<path class="muted" {...stroke} stroke-dasharray="2 2" d={due.COMING} />
				<path class="muted" {...stroke} d={due.PAUSED} />
				<path class="muted" {...stroke} d={due.EXCLUDED} />
				<path class="muted" {...stroke} d={due.NOTHING} />
				<path class="bar-run" d={due.OPEN} />
				<path class="late" fill="currentColor" d={due.MISFIRE} />
				<path class="late" {...stroke} d={paths.late} />
				<path class="bar-ok" d={paths.ok} />
				<path class="bar-run" d={paths.run} />
				<path class="bar-fail" d={paths.fail} />
				<path {...stroke} d={paths.crosses} />
				{from < now.value && now.value < to && <path class="muted" {...stroke} stroke-dasharray="1 3" d={`M${x(now.value)} ${planned - 6}V${foot}`} />}
			</svg>
		</figure>
	);
}

// place gives each run the first row in which no other one was under way at that time; the last row
// takes what is left.
function place(runs: Trip[], x: (at: number) => number, present: number): Placed[] {
	const ends: number[] = [];
	return runs.map(({ run, due, begin, end = present }) => {
		let row = ends.findIndex((e) => e <= (run.latenessMs > 1000 ? due : begin));
		if (row < 0) row = Math.min(ends.length, mostLanes - 1);
		ends[row] = Math.max(ends[row] ?? 0, end);
		return { run, due, x: x(begin), end: Math.max(x(begin) + 3, x(end)), row };
	});
}

function describe(r: Bar): string {
	const took = r.finished && r.sent ? "\n" + t("runs.duration") + " " + span(Date.parse(r.finished) - Date.parse(r.sent)) : "";
	return `#${r.logId} ${word("status", r.status)}\n${t("fact.due")} ${clock(new Date(r.due))}\n${t("runs.late")} ${span(r.latenessMs)}${took}`;
}
