// Stacked bars over time: results of days or hours. The table behind it has the same figures.

import { useEffect, useRef, useState } from "preact/hooks";
import { number, t } from "../i18n";

export interface Bar {
	label: string;
	name: string;
	ok: number;
	fail: number;
	run?: number; // undefined if it is not known
	more?: boolean; // more runs may be running
}

// figures returns what a bar shows, by the words of results.
function figures({ ok, fail, run, more }: Bar): [string, string][] {
	const known: [string, string][] = [[t("status.SUCCESS"), number(ok)], [t("status.FAIL"), number(fail)]];
	return run === undefined ? known : [...known, [t("status.RUNNING"), number(run) + (more ? "+" : "")]];
}

const height = 132;
const foot = 18;

export function Bars({ label, bars }: { label: string; bars: Bar[] }) {
	const most = Math.max(1, ...bars.map((b) => b.ok + b.fail + (b.run ?? 0)));
	const top = nice(most);
	const box = useRef<HTMLElement>(null);
	const [width, setWidth] = useState(720);
	useEffect(() => {
		const watch = new ResizeObserver(([e]) => e && setWidth(Math.max(240, Math.floor(e.contentRect.width))));
		watch.observe(box.current!);
		return () => watch.disconnect();
	}, []);
	const step = (width - 44) / bars.length;
	const inside = height - foot - 6;
	const y = (n: number) => 6 + inside - (n / top) * inside;
	const every = Math.ceil((bars.length * 60) / width);
	return (
		<figure ref={box}>
			<svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
				{[0, 0.5, 1].map((part) => (
					<g key={part}>
						<line class="grid" x1={44} x2={width} y1={y(top * part)} y2={y(top * part)} />
						<text x={38} y={y(top * part) + 4} text-anchor="end">
							{short(top * part)}
						</text>
					</g>
				))}
				{bars.map((b, i) => {
					const x = 44 + i * step + step * 0.14;
					let base = 0;
					const part = (n: number | undefined, name: string) => {
						if (!n) return null;
						const from = y(base);
						base += n;
						const to = Math.min(y(base), from - 1.5);
						return <rect key={name} class={name} x={x} width={step * 0.72} y={to} height={from - to} />;
					};
					return (
						<g key={i}>
							<title>{[b.name, ...figures(b).map((f) => f.join(" "))].join("\n")}</title>
							<rect x={44 + i * step} width={step} y={0} height={height - foot} fill="transparent" />
							{part(b.ok, "bar-ok")}
							{part(b.run, "bar-run")}
							{part(b.fail, "bar-fail")}
							{i % every === 0 && (
								<text x={x + step * 0.36} y={height - 3} text-anchor="middle">
									{b.label}
								</text>
							)}
						</g>
					);
				})}
			</svg>
			<details>
				<summary>{t("timeline.figures")}</summary>
				<table class="table" aria-label={label}>
					<thead>
						<tr>
							<th scope="col">{t("chart.time")}</th>
							{figures(bars[0]!).map(([name]) => <th key={name} scope="col">{name}</th>)}
						</tr>
					</thead>
					<tbody>
						{bars.map((b, i) => (
							<tr key={i}>
								<th scope="row">{b.label}</th>
								{figures(b).map(([name, n]) => <td key={name}>{n}</td>)}
							</tr>
						))}
					</tbody>
				</table>
			</details>
		</figure>
	);
}

// nice returns the next even round number, for the top of an axis.
function nice(n: number): number {
	const power = 10 ** Math.floor(Math.log10(n));
	for (const step of [1, 2, 4, 6, 8, 10]) if (n <= step * power) return Math.max(2, step * power);
	return n;
}

function short(n: number): string {
	if (n >= 1e6) return number(n / 1e6, 1) + "M";
	if (n >= 1e4) return number(n / 1e3, 1) + "k";
	return number(n);
}
