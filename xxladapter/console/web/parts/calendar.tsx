// Twelve months of small days; a day is darker the more due times it has.

import { number, t } from "../i18n";
import { lang } from "../prefs";

export interface Day {
	day: string;
	times: number;
	more?: boolean;
}

export function Calendar({ days, from }: { days: Day[]; from: string }) {
	const byDay = new Map(days.map((d) => [d.day, d]));
	const year = Number(from.slice(0, 4)), month = Number(from.slice(5, 7)) - 1;
	const months = Array.from({ length: 12 }, (_, i) => new Date(Date.UTC(year, month + i, 1)));
	const name = new Intl.DateTimeFormat(lang.value, { month: "short", timeZone: "UTC" });
	const total = days.reduce((n, d) => n + d.times, 0);
	return (
		<figure class="calendar" role="img" aria-label={t("dry.calendar", { days: number(days.length), times: number(total) + (days.some((d) => d.more) ? "+" : "") })}>
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
								return (
									<rect key={i} class={"level-" + level} x={(at % 7) * 9} y={Math.floor(at / 7) * 9} width="7.5" height="7.5" rx="1.5">
										<title>{`${key}: ${d ? number(d.times) + (d.more ? "+" : "") : 0}`}</title>
									</rect>
								);
							})}
						</svg>
					</div>
				);
			})}
		</figure>
	);
}
