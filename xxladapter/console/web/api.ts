// The one way to the scheduler: typed calls of /api/v1, whether it answers, and who asks.

import { signal } from "@preact/signals";
import { lang } from "./prefs";
import { base } from "./route";
import type { ApiError as Refusal, Calls, Problem } from "./types";

export type * from "./types";
export type CallName = keyof Calls;
export type Params<C extends CallName> = Calls[C]["params"];
export type Answer<C extends CallName> = Calls[C]["answer"];

// An ApiError is an answer that is not 200; code 0 means that nothing answered.
export class ApiError extends Error {
	// broken are the rules that the request breaks, each with its field, if it is about one.
	readonly broken: { field?: string; text: string }[];
	// field is the field of the first of them.
	readonly field?: string;
	// problems are all that is wrong with declarations; the message is the first of them.
	readonly problems?: Problem[];

	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		said: Partial<Refusal> = {},
	) {
		super(told({ message, messageZh: said.messageZh }));
		this.problems = said.problems;
		this.broken = (said.rules ?? [{ ...said, message }]).map((r) => ({ field: code === "invalid" ? (r.params?.field as string) : undefined, text: told(r) }));
		this.field = this.broken[0]?.field;
	}
}

// apiError returns what was thrown as an ApiError.
export function apiError(e: unknown): ApiError {
	return e instanceof ApiError ? e : new ApiError(0, "internal", String(e));
}

// told returns the message of an error in the chosen language, or in English where it has no Chinese.
export function told(e: Pick<Refusal, "message" | "messageZh">): string {
	return (lang.value === "zh-CN" && e.messageZh) || e.message;
}

// offline is true while the scheduler does not answer.
export const offline = signal(false);
// signedOut is true while calls are refused for want of a token. The page below the dialog stays, so
// that nothing typed is lost.
export const signedOut = signal(false);
// skew is how far the scheduler's clock is ahead of this machine's, in ms.
export const skew = signal(0);

const tokenName = "xxlwheel.token";
let token = sessionStorage.getItem(tokenName) ?? "";

// A frozen scheduler accepts connections and never answers. So a call that has had no answer for
// patience, in ms, asks whether the scheduler answers anything within askLimit.
const patience = 5e3;
const askLimit = 10e3;

function ask(headers?: HeadersInit): Promise<Response> {
	return fetch(new URL("../api/v1/session", base), { headers, signal: AbortSignal.timeout(askLimit) });
}

// A token behind # signs in, since the fragment never reaches a server. Any page may have such a link,
// so it is ignored while somebody is signed in. Calls wait until that is known.
const given = /^#token=(.+)$/.exec(location.hash)?.[1];
const decided = given ? consider(given).catch(() => undefined) : undefined;

async function consider(offered: string) {
	history.replaceState(null, "", location.pathname + location.search);
	const answer = await ask(token ? { Authorization: "Bearer " + token } : {}).catch(() => undefined);
	const caller = (await answer?.json().catch(() => undefined)) as { kind?: string } | undefined;
	if (caller && !caller.kind) setToken(decodeURIComponent(offered));
}

export function setToken(value: string) {
	token = value;
	if (value) sessionStorage.setItem(tokenName, value);
	else sessionStorage.removeItem(tokenName);
}

export function hasToken(): boolean {
	return token !== "";
}

// address returns the address of a call with its parameters.
export function address(name: CallName, params: Record<string, unknown>): URL {
	const rest = { ...params };
	const path = name.slice(name.indexOf(" ") + 2).replace(/\{(\w+)\}/g, (_, key: string) => {
		const value = rest[key];
		delete rest[key];
		return encodeURIComponent(String(value));
	});
	const url = new URL("../api/v1/" + path, base);
	for (const [key, value] of Object.entries(rest)) {
		if (value !== undefined && value !== "" && value !== false) url.searchParams.set(key, String(value));
		if (value === false && key === "running") url.searchParams.set(key, "false");
	}
	return url;
}

// unanswered returns what a call throws when its connection breaks: e if the call was aborted, or
// else an ApiError.
function unanswered(e: unknown, abort?: AbortSignal): unknown {
	if (abort?.aborted) return e;
	offline.value = true;
	return new ApiError(0, "unreachable", String((e as Error).message));
}

// call makes one call. It throws an ApiError, or what aborted it.
export async function call<C extends CallName>(name: C, params: Params<C>, body?: Calls[C]["body"], abort?: AbortSignal): Promise<Answer<C>> {
	const answer = await send(name, params, body, abort);
	if (answer.status === 204) return undefined as unknown as Answer<C>;
	try {
		return (await answer.json()) as Answer<C>;
	} catch (e) {
		throw unanswered(e, abort);
	}
}

// stream makes a call whose answer is JSON lines, and passes each value on as it comes. It throws an
// ApiError if the call is refused or breaks off.
export async function stream<C extends CallName, L>(name: C, params: Params<C>, body: Calls[C]["body"], each: (line: L) => void, abort?: AbortSignal) {
	const answer = await send(name, params, body, abort);
	const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	try {
		for (;;) {
			const { value, done } = await reader.read();
			if (done) return;
			const lines = (rest + value).split("\n");
			rest = lines.pop()!;
			for (const line of lines) if (line) each(JSON.parse(line) as L);
		}
	} catch (e) {
		throw unanswered(e, abort);
	}
}

// caller returns a text that tells callers apart: the same for all tabs with this token, empty
// without one.
export function caller(): string {
	let sum = 0;
	for (const c of token) sum = (Math.imul(sum, 31) + c.charCodeAt(0)) | 0;
	return token && String(sum);
}

// send returns the answer to a call, whose body is still to be read. It throws an ApiError. While the
// scheduler is frozen, reads are given up. Other calls wait, because they may have been carried out.
export async function send<C extends CallName>(name: C, params: Params<C>, body?: Calls[C]["body"], abort?: AbortSignal, more?: Record<string, string>): Promise<Response> {
	await decided;
	const method = name.slice(0, name.indexOf(" "));
	const headers: Record<string, string> = { ...more };
	if (token) headers.Authorization = "Bearer " + token;
	if (body !== undefined) headers["Content-Type"] = "application/json";
	const sent = Date.now();
	const late = new AbortController();
	const timer = setTimeout(() => ask().catch(() => {
		offline.value = true;
		if (method === "GET") late.abort();
	}), patience);
	let answer: Response;
	try {
		answer = await fetch(address(name, params), {
			method, headers, signal: AbortSignal.any(abort ? [abort, late.signal] : [late.signal]),
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	} catch (e) {
		throw unanswered(e, abort);
	} finally {
		clearTimeout(timer);
	}
	offline.value = [502, 503, 504].includes(answer.status) && !answer.headers.get("Content-Type")?.startsWith("application/json");
	const date = Date.parse(answer.headers.get("Date") ?? "");
	// The header has whole seconds: a difference below that says nothing.
	if (date) {
		const apart = date + 500 - (sent + Date.now()) / 2;
		skew.value = Math.abs(apart) < 1500 ? 0 : apart;
	}
	if (answer.ok) return answer;
	const data = await answer.json().catch(() => undefined);
	if (answer.status === 401) signedOut.value = true;
	const error = data as Partial<Refusal> | undefined;
	throw new ApiError(answer.status, error?.code ?? "internal", error?.message || answer.statusText || `HTTP ${answer.status}`, error);
}
