// The source of a script job: an editor, its versions, and what differs between two of them.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { apiError, call, type Answer, type ApiError, type Glue, type Job } from "../api";
import { changedSomething, useCall } from "../data";
import { t, word } from "../i18n";
import { guardLeaving, query, setQuery } from "../route";
import { may } from "../session";
import { Button, Empty, Failure, Pending, Tag, Time, Waiting } from "../parts/basic";
import { CodeDiff, CodeEditor } from "../parts/code";
import { Confirm, Dialog } from "../parts/dialog";
import { Field, Select } from "../parts/form";
import { Icon } from "../parts/icons";
import { Panel } from "../parts/page";
import { templates } from "../parts/templates";
import { tell, tellError } from "../parts/toast";
import { instant } from "../time";

type Stored = Answer<"GET /jobs/{id}/glue">;

export function Code({ job }: { job: Job }) {
	const glue = useCall("GET /jobs/{id}/glue", { id: job.id! }, 5e3);
	if (!glue.data) return <Panel><Pending call={glue} /></Panel>;
	return <Source job={job} stored={glue.data} reload={glue.reload} />;
}

function Source({ job, stored, reload }: { job: Job; stored: Stored; reload: () => void }) {
	const language = stored.glueType;
	const readOnly = !may("coder", job.jobGroup);
	// base is the source that the changes start from: what was read, or what was saved since.
	const [base, setBase] = useState(stored);
	const [start, setStart] = useState({ text: stored.glueSource });
	const [text, setText] = useState(stored.glueSource);
	const [saving, setSaving] = useState(false);
	const [theirs, setTheirs] = useState<Stored>();
	const [restore, setRestore] = useState<Glue>();
	const dirty = text !== base.glueSource;
	const behind = stored.glueUpdated !== base.glueUpdated && (stored.glueSource !== base.glueSource || language !== base.glueType);
	const begin = (from: Stored) => {
		setBase(from);
		setStart({ text: from.glueSource });
		setText(from.glueSource);
	};
	// What others save is shown at once, unless it would replace what was typed.
	useEffect(() => {
		if (stored.glueUpdated === base.glueUpdated && stored.glueSource === base.glueSource) return;
		if (!dirty) begin(stored);
	}, [stored.glueUpdated, stored.glueSource]);
	// At once, since the next key or button may lead away.
	useLayoutEffect(() => {
		guardLeaving(dirty ? () => confirm(t("form.leave")) : undefined);
		const stay = (e: BeforeUnloadEvent) => e.preventDefault();
		if (dirty) addEventListener("beforeunload", stay);
		return () => {
			guardLeaving(undefined);
			removeEventListener("beforeunload", stay);
		};
	}, [dirty]);
	const useTemplate = () => {
		const template = templates[language] ?? "";
		setStart({ text: template });
		setText(template);
	};
	const comparing = query.value.has("from");
	// A handler has no source, but what was typed before it was chosen remains.
	if (language === "BEAN" && !dirty) return <Panel><Empty icon="code" title={t("code.bean")}>{t("code.beanText")}</Empty></Panel>;
	return (
		<>
			{dirty && behind && (
				<p class="banner" role="status">
					<Icon name="warn" />
					{t("code.behind")}
					<Button onClick={() => setTheirs(stored)}>{t("code.compare")}</Button>
				</p>
			)}
			{comparing && <Comparison job={job} stored={stored} text={text} dirty={dirty} />}
			<div class="columns">
				<div class="col-8">
					<Panel
						flush title={t("field.glueSource")}
						beside={
							<span class="actions">
								<Tag>{t(`glue.${language}`)}</Tag>
								{readOnly ? <span class="muted">{t("code.readOnly")}</span> : (
									<>
										<span class="muted" role="status">{t(dirty ? "code.unsaved" : "code.saved")}</span>
										{!text.trim() && <Button onClick={() => useTemplate()}>{t("code.template")}</Button>}
										<Button disabled={!dirty} onClick={() => begin(stored)}>{t("code.discard")}</Button>
										<Button tone="primary" disabled={!dirty} onClick={() => setSaving(true)}>{t("code.save")}</Button>
									</>
								)}
							</span>
						}
					>
						<CodeEditor start={start} language={language} label={t("field.glueSource")} readOnly={readOnly} onText={setText} />
					</Panel>
					{!readOnly && <p class="muted">{t("code.keys")}</p>}
				</div>
				<div class="col-4">
					<Versions job={job} stored={stored} fixed={readOnly || dirty} restore={setRestore} />
				</div>
			</div>
			{saving && (
				<Save job={job} base={base} text={text} onClose={() => setSaving(false)}
					onSaved={(at, source) => {
						setBase({ ...base, glueSource: source, glueUpdated: at });
						setSaving(false);
						tell(t("code.stored"));
						changedSomething();
					}}
					onConflict={(is) => {
						setSaving(false);
						setTheirs(is);
					}} />
			)}
			{theirs && (
				<Dialog title={t("error.conflict")} wide onClose={() => setTheirs(undefined)}>
					<div class="dialog-body">
						<p>{t("code.conflict", { remark: theirs.glueRemark || "–" })}</p>
						<CodeDiff before={theirs.glueSource} after={text} language={language} labels={[t("form.theirs"), t("form.yours")]} />
					</div>
					<footer class="dialog-foot">
						<Button onClick={() => setTheirs(undefined)}>{t("form.back")}</Button>
						<Button onClick={() => { begin(theirs); setTheirs(undefined); }}>{t("code.takeTheirs")}</Button>
						<Button tone="primary" onClick={() => { setBase(theirs); setTheirs(undefined); setSaving(true); }}>{t("code.keepMine")}</Button>
					</footer>
				</Dialog>
			)}
			{restore && (
				<Confirm title={t("code.restoreTitle")} action={t("code.restore")} onClose={() => setRestore(undefined)}
					onConfirm={async () => {
						await call("POST /jobs/{id}/glue/{version}/restore", { id: job.id!, version: restore.id });
						tell(t("code.restored"));
						changedSomething();
						reload();
					}}>
					<p>{t("code.restoreText", { remark: restore.glueRemark, at: restore.addTime ? instant(new Date(restore.addTime)) : "–" })}</p>
				</Confirm>
			)}
		</>
	);
}

