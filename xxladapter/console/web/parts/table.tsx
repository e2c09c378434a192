// Tables of rows that lead somewhere. Columns say from which width on they are shown; what a narrow
// screen leaves out stands below the first column or on the row's own page.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
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
	hidden?: boolean; // the head is for readers of the screen only
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
}

// firstRows fill a window. They are drawn before the rest of a list that has just come, which makes
// them stand a third earlier on a slow machine.
const firstRows = 30;

export function Table<T>({ label, columns, rows, id, error, retry, empty, tone, order }: TableProps<T>) {
	// A list that is there at once, since somebody goes back to it, is drawn whole: its place is kept.
	const [whole, setWhole] = useState(!!rows);
	useEffect(() => {
		if (!rows || whole) return;
		const timer = setTimeout(() => setWhole(true));
		return () => clearTimeout(timer);
	}, [!rows, whole]);
	if (!rows) return error ? <Failure error={error} retry={retry} /> : <Waiting />;
	if (rows.length === 0) return <>{empty}</>;
	return (
		<div class="table-box" tabIndex={-1}>
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
				<tbody>
					{(whole ? rows : rows.slice(0, firstRows)).map((row) => (
						<tr key={id(row)} data-id={id(row)} class={tone?.(row)}>
							{columns.map((c) => (
								<td key={c.head} class={cellClass(c)}>
									{c.cell(row)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function cellClass(c: Column<never>): string | undefined {
	const names = [c.from && "from-" + c.from, c.end && "end", c.grow && "grow"].filter(Boolean);
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
			<span class="pager-moves">
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
