// Instants and durations as people read them.

import { computed, signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { call, skew } from "./api";
import { lang } from "./prefs";
import { t, type Key } from "./i18n";

// now is the scheduler's time in ms; it moves once a second.
export const now = signal(Date.now());
setInterval(() => {
	if (document.visibilityState === "visible") now.value = Date.now() + skew.value;
}, 1000);

// storeZone is the scheduler's time zone; empty until it is known, which means the browser's.
export const storeZone = signal("");
const jobZone = signal("");

// zone is the one in which times are shown: that of the job whose page is open, or the scheduler's.
export const zone = computed(() => jobZone.value || storeZone.value);
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// kept returns make(key), which is made once for each key. Formats are slow to make, and the parts of
// a time are asked for several times by each of a hundred rows, once a second.
function kept<T>(most: number, make: (key: string) => T): (key: string) => T {
	const made = new Map<string, T>();
	return (key) => {
		let value = made.get(key);
		if (value === undefined) {
			if (made.size >= most) made.clear();
			made.set(key, (value = make(key)));
		}
		return value;
	};
}

const relativeFormat = kept(4, (language) => new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "always" }));

const parts = (at: Date, zoneName: string) => partsOf(`${zoneName}|${Math.floor(at.getTime() / 1000)}`);
const partsOf = kept(2000, (key) => {
	const cut = key.lastIndexOf("|");
	return split(new Date(Number(key.slice(cut + 1)) * 1000), key.slice(0, cut));
});

const formats = new Map<string, Intl.DateTimeFormat>();
function split(at: Date, zoneName: string): Record<string, string> {
	let format = formats.get(zoneName);
	if (!format) {
		format = new Intl.DateTimeFormat("en-GB", {
			timeZone: zoneName || undefined, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit",
			hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "longOffset",
		});
		formats.set(zoneName, format);
	}
	return Object.fromEntries(format.formatToParts(at).map((p) => [p.type, p.value]));
}

// knownZone returns a job's zone; empty if it has none, or one that the browser does not know.
export function knownZone(name = ""): string {
	try {
		return name && split(new Date(0), name) && name;
	} catch {
		return "";
	}
}

// useJobZone shows all times in a job's zone, and returns it, as long as the page of the job is open.
export function useJobZone(name?: string): string {
	const known = knownZone(name);
	useLayoutEffect(() => {
		jobZone.value = known;
		return () => {
			jobZone.value = "";
		};
	}, [known]);
	return known;
}

export function day(at: Date, zoneName = zone.value): string {
	const p = parts(at, zoneName);
	return `${p.year}-${p.month}-${p.day}`;
}

export function clock(at: Date, zoneName = zone.value): string {
	const p = parts(at, zoneName);
	return `${p.hour}:${p.minute}:${p.second}`;
}

export function offset(at: Date, zoneName = zone.value): string {
	return (parts(at, zoneName).timeZoneName ?? "").replace("GMT", "UTC");
}

// shift returns how far the wall clock of a zone is ahead of UTC at an instant, in ms.
export function shift(at: Date, zoneName = zone.value): number {
	return Date.parse(`${day(at, zoneName)}T${clock(at, zoneName)}Z`) - Math.floor(at.getTime() / 1000) * 1000;
}

// instantOf returns the instant that an address has; undefined without one.
export function instantOf(text: string | null | undefined): Date | undefined {
	return text && !isNaN(Date.parse(text)) ? new Date(text) : undefined;
}

// wall returns what a field of date and time shows for an instant.
export function wall(at: Date): string {
	return `${day(at)}T${clock(at)}`;
}

// fromWall returns the instant at which the zone's wall clock shows a text of wall, the first one if
// there are two; undefined if it is no time.
export function fromWall(text: string): Date | undefined {
	const utc = Date.parse(text + "Z");
	if (isNaN(utc)) return undefined;
	const before = new Date(utc - shift(new Date(utc - 86400e3)));
	return wall(before).startsWith(text) ? before : new Date(utc - shift(before));
}

// midnight returns the beginning of a day in the zone, so many days from today.
export function midnight(days: number): Date | undefined {
	return fromWall(new Date(Date.parse(day(new Date(Date.now() + skew.value))) + days * 86400e3).toISOString().slice(0, 19));
}

// instant returns date, time and offset.
export function instant(at: Date, zoneName = zone.value): string {
	return `${day(at, zoneName)} ${clock(at, zoneName)} ${offset(at, zoneName)}`;
}

// brief leaves the date out today, and the year within half a year.
export function brief(at: Date, zoneName = zone.value): string {
	const today = new Date(now.value);
	const d = day(at, zoneName);
	if (d === day(today, zoneName)) return clock(at, zoneName);
	return Math.abs(at.getTime() - now.value) < 180 * 86400e3 ? `${d.slice(5)} ${clock(at, zoneName)}` : `${d} ${clock(at, zoneName)}`;
}

export function weekday(at: Date, zoneName = zone.value): string {
	return new Intl.DateTimeFormat(lang.value, { weekday: "short", timeZone: zoneName || undefined }).format(at);
}

// weekdays are the API's names of the days of a week.
export const weekdays = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const;

// weekdayName returns the short name of a day of weekdays. The first of January 2024 was a Monday.
export function weekdayName(name: string): string {
	return weekday(new Date(Date.UTC(2024, 0, 1 + weekdays.findIndex((d) => d === name))), "UTC");
}

// ago returns how far an instant is from now, in the coarsest unit that says something.
export function ago(at: Date): string {
	const seconds = Math.round((at.getTime() - now.value) / 1000);
	const size = Math.abs(seconds);
	const relative = relativeFormat(lang.value);
	if (size < 60) return relative.format(seconds, "second");
	if (size < 3600) return relative.format(Math.round(seconds / 60), "minute");
	if (size < 86400) return relative.format(Math.round(seconds / 3600), "hour");
	return relative.format(Math.round(seconds / 86400), "day");
}

// span returns a duration given in ms.
export function span(ms: number): string {
	if (ms < 1) return `${ms && ms.toFixed(1)} ms`;
	if (ms < 1000) return `${Math.round(ms)} ms`;
	if (ms < 60e3) return t("time.seconds", { n: (ms / 1000).toFixed(ms < 10e3 && ms % 1000 ? 1 : 0) });
	if (ms < 3600e3) return two(Math.round(ms / 1e3), 60, "time.minutes", "time.seconds");
	if (ms < 86400e3) return two(Math.round(ms / 60e3), 60, "time.hours", "time.minutes");
	return two(Math.round(ms / 3600e3), 24, "time.days", "time.hours");
}

// two returns n small units as large and small ones; no small ones are left out.
function two(n: number, per: number, large: Key, small: Key): string {
	const rest = n % per;
	return t(large, { n: (n - rest) / per }) + (rest ? " " + t(small, { n: rest }) : "");
}

// learnZone asks for the scheduler's zone, which is that of a schedule without one of its own. A zone
// whose name the browser does not know is the browser's, if both have the same time now, or else an
// offset.
export async function learnZone() {
	try {
		const p = await call("GET /schedule/preview", { scheduleConf: "0 0 0 * * ?", count: 1 });
		const at = p.times[0]?.at ?? "";
		const own = /(Z|[+-]\d\d:\d\d)$/.exec(at)?.[1]?.replace("Z", "+00:00");
		if (knownZone(p.zone)) storeZone.value = p.zone;
		else if (own) storeZone.value = offset(new Date(at), browserZone) === "UTC" + own ? browserZone : own;
	} catch {
		// Times are shown in the browser's zone, with their offset.
	}
}
