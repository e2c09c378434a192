// What is ahead: the fires and the run time to expect from schedules and past durations.

import { useCall } from "../data";
import { number, plural, t } from "../i18n";
import { href, query, setQuery } from "../route";
import { Empty, Nothing, Pending } from "../parts/basic";
import { FigureTable } from "../parts/figures";
import { Heatmap } from "../parts/heatmap";
import { Icon } from "../parts/icons";
import { Page, Panel } from "../parts/page";
import { Table } from "../parts/table";
import { clock, day, span, weekday } from "../time";
import { useGroups } from "./jobwords";

// times returns the times of a cell as people read them.
function times(at: string, minutes: number): string {
	const from = new Date(at);
	return `${weekday(from)} ${day(from).slice(5)} ${clock(from).slice(0, 5)}–${clock(new Date(from.getTime() + minutes * 60e3)).slice(0, 5)}`;
}

export function Forecast() {
	const q = query.value;
	const hours = q.get("hours") === "168" ? 168 : 24;
	const group = Number(q.get("group")) || undefined;
	const by = q.get("by") === "time" ? "runSeconds" : "fires";
	const groups = useGroups();
	const ahead = useCall("GET /forecast", { hours, group }, 60e3);
	const data = ahead.data;
	const value = (n: number) => (by === "fires" ? plural("forecast.fires", n) : span(n * 1000));
	const peak = data?.cells.reduce((a, b) => (b[by] > a[by] ? b : a));
	const given = Date.parse(q.get("at") ?? "");
	const first = Date.parse(data?.cells[0]?.at ?? ""), last = Date.parse(data?.cells.at(-1)?.at ?? "");
	// Without a choice the jobs of the busiest quarter are listed.
	const ours = given >= first && given < last + (data?.minutes ?? 0) * 60e3;
	const chosen = ours ? q.get("at")! : peak && peak[by] > 0 ? peak.at : undefined;
	const inside = useCall("GET /forecast", data && chosen ? { hours, group, at: chosen } : undefined);
	const fires = data?.cells.reduce((n, c) => n + c.fires, 0) ?? 0;
	const seconds = data?.cells.reduce((n, c) => n + c.runSeconds, 0) ?? 0;
	const label = t("forecast.label", { fires: number(fires), jobs: number(data?.jobs ?? 0), time: span(seconds * 1000) });
	const cell = chosen && data?.cells.findLast((c) => Date.parse(c.at) <= Date.parse(chosen));
	return (
		<Page title={t("nav.forecast")} wide>
			<div class="filters" role="search">
				<div class="segments" role="group" aria-label={t("forecast.length")}>
					{([24, 168] as const).map((n) => (
						<button key={n} type="button" aria-pressed={hours === n} onClick={() => setQuery({ hours: n === 24 ? undefined : "168", at: undefined })}>{t(n === 24 ? "timeline.day" : "timeline.week")}</button>
					))}
				</div>
				<div class="segments" role="group" aria-label={t("forecast.by")}>
					<button type="button" aria-pressed={by === "fires"} onClick={() => setQuery({ by: undefined })}>{t("forecast.byFires")}</button>
					<button type="button" aria-pressed={by === "runSeconds"} onClick={() => setQuery({ by: "time" })}>{t("forecast.byTime")}</button>
				</div>
				<select aria-label={t("field.jobGroup")} value={String(group ?? "")} onChange={(e) => setQuery({ group: e.currentTarget.value, at: undefined })}>
					<option value="">{t("jobs.allGroups")}</option>
					{groups.options.map((g) => (
						<option key={g.value} value={g.value}>{g.text}</option>
					))}
				</select>
			</div>
			{!data ? <Panel><Pending call={ahead} /></Panel> : (
				<>
					{data.unknownDurations > 0 && <p class="inline muted"><Icon name="clock" />{plural("forecast.unknown", data.unknownDurations)}</p>}
					{!!data.unreadable && <p class="inline late"><Icon name="warn" />{plural("forecast.unreadable", data.unreadable)}</p>}
					<Panel title={label} beside={peak && peak[by] > 0 && <small>{t("forecast.peak", { at: times(peak.at, data.minutes), value: value(peak[by]) })}</small>}>
						{fires === 0 ? <Empty icon="clock" title={t("forecast.none")}>{t("forecast.noneText")}</Empty> : (
							<Heatmap label={label} text={value} chosen={chosen} choose={(at) => setQuery({ at })}
								cells={data.cells.map((c) => ({ at: c.at, value: c[by], title: `${times(c.at, data.minutes)}\n${plural("forecast.fires", c.fires)}\n${span(c.runSeconds * 1000)}` }))} />
						)}
					</Panel>
					{cell && (
						<div class="columns">
							<div class="col-8">
								<Panel flush title={!ours ? t("forecast.busiest", { at: times(cell.at, data.minutes) }) : times(cell.at, data.minutes)} beside={inside.data?.in && <small>{plural("forecast.jobs", inside.data.in.count)}</small>}>
									<Table label={t("forecast.list")} rows={inside.data?.in?.jobs} id={(j) => j.id} error={inside.error} retry={inside.reload} empty={<Empty icon="check" title={t("forecast.none")} />}
										columns={[
											{ head: t("job.name"), grow: true, cell: (j) => <span class="row-main"><a dir="auto" class="row-link" href={href(`jobs/${j.id}`)}>{j.name}</a><small>#{j.id}</small></span> },
											{ head: t("forecast.byFires"), end: true, cell: (j) => number(j.fires) },
											{ head: t("forecast.byTime"), end: true, cell: (j) => (j.runSeconds ? span(j.runSeconds * 1000) : <Nothing />) },
										]} />
								</Panel>
							</div>
							<div class="col-4">
								<Quarters cells={data.cells} minutes={data.minutes} chosen={cell.at} />
							</div>
						</div>
					)}
				</>
			)}
		</Page>
	);
}

// Quarters is the table of what the picture shows: the quarters in which something is due.
function Quarters({ cells, minutes, chosen }: { cells: { at: string; fires: number; runSeconds: number }[]; minutes: number; chosen: string }) {
	const all = cells.filter((c) => c.fires > 0);
	return (
		<FigureTable all={all} id={(c) => c.at}
			columns={[
				{
					head: t("forecast.quarter"),
					cell: (c) => (
						<a class="row-link" aria-current={c.at === chosen ? "true" : undefined} href={href(`forecast${search({ at: c.at })}`)} onClick={(e) => { e.preventDefault(); setQuery({ at: c.at }); }}>
							{times(c.at, minutes)}
						</a>
					),
				},
				{ head: t("forecast.byFires"), end: true, cell: (c) => number(c.fires) },
				{ head: t("forecast.byTime"), end: true, cell: (c) => (c.runSeconds ? span(c.runSeconds * 1000) : <Nothing />) },
			]} />
	);
}

// search returns the query of the page with a change.
function search(change: Record<string, string>): string {
	const next = new URLSearchParams(query.value);
	for (const [name, value] of Object.entries(change)) next.set(name, value);
	return "?" + next.toString();
}
