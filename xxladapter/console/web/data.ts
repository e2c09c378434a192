// Hooks that keep a page's data: load, keep the last answer, repeat while somebody looks.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { signal } from "@preact/signals";
import { apiError, call, offline, signedOut, type Answer, type ApiError, type CallName, type Event, type Params } from "./api";
import { listen, live, type Topic } from "./live";

export interface Loaded<T> {
	data?: T;
	error?: ApiError;
	loading: boolean;
	reload: () => void;
}

// What was shown last, so that going back shows it at once while it is loaded again.
const shown = new Map<string, unknown>();
const keptAnswers = 60;

function remember(key: string, value: unknown) {
	shown.delete(key);
	shown.set(key, value);
	if (shown.size > keptAnswers) shown.delete(shown.keys().next().value as string);
}

// refused is a call that was refused while an earlier answer to it is shown.
export const refused = signal<{ key: string; message: string } | undefined>(undefined);
// askAgain is the time in ms after which such a call is repeated if it is not polled.
const askAgain = 10e3;

function forget(key: string) {
	if (refused.peek()?.key === key) refused.value = undefined;
}

// changed grows when this page changed something; every list loads again.
const changed = signal(0);
export function changedSomething() {
	changed.value++;
}

// told are the calls whose answers change with events of these topics. A fire moves the next due time
// of its job, and so a run changes what is shown of jobs.
const told: Partial<Record<CallName, Topic[]>> = {
	"GET /jobs": ["job", "run"], "GET /jobs/{id}": ["job", "run"], "GET /jobs/{id}/next": ["job", "run"], "GET /jobs/{id}/misfires": ["misfire"], "GET /jobs/{id}/timeline": ["job", "run", "misfire"],
	"GET /runs": ["run"], "GET /runs/{id}": ["run"], "GET /fires": ["run"], "GET /groups": ["group"], "GET /groups/{id}": ["group"], "GET /graph": ["job", "run"], "GET /pauses": ["pause"], "GET /tags": ["job"],
};
// While events tell what changes, polling finds only what they missed.
const pollLive = 120e3;

// concerns reports whether an event may change the answer of a call. A run that is shown with those
// that belong together with it changes with any of them.
function concerns(name: CallName, params: object, e: Event): boolean {
	if (e.topic === "all") return true;
	if (!told[name]?.includes(e.topic)) return false;
	const own = { job: "GET /jobs/{id}", run: "GET /runs/{id}", group: "GET /groups/{id}", misfire: "", node: "", pause: "" }[e.topic] === name;
	const { id, related } = params as { id?: number; related?: boolean };
	return !own || related || e.id === 0 || e.id === id;
}

// The calls under way, with when they began. Parts of a page that ask the same share one answer,
// unless it may be older than the event for which one of them asks: a call for an event waits for
// longer than sharedFor.
const underWay = new Map<string, { begun: number; answer: Promise<unknown> }>();
const sharedFor = 40;

async function ask<C extends CallName>(name: C, params: Params<C>, key: string, signal: AbortSignal): Promise<Answer<C>> {
	const other = underWay.get(key);
	if (other && Date.now() - other.begun < sharedFor) {
		try {
			return (await other.answer) as Answer<C>;
		} catch {
			if (signal.aborted) throw signal.reason; // otherwise its asker may have left: ask for ourselves
		}
	}
	const own = { begun: Date.now(), answer: call(name, params, undefined, signal) };
	underWay.set(key, own);
	try {
		return await own.answer;
	} finally {
		if (underWay.get(key) === own) underWay.delete(key);
	}
}

// useCall makes a call whenever its parameters change, when an event says that the answer may be
// another, and every ms while the tab is visible. Undefined params make no call.
export function useCall<C extends CallName>(name: C, params: Params<C> | undefined, every = 0): Loaded<Answer<C>> {
	const key = params && name + JSON.stringify(params);
	const [, redraw] = useState(0);
	const state = useRef<{ key?: string; data?: Answer<C>; error?: ApiError; loading: boolean }>({ loading: false });
	const again = useRef(() => {});
	const soonAgain = useRef(() => {});
	const version = changed.value;
	const out = signedOut.value;
	const heard = live.value && every > 0 && name in told;
	const hears = useRef(heard);
	hears.current = heard;
	if (state.current.key !== key) {
		const before = key === undefined ? undefined : (shown.get(key) as Answer<C> | undefined);
		state.current = { key, data: before, loading: key !== undefined };
	}
	// The call is made before the browser paints, because a slow browser takes long for that.
	useLayoutEffect(() => {
		if (!params || out) return;
		const abort = new AbortController();
		let timer = 0, soon = 0;
		let running = false, stale = false;
		let begun = 0;
		const load = async () => {
			clearTimeout(timer);
			if (running) return;
			running = true;
			begun = Date.now();
			try {
				const data = await ask(name, params, key!, abort.signal);
				remember(key!, data);
				if (!abort.signal.aborted) {
					state.current = { key, data, loading: false };
					forget(key!);
				}
			} catch (e) {
				if (!abort.signal.aborted) {
					const error = apiError(e);
					state.current = { ...state.current, error, loading: false };
					if (state.current.data && !offline.value) refused.value = { key: key!, message: error.message };
				}
			}
			running = false;
			if (abort.signal.aborted) return;
			redraw((n) => n + 1);
			const { data, error } = state.current;
			if (every > 0 || (data && error)) timer = window.setTimeout(wake, hears.current && !error ? Math.max(every, pollLive) : every || askAgain);
			if (stale) later();
		};
		const wake = () => {
			if (document.visibilityState === "visible") void load();
		};
		// Many events make one call, and never more than two in the time between two polls.
		const later = () => {
			stale = running;
			if (running || soon) return;
			soon = window.setTimeout(() => {
				soon = 0;
				wake();
			}, Math.max(50, begun + every / 2 - Date.now()));
		};
		again.current = () => void load();
		soonAgain.current = later;
		document.addEventListener("visibilitychange", wake);
		void load();
		return () => {
			abort.abort();
			forget(key!);
			clearTimeout(timer);
			clearTimeout(soon);
			document.removeEventListener("visibilitychange", wake);
		};
	}, [key, every, version, out]);
	// The first event says what the page may have missed before it listened.
	useEffect(() => {
		if (!heard || !params) return;
		const deaf = listen((e) => concerns(name, params, e) && soonAgain.current());
		return () => {
			deaf();
			if (!live.value) again.current(); // polls from now on
		};
	}, [heard, key]);
	const { data, error, loading } = state.current;
	return { data, error, loading, reload: () => again.current() };
}

// useDelayed returns value once it has not changed for ms.
export function useDelayed<T>(value: T, ms: number): T {
	const [settled, settle] = useState(value);
	useEffect(() => {
		const timer = setTimeout(() => settle(value), ms);
		return () => clearTimeout(timer);
	}, [value, ms]);
	return settled;
}

// useTitle names the document.
export function useTitle(title: string) {
	useEffect(() => {
		document.title = `${title} · xxlwheel`;
	}, [title]);
}