interface SaveProps {
	job: Job;
	base: Stored;
	text: string;
	onClose: () => void;
	onSaved: (at: string, source: string) => void;
	onConflict: (is: Stored) => void;
}

// Save shows what will change, and asks for the remark.
function Save({ job, base, text, onClose, onSaved, onConflict }: SaveProps) {
	const [remark, setRemark] = useState("");
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<string>();
	const id = job.id!;
	const save = async (e: Event) => {
		e.preventDefault();
		const length = [...remark.trim()].length;
		if (length < 4 || length > 100) return setError(t("code.remarkRule"));
		setBusy(true);
		try {
			const saved = await call("PUT /jobs/{id}/glue", { id }, { glueSource: text, glueRemark: remark.trim(), glueType: base.glueType, ifUpdated: base.glueUpdated });
			onSaved(saved.glueUpdated, text);
		} catch (e) {
			setBusy(false);
			const { code, message } = apiError(e);
			if (code !== "conflict") return setError(message);
			const is = await call("GET /jobs/{id}/glue", { id }).catch(tellError);
			if (is) onConflict(is);
		}
	};
	return (
		<Dialog title={t("code.saveTitle")} wide onClose={onClose}>
			<form onSubmit={save} noValidate>
				<div class="dialog-body">
					<Field label={t("code.remark")} help={t("code.remarkHelp")} error={error} required>
						<input name="remark" autofocus maxLength={100} value={remark} onInput={(e) => { setRemark(e.currentTarget.value); setError(undefined); }} />
					</Field>
					<CodeDiff before={base.glueSource} after={text} language={base.glueType} labels={[t("diff.before"), t("diff.after")]} />
				</div>
				<footer class="dialog-foot">
					<Button onClick={onClose}>{t("action.cancel")}</Button>
					<Button type="submit" tone="primary" busy={busy}>{t("code.save")}</Button>
				</footer>
			</form>
		</Dialog>
	);
}

