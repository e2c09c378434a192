// The schedulers that share the store.

import { useCall } from "../data";
import { number, t } from "../i18n";
import { Empty, Mono, Time } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { Table, type Column } from "../parts/table";
import type { Node } from "../api";

export function Nodes() {
	const nodes = useCall("GET /nodes", {}, 3e3);
	const columns: Column<Node>[] = [
		{ head: t("node.name"), grow: true, cell: (n) => <Mono>{n.node}</Mono> },
		{ head: t("fact.term"), end: true, cell: (n) => number(n.term) },
		{ head: t("node.shards"), end: true, cell: (n) => t("node.ofShards", { n: n.shards }) },
		{ head: t("node.lease"), end: true, from: "mid", cell: (n) => <Time at={n.until} relative /> },
	];
	return (
		<Page title={t("nav.nodes")} wide>
			<Panel flush>
				<Table label={t("nav.nodes")} columns={columns} rows={nodes.data?.nodes} id={(n) => n.node} error={nodes.error} retry={nodes.reload}
					empty={<Empty icon="nodes" title={t("node.none")}>{t("node.noneText")}</Empty>} />
			</Panel>
			<p class="muted prose">{t("node.about")}</p>
		</Page>
	);
}
