// What a schedule will do, while it is typed: in words, its next times, and a year of days.

import type { PreviewTime } from "../api";
import { useCall, useDelayed } from "../data";
import { t } from "../i18n";
import { lang } from "../prefs";
import { Empty, Spoken, Tag, Waiting } from "../parts/basic";
import { Calendar } from "../parts/calendar";
import { Panel } from "../parts/page";
import { clock, day, knownZone, offset, storeZone, weekday } from "../time";

export function DryRun({ type, conf, zone, calendar }: { type: string; conf: string; zone: string; calendar: string }) {
	const wanted = useDelayed(JSON.stringify([type, conf.trim(), zone.trim(), calendar]), 250);
	const [scheduleType, scheduleConf, ownZone, days] = JSON.parse(wanted) as [string, string, string, string];
	const asked = scheduleType !== "NONE" && scheduleConf !== "";
	const preview = useCall("GET /schedule/preview", asked ? { scheduleType: scheduleType as "CRON", scheduleConf, zone: ownZone || undefined, calendar: days || undefined, count: 50, months: 12 } : undefined);
	const p = preview.data;
	const own = knownZone(p?.zone) || storeZone.value;
	const words = p && (lang.value === "en" ? p.words.en : p.words.zh);
	const next = p?.times.find((one) => !one.excluded);
	const first = next && new Date(next.at);
	const said = !asked || !p ? (preview.error?.message ?? "") : `${words} ${first ? `${t("list.next")} ${day(first, own)} ${clock(first, own)}` : t(p.times.length ? "finding.excluded" : "dry.never")}`;
	return (
		<Panel title={t("dry.title")} beside={p && <small>{own}</small>}>
			<Spoken text={said} />
			<div class="stack">
				{!asked ? (
					<Empty icon="clock" title={t(scheduleType === "NONE" ? "dry.none" : "dry.empty")} />
				) : preview.error && !p ? (
					<p class="field-error">{preview.error.message}</p>
				) : !p ? (
					<Waiting rows={5} />
				) : (
					<>
						<p class="dry-words">{words}</p>
						{p.assumed && <p class="muted">{t("dry.assumed")}</p>}
						{!!p.calendarLacksYears && <p class="late">{t("dry.lacks", { years: p.calendarLacksYears.join(", ") })}</p>}
						{p.clockChanges.length > 0 && (
							<ul class="changes">
								{p.clockChanges.slice(0, 4).map((c) => (
									<li key={c.at}>
										<Tag tone="warn">{t("dry.change")}</Tag> {day(new Date(c.at), own)} {c.before} → {c.after}
										{c.skipped?.length ? <small> {t("dry.skipped", { times: c.skipped.map((s) => s.slice(11, 16)).join(", ") })}</small> : null}
									</li>
								))}
							</ul>
						)}
						{p.times.length === 0 ? <p class="field-error">{t("dry.never")}</p> : <Times times={p.times} zone={own} />}
						{p.days && p.times[0] && <Calendar days={p.days} from={p.times[0].at.slice(0, 7)} />}
					</>
				)}
			</div>
		</Panel>
	);
}

function Times({ times, zone }: { times: PreviewTime[]; zone: string }) {
	const first = times[0] && new Date(times[0].at);
	const title = t("dry.next", { n: times.filter((one) => !one.excluded).length });
	return (
		<details class="next-times" open>
			<summary>{title}</summary>
			<ol class="times is-one" tabIndex={0} aria-label={title}>
				{times.map((one) => {
					const at = new Date(one.at);
					return (
						<li key={one.at}>
							<span>
								{day(at, zone)} <small>{weekday(at, zone)}</small>
							</span>
							<span>
								{one.mark && <Tag tone="warn">{t(`mark.${one.mark}`)}</Tag>} {one.excluded ? <><Tag tone="warn">{t("finding.excluded")}</Tag> <s class="muted">{clock(at, zone)}</s></> : clock(at, zone)}
								{first && offset(at, zone) !== offset(first, zone) && <small> {offset(at, zone)}</small>}
							</span>
						</li>
					);
				})}
			</ol>
		</details>
	);
}
