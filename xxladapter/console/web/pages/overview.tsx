// What is wrong, what is about to happen, and how it went.

import type { Answer } from "../api";
import { useCall } from "../data";
import { number, plural, t } from "../i18n";
import { href, query, setQuery } from "../route";
import { Bars } from "../parts/bars";
import { Empty, Failure, Pending, Time, Waiting } from "../parts/basic";
import { Icon } from "../parts/icons";
import { Page, Panel } from "../parts/page";
import { clock, day, midnight, now, span } from "../time";
import { useGroups } from "./jobwords";
import { summary } from "./runtable";

const hours = 24;

// lengths are how many days the chart shows; a bar is an hour of one day, or a day.
const lengths = [1, 7, 30];

export function Overview() {
	const first = (Math.floor(now.value / 3600e3) - hours + 1) * 3600e3;
	const stats = useCall("GET /stats", { by: "hour", from: new Date(first).toISOString() }, 15e3);
	const days = lengths.find((n) => String(n) === query.value.get("days")) ?? 1;
	const longer = useCall("GET /stats", days > 1 ? { by: "hour", from: midnight(1 - days)?.toISOString(), limit: 1000 } : undefined, 15e3);
	const failed = useCall("GET /runs", { status: "FAIL", newest: true, limit: 6, since: new Date(first - 3600e3).toISOString() }, 5e3);
	const running = useCall("GET /runs", { status: "RUNNING", newest: true, limit: 100 }, 5e3);
	const fires = useCall("GET /fires", { state: "planned", limit: 20 }, 3e3);
	const overview = useCall("GET /overview", {}, 10e3);
	const at = overview.data;
	const nodes = useCall("GET /nodes", {}, 10e3);
	const groups = useGroups();
	const byHour = new Map((stats.data?.stats ?? []).map((s) => [Date.parse(s.hour!), s]));
	// If more runs are running than are asked for, the newest are known: those since oldest.
	const starts = (running.data?.runs ?? []).map((l) => Date.parse(l.triggerTime!));
	const oldest = running.data?.next ? starts.at(-1)! : 0;
	const bars = Array.from({ length: hours }, (_, i) => {
		const from = first + i * 3600e3;
		const s = byHour.get(from);
		const ok = s?.success ?? 0;
		const name = clock(new Date(from)).slice(0, 5);
		return { label: name, name, ok, fail: (s?.runs ?? 0) - ok, run: starts.filter((at) => at >= from && at < from + 3600e3).length, more: from <= oldest };
	});
	const byDay = new Map<string, { ok: number; fail: number }>();
	for (let i = 1 - days; i <= 0; i++) byDay.set(day(midnight(i) ?? new Date(now.value)), { ok: 0, fail: 0 });
	for (const s of longer.data?.stats ?? []) {
		// An hour of UTC that is cut by midnight belongs to the day that has at least half of it.
		const sum = byDay.get(day(new Date(Date.parse(s.hour!) + 1800e3)));
		if (sum) {
			sum.ok += s.success;
			sum.fail += s.runs - s.success;
		}
	}
	const shown = days === 1 ? stats : longer;
	const results = days === 1 ? bars : [...byDay].map(([name, sum]) => ({ label: name.slice(5), name, ...sum }));
	// Runs are counted half a minute or more after their trigger; until then their lateness is the
	// overview's.
	const total = stats.data?.total;
	const late = total?.runs ? total.lateness.p99Ms : at?.lateP99Ms;
	const addresses = [...groups.byID.values()].reduce((n, g) => n + (g.addressList?.length ?? 0), 0);
	const attention = at && [
		...at.failing.filter((j) => j.inARow > 1).map((j) => ({ key: "f" + j.id, fail: true, to: href(`runs/${j.logId}`), title: j.name, text: t("overview.inARow", { n: j.inARow }) })),
		...at.noExecutor.map((g) => ({ key: "g" + g.id, fail: true, to: href(`executors/${g.id}`), title: groups.name(g.id), text: t("overview.noExecutor") })),
		...at.overdue.map((j) => ({ key: "d" + j.id, fail: true, to: href(`jobs/${j.id}/why`), title: j.name, text: t("overview.overdue") })),
		...at.calendars.map((c) => ({ key: "c" + c.name + c.year, fail: false, to: href("settings"), title: c.name, text: t("overview.poor", { year: c.year }) })),
		...at.notFired.map((j) => ({ key: "n" + j.id, fail: false, to: href(`jobs/${j.id}/why`), title: j.name, text: t("overview.notFired") })),
	];
	return (
		<Page title={t("nav.overview")} wide>
			<div class="figures">
				<Figure to="jobs?running=true" name={t("overview.on")} value={at && number(at.runningJobs.count) + (at.runningJobs.more ? "+" : "")} />
				<Figure to="runs?status=RUNNING" name={t("overview.now")} value={running.data && number(running.data.runs.length) + (running.data.next ? "+" : "")} />
				<Figure to="runs?status=FAIL" name={t("overview.failed24")} value={at && number(at.failed24h.count) + (at.failed24h.more ? "+" : "")} tone={at?.failed24h.count ? "fail" : undefined} />
				<Figure to="runs?status=SUCCESS" name={t("overview.ok24")} value={total?.runs ? number(total.success) : undefined} />
				<Figure to="runs" name={t("overview.late")} value={late === undefined ? undefined : span(late)} tone={late !== undefined && late > 5000 ? "warn" : undefined} />
				<Figure to="executors" name={t("overview.executors")} value={groups.data && number(addresses)} note={at?.gone.length ? t("overview.gone", { n: at.gone.length }) : ""} tone={groups.data && at?.runningJobs.count && (addresses === 0 || at.gone.length) ? "warn" : undefined} />
				<Figure to="nodes" name={t("nav.nodes")} value={nodes.data && number(nodes.data.nodes.length)} tone={nodes.data?.nodes.length === 0 ? "fail" : undefined} />
			</div>
			<div class="columns overview">
				<div class="col-4">
					<Panel flush title={t("overview.attention")}>
						{attention && groups.data ? (
							attention.length === 0 ? (
								<Empty icon="check" title={t("overview.calm")} />
							) : (
								<ul class="notes">
									{attention.slice(0, 8).map((a) => (
										<li key={a.key} class={a.fail ? "is-fail" : undefined}>
											<Icon name="warn" />
											<div>
												<a dir="auto" class="row-link" href={a.to}>{a.title}</a>
												<p>{a.text}</p>
											</div>
											<span />
										</li>
									))}
									{attention.length > 8 && <li><span /><p>{plural("overview.more", attention.length - 8)}</p></li>}
								</ul>
							)
						) : (
							<Pending call={at ? groups : overview} />
						)}
					</Panel>
				</div>
				<div class="col-8">
					<Panel
						title={t("overview.results")}
						beside={
							<>
								<span class="legend" aria-hidden="true">
									<span class="of-ok">{t("status.SUCCESS")}</span>
									{days === 1 && <span class="of-run">{t("status.RUNNING")}</span>}
									<span class="of-fail">{t("status.FAIL")}</span>
								</span>
								<div class="segments" role="group" aria-label={t("forecast.length")}>
									{lengths.map((n) => <button key={n} type="button" aria-pressed={n === days} onClick={() => setQuery({ days: n === 1 ? undefined : String(n) })}>{n === 1 ? t("time.hours", { n: 24 }) : t("time.days", { n })}</button>)}
								</div>
							</>
						}
					>
						{shown.data ? <Bars label={t("overview.results")} bars={results} /> : shown.error ? <Failure error={shown.error} retry={shown.reload} /> : <Waiting rows={3} />}
					</Panel>
					<Panel flush title={t("overview.failures")} beside={<a href={href("runs?status=FAIL")}>{t("transfer.all")}</a>}>
						{failed.data?.runs.length === 0 ? (
							<Empty icon="check" title={t("overview.noFailures")} />
						) : failed.data ? (
							<ul class="notes">
								{failed.data.runs.map((l) => (
									<li key={l.id} class="is-fail">
										<Icon name="fail" />
										<div>
											<a dir="auto" class="row-link" href={href(`runs/${l.id}`)}>
												{l.jobName ?? `${t("job.one")} #${l.jobId}`}
											</a>
											<p>{summary(l)}</p>
										</div>
										<Time at={l.triggerTime} relative />
									</li>
								))}
							</ul>
						) : failed.error ? (
							<Failure error={failed.error} retry={failed.reload} />
						) : (
							<Waiting rows={3} />
						)}
					</Panel>
				</div>
				<div class="col-4">
					<Panel flush title={t("overview.next")}>
						{at && fires.data ? <Next jobs={at.next} fires={fires.data.fires} /> : <Pending call={at ? fires : overview} />}
					</Panel>
				</div>
			</div>
		</Page>
	);
}

