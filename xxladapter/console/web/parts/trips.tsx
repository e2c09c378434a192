// Due times above, runs below, over time: our own SVG. Marks of one kind are one path, so that
// 10,000 of them are drawn at once. The table that stands beside it has the same figures.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Bar, Misfire, Tick } from "../api";
import { t, word } from "../i18n";
import { go } from "../route";
import { clock, day, now, shift, span } from "../time";

const minute = 60e3;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((n) => n * minute);
const planned = 20; // where due times begin, in px
const lanes = 64; // where runs begin
const lane = 14;
const mostLanes = 8;

interface Props {
	label: string;
	from: number;
	to: number;
	ticks: Tick[];
	runs: Bar[];
	misfires: Misfire[];
}

interface Placed {
	run: Bar;
	due: number;
	x: number;
	end: number;
	row: number;
}

export function Trips({ label, from, to, ticks, runs, misfires }: Props) {
	const box = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(720);
	useEffect(() => {
		const watch = new ResizeObserver(([e]) => e && setWidth(Math.max(240, Math.floor(e.contentRect.width))));
		watch.observe(box.current!);
		return () => watch.disconnect();
	}, []);
	const x = (at: number) => Math.round(((Math.min(Math.max(at, from), to) - from) / (to - from)) * (width - 2) * 10) / 10 + 1;
	const placed = place(runs, x);
	const rows = Math.max(2, ...placed.map((p) => p.row + 1));
	const foot = lanes + rows * lane + 6;
	const step = steps.find((s) => (width * s) / (to - from) >= (s >= 1440 * minute ? 84 : 60)) ?? steps.at(-1)! * 2;
	const ahead = shift(new Date(from));
	const labels: number[] = [];
	// The names of both halves stand at the left.
	for (let at = Math.ceil((from + ahead) / step) * step - ahead; at < to; at += step) if (x(at) > 60) labels.push(at);
	const bars = (status: Bar["status"]) => placed.filter((p) => p.run.status === status).map((p) => `M${p.x} ${lanes + p.row * lane + 2}H${p.end}v${lane - 4}H${p.x}z`).join("");
	const due = (fate: Tick["fate"], draw: (at: number) => string) => ticks.filter((p) => p.fate === fate).map((p) => draw(x(Date.parse(p.due)))).join("");
	const stroke = { fill: "none", stroke: "currentColor", "stroke-width": 1.5 };
	const cross = (at: number, y: number) => `M${at - 3} ${y - 3}l6 6m0-6l-6 6`;
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
						<title>{`${t("fate.MISFIRE")}: ${word("misfireStrategy", m.misfireStrategy)}`}</title>
					</g>
				))}
				<path class="muted" {...stroke} d={due("FIRED", (at) => `M${at} ${planned + 2}v16`)} />
				<path class="muted" {...stroke} stroke-dasharray="2 2" d={due("COMING", (at) => `M${at} ${planned + 2}v16`)} />
				<path class="muted" {...stroke} d={due("PAUSED", (at) => `M${at - 2} ${planned + 4}v8M${at + 2} ${planned + 4}v8`)} />
				<path class="muted" {...stroke} d={due("EXCLUDED", (at) => `M${at - 3} ${planned + 8}h6`)} />
				<path class="muted" {...stroke} d={due("NOTHING", (at) => cross(at, planned + 10))} />
				<path class="bar-run" d={due("OPEN", (at) => `M${at - 4} ${planned + 10}l4-5 4 5-4 5z`)} />
				<path class="late" fill="currentColor" d={due("MISFIRE", (at) => `M${at - 4} ${planned + 15}h8l-4-9z`)} />
				{/* What lies between due and sent. */}
				<path class="late" {...stroke} d={placed.filter((p) => p.run.latenessMs > 1000).map((p) => `M${x(p.due)} ${lanes + p.row * lane + lane / 2}H${p.x}`).join("")} />
				<path class="bar-ok" d={bars("SUCCESS")} />
				<path class="bar-run" d={bars("RUNNING")} />
				<path class="bar-fail" d={bars("FAIL")} />
				<path {...stroke} d={placed.filter((p) => p.run.status === "FAIL").map((p) => cross((p.x + p.end) / 2, lanes + p.row * lane + lane / 2)).join("")} />
				{from < now.value && now.value < to && <path class="muted" {...stroke} stroke-dasharray="1 3" d={`M${x(now.value)} ${planned - 6}V${foot}`} />}
			</svg>
		</figure>
	);
}

// place gives each run the first row in which no other one was under way at that time; the last row
// takes what is left.
function place(runs: Bar[], x: (at: number) => number): Placed[] {
	const ends: number[] = [];
	return runs.map((run) => {
		const due = Date.parse(run.due);
		const begin = Date.parse(run.sent ?? run.claimed);
		const end = run.finished ? Date.parse(run.finished) : now.peek();
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
