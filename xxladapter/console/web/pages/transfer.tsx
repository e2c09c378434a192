// Jobs leave as a file, and come back from files once it has been shown what they would change.

import { useRef, useState } from "preact/hooks";
import { apiError, call, send, told, type Answer, type ApiError } from "../api";
import { changedSomething } from "../data";
import { number, plural, t } from "../i18n";
import { href } from "../route";
import { may } from "../session";
import { Button, Check, Empty, Failure, Tag } from "../parts/basic";
import { FieldChanges } from "../parts/changes";
import { Confirm } from "../parts/dialog";
import { Field, Select } from "../parts/form";
import { Page, Panel } from "../parts/page";
import { save } from "../parts/save";
import { tell, tellError } from "../parts/toast";
import { useGroups } from "./jobwords";
import { TakeOver } from "./takeover";

export function Transfer() {
	return (
		<Page title={t("nav.transfer")} wide>
			<div class="columns">
				<div class="col-4">
					<Export />
				</div>
				<div class="col-8">
					{may("editor") && <Apply />}
					{may("admin", 0) && <TakeOver />}
				</div>
			</div>
		</Page>
	);
}

function Export() {
	const groups = useGroups();
	const [app, setApp] = useState("");
	const [withoutRunning, setWithoutRunning] = useState(false);
	const [busy, setBusy] = useState(false);
	const download = async () => {
		setBusy(true);
		try {
			const what = { appName: app || undefined, withoutRunning };
			if (may("editor")) await call("POST /export", what);
			save(`${app || "jobs"}.yaml`, await (await send("GET /export", { ...what, format: "yaml" })).blob());
		} catch (e) {
			tellError(e);
		}
		setBusy(false);
	};
	return (
		<Panel title={t("transfer.export")}>
			<div class="stack">
				<p class="muted">{t("transfer.exportText")}</p>
				<Field label={t("field.jobGroup")}>
					<Select value={app} onChange={(e) => setApp(e.currentTarget.value)}
						options={[{ value: "", text: t("transfer.all") }, ...[...groups.byID.values()].map((g) => ({ value: g.appName ?? "", text: g.title ? `${g.title} (${g.appName})` : (g.appName ?? "") }))]} />
				</Field>
				<Check on={withoutRunning} set={setWithoutRunning}>{t("transfer.withoutRunning")}</Check>
				<span>
					<Button icon="download" tone="primary" busy={busy} onClick={() => void download()}>{t("transfer.download")}</Button>
				</span>
			</div>
		</Panel>
	);
}

type Result = Answer<"POST /apply">;

