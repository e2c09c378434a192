// Server-sent events over fetch, because EventSource can send no token.

import { send, type CallName, type Params } from "./api";

// The scheduler writes at least every 15 s. A connection that is silent for as long as this, in ms, is
// dead.
const silence = 25e3;

interface Hearing<T> {
	// last is the id of the last event that was received before; empty means none.
	last?: string;
	begun?: () => void;
	on: (data: T, id: string) => void;
}

// hear calls on for each event until the stream ends. It throws what send throws, and an error when
// the connection breaks or abort ends it.
export async function hear<C extends CallName, T>(name: C, params: Params<C>, abort: AbortSignal, h: Hearing<T>): Promise<void> {
	const dead = new AbortController();
	const answer = await send(name, params, undefined, AbortSignal.any([abort, dead.signal]), h.last ? { "Last-Event-ID": h.last } : undefined);
	h.begun?.();
	const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "", data = "", id = "";
	for (;;) {
		const timer = setTimeout(() => dead.abort(), silence);
		const { value, done } = await reader.read().finally(() => clearTimeout(timer));
		if (done) return;
		const lines = (rest + value).split("\n");
		rest = lines.pop()!;
		for (const line of lines) {
			if (line.startsWith("data: ")) data += line.slice(6);
			else if (line.startsWith("id: ")) id = line.slice(4);
			else if (line === "" && data) {
				h.on(JSON.parse(data) as T, id);
				data = "";
			}
		}
	}
}

// pause waits for ms, or until abort.
export function pause(ms: number, abort: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (abort.aborted) return resolve();
		const end = () => {
			clearTimeout(timer);
			abort.removeEventListener("abort", end);
			resolve();
		};
		const timer = setTimeout(end, ms);
		abort.addEventListener("abort", end);
	});
}
