// Jobs come from the database of XXL-JOB that the scheduler was started with. The page names no database:
// the API takes no address and no password of one.

import { useState } from "preact/hooks";
import { call, told, type TakeOver as Report } from "../api";
import { changedSomething, useCall } from "../data";
import { number, plural, t, word } from "../i18n";
import { Button, Pending, Tag } from "../parts/basic";
import { Confirm } from "../parts/dialog";
import { Icon } from "../parts/icons";
import { Panel } from "../parts/page";
import { tellError } from "../parts/toast";
import { BulkDialog } from "./bulk";

const kinds = [["groups", "field.groups"], ["jobs", "nav.jobs"], ["versions", "code.versions"], ["users", "nav.users"], ["days", "takeover.days"]] as const;
const columns = ["taken", "before", "left"] as const;

export function TakeOver() {
	const info = useCall("GET /info", {});
	const [report, setReport] = useState<Report>();
	const [busy, setBusy] = useState(false);
	const [ask, setAsk] = useState<"take" | "start">();
	const preview = async () => {
		setBusy(true);
		try {
			setReport(await call("GET /takeover", {}));
		} catch (e) {
			tellError(e);
		}
		setBusy(false);
	};
	// Jobs that the store has, and that XXL-JOB has on.
	const starts = report?.jobsTaken.filter((j) => j.on && j.starts && !(report.dryRun && j.new)) ?? [];
	return (
		<Panel title={t("takeover.title")}>
			<div class="stack">
				<p class="muted">{t("takeover.text")}</p>
				{!info.data ? <Pending call={info} /> : info.data.features.takeOver ? (
					<span class="actions">
						<Button tone={report ? undefined : "primary"} busy={busy} onClick={() => void preview()}>{t("takeover.look")}</Button>
						{report?.dryRun && report.jobs.taken > 0 && <Button tone="primary" onClick={() => setAsk("take")}>{plural("takeover.take", report.jobs.taken)}</Button>}
						{starts.length > 0 && <Button disabled={report!.served} onClick={() => setAsk("start")}>{plural("takeover.start", starts.length)}</Button>}
					</span>
				) : (
					<>
						<p class="muted">{t("takeover.none")}</p>
						<pre class="block" tabIndex={0}>xxlwheel serve --takeover-from @FILE</pre>
					</>
				)}
				{report && <Found report={report} />}
			</div>
			{ask === "take" && (
				<Confirm title={t("takeover.takeTitle")} action={t("takeover.title")} onClose={() => setAsk(undefined)}
					onConfirm={async () => {
						setReport(await call("POST /takeover", {}));
						changedSomething();
					}}>
					<p>{t("takeover.takeText")}</p>
				</Confirm>
			)}
			{ask === "start" && <BulkDialog action="start" choice={{ ids: starts.map((j) => j.id) }} names={new Map(starts.map((j) => [j.id, j.name]))} onClose={() => setAsk(undefined)} />}
		</Panel>
	);
}

// Found shows how many rows of each kind there are, and what somebody should know of single ones.
function Found({ report: r }: { report: Report }) {
	return (
		<>
			{r.served && <p class="banner is-inside" role="status"><Icon name="warn" />{t("takeover.served")}</p>}
			<code class="diff-values">{r.from}</code>
			<table class="table" aria-label={t("takeover.title")}>
				<thead>
					<tr>
						<td />
						{columns.map((c) => <th key={c} scope="col" class="end">{t(`takeover.${c}`)}</th>)}
					</tr>
				</thead>
				<tbody>
					{kinds.map(([kind, text]) => (
						<tr key={kind}>
							<th scope="row">{t(text)}</th>
							{columns.map((c) => <td key={c} class="end">{number(r[kind][c])}</td>)}
						</tr>
					))}
				</tbody>
			</table>
			<ul class="entries">
				{r.notes.map((n, i) => (
					<li key={i}>
						<div class="entry-head">
							<Tag tone={n.what === "changed" ? undefined : "warn"}>{word("takeover", n.what)}</Tag>
							<b>{[word("takeoverKind", n.kind), n.id, n.name].filter(Boolean).join(" ")}</b>
						</div>
						<p class="diff-values">{told({ message: n.text, messageZh: n.textZh })}</p>
					</li>
				))}
			</ul>
		</>
	);
}
