// The fields of a job as a form has them: texts, and what becomes of them in the API.

import type { Job, Settings } from "../api";

export interface Draft {
	jobGroup: string; name: string; author: string; alarmEmail: string; tags: string;
	scheduleType: string; scheduleConf: string; zone: string; calendar: string; misfireStrategy: string;
	glueType: string; executorHandler: string; executorParam: string; glueSource: string; glueRemark: string;
	executorRouteStrategy: string; executorBlockStrategy: string; executorTimeout: string; executorFailRetryCount: string; childJobIds: string;
	misfireWindowMs: string; misfireLimit: string; misfireSpacingMs: string; ambiguous: string; retryBackoffMs: string; retryBackoffLimitMs: string;
	alarmOn: string; alarmAfter: string; alarmRecovered: string; keepLogs: string;
}

export type FieldName = keyof Draft;

export const choices = {
	scheduleType: ["CRON", "FIX_RATE", "FIX_DELAY", "ONCE", "NONE"],
	misfireStrategy: ["DO_NOTHING", "FIRE_ONCE_NOW", "LATEST", "ALL"],
	glueType: ["BEAN", "GLUE_GROOVY", "GLUE_SHELL", "GLUE_PYTHON", "GLUE_PYTHON2", "GLUE_NODEJS", "GLUE_POWERSHELL", "GLUE_PHP"],
	executorRouteStrategy: ["FIRST", "LAST", "ROUND", "RANDOM", "CONSISTENT_HASH", "LEAST_FREQUENTLY_USED", "LEAST_RECENTLY_USED", "FAILOVER", "BUSYOVER", "SHARDING_BROADCAST"],
	executorBlockStrategy: ["SERIAL_EXECUTION", "DISCARD_LATER", "COVER_EARLY"],
	ambiguous: ["PROBE", "SKIP", "RESEND"],
	alarmOn: ["EACH", "LAST_RETRY", "IN_A_ROW", "NEVER"],
	keepLogs: ["ALL", "FAILURES"],
} satisfies Partial<Record<FieldName, string[]>>;

// Settings that are numbers; empty text leaves the default.
export const numbers = ["misfireWindowMs", "misfireLimit", "misfireSpacingMs", "retryBackoffMs", "retryBackoffLimitMs", "alarmAfter"] as const;
const words = ["zone", "calendar", "ambiguous", "alarmOn", "keepLogs"] as const;

export function draftOf(j: Job): Draft {
	const s = j.settings ?? {};
	const text = (n?: number) => (n ? String(n) : "");
	return {
		jobGroup: j.jobGroup ? String(j.jobGroup) : "", name: j.name ?? "", author: j.author ?? "", alarmEmail: j.alarmEmail ?? "", tags: (j.tags ?? []).join(", "),
		scheduleType: j.scheduleType ?? "CRON", scheduleConf: j.scheduleConf ?? "", zone: s.zone ?? "", calendar: s.calendar ?? "", misfireStrategy: j.misfireStrategy ?? "DO_NOTHING",
		glueType: j.glueType ?? "BEAN", executorHandler: j.executorHandler ?? "", executorParam: j.executorParam ?? "", glueSource: j.glueSource ?? "", glueRemark: j.glueRemark ?? "",
		executorRouteStrategy: j.executorRouteStrategy ?? "FIRST", executorBlockStrategy: j.executorBlockStrategy ?? "SERIAL_EXECUTION",
		executorTimeout: String(j.executorTimeout ?? 0), executorFailRetryCount: String(j.executorFailRetryCount ?? 0), childJobIds: (j.childJobIds ?? []).join(", "),
		misfireWindowMs: text(s.misfireWindowMs), misfireLimit: text(s.misfireLimit), misfireSpacingMs: text(s.misfireSpacingMs), ambiguous: s.ambiguous ?? "",
		retryBackoffMs: text(s.retryBackoffMs), retryBackoffLimitMs: text(s.retryBackoffLimitMs), alarmOn: s.alarmOn ?? "", alarmAfter: text(s.alarmAfter),
		alarmRecovered: s.alarmRecovered ? "true" : "", keepLogs: s.keepLogs ?? "",
	};
}

// A FieldError belongs to one field of the form.
export class FieldError extends Error {
	constructor(
		readonly field: FieldName,
		readonly text: string,
	) {
		super(text);
	}
}

function whole(field: FieldName, text: string): number {
	const n = Number(text.trim() || 0);
	if (!Number.isSafeInteger(n)) throw new FieldError(field, text);
	return n;
}

// tagsOf returns the tags of a text in which commas divide them. Chinese commas do so too, except in
// the tags of before, which may have some.
export function tagsOf(text: string, before = ""): string[] {
	const had = before.split(", ");
	return text.split(",").flatMap((tag) => (had.includes(tag.trim()) ? tag : tag.split("，"))).map((tag) => tag.trim()).filter(Boolean);
}

// jobOf returns what the API takes of a draft that began as another one. It throws a FieldError for
// text that is no number.
export function jobOf(d: Draft, from: Draft): Job {
	const settings: Settings = {};
	for (const name of numbers) if (d[name].trim()) settings[name] = whole(name, d[name]);
	for (const name of words) if (d[name]) (settings as Record<string, unknown>)[name] = d[name];
	if (d.alarmRecovered) settings.alarmRecovered = true;
	const job = {
		jobGroup: Number(d.jobGroup) || undefined, name: d.name.trim(), author: d.author.trim(), alarmEmail: d.alarmEmail.trim(), tags: tagsOf(d.tags, from.tags),
		scheduleType: d.scheduleType, scheduleConf: d.scheduleType === "NONE" ? "" : d.scheduleConf.trim(), misfireStrategy: d.misfireStrategy,
		glueType: d.glueType, executorHandler: d.executorHandler.trim(), executorParam: d.executorParam,
		executorRouteStrategy: d.executorRouteStrategy, executorBlockStrategy: d.executorBlockStrategy,
		executorTimeout: whole("executorTimeout", d.executorTimeout), executorFailRetryCount: whole("executorFailRetryCount", d.executorFailRetryCount),
		childJobIds: d.childJobIds.split(/[\s,，]+/).filter(Boolean).map((id) => whole("childJobIds", id)),
		settings,
	} as Job;
	if (d.glueType !== "BEAN") Object.assign(job, { glueSource: d.glueSource, glueRemark: d.glueRemark });
	return job;
}

// changedFields returns the fields whose text differs.
export function changedFields(before: Draft, after: Draft): FieldName[] {
	return (Object.keys(after) as FieldName[]).filter((f) => before[f] !== after[f]);
}
