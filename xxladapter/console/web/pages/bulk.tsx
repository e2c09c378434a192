// What is done to many jobs: the bar that offers it, and the dialog that asks, counts and shows the
// result of each job.

import { useEffect, useRef, useState } from "preact/hooks";
import { apiError, type Bulk, type BulkFilter } from "../api";
import { bulk, takeBack, type Action, type Choice, type Progress } from "../bulk";
import { changedSomething } from "../data";
import { number, plural, t } from "../i18n";
import { href } from "../route";
import { may } from "../session";
import { Button, Spoken } from "../parts/basic";
import { Dialog } from "../parts/dialog";
import { Field } from "../parts/form";
import { FieldError } from "./jobfields";
import { ChangeFields, changeOf, type Changes } from "./bulkchange";

const actions: { action: Action; icon: "run" | "pause" | "clock" | "edit" | "remove"; role: "operator" | "editor" }[] = [
	{ action: "start", icon: "clock", role: "operator" },
	{ action: "stop", icon: "pause", role: "operator" },
	{ action: "trigger", icon: "run", role: "operator" },
	{ action: "change", icon: "edit", role: "editor" },
	{ action: "delete", icon: "remove", role: "editor" },
];

interface BarProps {
	chosen: Map<number, string>; // ids and names
	all: boolean; // all that the filter selects
	matching?: number; // how many those are
	more?: boolean; // there are more than matching
	onAll: () => void;
	onNone: () => void;
	onAction: (action: Action) => void;
}

// BulkBar stands above the list while something is selected.
export function BulkBar({ chosen, all, matching = 0, more, onAll, onNone, onAction }: BarProps) {
	const state = all ? t("bulk.all", { n: number(matching) + (more ? "+" : "") }) : plural("bulk.chosen", chosen.size);
	return (
		<div class="bulk-bar" role="region" aria-label={t("bulk.bar")}>
			<b>{state}</b>
			<Spoken text={state} />
			{!all && chosen.size < matching && <Button tone="quiet" onClick={onAll}>{t("bulk.chooseAll", { n: number(matching) + (more ? "+" : "") })}</Button>}
			<Button tone="quiet" onClick={onNone}>{t("bulk.none")}</Button>
			<span class="actions">
				{actions.filter((a) => may(a.role)).map((a) => (
					<Button key={a.action} icon={a.icon} onClick={() => onAction(a.action)}>{t(`bulk.${a.action}`)}</Button>
				))}
			</span>
		</div>
	);
}

// shownResults is how many results the dialog lists; failures come first.
const shownResults = 200;

interface DialogProps {
	action: Action;
	choice: Choice;
	names: Map<number, string>;
	onClose: (changed: boolean) => void;
}

