// Tables of rows that lead somewhere. Columns say from which width on they are shown; what a narrow
// screen leaves out stands below the first column or on the row's own page.

import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { Button, Failure, Waiting } from "./basic";
import type { ApiError } from "../api";

export interface Column<T> {
	head: string;
	cell: (row: T) => ComponentChildren;
	// from is the width from which the column is shown: mid 700 px, wide 1360 px, vast 1700 px.
	from?: "mid" | "wide" | "vast";
	end?: boolean; // numbers and times stand at the end
	grow?: boolean; // takes what is left, and cuts long text
	// share divides the width with the other columns that do, by the length of their texts. It cuts a
	// row-link and what has the class cut. With grow, it does so from 700 px on.
	share?: boolean;
	hidden?: boolean; // the head is for screen readers only
	sort?: string; // the order that the head chooses
	control?: ComponentChildren; // stands in the head in place of its text
}

export interface Order {
	by: string;
	desc: boolean;
	set: (by: string, desc: boolean) => void;
}

interface TableProps<T> {
	label: string;
	columns: Column<T>[];
	rows?: T[];
	id: (row: T) => string | number;
	error?: ApiError;
	retry?: () => void;
	empty: ComponentChildren;
	tone?: (row: T) => string | undefined;
	order?: Order;
	bare?: boolean; // nothing in the rows takes the focus: the table does, so that keys scroll it sideways
}

// firstRows fill a window. They are drawn before the rest of another list, and moreRows follow in each
// frame: no task of the browser is long, and the first rows stand early on a slow machine.
const firstRows = 30;
const moreRows = 12;

interface Drawn<T> {
	ids?: Set<string | number>;
	room: number; // how many rows may be drawn
	from?: TableProps<T>; // what made the lines
	lines: VNode[];
}

export function Table<T>(props: TableProps<T>) {
	const { label, columns, rows, id, error, retry, empty, tone, order, bare } = props;
	const [, redraw] = useState(0);
	// A list that is there at once, since somebody goes back to its page, is drawn whole: its place is kept.
	const drawn = useRef<Drawn<T>>({ room: rows ? Infinity : firstRows, lines: [] }).current;
	if (!rows || (drawn.ids && !rows.some((row) => drawn.ids!.has(id(row))))) drawn.room = firstRows;
	drawn.ids = rows?.length ? new Set(rows.map(id)) : undefined;
	useEffect(() => {
		if (!rows || drawn.room >= rows.length) return;
		const timer = setTimeout(() => {
			drawn.room += moreRows;
			redraw((n) => n + 1);
		});
		return () => clearTimeout(timer);
	});
	if (!rows) return error ? <Failure error={error} retry={retry} /> : <Waiting />;
	if (rows.length === 0) return <>{empty}</>;
	// The lines that stand are kept while more are drawn, so that nothing compares them again.
	if (drawn.from !== props) drawn.lines = [];
	drawn.from = props;
	for (const row of rows.slice(drawn.lines.length, drawn.room)) {
		drawn.lines.push(
			<tr key={id(row)} data-id={id(row)} class={tone?.(row)}>
				{columns.map((c) => (
					<td key={c.head} class={cellClass(c)}>
						{c.cell(row)}
					</td>
				))}
			</tr>,
		);
	}
	return (
		<div class="table-box" tabIndex={bare ? 0 : -1} role={bare ? "group" : undefined} aria-label={bare ? label : undefined}>
			<table class="table" aria-label={label}>
				<thead>
					<tr>
						{columns.map((c) => (
							<th key={c.head} scope="col" class={cellClass(c)} aria-sort={c.sort && order?.by === c.sort ? (order.desc ? "descending" : "ascending") : undefined}>
								{c.control ?? (c.hidden ? (
									<span class="spoken">{c.head}</span>
								) : c.sort && order ? (
									<button type="button" class="sort" onClick={() => order.set(c.sort!, order.by === c.sort && !order.desc)}>
										{c.head}
									</button>
								) : (
									c.head
								))}
							</th>
						))}
					</tr>
				</thead>
				<tbody>{drawn.lines.slice()}</tbody>
			</table>
		</div>
	);
}

function cellClass(c: Column<never>): string | undefined {
	const names = [c.from && "from-" + c.from, c.end && "end", c.grow && "grow", c.share && "share"].filter(Boolean);
	return names.length ? names.join(" ") : undefined;
}

// Search filters a list that is here as a whole.
export function Search({ label, text, set, children }: { label: string; text: string; set: (text: string) => void; children?: ComponentChildren }) {
	return (
		<div class="filters" role="search">
			<input type="search" placeholder={label} aria-label={label} value={text} onInput={(e) => set(e.currentTarget.value)} />
			{children}
		</div>
	);
}

// Pager moves through a list that ends with a cursor. The cursors of the pages before are in the
// address, so that reload and back keep the place.
export function Pager({ first, last, onBack, onNext, shown }: { first: boolean; last: boolean; onBack: () => void; onNext: () => void; shown: string }) {
	return (
		<nav class="pager" aria-label={t("list.pages")}>
			<span class="muted">{shown}</span>
			<span class="actions">
				<Button disabled={first} onClick={onBack}>
					{t("list.previous")}
				</Button>
				<Button disabled={last} onClick={onNext}>
					{t("list.next")}
				</Button>
			</span>
		</nav>
	);
}