function Figure({ to, name, value, note, tone }: { to: string; name: string; value?: string; note?: string; tone?: "fail" | "warn" }) {
	return (
		<a class={"figure" + (tone ? " is-" + tone : "")} href={href(to)}>
			<span class="figure-name">{name}</span>
			<span class="figure-value">{value ?? "–"}{note && <small> {note}</small>}</span>
		</a>
	);
}

interface NextProps {
	jobs: Answer<"GET /overview">["next"];
	fires: Answer<"GET /fires">["fires"];
}

// Next merges what is planned already with the next due time of each job.
function Next({ jobs, fires }: NextProps) {
	const planned = fires.map((f) => ({ key: "f" + f.id, id: f.jobId, name: f.jobName, at: f.due }));
	const seen = new Set(planned.map((p) => p.id + p.at));
	const later = jobs.filter((j) => !seen.has(j.id + j.triggerNextTime!)).map((j) => ({ key: "j" + j.id, id: j.id, name: j.name, at: j.triggerNextTime! }));
	const list = [...planned, ...later].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(0, 20);
	if (list.length === 0) return <Empty icon="clock" title={t("overview.noNext")} />;
	return (
		<ul class="notes is-plain">
			{list.map((f) => (
				<li key={f.key}>
					<Icon name="clock" />
					<a dir="auto" class="row-link cut" href={href(`jobs/${f.id}`)}>{f.name ?? `${t("job.one")} #${f.id}`}</a>
					<Time at={f.at} relative />
				</li>
			))}
		</ul>
	);
}
