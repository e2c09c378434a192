// The calls of the API, from its own description, each with a line for curl.

import { useState } from "preact/hooks";
import { address, hasToken } from "../api";
import { useCall } from "../data";
import { number, t } from "../i18n";
import { query, setQuery } from "../route";
import { session } from "../session";
import { Button, Empty, Pending, Tag } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { tell, tellError } from "../parts/toast";

// The parts of the OpenAPI document that are shown.
interface Schema {
	$ref?: string;
	type?: string | string[];
	format?: string;
	description?: string;
	enum?: unknown[];
	items?: Schema;
	properties?: Record<string, Schema>;
	allOf?: Schema[];
	required?: string[];
	additionalProperties?: Schema | boolean;
}
interface Param {
	name: string;
	in: string;
	required: boolean;
	description?: string;
	schema: Schema;
}
interface Operation {
	summary: string;
	description?: string;
	parameters?: Param[];
	requestBody?: { content: Record<string, { schema: Schema }> };
	responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Document {
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, Schema> };
}
type Schemas = Record<string, Schema>;

export function Api() {
	const loaded = useCall("GET /openapi.json", {});
	const doc = loaded.data as unknown as Document | undefined;
	const [find, setFind] = useState(query.value.get("find") ?? "");
	const wanted = find.trim().toLowerCase();
	const calls = Object.entries(doc?.paths ?? {}).flatMap(([path, methods]) => Object.entries(methods).map(([method, op]) => ({ path, method: method.toUpperCase(), op })));
	const shown = calls.filter((c) => !wanted || `${c.method} ${c.path} ${c.op.summary}`.toLowerCase().includes(wanted));
	const groups = new Map<string, typeof shown>();
	for (const c of shown) {
		const name = /^\/api\/v1\/(\w+)/.exec(c.path)?.[1] ?? c.path.split("/")[1] ?? "";
		groups.set(name, [...(groups.get(name) ?? []), c]);
	}
	const file = address("GET /openapi.json", {}).href;
	return (
		<Page title={t("nav.api")} beside={doc && <span class="muted">{number(shown.length)}</span>} actions={<a class="button" href={file} download="openapi.json">{t("api.download")}</a>}>
			<p class="muted">{t("api.intro")}</p>
			<div class="filters" role="search">
				<input type="search" aria-label={t("api.find")} placeholder={t("api.find")} value={find}
					onInput={(e) => {
						setFind(e.currentTarget.value);
						setQuery({ find: e.currentTarget.value });
					}} />
			</div>
			{!doc ? <Panel><Pending call={loaded} /></Panel> : shown.length === 0 ? <Panel><Empty icon="filter" title={t("api.none")} /></Panel> : (
				[...groups].map(([name, list]) => (
					<Panel key={name} flush title={name}>
						<ul class="entries">
							{list.map((c) => (
								<li key={c.method + c.path}>
									<Call {...c} schemas={doc.components.schemas} />
								</li>
							))}
						</ul>
					</Panel>
				))
			)}
		</Page>
	);
}

function Call({ method, path, op, schemas }: { method: string; path: string; op: Operation; schemas: Schemas }) {
	const [open, setOpen] = useState(false);
	const body = Object.values(op.requestBody?.content ?? {})[0]?.schema;
	const answer = Object.values(op.responses["200"]?.content ?? {})[0]?.schema;
	return (
		<details onToggle={(e) => setOpen(e.currentTarget.open)}>
			<summary>
				<span class="row-main">
					<Tag tone={method === "GET" ? undefined : "accent"}>{method}</Tag>
					<code>{path}</code>
				</span>
				<span class="muted">{op.summary}</span>
			</summary>
			{open && (
				<div class="stack">
					{op.description && <p>{op.description}</p>}
					<Curl line={curl(method, path, op, body, schemas)} />
					{op.parameters?.length ? <Fields title={t("api.params")} rows={op.parameters.map((p) => ({ name: p.name, where: p.in, required: p.required, schema: p.schema, about: p.description }))} schemas={schemas} /> : null}
					{body && <Fields title={t("api.body")} rows={rowsOf(body, schemas)} schemas={schemas} />}
					{answer && <Fields title={t("api.answer")} rows={rowsOf(answer, schemas)} schemas={schemas} plain={kind(answer, schemas)} />}
				</div>
			)}
		</details>
	);
}