export function BulkDialog({ action, choice, names, onClose }: DialogProps) {
	const [count, setCount] = useState("ids" in choice ? choice.ids.length : undefined);
	const [param, setParam] = useState("");
	const [changes, setChanges] = useState<Changes>([{ field: "author", value: "" }]);
	const [error, setError] = useState<string>();
	const [progress, setProgress] = useState<Progress>();
	const [busy, setBusy] = useState(false);
	const [undone, setUndone] = useState(false);
	const abort = useRef(new AbortController());
	useEffect(() => () => abort.current.abort(), []);
	useEffect(() => {
		if (!("filter" in choice)) return;
		void bulk({ action: "start", filter: choice.filter, dryRun: true }, () => {}, abort.current.signal).then((p) => setCount(p.total), (e) => setError(String(e.message)));
	}, []);
	const run = async (work: (signal: AbortSignal) => Promise<Progress>) => {
		abort.current = new AbortController();
		setBusy(true);
		setError(undefined);
		try {
			setProgress(await work(abort.current.signal));
		} catch (e) {
			setError(apiError(e).message);
		}
		setBusy(false);
		changedSomething();
	};
	const begin = (e: Event) => {
		e.preventDefault();
		let form: Bulk = { action, ...choice };
		try {
			if (action === "change") form = { ...form, change: changeOf(changes) };
			if (action === "trigger" && param) form = { ...form, trigger: { executorParam: param } };
		} catch (e) {
			return setError(e instanceof FieldError ? t("form.number", { text: e.text }) : String(e));
		}
		void run((signal) => bulk(form, setProgress, signal));
	};
	const undo = () => {
		setUndone(true);
		void run((signal) => takeBack(progress!, setProgress, signal));
	};
	const title = t(`bulk.${action}Title.${count === 1 ? "one" : "other"}`, { n: count === undefined ? "…" : number(count) });
	const state = progress && (busy ? t("bulk.progress", { n: number(progress.succeeded.length + progress.failed.length), total: number(progress.total) }) : outcome(progress, undone));
	const canUndo = progress && !busy && !undone && progress.undo.size > 0;
	return (
		<Dialog title={title} fixed={busy} wide={!!progress} onClose={() => onClose(!!progress)}>
			{!progress ? (
				<form onSubmit={begin}>
					<div class="dialog-body">
						<Named names={names} count={count} />
						{action === "delete" && <p>{t("job.removeText")}</p>}
						{action === "trigger" && (
							<Field label={t("field.executorParam")} help={t("bulk.paramHelp")}>
								<textarea rows={2} class="mono-input" value={param} onInput={(e) => setParam(e.currentTarget.value)} />
							</Field>
						)}
						{action === "change" && <ChangeFields changes={changes} set={(c) => { setError(undefined); setChanges(c); }} />}
						{error && <p class="field-error" role="alert">{error}</p>}
					</div>
					<footer class="dialog-foot">
						<Button onClick={() => onClose(false)}>{t("action.cancel")}</Button>
						<Button type="submit" busy={busy} disabled={!count} tone={action === "delete" ? "danger" : "primary"}>{t(`bulk.${action}`)}</Button>
					</footer>
				</form>
			) : (
				<>
					<div class="dialog-body">
						<progress max={progress.total || 1} value={progress.succeeded.length + progress.failed.length} aria-label={title} />
						<p>{state}</p>
						<Spoken text={state ?? ""} />
						{error && <p class="field-error" role="alert">{error}</p>}
						{!busy && <Results of={progress} names={names} />}
					</div>
					<footer class="dialog-foot">
						{busy && <Button onClick={() => abort.current.abort()}>{t("bulk.cancel")}</Button>}
						{canUndo && <Button onClick={undo}>{t("bulk.undo")}</Button>}
						{!busy && <Button tone="primary" onClick={() => onClose(true)}>{t("action.close")}</Button>}
					</footer>
				</>
			)}
		</Dialog>
	);
}

function outcome(p: Progress, undone: boolean): string {
	const parts = [plural(undone ? "bulk.undone" : "bulk.succeeded", p.succeeded.length)];
	if (p.failed.length) parts.push(plural("bulk.failed", p.failed.length));
	if (!p.done) parts.push(t("bulk.cancelled", { n: number(p.total - p.succeeded.length - p.failed.length) }));
	return parts.join(" ");
}

// Named says which jobs are meant, as far as they are few.
function Named({ names, count }: { names: Map<number, string>; count?: number }) {
	if (count === undefined || count > names.size) return null;
	const shown = [...names.values()].slice(0, 5);
	return (
		<ul>
			{shown.map((name, i) => <li key={i} class="cut">{name}</li>)}
			{names.size > shown.length && <li class="muted">{plural("overview.more", names.size - shown.length)}</li>}
		</ul>
	);
}

function Results({ of: p, names }: { of: Progress; names: Map<number, string> }) {
	const byID = (a: { id: number }, b: { id: number }) => a.id - b.id;
	const rows = [...p.failed.toSorted(byID), ...p.succeeded.map((id) => ({ id, message: "" })).sort(byID)];
	return (
		<div class="bulk-results" tabIndex={0}>
			<table class="table">
				<tbody>
					{rows.slice(0, shownResults).map((r) => (
						<tr key={r.id}>
							<th scope="row"><a href={href(`jobs/${r.id}`)}>{names.get(r.id) ?? `#${r.id}`}</a></th>
							<td class={r.message ? "field-error" : "muted"}>{r.message || t("bulk.ok")}</td>
						</tr>
					))}
				</tbody>
			</table>
			{rows.length > shownResults && <p class="muted">{plural("overview.more", rows.length - shownResults)}</p>}
		</div>
	);
}

export function bulkFilter(f: { name: string; handler: string; author: string; lastResult: BulkFilter["lastResult"] | ""; group: string; running: string; tag: string }): BulkFilter {
	const filter: BulkFilter = { name: f.name || undefined, handler: f.handler || undefined, author: f.author || undefined, lastResult: f.lastResult || undefined, jobGroup: Number(f.group) || undefined, running: f.running ? f.running === "true" : undefined, tag: f.tag || undefined };
	return Object.values(filter).some((v) => v !== undefined) ? filter : { all: true };
}
