// A heat map of quarters of an hour: our own SVG. Darker is more. The table beside it has the same
// figures.

import { useEffect, useRef, useState } from "preact/hooks";
import { clock, day, weekday } from "../time";

export interface Cell {
	at: string;
	value: number;
	title: string;
}

interface Props {
	label: string;
	cells: Cell[];
	// text shows a value in the legend.
	text: (value: number) => string;
	// chosen is the beginning of the cell that has a frame.
	chosen?: string;
	choose: (at: string) => void;
}

const quarter = 15 * 60e3;
const headX = 54; // the names of rows, in px
const headY = 18; // the names of columns
const narrow = 640;

// Place is where a cell stands. A day is counted in quarters from its first cell, so that a day with
// 25 hours shows all of them.
interface Place {
	x: number;
	y: number;
}

interface Grid {
	places: Place[];
	columns: { at: number; text: string }[];
	rows: { at: number; text: string }[];
	width: number;
	height: number;
}

// grid places the cells: a day has four rows of quarters, a week a row for each day. On a narrow
// screen time runs downwards.
function grid(cells: Cell[], turned: boolean): Grid {
	const week = cells.length > 120;
	const hours = new Map<string, number>(), days = new Map<string, { row: number; begin: number }>();
	const columns: Grid["columns"] = [], rows: Grid["rows"] = [];
	const along = turned ? rows : columns, across = turned ? columns : rows;
	const places = cells.map((c) => {
		const at = new Date(c.at);
		const date = day(at), time = clock(at);
		const part = Math.floor(Number(time.slice(3, 5)) / 15);
		if (!week) {
			const name = `${date} ${time.slice(0, 2)} ${Math.floor(at.getTime() / 3600e3)}`;
			let hour = hours.get(name);
			if (hour === undefined) {
				hours.set(name, (hour = hours.size));
				if (hour % (turned ? 1 : 2) === 0) along.push({ at: hour, text: time.slice(0, 5).replace(/\d\d$/, "00") });
			}
			return turned ? { x: part, y: hour } : { x: hour, y: part };
		}
		const n = Math.floor(at.getTime() / quarter);
		if (!days.has(date)) {
			const row = days.size;
			days.set(date, { row, begin: n - Number(time.slice(0, 2)) * 4 - part });
			across.push({ at: turned ? row * 4 : row, text: turned ? date.slice(8) : `${weekday(at)} ${date.slice(8)}` });
		}
		const { row, begin } = days.get(date)!;
		const quarters = n - begin;
		return turned ? { x: row * 4 + (quarters % 4), y: Math.floor(quarters / 4) } : { x: quarters, y: row };
	});
	if (week) for (let hour = 0; hour < 24; hour += turned ? 1 : 2) along.push({ at: turned ? hour : hour * 4, text: `${String(hour).padStart(2, "0")}:00` });
	else for (let part = 0; part < 4; part++) across.push({ at: part, text: `:${String(part * 15).padStart(2, "0")}` });
	return { places, columns, rows, width: Math.max(...places.map((p) => p.x)) + 1, height: Math.max(...places.map((p) => p.y)) + 1 };
}

// level returns how dark a cell is, from 0 to 4: by the square root of its share of the largest
// value, so that one peak does not hide what is beside it.
export function level(value: number, most: number): number {
	return value <= 0 || most <= 0 ? 0 : Math.max(1, Math.ceil(Math.sqrt(value / most) * 4));
}

// steps returns the largest value of each level that whole values can have, least first.
function steps(most: number): { is: number; upTo: number }[] {
	const all = [1, 2, 3, 4].map((is) => ({ is, upTo: Math.floor((most * is * is) / 16) }));
	return all.filter(({ upTo }, i) => upTo > 0 && upTo !== all[i - 1]?.upTo);
}

const opacity = [0, 0.22, 0.42, 0.68, 1];

export function Heatmap({ label, cells, text, chosen, choose }: Props) {
	const box = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(900);
	useEffect(() => {
		const watch = new ResizeObserver(([e]) => e && setWidth(Math.max(240, Math.floor(e.contentRect.width))));
		watch.observe(box.current!);
		return () => watch.disconnect();
	}, []);
	const g = grid(cells, width < narrow);
	const most = Math.max(0, ...cells.map((c) => c.value));
	const w = (width - headX) / g.width;
	const h = width < narrow ? 20 : cells.length > 120 ? 24 : 26;
	const gap = w < 9 ? 0.5 : 2;
	return (
		<figure ref={box}>
			<svg class="chart" viewBox={`0 0 ${width} ${headY + g.height * h + 2}`} role="img" aria-label={label}
				onClick={(e) => {
					const at = (e.target as Element).getAttribute("data-at");
					if (at) choose(at);
				}}>
				{g.columns.map((c) => <text key={c.at} x={headX + c.at * w} y={12}>{c.text}</text>)}
				{g.rows.map((r) => <text key={r.at} x={headX - 8} y={headY + r.at * h + h / 2 + 4} text-anchor="end">{r.text}</text>)}
				{cells.map((c, i) => {
					const place = g.places[i]!;
					const is = level(c.value, most);
					const marked = chosen !== undefined && Date.parse(chosen) >= Date.parse(c.at) && Date.parse(chosen) < Date.parse(c.at) + quarter;
					return (
						<rect key={c.at} data-at={c.at} x={headX + place.x * w + gap / 2} y={headY + place.y * h + gap / 2} width={Math.max(1, w - gap)} height={h - gap} rx={w < 9 ? 1 : 3}
							class={is ? "heat" : "level-0"} fill={is ? "var(--accent)" : undefined} fill-opacity={is ? opacity[is] : undefined} stroke={marked ? "currentColor" : undefined} stroke-width={marked ? 2 : undefined}>
							<title>{c.title}</title>
						</rect>
					);
				})}
			</svg>
			<figcaption class="legend">
				{steps(most).map(({ is, upTo }) => (
					<small key={is}>
						<svg width="9" height="9" aria-hidden="true"><rect width="9" height="9" rx="2" fill="var(--accent)" fill-opacity={opacity[is]} /></svg> {text(upTo).replace(/\d/, "≤ $&")}
					</small>
				))}
			</figcaption>
		</figure>
	);
}
