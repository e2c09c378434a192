// Jobs that trigger other jobs: in layers, with their last results, and what fails with each.

import { useMemo } from "preact/hooks";
import type { GraphNode } from "../api";
import { useCall } from "../data";
import { number, plural, t } from "../i18n";
import { href, query, setQuery } from "../route";
import { Button, Empty, Nothing, Pending, Status, Tag, Time } from "../parts/basic";
import { FigureTable } from "../parts/figures";
import { Icon } from "../parts/icons";
import { Layers } from "../parts/layers";
import { Page, Panel } from "../parts/page";

export function Graph() {
	const job = Number(query.value.get("job")) || undefined;
	const graph = useCall("GET /graph", { job }, 15e3);
	const data = graph.data;
	const byID = useMemo(() => new Map((data?.nodes ?? []).map((n) => [n.id, n])), [data]);
	const chosen = job === undefined ? undefined : byID.get(job);
	const fails = useMemo(() => new Set(data?.failsWith ?? []), [data]);
	const choose = (id: number | undefined) => setQuery({ job: id === undefined ? undefined : String(id) });
	const failed = data?.nodes.filter((n) => n.last?.status === "FAIL").length ?? 0;
	const label = t("graph.label", { jobs: number(data?.nodes.length ?? 0), failed: number(failed) });
	return (
		<Page title={t("nav.graph")} wide>
			{job !== undefined && (
				<div class="filters">
					<Button icon="close" onClick={() => choose(undefined)}>{t("graph.all")}</Button>
					{chosen && (
						<span class="inline">
							<a href={href(`jobs/${job}`)}>{chosen.name}</a>
							<span class="muted">{plural("graph.failsWith", fails.size)} {plural("graph.dependsOn", data?.dependsOn?.length ?? 0)}</span>
						</span>
					)}
				</div>
			)}
			{!data ? <Panel><Pending call={graph} /></Panel> : data.nodes.length === 0 ? (
				<Panel>
					<Empty icon="graph" title={t(job === undefined ? "graph.none" : "graph.noneOf")}>{t("graph.noneText")}</Empty>
				</Panel>
			) : (
				<>
					{data.more && <p class="inline late"><Icon name="warn" />{t("graph.more")}</p>}
					{data.cycles.length > 0 && <Cycles cycles={data.cycles} byID={byID} />}
					<Panel title={label}
						beside={
							<span class="legend" aria-hidden="true">
								<span class="of-ok">✓ {t("status.SUCCESS")}</span>
								<span class="of-run">▸ {t("status.RUNNING")}</span>
								<span class="of-fail">✕ {t("status.FAIL")}</span>
								<small>{t("graph.dashed")}</small>
							</span>
						}>
						<Layers label={label} nodes={data.nodes} chosen={job} fails={fails} choose={choose} />
					</Panel>
					<Nodes nodes={data.nodes} byID={byID} chosen={job} fails={fails} />
				</>
			)}
		</Page>
	);
}

function Cycles({ cycles, byID }: { cycles: number[][]; byID: Map<number, GraphNode> }) {
	return (
		<p class="inline late">
			<Icon name="warn" />
			{plural("graph.cycles", cycles.length)}
			{cycles.slice(0, 5).map((c) => (
				<Tag key={c.join()} tone="warn">{c.map((id) => byID.get(id)?.name ?? `#${id}`).join(" → ")}</Tag>
			))}
		</p>
	);
}

// below counts the jobs that are not triggered when one fails.
function below(id: number, byID: Map<number, GraphNode>): number {
	const seen = new Set<number>();
	const open = [id];
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		for (const c of byID.get(at)?.children ?? []) {
			if (seen.has(c) || c === id) continue;
			seen.add(c);
			open.push(c);
		}
	}
	return seen.size;
}

// Nodes is the table of what the picture shows.
function Nodes({ nodes, byID, chosen, fails }: { nodes: GraphNode[]; byID: Map<number, GraphNode>; chosen?: number; fails: Set<number> }) {
	const name = (id: number) => byID.get(id)?.name ?? `#${id}`;
	return (
		<FigureTable all={nodes} id={(n) => n.id}
			columns={[
				{
					head: t("job.name"), grow: true,
					cell: (n) => (
						<span class="row-main">
							<a dir="auto" class="row-link" href={href(`jobs/${n.id}`)}>{n.name}</a>
							<small>#{n.id}</small>
							{n.id === chosen ? <Tag tone="accent">{t("graph.chosen")}</Tag> : fails.has(n.id) && <Tag tone="warn">{t("graph.lost")}</Tag>}
						</span>
					),
				},
				{ head: t("graph.layer"), end: true, from: "mid", cell: (n) => number(n.layer) },
				{ head: t("runs.result"), cell: (n) => n.last ? <a href={href(`runs/${n.last.logId}`)}><Status is={n.last.status} /></a> : <span class="muted">{t("graph.never")}</span> },
				{ head: t("runs.triggered"), from: "wide", cell: (n) => <Time at={n.last?.triggerTime} relative /> },
				{
					head: t("field.childJobIds"), from: "mid",
					cell: (n) => (
						<span class="cut" title={n.children.map(name).join(", ")}>
							{n.children.map((c, i) => <>{i > 0 && ", "}<a href={href(`jobs/${c}`)}>{name(c)}</a></>)}
							{n.missing?.map((id) => <Tag key={id} tone="warn">{t("graph.missing", { id })}</Tag>)}
						</span>
					),
				},
				{
					head: t("graph.with"), end: true,
					cell: (n) => {
						const count = below(n.id, byID);
						return count === 0 ? <Nothing /> : <Button tone="quiet" aria-label={t("graph.show", { n: number(count), name: n.name })} onClick={() => setQuery({ job: String(n.id) })}>{number(count)}</Button>;
					},
				},
			]} />
	);
}
