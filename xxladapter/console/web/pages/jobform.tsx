// A new job, or a change of one: upstream's four sections, and what is beyond XXL-JOB.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { apiError, call, type Job } from "../api";
import { changedSomething, useCall } from "../data";
import { t, word, type Key } from "../i18n";
import { go, guardLeaving, href, query } from "../route";
import { Button, Failure, LinkButton, Pending, Waiting } from "../parts/basic";
import { Conflict } from "../parts/conflict";
import { Dialog } from "../parts/dialog";
import { Field, FormSection, Select } from "../parts/form";
import { Page, Panel } from "../parts/page";
import { tell } from "../parts/toast";
import { DryRun } from "./dryrun";
import { changedFields, choices, draftOf, FieldError, jobOf, numbers, type Draft, type FieldName } from "./jobfields";
import { calendarName, useGroups } from "./jobwords";

export function NewJob() {
	const copied = Number(query.value.get("copy")) || undefined;
	const source = useCall("GET /jobs/{id}", copied ? { id: copied } : undefined);
	const groups = useGroups();
	if (copied && !source.data) return <Page title={t("jobs.new")}>{source.error ? <Failure error={source.error} /> : <Waiting />}</Page>;
	if (!groups.data && !groups.error) return <Page title={t("jobs.new")}><Waiting /></Page>;
	const only = groups.byID.size === 1 ? [...groups.byID.keys()][0] : undefined;
	return <JobForm start={draftOf(source.data ? { ...source.data, name: t("form.copyOf", { name: source.data.name ?? "" }) } : { jobGroup: only })} groups={groups} />;
}

export function EditJob({ id }: { id: number }) {
	const job = useCall("GET /jobs/{id}", { id });
	const groups = useGroups();
	const [first, setFirst] = useState<Job>();
	if (job.data && !first) setFirst(job.data);
	if (!first) return <Page title={t("form.edit")}><Pending call={job} /></Page>;
	return <JobForm job={first} start={draftOf(first)} groups={groups} />;
}

