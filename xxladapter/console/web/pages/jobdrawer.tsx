// What a list shows of one job without leaving the list: beside it, or above it where there is no room.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { useCall } from "../data";
import { t, word } from "../i18n";
import { href } from "../route";
import { may } from "../session";
import { Button, Empty, Fact, InZone, LinkButton, Nothing, Pending, Tag, Time } from "../parts/basic";
import { Dialog } from "../parts/dialog";
import { RunDialog } from "../parts/rundialog";
import { knownZone, span } from "../time";
import { Schedule, useGroups } from "./jobwords";
import { RunStatus } from "./runtable";

const roomy = matchMedia("(min-width: 1200px)");

// useRoomy reports whether the drawer has room beside a list.
export function useRoomy(): boolean {
	const [is, set] = useState(roomy.matches);
	useEffect(() => {
		const follow = () => set(roomy.matches);
		roomy.addEventListener("change", follow);
		return () => roomy.removeEventListener("change", follow);
	}, []);
	return is;
}

export function JobDrawer({ id, words, onClose }: { id: number; words?: string; onClose: () => void }) {
	const job = useCall("GET /jobs/{id}", { id }, 5e3);
	const j = job.data;
	const title = j?.name ?? `${t("job.one")} #${id}`;
	const [run, setRun] = useState(false);
	const facts = j ? <About id={id} words={words} job={j} /> : <Pending call={job} />;
	const actions = j && (
		<footer class="dialog-foot">
			{may("operator", j.jobGroup) && <Button icon="run" onClick={() => setRun(true)}>{t("bulk.trigger")}</Button>}
			{may("editor", j.jobGroup) && <LinkButton icon="edit" to={href(`jobs/${id}/edit`)}>{t("job.edit")}</LinkButton>}
			<LinkButton tone="primary" to={href(`jobs/${id}`)}>{t("jobs.page")}</LinkButton>
		</footer>
	);
	const dialog = run && j && <RunDialog job={j} onClose={() => setRun(false)} />;
	if (useRoomy()) return <Beside title={title} onClose={onClose}>{facts}{actions}{dialog}</Beside>;
	return <Dialog title={title} side onClose={onClose}>{facts}{actions}{dialog}</Dialog>;
}

// Beside takes the focus, and gives it back to what opened it unless the focus has left it.
function Beside({ title, children, onClose }: { title: string; children: ComponentChildren; onClose: () => void }) {
	const box = useRef<HTMLElement>(null);
	useEffect(() => {
		const back = document.activeElement as HTMLElement | null;
		const shown = box.current!;
		if (back !== document.body) shown.focus({ preventScroll: true }); // an address opens it with nothing to give back
		return () => {
			const within = shown.contains(document.activeElement) || document.activeElement === document.body;
			if (within) back?.focus({ preventScroll: true });
		};
	}, []);
	return (
		<aside ref={box} class="panel drawer" tabIndex={-1} aria-label={title} onKeyDown={(e) => {
			if (e.key === "Escape" && !document.querySelector("dialog[open]")) onClose();
		}}>
			<header class="dialog-head">
				<h2 dir="auto">{title}</h2>
				<Button icon="close" tone="quiet" aria-label={t("action.close")} onClick={onClose} />
			</header>
			{children}
		</aside>
	);
}

type Shown = NonNullable<ReturnType<typeof useCall<"GET /jobs/{id}">>["data"]>;

function About({ id, words, job: j }: { id: number; words?: string; job: Shown }) {
	const groups = useGroups();
	const next = useCall("GET /jobs/{id}/next", j.scheduleType !== "NONE" ? { id, count: 5 } : undefined, 10e3);
	const last = useCall("GET /runs", { job: id, newest: true, limit: 5 }, 5e3);
	const zone = knownZone(j.settings?.zone) || undefined;
	return (
		<div class="dialog-body">
			<dl class="facts is-list">
				<Fact name={t("job.running")}>{t(j.running ? "jobs.on" : "jobs.off")} <Tag>#{id}</Tag></Fact>
				<Fact name={t("fact.scheduleConf")}><Schedule job={j} />{j.scheduleType === "CRON" && words && <small class="drawer-words">{words}</small>}</Fact>
				<Fact name={t("job.nextTimes")}>{next.data?.next.length ? <>{next.data.next.map((at) => <div key={at}><Time at={at} zone={zone} /></div>)}<InZone name={zone ?? ""} /></> : <Nothing />}</Fact>
				<Fact name={t("field.jobGroup")}><a href={href(`executors/${j.jobGroup}`)}>{groups.name(j.jobGroup)}</a></Fact>
				<Fact name={t("field.executorHandler")}>{j.glueType === "BEAN" ? <code>{j.executorHandler}</code> : t(`glue.${j.glueType ?? "BEAN"}`)}</Fact>
				<Fact name={t("field.executorRouteStrategy")}>{word("executorRouteStrategy", j.executorRouteStrategy ?? "")}</Fact>
				<Fact name={t("field.executorBlockStrategy")}>{word("executorBlockStrategy", j.executorBlockStrategy ?? "")}</Fact>
				<Fact name={t("field.author")}>{j.author || <Nothing />}</Fact>
				{!!j.tags?.length && <Fact name={t("field.tags")}><span class="inline">{j.tags.map((name) => <Tag key={name}>{name}</Tag>)}</span></Fact>}
				{j.executorParam && <Fact name={t("field.executorParam")}><code>{j.executorParam}</code></Fact>}
			</dl>
			<h3>{t("job.latest")}</h3>
			{!last.data ? <Pending call={last} /> : !last.data.runs.length ? <Empty icon="runs" title={t("job.neverRan")} /> : (
				<ul class="drawer-runs">
					{last.data.runs.map((l) => (
						<li key={l.id}>
							<a href={href(`runs/${l.id}`)}>#{l.id}</a>
							<RunStatus run={l} />
							<Time at={l.triggerTime} relative zone={zone} />
							<span class="muted">{l.tookMs !== undefined && span(l.tookMs)}</span>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