function Apply() {
	const [text, setText] = useState("");
	const [files, setFiles] = useState<{ name: string; text: string }[]>([]);
	// chosen is hidden, because browsers label it in a language of their own.
	const chosen = useRef<HTMLInputElement>(null);
	const [options, setOptions] = useState({ prune: false, adopt: false });
	const [result, setResult] = useState<Result>();
	const [error, setError] = useState<ApiError>();
	const [busy, setBusy] = useState(false);
	const [ask, setAsk] = useState(false);
	// What is shown belongs to what was sent: whatever changes there makes it void.
	const forget = () => {
		setResult(undefined);
		setError(undefined);
	};
	const body = { files: text.trim() ? [...files, { name: "pasted.yaml", text }] : files, ...options };
	const order = async (dryRun: boolean) => setResult(await call("POST /apply", { dryRun }, body));
	const dryRun = async () => {
		setBusy(true);
		forget();
		try {
			await order(true);
		} catch (e) {
			setError(apiError(e));
		}
		setBusy(false);
	};
	const add = async (input: HTMLInputElement) => {
		const picked = [...input.files!];
		input.value = ""; // so that the same file can be chosen again
		const added = await Promise.all(picked.map(async (f) => ({ name: f.name, text: await f.text() })));
		setFiles([...files.filter((f) => !added.some((a) => a.name === f.name)), ...added]);
		forget();
	};
	const set = (to: Partial<typeof options>) => {
		setOptions({ ...options, ...to });
		forget();
	};
	return (
		<>
			<Panel title={t("transfer.applyAction")}>
				<div class="stack">
					<p class="muted">{t("transfer.filesText")}</p>
					<div class="field">
						<span>
							<Button icon="add" onClick={() => chosen.current!.click()}>{t("transfer.files")}</Button>
							<input ref={chosen} hidden type="file" multiple onChange={(e) => add(e.currentTarget).catch(tellError)} />
						</span>
						<p class="field-help">{t("transfer.filesHelp")}</p>
					</div>
					{files.length > 0 && (
						<span class="inline">
							{files.map((f) => (
								<span class="inline" key={f.name}>
									<Tag>{f.name}</Tag>
									<Button tone="quiet" icon="close" aria-label={t("transfer.leaveOut", { name: f.name })} onClick={() => { setFiles(files.filter((o) => o !== f)); forget(); }} />
								</span>
							))}
						</span>
					)}
					<Field label={t("transfer.text")}>
						<textarea rows={10} class="mono-input" spellcheck={false} value={text} onInput={(e) => { setText(e.currentTarget.value); forget(); }} />
					</Field>
					<div class="checks">
						<Check on={options.prune} set={(prune) => set({ prune })}>{t("transfer.prune")}</Check>
						<Check on={options.adopt} set={(adopt) => set({ adopt })}>{t("transfer.adopt")}</Check>
					</div>
					<span class="actions">
						<Button tone={result ? undefined : "primary"} busy={busy} disabled={body.files.length === 0} onClick={() => void dryRun()}>{t("transfer.dryRun")}</Button>
						{result?.dryRun && result.changes.length > 0 && <Button tone="primary" onClick={() => setAsk(true)}>{plural("transfer.apply", result.changes.length)}</Button>}
					</span>
				</div>
			</Panel>
			{error && <Refused error={error} />}
			{result && <Changes result={result} />}
			{ask && result && (
				<Confirm title={t("transfer.applyTitle")} action={t("transfer.applyAction")} danger={deletions(result) > 0} onClose={() => setAsk(false)}
					onConfirm={async () => {
						await order(false);
						changedSomething();
						tell(t("transfer.applied"));
					}}>
					<p>{t("transfer.applyText")}</p>
					{deletions(result) > 0 && <p class="field-error">{plural("transfer.deletes", deletions(result))}</p>}
				</Confirm>
			)}
		</>
	);
}

const deletions = (r: Result) => r.changes.filter((c) => c.action === "delete").length;

// Refused lists all that is wrong with the files, or says why the call failed.
function Refused({ error }: { error: ApiError }) {
	const { problems } = error;
	if (!problems) return <Panel><Failure error={error} /></Panel>;
	return (
		<section class="panel is-flush" role="alert" aria-label={t("transfer.problems")}>
			<header class="panel-head"><h2>{t("transfer.problems")}</h2></header>
			<ul class="entries">
				{problems.map((p, i) => (
					<li key={i}>
						<div class="entry-head">
							<code class="muted">{[p.file, p.line].filter(Boolean).join(":")}</code>
							<code>{p.at}</code>
						</div>
						<p class="field-error">{told(p)}</p>
					</li>
				))}
			</ul>
		</section>
	);
}

const tones = { create: "accent", change: undefined, delete: "warn" } as const;

// Changes lists what differs, field by field.
function Changes({ result: { changes, unchanged, dryRun } }: { result: Result }) {
	return (
		<Panel flush title={t(dryRun ? "transfer.would" : "transfer.did")} beside={<span class="muted" role="status">{t("transfer.unchanged", { n: number(unchanged) })}</span>}>
			{changes.length === 0 ? (
				<Empty icon="check" title={t("transfer.same")} />
			) : (
				<ul class="entries">
					{changes.map((c) => (
						<li key={[c.kind, c.appName, c.key ?? c.name].join("/")}>
							<div class="entry-head">
								<Tag tone={tones[c.action]}>{t(`transfer.${c.action}`)}</Tag>
								{c.id && c.action !== "delete" ? <a href={href((c.kind === "job" ? "jobs/" : "executors/") + c.id)}>{c.name || c.appName}</a> : <b>{c.name || c.appName}</b>}
								{c.key && <code class="muted">{`${c.appName}/${c.key}`}</code>}
							</div>
							<FieldChanges changes={c.changes} />
						</li>
					))}
				</ul>
			)}
		</Panel>
	);
}
