// What a run writes, as it writes it: line numbers, search, follow, colours, download. All of it is
// text. Only the lines in view are in the document.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, signedOut, type Tail as Part } from "../api";
import { number, t } from "../i18n";
import { hear, pause } from "../sse";
import { pieces } from "./ansi";
import { Button, Empty, Failure, Spoken, Waiting } from "./basic";
import { Lines } from "./lines";
import { Panel } from "./page";
import { save } from "./save";

const ahead = 20; // lines above and below those in view
const mostWrapped = 500; // lines that wrap have no height that is known before, so all are in the document
const longest = 4000; // characters of a line that are shown; the download has all
const drawEvery = 100; // ms between two drawings

interface Reading {
	lines: Lines;
	ended: boolean;
	note?: string;
	error?: ApiError;
}

// read follows the text of a run until it has ended, or more than 60 requests in a row have failed.
// A text that is complete comes in parts, one that grows as a stream; once a stream is refused, it
// is asked for again and again.
async function read(id: number, grows: boolean, to: Reading, drawn: () => void, abort: AbortSignal) {
	let next = 1;
	let streams = grows;
	let last: Part | undefined; // the last event of a stream
	const take = (from: number, upto: number, text: string) => {
		const more = text === "" ? [] : text.replace(/\n$/, "").split("\n");
		to.lines.add(from < next ? more.slice(next - from) : more);
		next = Math.max(next, upto + 1);
		to.error = undefined;
		drawn();
	};
	for (let fails = 0; !abort.aborted && !to.ended; ) {
		try {
			if (streams) {
				await hear<"GET /runs/{id}/tail", Part>("GET /runs/{id}/tail", { id, from: next }, abort, {
					begun: () => {
						if (!to.error) return;
						to.error = undefined;
						drawn();
					},
					on: (p) => {
						fails = 0;
						if (p.logContent) take(p.fromLineNum ?? next, p.toLineNum ?? next, p.logContent);
						last = p.isEnd ? p : undefined;
					},
				});
				if (last) {
					to.note = last.note ?? (to.lines.total ? undefined : last.message);
					to.ended = true;
				} else await pause(300, abort);
			} else {
				const part = await call("GET /runs/{id}/log", { id, from: next }, undefined, abort);
				fails = 0;
				take(next, part.toLineNum, part.logContent);
				to.note = part.note || to.note;
				to.ended = part.isEnd;
				if (!to.ended) await pause(part.logContent ? 0 : 1000, abort);
			}
		} catch (e) {
			if (abort.aborted) return;
			to.error = e instanceof ApiError ? e : new ApiError(0, "unreachable", String(e));
			if (to.error.status >= 400 && to.error.status !== 401) streams = false;
			if (++fails > 60) return drawn();
			drawn();
			await pause(Math.min(fails, 6) * 500, abort);
		}
	}
	drawn();
}

export function Tail({ id, grows }: { id: number; grows: boolean }) {
	const reading = useRef<Reading>({ lines: new Lines(), ended: false });
	const [drawn, draw] = useState(0);
	const [follow, setFollow] = useState(true);
	const [wrap, setWrap] = useState(false);
	const [find, setFind] = useState("");
	const [top, setTop] = useState(0);
	const box = useRef<HTMLDivElement>(null);
	const height = useRef(18); // of a line, in px
	const out = signedOut.value;
	useEffect(() => {
		if (out) return;
		const abort = new AbortController();
		const own = (reading.current = { lines: new Lines(), ended: false } as Reading);
		let timer = 0;
		const soon = () => {
			timer ||= window.setTimeout(() => {
				timer = 0;
				draw((n) => n + 1);
			}, drawEvery);
		};
		void read(id, grows, own, soon, abort.signal);
		return () => {
			abort.abort();
			clearTimeout(timer);
		};
	}, [id, out]);
	const { lines, ended, note, error } = reading.current;
	lines.find(find);
	const count = lines.count;
	const view = Math.ceil((box.current?.clientHeight ?? 600) / height.current);
	const first = wrap ? Math.max(0, count - mostWrapped) : Math.max(0, Math.min(Math.floor(top / height.current) - ahead, count - view));
	const shown = Array.from({ length: Math.min(count - first, wrap ? mostWrapped : view + 2 * ahead) }, (_, i) => lines.at(first + i));
	useLayoutEffect(() => {
		const b = box.current;
		if (!b) return;
		height.current = (!wrap && b.querySelector<HTMLElement>(".log-line")?.offsetHeight) || height.current;
		if (follow) b.scrollTop = b.scrollHeight;
	}, [drawn, follow, wrap, find]);
	const download = () => save(`run-${id}.log`, new Blob([lines.text()], { type: "text/plain" }));
	const before = wrap ? first : 0;
	const above = note || (lines.total > 0 && error?.message);
	const state = lines.total > 0 || ended ? t(ended ? "tail.ended" : "tail.live", { n: number(lines.dropped + lines.total) }) : "";
	return (
		<Panel
			flush title={t("tail.title")}
			beside={
				<span class="log-bar">
					<span class="muted">{state}</span>
					<Spoken text={state} />
					<input type="search" aria-label={t("tail.find")} placeholder={t("tail.find")} value={find} onInput={(e) => setFind(e.currentTarget.value)} />
					<Button aria-pressed={wrap} onClick={() => setWrap(!wrap)}>{t("tail.wrap")}</Button>
					{!ended && <Button aria-pressed={follow} onClick={() => setFollow(!follow)}>{t("tail.follow")}</Button>}
					<Button icon="download" aria-label={t("tail.download")} disabled={!lines.total} onClick={download} />
				</span>
			}
		>
			{above && <p class="banner">{above}</p>}
			{error && !lines.total ? <Failure error={error} /> : !lines.total && !ended && drawn === 0 ? <Waiting rows={3} /> : count === 0 ? (
				<Empty icon="runs" title={t(find.trim() ? "tail.noHit" : ended ? "tail.nothing" : "tail.notYet")} />
			) : (
				<div class={wrap ? "log is-wrapped" : "log"} ref={box} tabIndex={0} role="log" aria-live="off" aria-label={t("tail.title")} data-lines={lines.dropped + lines.total}
					onScroll={(e) => {
						const b = e.currentTarget;
						const atEnd = b.scrollHeight - b.scrollTop - b.clientHeight < 24;
						if (atEnd !== follow && !ended) setFollow(atEnd);
						setTop(b.scrollTop);
					}}>
					{lines.dropped + before > 0 && <p class="muted log-more">{t("tail.more", { n: number(lines.dropped + before) })}</p>}
					<div style={wrap ? undefined : { height: `${count * height.current}px` }}>
						<div style={wrap ? undefined : { transform: `translateY(${first * height.current}px)` }}>
							{shown.map((l) => (
								<div key={l.no} class={"log-line" + level(l.text)}>
									<span class="log-no">{l.no}</span>
									<span>{pieces(l.text.length > longest ? l.text.slice(0, longest) + "…" : l.text).map((p) => (p.tone ? <span class={p.tone}>{p.text}</span> : p.text))}</span>
								</div>
							))}
						</div>
					</div>
				</div>
			)}
		</Panel>
	);
}

// level gives lines that say so the colour of an error or a warning.
function level(text: string): string {
	if (/\b(ERROR|FATAL|SEVERE)\b|^(Caused by:|\w*(\.\w+)+(Exception|Error)\b)/.test(text)) return " is-error";
	return /\bWARN(ING)?\b/.test(text) ? " is-warn" : "";
}