function JobForm({ job, start: read, groups }: { job?: Job; start: Draft; groups: ReturnType<typeof useGroups> }) {
	const calendars = useCall("GET /calendars", {});
	// base is the state that the changes start from: what was read, or what somebody else saved since.
	const [base, setBase] = useState<{ draft: Draft; at?: string }>({ draft: read, at: job?.updateTime });
	const start = base.draft;
	const [theirs, setTheirs] = useState<{ draft: Draft; at?: string }>();
	const [draft, setDraft] = useState(start);
	const [errors, setErrors] = useState<Partial<Record<FieldName | "all", string>>>({});
	const [review, setReview] = useState(false);
	const [busy, setBusy] = useState(false);
	const saved = useRef(false); // nothing is left to lose while the page is about to change
	const changed = changedFields(start, draft);
	const dirty = changed.length > 0;
	// At once, since the next key or button may lead away.
	useLayoutEffect(() => {
		guardLeaving(dirty ? () => confirm(t("form.leave")) : undefined);
		const stay = (e: BeforeUnloadEvent) => !saved.current && e.preventDefault();
		if (dirty) addEventListener("beforeunload", stay);
		return () => {
			guardLeaving(undefined);
			removeEventListener("beforeunload", stay);
		};
	}, [dirty]);
	const set = (field: FieldName, value: string) => {
		setDraft((d) => ({ ...d, [field]: value }));
		setErrors((e) => ({ ...e, [field]: undefined, all: undefined }));
	};
	const drawn = new Set<string>(); // the fields beside which an error can stand
	const fail = (e: unknown) => {
		setReview(false);
		if (e instanceof FieldError) setErrors({ [e.field]: t("form.number", { text: e.text }) });
		else {
			const wrong: typeof errors = {};
			for (const { field = "", text } of apiError(e).broken) {
				const name = field.replace("settings.", "") as FieldName;
				const at = drawn.has(name) ? name : "all";
				wrong[at] = wrong[at] ? `${wrong[at]}; ${text}` : text;
			}
			setErrors(wrong);
		}
		requestAnimationFrame(() => document.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
	};
	const save = async () => {
		setBusy(true);
		try {
			const form = jobOf(draft, start);
			const id = job ? job.id! : (await call("POST /jobs", {}, form)).id;
			if (job) await call("PUT /jobs/{id}", { id }, { ...form, ifUpdated: base.at });
			guardLeaving(undefined);
			saved.current = true;
			tell(t(job ? "form.saved" : "form.created", { name: form.name ?? "" }));
			changedSomething();
			go(`jobs/${id}`);
		} catch (e) {
			const now = job && apiError(e).code === "conflict" ? await call("GET /jobs/{id}", { id: job.id! }).catch(() => undefined) : undefined;
			if (now && now.updateTime !== base.at) {
				setReview(false);
				setTheirs({ draft: draftOf(now), at: now.updateTime });
			} else fail(e);
		}
		setBusy(false);
	};
	// startFrom continues with a draft on top of what somebody else saved.
	const startFrom = (next: Draft) => {
		setDraft(next);
		setBase(theirs!);
		setTheirs(undefined);
	};
	const merge = () => startFrom({ ...theirs!.draft, ...Object.fromEntries(changed.map((field) => [field, draft[field]])) });
	const submit = (e: Event) => {
		e.preventDefault();
		try {
			jobOf(draft, start);
		} catch (e) {
			return fail(e);
		}
		if (job) setReview(true);
		else void save();
	};
	const input = (field: FieldName, more: JSX.IntrinsicElements["input"] = {}) => (
		<input {...more} name={field} value={draft[field]} onInput={(e) => set(field, e.currentTarget.value)} />
	);
	const list = (field: keyof typeof choices, empty = false) => (
		<Select name={field} value={draft[field]} onChange={(e) => set(field, e.currentTarget.value)}
			options={[...(empty ? [{ value: "", text: t("form.default") }] : []), ...choices[field].map((v) => ({ value: v, text: word(field === "glueType" ? "glue" : field, v) }))]} />
	);
	const f = (field: FieldName, control: JSX.Element, more: { required?: boolean; wide?: boolean; help?: string } = {}) => {
		drawn.add(field);
		return (
			<Field label={fieldLabel(field)} error={errors[field]} {...more}>
				{control as never}
			</Field>
		);
	};
	const title = job ? t("calendar.edit", { name: job.name ?? "" }) : t("jobs.new");
	return (
		<Page title={title} above={{ to: href("jobs"), text: t("nav.jobs") }} wide>
			<div class="columns">
				<form class="col-8" onSubmit={submit} noValidate>
					<Panel>
						<div class="form">
							<FormSection title={t("form.base")}>
								{f("name", input("name", { maxLength: 255 }), { required: true, wide: true })}
								{f("jobGroup", <Select value={draft.jobGroup} onChange={(e) => set("jobGroup", e.currentTarget.value)} options={[{ value: "", text: t("form.choose") }, ...groups.options]} />, { required: true })}
								{f("author", input("author", { maxLength: 64 }), { required: true })}
								{f("tags", input("tags", { placeholder: "billing, nightly" }), { wide: true, help: t("form.tagsHelp") })}
								{f("alarmEmail", input("alarmEmail", { type: "text", placeholder: "ops@example.org" }), { wide: true, help: t("form.emailHelp") })}
							</FormSection>
							<FormSection title={t("fact.scheduleConf")}>
								{f("scheduleType", list("scheduleType"))}
								{draft.scheduleType !== "NONE" && f("scheduleConf", input("scheduleConf", { class: "mono-input", spellcheck: false, placeholder: example[draft.scheduleType] }), { required: true, help: word("confHelp", draft.scheduleType) })}
								{draft.scheduleType === "CRON" && (
									<Field label={t("form.pattern")}>
										<Select value={patterns[draft.scheduleConf] ? draft.scheduleConf : ""} onChange={(e) => e.currentTarget.value && set("scheduleConf", e.currentTarget.value)}
											options={[{ value: "", text: t("form.choose") }, ...Object.entries(patterns).map(([value, key]) => ({ value, text: t(key) }))]} />
									</Field>
								)}
								{(draft.scheduleType === "CRON" || draft.scheduleType === "ONCE") && f("zone", input("zone", { placeholder: "Asia/Shanghai", spellcheck: false }), { help: t("form.zoneHelp") })}
								{draft.scheduleType !== "NONE" && (draft.calendar || !!calendars.data?.calendars.length) && f("calendar", <Select name="calendar" value={draft.calendar} onChange={(e) => set("calendar", e.currentTarget.value)}
									options={[{ value: "", text: t("form.noCalendar") }, ...[...new Set([draft.calendar, ...(calendars.data?.calendars ?? []).map((c) => c.name!)])].filter(Boolean).map((c) => ({ value: c, text: calendarName(c) }))]} />, { help: t("form.calendarHelp") })}
								{f("misfireStrategy", list("misfireStrategy"))}
							</FormSection>
							<FormSection title={t("form.task")}>
								{f("glueType", list("glueType"))}
								{draft.glueType === "BEAN" && f("executorHandler", input("executorHandler", { class: "mono-input", spellcheck: false }), { required: true })}
								{f("executorParam", <textarea rows={2} class="mono-input" spellcheck={false} value={draft.executorParam} onInput={(e) => set("executorParam", e.currentTarget.value)} />, { wide: true })}
								{draft.glueType !== "BEAN" && f("glueSource", <textarea rows={10} class="mono-input" spellcheck={false} value={draft.glueSource} onInput={(e) => set("glueSource", e.currentTarget.value)} />, { wide: true })}
								{draft.glueType !== "BEAN" && f("glueRemark", input("glueRemark", { maxLength: 128 }), { wide: true })}
							</FormSection>
							<FormSection title={t("form.advanced")}>
								{f("executorRouteStrategy", list("executorRouteStrategy"))}
								{f("executorBlockStrategy", list("executorBlockStrategy"))}
								{f("executorTimeout", input("executorTimeout", { inputMode: "numeric" }), { help: t("form.timeoutHelp") })}
								{f("executorFailRetryCount", input("executorFailRetryCount", { inputMode: "numeric" }))}
								{f("childJobIds", input("childJobIds", { placeholder: "12, 17" }), { wide: true, help: t("form.childHelp") })}
							</FormSection>
							<details class="beyond" open={numbers.some((field) => errors[field])}>
								<summary>{t("form.beyond")}</summary>
								<FormSection title="" note={t("form.beyondNote")}>
									{f("ambiguous", list("ambiguous", true))}
									{f("keepLogs", list("keepLogs", true))}
									{f("misfireWindowMs", input("misfireWindowMs", { inputMode: "numeric" }))}
									{f("misfireLimit", input("misfireLimit", { inputMode: "numeric" }))}
									{f("misfireSpacingMs", input("misfireSpacingMs", { inputMode: "numeric" }))}
									{f("retryBackoffMs", input("retryBackoffMs", { inputMode: "numeric" }))}
									{f("retryBackoffLimitMs", input("retryBackoffLimitMs", { inputMode: "numeric" }))}
									{f("alarmOn", list("alarmOn", true))}
									{f("alarmAfter", input("alarmAfter", { inputMode: "numeric" }))}
									{f("alarmRecovered", <Select value={draft.alarmRecovered} onChange={(e) => set("alarmRecovered", e.currentTarget.value)} options={[{ value: "", text: t("form.no") }, { value: "true", text: t("form.yes") }]} />)}
								</FormSection>
							</details>
							<div class="form-foot">
								{errors.all && <p class="field-error" role="alert">{errors.all}</p>}
								<LinkButton to={href(job ? `jobs/${job.id}` : "jobs")}>{t("action.cancel")}</LinkButton>
								<Button type="submit" tone="primary" busy={busy} disabled={!!job && !dirty}>{t(job ? "form.review" : "form.create")}</Button>
							</div>
						</div>
					</Panel>
				</form>
				<div class="col-4">
					<div class="preview">
						<DryRun type={draft.scheduleType} conf={draft.scheduleConf} zone={draft.zone} calendar={draft.scheduleType === "NONE" ? "" : draft.calendar} />
					</div>
				</div>
			</div>
			{theirs && (
				<Conflict onBack={() => setTheirs(undefined)} onTheirs={() => startFrom(theirs.draft)} onMine={merge}
					differences={changedFields(theirs.draft, draft).map((field) => {
						const [base, other, yours] = [start, theirs.draft, draft].map((d) => shown(field, d[field], groups)) as [string, string, string];
						return { label: fieldLabel(field), base, theirs: other, yours };
					})} />
			)}
			{review && (
				<Dialog title={t("form.reviewTitle")} onClose={() => setReview(false)} wide>
					<div class="dialog-body">
						<table class="table diff">
							<thead>
								<tr>
									<th scope="col">{t("diff.field")}</th>
									<th scope="col">{t("diff.before")}</th>
									<th scope="col">{t("diff.after")}</th>
								</tr>
							</thead>
							<tbody>
								{changed.map((field) => (
									<tr key={field}>
										<th scope="row">{fieldLabel(field)}</th>
										<td><del>{shown(field, start[field], groups)}</del></td>
										<td><ins>{shown(field, draft[field], groups)}</ins></td>
									</tr>
								))}
							</tbody>
						</table>
					</div>
					<footer class="dialog-foot">
						<Button onClick={() => setReview(false)}>{t("form.back")}</Button>
						<Button tone="primary" busy={busy} onClick={() => void save()}>{t("code.save")}</Button>
					</footer>
				</Dialog>
			)}
		</Page>
	);
}

// patterns are expressions to begin with; the dry run says in words what becomes of them.
const patterns: Record<string, Key> = {
	"0 0/5 * * * ?": "pattern.minutes", "0 0 * * * ?": "pattern.hour", "0 0 2 * * ?": "pattern.day", "0 0 9 ? * MON-FRI": "pattern.weekday",
	"0 0 2 ? * MON": "pattern.week", "0 0 2 1 * ?": "pattern.month", "0 0 2 L * ?": "pattern.monthEnd",
};

const example: Record<string, string> = { CRON: "0 0 2 * * ?", FIX_RATE: "30", FIX_DELAY: "30", ONCE: "2030-01-02T15:04:05Z" };

export function fieldLabel(field: FieldName): string {
	return t(`field.${field}` as Key);
}

function shown(field: FieldName, value: string, groups: ReturnType<typeof useGroups>): string {
	if (!value) return "–";
	if (field === "jobGroup") return groups.name(Number(value));
	return field in choices ? word(field === "glueType" ? "glue" : field, value) : value;
}