function Curl({ line }: { line: string }) {
	return (
		<div class="curl">
			<pre class="block" tabIndex={0} aria-label="curl">{line}</pre>
			<Button icon="copy" aria-label={t("api.copy")} onClick={() => copy(line)} />
		</div>
	);
}

// copy puts a text into the clipboard, and says whether that worked.
export function copy(text: string) {
	// Browsers have a clipboard only where the page came by TLS or from this machine.
	if (!navigator.clipboard) return tellError(new Error(t("api.noClipboard")));
	navigator.clipboard.writeText(text).then(() => tell(t("api.copied")), tellError);
}

interface Row {
	name: string;
	where?: string;
	required?: boolean;
	schema: Schema;
	about?: string;
}

function Fields({ title, rows, schemas, plain }: { title: string; rows: Row[]; schemas: Schemas; plain?: string }) {
	return (
		<div>
			<h3>{title} {plain && <small>{plain}</small>}</h3>
			{rows.length > 0 && (
				<ul class="api-fields">
					{rows.map((r) => (
						<li key={r.name}>
							<span>
								<code>{r.name}</code>
								{r.required && <small> {t("api.required")}</small>}
							</span>
							<span class="muted">
								{kind(r.schema, schemas)}
								{r.where === "header" && ` · ${r.where}`}
							</span>
							<span>{r.about ?? r.schema.description}</span>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}

function follow(s: Schema, schemas: Schemas): Schema {
	const name = s.$ref?.split("/").at(-1);
	return name ? (schemas[name] ?? {}) : s;
}

// rowsOf returns the fields of an object.
function rowsOf(s: Schema, schemas: Schemas): Row[] {
	const parts = [s, ...(s.allOf ?? [])];
	const required = new Set(parts.flatMap((p) => p.required ?? []).concat(parts.flatMap((p) => follow(p, schemas).required ?? [])));
	const all = parts.flatMap((p) => Object.entries({ ...follow(p, schemas).properties }));
	return all.map(([name, schema]) => ({ name, schema, required: required.has(name) }));
}

// kind names the type of a value.
function kind(s: Schema, schemas: Schemas): string {
	const name = s.$ref?.split("/").at(-1);
	const is = follow(s, schemas);
	if (is.items) return `${kind(is.items, schemas)}[]`;
	if (is.enum) return is.enum.map((v) => JSON.stringify(v)).join(" | ");
	if (name) return name;
	const type = Array.isArray(is.type) ? is.type.join(" | ") : is.type;
	return is.format ? `${type} (${is.format})` : (type ?? "");
}

// example returns a value that the schema allows.
function example(s: Schema, schemas: Schemas, deep = 0): unknown {
	const is = follow(s, schemas);
	if (is.enum) return is.enum[0];
	if (is.items) return [example(is.items, schemas, deep + 1)];
	if (is.type === "boolean") return true;
	if (is.type === "integer" || is.type === "number") return 1;
	if (is.properties || is.allOf) return deep > 1 ? {} : Object.fromEntries(rowsOf(s, schemas).filter((r) => r.required).map((r) => [r.name, example(r.schema, schemas, deep + 1)]));
	return is.format === "date-time" ? new Date().toISOString().slice(0, 19) + "Z" : "";
}

// curl returns a line for the shell, with the parameters that a call needs. A secret is never in it.
function curl(method: string, path: string, op: Operation, body: Schema | undefined, schemas: Schemas): string {
	const url = address("GET /openapi.json", {}).href.replace(/\/api\/v1\/openapi\.json$/, path.replace(/\{(\w+)\}/g, "1"));
	const needed = (op.parameters ?? []).filter((p) => p.in === "query" && p.required).map((p) => `${p.name}=${encodeURIComponent(String(example(p.schema, schemas)))}`);
	const quoted = (text: string) => "'" + text.replaceAll("'", "'\\''") + "'";
	return [
		"curl -sS" + (Object.keys(op.responses["200"]?.content ?? {}).includes("text/event-stream") ? "N" : "") + (method === "GET" ? "" : ` -X ${method}`),
		...(hasToken() || session.value?.name ? ['-H "Authorization: Bearer $TOKEN"'] : []),
		...(body ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example(body, schemas)))}`] : []),
		quoted(url + (needed.length ? "?" + needed.join("&") : "")),
	].join(" \\\n  ");
}
