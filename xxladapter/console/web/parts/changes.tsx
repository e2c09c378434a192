// The fields that a change is about, each before and after.

import type { FieldChange } from "../api";
import { t, word } from "../i18n";

// FieldChanges has the words of jobs, and for objects of another kind those that differ.
export function FieldChanges({ changes, kind }: { changes: FieldChange[]; kind?: string }) {
	// What is new has all fields; those that are empty say nothing.
	const shown = changes.filter((c) => c.before !== undefined || !["", "[]", "{}", "null", "0", "false"].includes(typeof c.after === "string" ? c.after : JSON.stringify(c.after)));
	return shown.length === 0 ? null : (
		<ul class="audit-changes">
			{shown.map((c) => (
				<li key={c.field}>
					<span class="muted">{c.field === "name" && kind && kind !== "job" ? t("field.title") : word("field", c.field)}</span>
					<span class="diff-values">
						{c.before !== undefined && <del>{text(c.before)}</del>}
						{c.before !== undefined && c.after !== undefined && " → "}
						{c.after !== undefined && <ins>{text(c.after)}</ins>}
					</span>
				</li>
			))}
		</ul>
	);
}

function text(value: unknown): string {
	if (value === "" || value === null) return t("audit.empty");
	return typeof value === "string" ? value : JSON.stringify(value);
}
