// The scheduler's stream of changes. One tab holds the connection and forwards the events to the other
// tabs of the same caller, because a browser allows only six connections to a server. While there is
// no connection, pages poll.

import { effect, signal } from "@preact/signals";
import { apiError, caller, signedOut, type Event } from "./api";
import { base } from "./route";
import { session } from "./session";
import { hear, pause } from "./sse";

export type Topic = Event["topic"];

// live is true while changes are heard.
export const live = signal(false);

const listeners = new Set<(e: Event) => void>();

// listen calls f for each change, until the returned function is called.
export function listen(f: (e: Event) => void): () => void {
	listeners.add(f);
	return () => listeners.delete(f);
}

function pass(e: Event) {
	for (const f of listeners) f(e);
}

// What tabs tell each other.
type Message = { ask: true } | { up: boolean } | { event: Event; id: string };

// join subscribes this tab to the changes that the caller may see. The returned function ends that.
function join(who: string): () => void {
	const abort = new AbortController();
	const name = `xxlwheel.live:${base.pathname}:${who}`;
	const channel = new BroadcastChannel(name);
	let holds = false, last = "";
	channel.onmessage = ({ data }: MessageEvent<Message>) => {
		if ("ask" in data) {
			if (holds) channel.postMessage({ up: live.value });
		} else if ("up" in data) {
			const begins = data.up && !live.value;
			live.value = data.up;
			if (begins) setTimeout(() => pass({ topic: "all", id: 0 })); // once the pages listen
		} else {
			last = data.id;
			pass(data.event);
		}
	};
	channel.postMessage({ ask: true });
	const tell = (up: boolean) => {
		if (abort.signal.aborted) return;
		live.value = up;
		channel.postMessage({ up });
	};
	const hold = async (until: AbortSignal) => {
		holds = true;
		for (let wait = 1e3; !until.aborted; ) {
			try {
				await hear<"GET /events", Event>("GET /events", {}, until, {
					last,
					begun: () => {
						wait = 1e3;
						tell(true);
					},
					on: (event, id) => {
						last = id;
						pass(event);
						channel.postMessage({ event, id });
					},
				});
				await pause(100, until); // the scheduler ends each stream after 15 minutes
			} catch (e) {
				if (until.aborted) break;
				tell(false);
				// A caller without the right to listen polls.
				if ([401, 403, 404].includes(apiError(e).status)) break;
				await pause(wait * (0.5 + Math.random()), until);
				wait = Math.min(2 * wait, 30e3);
			}
		}
		holds = false;
	};
	if (navigator.locks) void navigator.locks.request(name, { signal: abort.signal }, () => hold(abort.signal)).catch(() => undefined);
	else whileVisible(abort.signal, hold);
	return () => {
		abort.abort();
		channel.close();
		live.value = false;
	};
}

// whileVisible holds the connection only while the tab is visible. It is for pages that were loaded
// without TLS from another machine: browsers offer them no Web Locks.
function whileVisible(abort: AbortSignal, hold: (until: AbortSignal) => Promise<void>) {
	let hidden: AbortController | undefined;
	const follow = () => {
		hidden?.abort();
		hidden = undefined;
		if (document.visibilityState !== "visible") return void (live.value = false);
		hidden = new AbortController();
		void hold(AbortSignal.any([abort, hidden.signal]));
	};
	document.addEventListener("visibilitychange", follow, { signal: abort });
	follow();
}

// away is true while the page is in the back/forward cache, where it must not hold the connection.
const away = signal(false);
addEventListener("pagehide", () => (away.value = true));
addEventListener("pageshow", () => (away.value = false));

let joined = "", leave: (() => void) | undefined;
effect(() => {
	const s = session.value;
	const who = away.value || signedOut.value || !s ? "" : `${s.kind}:${caller() || s.name || ""}`;
	if (who === joined) return;
	leave?.();
	joined = who;
	leave = who ? join(who) : undefined;
});
