// The schedulers that share the store, and how their partitions have changed hands.

import { useCall } from "../data";
import { number, t, word } from "../i18n";
import { Empty, Fact, Facts, Mono, Nothing, Status, Time } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { Table, type Column } from "../parts/table";
import type { PartitionMove, Node, Pool } from "../api";

// calm are the causes that somebody meant to happen.
const calm: PartitionMove["cause"][] = ["joined", "stopped", "drained"];

function Load({ of: p }: { of: Pool }) {
	if (!p.places) return <Nothing />;
	return (
		<span class="num">
			{t("node.places", { n: number(p.inFlight), all: number(p.places) })}
			{p.waiting > 0 && <small> {t("node.waiting", { n: number(p.waiting) })}</small>}
		</span>
	);
}

// Named shows the name of a scheduler and, on a narrow screen, how many partitions are its own.
function Named({ of: n }: { of: { node: string; partitions: number } }) {
	return <><Mono>{n.node}</Mono><span class="row-under">{t("node.partitions")} {t("node.ofPartitions", { n: n.partitions })}</span></>;
}

// Part is what a scheduler does among the others, and what its elector says of it.
function Part({ of: n }: { of: Node }) {
	const elected = n.election === "elected" ? `${t("election.elected")} #${n.electionNumber}` : word("election", n.election);
	return (
		<>
			<Status is={n.role === "retired" ? "WARN" : n.role === "standby" ? "IDLE" : "RUNNING"} text={t(`role.${n.role}`)} />
			{n.election !== "none" && <span class={n.election === "away" ? "row-under is-note field-error" : "row-under is-note"}>{elected}</span>}
		</>
	);
}

export function Nodes() {
	const nodes = useCall("GET /nodes", {}, 3e3);
	const all = nodes.data?.nodes ?? [];
	// One plans all jobs, and the others stand by.
	const led = all.some((n) => n.mode === "leader");
	const elector = all.find((n) => n.elector)?.elector;
	const spreads = [...new Set(all.map((n) => n.spread).filter((s) => s !== undefined))];
	const columns: Column<Node>[] = [
		{ head: t("node.name"), grow: true, cell: (n) => <Named of={n} /> },
		{ head: t("node.role"), cell: (n) => <Part of={n} /> },
		{ head: t("fact.term"), end: true, from: "wide", cell: (n) => number(n.term) },
		{ head: t("node.partitions"), end: true, from: "mid", cell: (n) => t("node.ofPartitions", { n: n.partitions }) },
		{
			head: t("node.moved"), from: "mid", cell: (n) => n.lastMove ? (
				<>
					<Status is={calm.includes(n.lastMove.cause) ? "NONE" : "WARN"} text={word("move", n.lastMove.cause)} />
					<span class="row-under is-note"><Time at={n.lastMove.at} /></span>
				</>
			) : <Nothing />,
		},
		{ head: t("node.lease"), end: true, from: "mid", cell: (n) => <Time at={n.until} relative /> },
		{ head: t("node.clock"), end: true, from: "mid", cell: (n) => <span class="num">{t("node.ahead", { n: (n.clockAheadMs > 0 ? "+" : "") + number(n.clockAheadMs) })}</span> },
		{ head: t("node.fast"), end: true, from: "mid", cell: (n) => <Load of={n.fast} /> },
		{ head: t("node.slow"), end: true, from: "mid", cell: (n) => <Load of={n.slow} /> },
		...(led ? [
			{ head: t("node.sent"), end: true, from: "wide", cell: (n) => (n.fires ? number(n.fires.sent) : <Nothing />) },
			{ head: t("node.received"), end: true, from: "wide", cell: (n) => (n.fires ? number(n.fires.received) : <Nothing />) },
			{ head: t("node.kept"), end: true, from: "wide", cell: (n) => (n.fires ? number(n.fires.kept) : <Nothing />) },
		] satisfies Column<Node>[] : []),
	];
	const changes: Column<PartitionMove>[] = [
		{ head: t("node.at"), cell: (h) => <Time at={h.at} /> },
		{ head: t("node.cause"), cell: (h) => <Status is={calm.includes(h.cause) ? "NONE" : "WARN"} text={word("move", h.cause)} /> },
		{ head: t("node.name"), grow: true, cell: (h) => <Named of={h} /> },
		{ head: t("fact.term"), end: true, from: "mid", cell: (h) => number(h.term) },
		{ head: t("node.partitions"), end: true, from: "mid", cell: (h) => t("node.ofPartitions", { n: h.partitions }) },
	];
	return (
		<Page title={t("nav.nodes")} wide>
			{all.length > 0 && (
				<Panel>
					<Facts>
						<Fact name={t("node.mode")}>{t(led ? "mode.leader" : "mode.all")}</Fact>
						{spreads.length > 0 && <Fact name={t("node.spread")}>{spreads.map((s) => t(`spread.${s}`)).join(" / ")}</Fact>}
						{led && <Fact name={t("node.elector")}>{elector ? <code>{elector}</code> : t("node.noElector")}</Fact>}
					</Facts>
				</Panel>
			)}
			<Panel flush>
				<Table bare label={t("nav.nodes")} columns={columns} rows={nodes.data?.nodes} id={(n) => n.node} error={nodes.error} retry={nodes.reload}
					empty={<Empty icon="nodes" title={t("node.none")}>{t("node.noneText")}</Empty>} />
			</Panel>
			<p class="muted prose">{t(led ? "node.aboutLeader" : "node.about")}</p>
			{!!nodes.data?.moves.length && (
				<Panel flush title={t("node.moves")}>
					<Table bare label={t("node.moves")} columns={changes} rows={nodes.data.moves} id={(h) => `${h.at} ${h.term} ${h.cause}`} empty={null} />
				</Panel>
			)}
		</Page>
	);
}
