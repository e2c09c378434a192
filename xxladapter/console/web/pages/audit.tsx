// Who changed what, with each field before and after.

import { useCall } from "../data";
import { send, type AuditRow, type Params } from "../api";
import { t, word } from "../i18n";
import { href, query, setQuery } from "../route";
import { Button, Empty, Pending, Status, Tag, Time } from "../parts/basic";
import { FieldChanges } from "../parts/changes";
import { Page, Panel } from "../parts/page";
import { save } from "../parts/save";
import { Pager } from "../parts/table";
import { tellError } from "../parts/toast";
import { number } from "../i18n";

const pageSize = 50;

type Kind = NonNullable<Params<"GET /audit">["kind"]>;
// kinds is the order of the filter. Its type holds each kind that the API has, and no other one.
const kinds = Object.keys({ job: 0, group: 0, run: 0, runs: 0, pause: 0, calendar: 0, node: 0, user: 0, token: 0, alarm: 0, zone: 0 } satisfies Record<Kind, 0>);

export function Audit() {
	const check = useCall("GET /audit/verify", {});
	const kind = (query.value.get("kind") || undefined) as Kind | undefined;
	const download = () => send("GET /audit/export", { kind, format: "csv" }).then(async (answer) => save("audit.csv", await answer.blob())).catch(tellError);
	return (
		<Page title={t("nav.audit")} wide actions={<Button icon="download" onClick={() => void download()}>{t("transfer.export")}</Button>} beside={check.data && <span title={t("audit.wholeAbout")}><Status is={check.data.whole ? "SUCCESS" : "FAIL"} text={t(check.data.whole ? "audit.whole" : "audit.broken", { id: check.data.broken?.id ?? 0 })} /></span>}>
			<AuditList />
		</Page>
	);
}

export function AuditList({ fixed }: { fixed?: { job: number } }) {
	const q = query.value;
	const kind = (q.get("kind") ?? "") as Kind | "";
	const cursors = (q.get("after") ?? "").split(".").filter(Boolean);
	const list = useCall("GET /audit", { job: fixed?.job, kind: kind || undefined, newest: true, after: Number(cursors.at(-1)) || undefined, limit: pageSize }, 5e3);
	const rows = list.data?.rows;
	return (
		<div class="stack">
			{!fixed && (
				<div class="filters" role="search">
					<select aria-label={t("audit.kind")} value={kind} onChange={(e) => setQuery({ kind: e.currentTarget.value, after: undefined })}>
						<option value="">{t("audit.anyKind")}</option>
						{kinds.map((k) => (
							<option key={k} value={k}>{word("auditKind", k)}</option>
						))}
					</select>
				</div>
			)}
			<Panel flush>
				{!rows ? <Pending call={list} /> : rows.length === 0 ? (
					<Empty icon="audit" title={t("audit.none")}>
						{kind && <Button onClick={() => setQuery({ kind: undefined })}>{t("list.clearFilters")}</Button>}
					</Empty>
				) : (
					<ul class="entries">
						{rows.map((r) => (
							<Entry key={r.id} row={r} named={!fixed} />
						))}
					</ul>
				)}
				{(cursors.length > 0 || list.data?.next) && (
					<Pager first={cursors.length === 0} last={!list.data?.next} onBack={() => setQuery({ after: cursors.slice(0, -1).join(".") })} onNext={() => setQuery({ after: [...cursors, list.data?.next].join(".") })}
						shown={t("list.shown", { from: number(cursors.length * pageSize + 1), to: number(cursors.length * pageSize + (rows?.length ?? 0)) })} />
				)}
			</Panel>
		</div>
	);
}

function Entry({ row: r, named }: { row: AuditRow; named: boolean }) {
	return (
		<li>
			<div class="entry-head">
				<b>{r.actor.name || word("actor", r.actor.kind)}</b>
				{r.actor.name && <Tag>{word("actor", r.actor.kind)}</Tag>}
				<span class="muted" title={r.call}>{did(r.call)}</span>
				{named && <What row={r} />}
				<span class="entry-time"><Time at={r.time} relative /></span>
			</div>
			<FieldChanges changes={r.changes} kind={r.object.kind} />
			{r.actor.address && <small>{t("audit.from", { address: r.actor.address })}</small>}
		</li>
	);
}

// did says what a call such as "POST /api/v1/jobs/{id}/start" has done: by its last word, or else by its
// method. What is no call of the API, such as a command, stands as it is.
function did(call: string): string {
	const [method = "", path = ""] = call.split(" ");
	const words = [path.split("/").filter((part) => part !== "" && !part.startsWith("{")).at(-1) ?? "", method];
	const text = words.map((w) => [w, word("did", w)] as const).find(([w, in_]) => w !== in_);
	return path.startsWith("/api/") && text ? text[1] : call;
}

function What({ row: r }: { row: AuditRow }) {
	const o = r.object;
	const name = o.name || (o.id ? `#${o.id}` : word("auditKind", o.kind));
	const to = o.kind === "job" && o.id ? `jobs/${o.id}` : o.kind === "group" && o.id ? `executors/${o.id}` : o.kind === "run" && o.id ? `runs/${o.id}` : undefined;
	return to ? <a href={href(to)}>{name}</a> : <span>{name}</span>;
}
