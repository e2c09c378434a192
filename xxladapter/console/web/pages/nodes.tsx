// The schedulers that share the store, and how their shards have changed hands.

import { useCall } from "../data";
import { number, t, word } from "../i18n";
import { Empty, Mono, Nothing, Status, Time } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { Table, type Column } from "../parts/table";
import type { ShardMove, Node, Pool } from "../api";

// calm are the causes that somebody meant to happen.
const calm: ShardMove["cause"][] = ["joined", "stopped", "drained"];

function Load({ of: p }: { of: Pool }) {
	if (!p.places) return <Nothing />;
	return (
		<span class="num">
			{t("node.places", { n: number(p.inFlight), all: number(p.places) })}
			{p.waiting > 0 && <small> {t("node.waiting", { n: number(p.waiting) })}</small>}
		</span>
	);
}

export function Nodes() {
	const nodes = useCall("GET /nodes", {}, 3e3);
	const columns: Column<Node>[] = [
		{ head: t("node.name"), grow: true, cell: (n) => <Mono>{n.node}</Mono> },
		{ head: t("fact.term"), end: true, from: "mid", cell: (n) => number(n.term) },
		{ head: t("node.shards"), end: true, cell: (n) => t("node.ofShards", { n: n.shards }) },
		{ head: t("node.lease"), end: true, from: "mid", cell: (n) => <Time at={n.until} relative /> },
		{ head: t("node.clock"), end: true, from: "mid", cell: (n) => <span class="num">{t("node.ahead", { n: (n.clockAheadMs > 0 ? "+" : "") + number(n.clockAheadMs) })}</span> },
		{ head: t("node.fast"), end: true, from: "mid", cell: (n) => <Load of={n.fast} /> },
		{ head: t("node.slow"), end: true, from: "mid", cell: (n) => <Load of={n.slow} /> },
	];
	const changes: Column<ShardMove>[] = [
		{ head: t("node.at"), cell: (h) => <Time at={h.at} /> },
		{ head: t("node.cause"), cell: (h) => <Status is={calm.includes(h.cause) ? "NONE" : "WARN"} text={word("move", h.cause)} /> },
		{ head: t("node.name"), grow: true, cell: (h) => <Mono>{h.node}</Mono> },
		{ head: t("fact.term"), end: true, from: "mid", cell: (h) => number(h.term) },
		{ head: t("node.shards"), end: true, cell: (h) => t("node.ofShards", { n: h.shards }) },
	];
	return (
		<Page title={t("nav.nodes")} wide>
			<Panel flush>
				<Table bare label={t("nav.nodes")} columns={columns} rows={nodes.data?.nodes} id={(n) => n.node} error={nodes.error} retry={nodes.reload}
					empty={<Empty icon="nodes" title={t("node.none")}>{t("node.noneText")}</Empty>} />
			</Panel>
			<p class="muted prose">{t("node.about")}</p>
			{!!nodes.data?.moves.length && (
				<Panel flush title={t("node.moves")}>
					<Table bare label={t("node.moves")} columns={changes} rows={nodes.data.moves} id={(h) => `${h.at} ${h.term} ${h.cause}`} empty={null} />
				</Panel>
			)}
		</Page>
	);
}
