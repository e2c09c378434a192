// The table of what a picture shows, page by page.

import { useState } from "preact/hooks";
import { number, t } from "../i18n";
import { Panel } from "./page";
import { Pager, Table, type Column } from "./table";

const size = 50; // rows of a page

export function FigureTable<T>({ all, id, columns }: { all: T[]; id: (row: T) => string | number; columns: Column<T>[] }) {
	const [page, setPage] = useState(0);
	const last = Math.floor(Math.max(0, all.length - 1) / size);
	const at = Math.min(page, last);
	const rows = all.slice(at * size, (at + 1) * size);
	return (
		<Panel flush title={t("timeline.figures")}>
			<Table label={t("timeline.figures")} rows={rows} id={id} empty={null} columns={columns} />
			{last > 0 && <Pager first={at === 0} last={at === last} onBack={() => setPage(at - 1)} onNext={() => setPage(at + 1)} shown={t("list.shown", { from: number(at * size + 1), to: number(at * size + rows.length) })} />}
		</Panel>
	);
}