function Versions({ job, stored, fixed, restore }: { job: Job; stored: Stored; fixed: boolean; restore: (v: Glue) => void }) {
	return (
		<Panel flush title={t("code.versions")} beside={<small>{t("code.versionsKept")}</small>}>
			{stored.versions.length === 0 ? (
				<Empty icon="audit" title={t("code.noVersions")}>{t("code.noVersionsText")}</Empty>
			) : (
				<ul class="entries versions">
					{stored.versions.map((v, i) => (
						<li key={v.id} data-version={v.id}>
							<div class="entry-head">
								<b>{v.glueRemark || t("code.noRemark")}</b>
								{v.glueType !== stored.glueType && <Tag>{word("glue", v.glueType)}</Tag>}
								<span class="entry-time"><Time at={v.addTime} relative /></span>
							</div>
							<div class="actions">
								{i === 0 ? <Tag tone="accent">{t("code.inUse")}</Tag> : (
									<>
										<Button tone="quiet" aria-label={t("code.compareOf", { remark: v.glueRemark })} onClick={() => setQuery({ from: String(v.id), to: undefined })}>{t("code.compare")}</Button>
										{may("coder", job.jobGroup) && <Button tone="quiet" disabled={fixed} aria-label={t("code.restoreOf", { remark: v.glueRemark })} onClick={() => restore(v)}>{t("code.restore")}</Button>}
									</>
								)}
							</div>
						</li>
					))}
				</ul>
			)}
		</Panel>
	);
}

// inUse and draft stand for the source in use and the one in the editor, beside the ids of versions.
const inUse = "0", draft = "draft";

function Comparison({ job, stored, text, dirty }: { job: Job; stored: Stored; text: string; dirty: boolean }) {
	const from = query.value.get("from") ?? inUse, to = query.value.get("to") ?? inUse;
	const left = useSide(job, stored, text, from), right = useSide(job, stored, text, to);
	const options = [
		...(dirty ? [{ value: draft, text: t("code.draft") }] : []),
		{ value: inUse, text: t("code.inUse") },
		...stored.versions.slice(1).map((v) => ({ value: String(v.id), text: `${v.glueRemark} · ${v.addTime ? instant(new Date(v.addTime)).slice(0, 19) : ""}` })),
	];
	const name = (value: string) => options.find((o) => o.value === value)?.text ?? `#${value}`;
	const error = left.error ?? right.error;
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [from, to]);
	return (
		<div ref={box}>
		<Panel
			title={t("code.comparison")}
			beside={
				<span class="filters">
					<Select aria-label={t("diff.before")} value={from} options={options} onChange={(e) => setQuery({ from: e.currentTarget.value })} />
					<span aria-hidden="true">→</span>
					<Select aria-label={t("diff.after")} value={to} options={options} onChange={(e) => setQuery({ to: e.currentTarget.value })} />
					<Button icon="close" tone="quiet" aria-label={t("code.endCompare")} onClick={() => setQuery({ from: undefined, to: undefined })} />
				</span>
			}
		>
			{error ? <Failure error={error} /> : left.text === undefined || right.text === undefined ? <Waiting /> : (
				<CodeDiff before={left.text} after={right.text} language={stored.glueType} labels={[name(from), name(to)]} />
			)}
		</Panel>
		</div>
	);
}

// useSide returns one of the two sources.
function useSide(job: Job, stored: Stored, text: string, which: string): { text?: string; error?: ApiError } {
	const id = Number(which);
	const version = useCall("GET /jobs/{id}/glue/{version}", id > 0 ? { id: job.id!, version: id } : undefined);
	if (which === draft) return { text };
	if (!id) return { text: stored.glueSource };
	return { text: version.data?.glueSource, error: version.error };
}
