// Bulk calls: one action for many jobs, each with a result of its own, as they come.

import { stream, told, type Bulk, type BulkFilter, type BulkLine } from "./api";

export type Action = Bulk["action"];

// A Choice is what a bulk call works on: jobs by their ids, or all that a filter selects.
export type Choice = { ids: number[] } | { filter: BulkFilter };

export interface Progress {
	total: number;
	succeeded: number[]; // ids
	failed: { id: number; message: string }[];
	// done is false if the call was cancelled or broke off: what has no result is unchanged, except
	// some jobs that were in progress.
	done: boolean;
	// undo has the jobs of each call that takes a part back.
	undo: Map<string, number[]>;
}

const none = (): Progress => ({ total: 0, succeeded: [], failed: [], done: false, undo: new Map() });

// redraw is how often the page shows progress, in ms.
const redraw = 100;

// bulk makes a call and reports its progress; it returns the last one. It throws if the call is
// refused, and not if it is cancelled.
export async function bulk(form: Bulk, report: (p: Progress) => void, abort: AbortSignal): Promise<Progress> {
	const p = none();
	await follow(p, form, report, abort);
	return p;
}

// follow makes one call and adds its results to p. The copies that it reports share the lists of p, so
// the page has all results, also if the call breaks off and follow throws.
async function follow(p: Progress, form: Bulk, report: (p: Progress) => void, abort: AbortSignal) {
	let shown = 0;
	p.done = false;
	const before = p.succeeded.length + p.failed.length;
	try {
		await stream("POST /jobs/bulk", {}, form, (line: BulkLine) => {
			if (line.total !== undefined) p.total = Math.max(p.total, before + line.total);
			else if (line.error && line.id) p.failed.push({ id: line.id, message: told(line.error) });
			else if (line.id) {
				p.succeeded.push(line.id);
				if (line.undo) {
					const key = JSON.stringify(line.undo);
					const ids = p.undo.get(key);
					if (ids) ids.push(line.id);
					else p.undo.set(key, [line.id]);
				}
			}
			p.done ||= !!line.done;
			if (Date.now() - shown < redraw) return;
			shown = Date.now();
			report({ ...p });
		}, abort);
	} catch (e) {
		if (!abort.aborted) throw e;
	}
	report({ ...p });
}

// takeBack undoes what a call has done, part by part.
export async function takeBack(made: Progress, report: (p: Progress) => void, abort: AbortSignal): Promise<Progress> {
	const p = none();
	p.total = [...made.undo.values()].reduce((n, ids) => n + ids.length, 0);
	p.done = true;
	for (const [key, ids] of made.undo) {
		if (!p.done) break;
		await follow(p, { ...(JSON.parse(key) as Pick<Bulk, "action" | "change">), ids }, report, abort);
	}
	return p;
}
