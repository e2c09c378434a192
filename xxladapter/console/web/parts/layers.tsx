// Jobs and their child jobs from left to right: our own SVG. Lines of one kind are one path, and of the
// jobs those are drawn that stand in view, so that thousands need no long task. The table beside it has
// the same facts.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { GraphNode } from "../api";
import { t, word } from "../i18n";

const box = { width: 184, height: 26 };
const step = { x: 250, y: 34 };
// Jobs are drawn up to margin px beyond what is in view, and drawn anew after so many px.
const margin = 160;

interface Props {
	label: string;
	nodes: GraphNode[];
	chosen?: number;
	// fails are the jobs that are not triggered when the chosen one fails.
	fails: Set<number>;
	choose: (id: number) => void;
}

const marks: Record<string, string> = { SUCCESS: "✓", FAIL: "✕", RUNNING: "▸" };
const tones: Record<string, string> = { SUCCESS: "bar-ok", FAIL: "bar-fail", RUNNING: "bar-run" };

// cut shortens a name to what a box holds; characters of East Asia take two places.
function cut(text: string): string {
	let room = 21;
	let kept = "";
	for (const c of text) {
		room -= c.codePointAt(0)! >= 0x1100 ? 2 : 1;
		if (room < 0) return kept + "…";
		kept += c;
	}
	return kept;
}

// order places the nodes of each layer near the mean of their parents' rows, so that few lines cross.
export function order(nodes: GraphNode[]): Map<number, { x: number; y: number }> {
	const layers: GraphNode[][] = [];
	for (const n of nodes) (layers[n.layer] ??= []).push(n);
	const parents = new Map<number, number[]>();
	for (const n of nodes) for (const c of n.children) parents.set(c, [...(parents.get(c) ?? []), n.id]);
	const at = new Map<number, { x: number; y: number }>();
	let x = 0;
	for (const layer of layers) {
		if (!layer) continue;
		const wanted = new Map(layer.map((n) => {
			const rows = (parents.get(n.id) ?? []).map((p) => at.get(p)?.y).filter((y) => y !== undefined);
			return [n.id, rows.length ? rows.reduce((a, b) => a + b, 0) / rows.length : -1];
		}));
		// By the rows of their parents, those without drawn parents first; layer 0 keeps the order
		// of ids.
		const sorted = x === 0 ? layer : layer.toSorted((a, b) => wanted.get(a.id)! - wanted.get(b.id)!);
		let free = 0;
		for (const n of sorted) {
			const y = Math.max(free, Math.round(wanted.get(n.id)!));
			at.set(n.id, { x, y });
			free = y + 1;
		}
		x++;
	}
	return at;
}

export function Layers({ label, nodes, chosen, fails, choose }: Props) {
	const frame = useRef<HTMLDivElement>(null);
	const [view, setView] = useState("");
	const look = () => {
		const f = frame.current!;
		setView([f.scrollLeft, f.scrollTop, f.clientWidth + margin, f.clientHeight + margin].map((n) => Math.floor(n / margin) * margin).join());
	};
	useLayoutEffect(() => {
		const watch = new ResizeObserver(look);
		watch.observe(frame.current!);
		return () => watch.disconnect();
	}, []);
	const [left = 0, top = 0, wide = 0, high = 0] = view ? view.split(",").map(Number) : [];
	const at = useMemo(() => order(nodes), [nodes]);
	const seen = (n: GraphNode) => {
		const p = at.get(n.id)!;
		const x = p.x * step.x - left, y = p.y * step.y - top;
		return x + box.width > -margin && x < wide + margin && y + box.height > -margin && y < high + margin;
	};
	const [width, height] = useMemo(() => [Math.max(...[...at.values()].map((p) => p.x)) * step.x + box.width + 4, (Math.max(...[...at.values()].map((p) => p.y)) + 1) * step.y], [at]);
	const lines: Record<"plain" | "stopped" | "failing", string[]> = { plain: [], stopped: [], failing: [] };
	for (const n of nodes) {
		const from = at.get(n.id)!;
		for (const child of n.children) {
			const to = at.get(child);
			if (!to) continue;
			const x1 = from.x * step.x + box.width + 2, y1 = from.y * step.y + box.height / 2 + 2;
			const x2 = to.x * step.x + 2, y2 = to.y * step.y + box.height / 2 + 2;
			const bend = Math.max(24, Math.abs(x2 - x1) / 2);
			const kind = chosen !== undefined && (n.id === chosen || fails.has(n.id)) && fails.has(child) ? "failing" : n.last?.status === "FAIL" ? "stopped" : "plain";
			lines[kind].push(`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
		}
	}
	const stroke = { fill: "none", stroke: "currentColor", "stroke-width": 1.4 };
	return (
		<div ref={frame} class="table-box graph" tabIndex={0} onScroll={look} role="group" aria-label={t("graph.picture")}>
			<svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}
				onClick={(e) => {
					const id = (e.target as Element).closest("[data-job]")?.getAttribute("data-job");
					if (id) choose(Number(id));
				}}>
				<path class="none" {...stroke} d={lines.plain.join("")} />
				<path class="late" {...stroke} stroke-dasharray="4 3" d={lines.stopped.join("")} />
				<path {...stroke} stroke="var(--fail)" stroke-width={2} d={lines.failing.join("")} />
				{view && nodes.filter(seen).map((n) => {
					const p = at.get(n.id)!;
					const status = n.last?.status ?? "";
					const lost = fails.has(n.id);
					return (
						<g key={n.id} data-job={n.id} transform={`translate(${p.x * step.x + 2} ${p.y * step.y + 2})`}>
							<title>{`${n.name} #${n.id}\n${status ? word("status", status) : t("graph.never")}`}</title>
							<rect class={lost ? "is-lost" : undefined} fill={lost ? "var(--fail-soft)" : "var(--raised)"} stroke={n.id === chosen ? "var(--accent)" : lost ? "var(--fail)" : "var(--line-strong)"} stroke-width={n.id === chosen ? 2 : 1} width={box.width} height={box.height} rx={5} />
							<rect class={tones[status] ?? "bar-none"} width={20} height={box.height} rx={5} />
							<text class="graph-mark" fill="light-dark(#fff, #111)" x={10} y={17} text-anchor="middle">{marks[status] ?? "·"}</text>
							<text fill="var(--ink)" font-size="12" x={28} y={17}>{cut(n.name)}</text>
						</g>
					);
				})}
			</svg>
		</div>
	);
}
