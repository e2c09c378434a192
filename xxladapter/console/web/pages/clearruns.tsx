// Deleting runs: the nine ways of XXL-JOB, each counted before anything is deleted.

import { useEffect, useRef, useState } from "preact/hooks";
import { apiError, call, type Clear } from "../api";
import { changedSomething, useCall } from "../data";
import { number, plural, t } from "../i18n";
import { Button, Spoken } from "../parts/basic";
import { Dialog } from "../parts/dialog";
import { Field, Select } from "../parts/form";
import { tell } from "../parts/toast";
import { useGroups } from "./jobwords";

// ways are what is deleted, in XXL-JOB's order: what is older than months, all but the newest, all.
const ways: { id: string; months?: number; keep?: number }[] = [
	{ id: "1m", months: 1 }, { id: "3m", months: 3 }, { id: "6m", months: 6 }, { id: "1y", months: 12 },
	{ id: "1000", keep: 1e3 }, { id: "10000", keep: 1e4 }, { id: "30000", keep: 3e4 }, { id: "100000", keep: 1e5 },
	{ id: "all" },
];

function wayText({ months, keep }: (typeof ways)[number]): string {
	if (months) return months === 12 ? t("clear.year") : plural("clear.months", months);
	return keep ? t("clear.keep", { n: number(keep) }) : t("clear.all");
}

function formOf(id: string, group: string, job?: number): Clear {
	const way = ways.find((w) => w.id === id)!;
	const form: Clear = { jobGroup: Number(group) || undefined, jobId: job };
	if (way.months) {
		const before = new Date();
		const day = before.getDate();
		before.setMonth(before.getMonth() - way.months);
		if (before.getDate() !== day) before.setDate(0); // that month is shorter: its last day
		return { ...form, before: before.toISOString() };
	}
	return way.keep ? { ...form, keepNewest: way.keep } : { ...form, all: true };
}

export function ClearDialog({ group: given, job, onClose }: { group?: number; job?: number; onClose: () => void }) {
	const groups = useGroups();
	const named = useCall("GET /jobs/{id}", job ? { id: job } : undefined);
	const [group, setGroup] = useState(String(given ?? ""));
	const [way, setWay] = useState("1m");
	const [form, setForm] = useState<Clear>();
	const [count, setCount] = useState<{ selected?: number; more?: boolean }>();
	const [error, setError] = useState<string>();
	const [deleted, setDeleted] = useState<number>();
	const stop = useRef(false);
	const fail = (e: unknown) => setError(apiError(e).message);
	useEffect(() => {
		const abort = new AbortController();
		const chosen = formOf(way, group, job);
		setForm(chosen);
		setCount(undefined);
		setError(undefined);
		call("POST /runs/clear", {}, { ...chosen, dryRun: true }, abort.signal).then(setCount, (e) => abort.signal.aborted || fail(e));
		return () => abort.abort();
	}, [way, group, job]);
	useEffect(() => () => void (stop.current = true), []);
	const clear = async (e: Event) => {
		e.preventDefault();
		setError(undefined);
		let sum = 0;
		setDeleted(sum);
		try {
			for (let done = false; !done && !stop.current; ) {
				const part = await call("POST /runs/clear", {}, form!);
				done = part.done;
				setDeleted((sum += part.deleted));
			}
			tell(plural("clear.deleted", sum));
			onClose();
		} catch (e) {
			fail(e);
			setDeleted(undefined);
		}
		changedSomething();
	};
	const busy = deleted !== undefined;
	const state = busy ? plural("clear.deleted", deleted) : count?.selected === undefined ? (error ? "" : t("clear.counting")) : plural(count.more ? "clear.atLeast" : "clear.selected", count.selected);
	return (
		<Dialog title={t("clear.open")} fixed={busy} onClose={onClose}>
			<form onSubmit={clear}>
				<div class="dialog-body">
					{job ? (
						<p>{t("clear.ofJob", { name: named.data?.name ?? `#${job}` })}</p>
					) : (
						<Field label={t("field.jobGroup")}>
							<Select value={group} disabled={busy} onChange={(e) => setGroup(e.currentTarget.value)} options={[{ value: "", text: t("jobs.allGroups") }, ...groups.options]} />
						</Field>
					)}
					<Field label={t("clear.what")} help={t("clear.help")}>
						<Select value={way} disabled={busy} onChange={(e) => setWay(e.currentTarget.value)} options={ways.map((w) => ({ value: w.id, text: wayText(w) }))} />
					</Field>
					<p><b>{state}</b></p>
					<Spoken text={state} />
					{error && <p class="field-error" role="alert">{error}</p>}
				</div>
				<footer class="dialog-foot">
					<Button onClick={() => (busy ? (stop.current = true) : onClose())}>{t(busy ? "bulk.cancel" : "action.cancel")}</Button>
					<Button type="submit" tone="danger" busy={busy} disabled={!count?.selected}>{t("clear.action")}</Button>
				</footer>
			</form>
		</Dialog>
	);
}
