// How a job is spoken of: its schedule, its group, what can be done with it.

import type { Job } from "../api";
import { call } from "../api";
import { changedSomething, useCall } from "../data";
import { known, t } from "../i18n";
import { href } from "../route";
import { Mono } from "../parts/basic";
import { tell, tellError } from "../parts/toast";
import { instant, span } from "../time";

// Schedule shows a schedule. Words, if given, stand in place of a cron expression, which is in the
// tooltip.
export function Schedule({ job, words }: { job: Pick<Job, "scheduleType" | "scheduleConf" | "settings">; words?: string }) {
	const conf = job.scheduleConf ?? "";
	switch (job.scheduleType) {
		case "CRON":
			return words ? (
				<span class="cut" title={`${conf}\n${words}`}>
					{words} {job.settings?.zone && <small>{job.settings.zone}</small>}
				</span>
			) : (
				<span class="inline">
					<Mono>{conf}</Mono>
					{job.settings?.zone && <small>{job.settings.zone}</small>}
				</span>
			);
		case "FIX_RATE":
			return <span class="cut">{t("schedule.rate", { span: span(Number(conf) * 1000) })}</span>;
		case "FIX_DELAY":
			return <span class="cut">{t("schedule.delay", { span: span(Number(conf) * 1000) })}</span>;
		case "ONCE":
			return <span class="cut">{t("schedule.once", { at: conf && !isNaN(Date.parse(conf)) ? instant(new Date(conf)) : conf })}</span>;
	}
	return <span class="muted">{t("schedule.none")}</span>;
}

// useGroups returns the groups by id, for their names, and as the options of a list.
export function useGroups() {
	const groups = useCall("GET /groups", {});
	const byID = new Map((groups.data?.groups ?? []).map((g) => [g.id, g]));
	const name = (id?: number) => byID.get(id)?.title || byID.get(id)?.appName || (id ? `#${id}` : "");
	return { ...groups, byID, name, options: [...byID.keys()].map((id) => ({ value: String(id), text: name(id) })) };
}

export async function switchJob(job: Job, on: boolean) {
	try {
		await call(on ? "POST /jobs/{id}/start" : "POST /jobs/{id}/stop", { id: job.id! });
		tell(t(on ? "jobs.started" : "jobs.stopped", { name: job.name ?? "" }));
	} catch (e) {
		tellError(e);
	}
	changedSomething();
}

// calendarName returns what people call a calendar; one that is built in has a name in each language.
export function calendarName(name: string): string {
	const key = `calendarName.${name}`;
	return known(key) ? `${t(key)} (${name})` : name;
}

export function JobLink({ id, name }: { id: number; name?: string }) {
	return (
		<a href={href(`jobs/${id}`)} class="cut" dir="auto">
			{name ?? `#${id}`}
		</a>
	);
}
