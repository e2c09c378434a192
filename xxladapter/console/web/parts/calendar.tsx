// Twelve months of small days. A day is darker the more due times it has; a day that a calendar
// excludes is an outline.

import type { PreviewDay } from "../api";
import { number, plural, t } from "../i18n";
import { lang } from "../prefs";

export function Calendar({ days, from }: { days: PreviewDay[]; from: string }) {
	const byDay = new Map(days.map((d) => [d.day, d]));
	const year = Number(from.slice(0, 4)), month = Number(from.slice(5, 7)) - 1;
	const months = Array.from({ length: 12 }, (_, i) => new Date(Date.UTC(year, month + i, 1)));
	const name = new Intl.DateTimeFormat(lang.value, { month: "short", timeZone: "UTC" });
	const last = months[11]!.toISOString().slice(0, 7);
	const drawn = days.filter((d) => d.day.slice(0, 7) <= last); // a year from now ends in the month after
	const work = drawn.filter((d) => !d.excluded);
	const total = work.reduce((n, d) => n + d.times, 0);
	const off = drawn.length - work.length;
	return (
		<>
			<figure class="calendar" role="img" aria-label={t("dry.calendar", { days: number(work.length), times: number(total) + (work.some((d) => d.more) ? "+" : "") })}>
				{months.map((first) => {
					const count = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
					const lead = (first.getUTCDay() + 6) % 7;
					return (
						<div key={first.toISOString()}>
							<span class="calendar-month">{name.format(first)}</span>
							<svg viewBox="0 0 63 54" aria-hidden="true">
								{Array.from({ length: count }, (_, i) => {
									const at = lead + i;
									const key = `${first.toISOString().slice(0, 8)}${String(i + 1).padStart(2, "0")}`;
									const d = byDay.get(key);
									const level = !d ? 0 : d.times < 2 ? 1 : d.times < 25 ? 2 : 3;
									const x = (at % 7) * 9, y = Math.floor(at / 7) * 9;
									if (d?.excluded) {
										return (
											<rect key={i} class="late" fill="none" stroke="currentColor" x={x + 0.5} y={y + 0.5} width="6.5" height="6.5" rx="1">
												<title>{`${key}: ${t("finding.excluded")}`}</title>
											</rect>
										);
									}
									return (
										<rect key={i} class={"level-" + level} x={x} y={y} width="7.5" height="7.5" rx="1.5">
											<title>{`${key}: ${d ? number(d.times) + (d.more ? "+" : "") : 0}`}</title>
										</rect>
									);
								})}
							</svg>
						</div>
					);
				})}
			</figure>
			{off > 0 && <p class="late">▢ {plural("dry.off", off)}</p>}
		</>
	);
}
