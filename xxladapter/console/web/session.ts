// Who uses the console: a user with a session, which is a cookie that no script sees, or a token.

import { effect, signal } from "@preact/signals";
import { call, setToken, signedOut, type Answer } from "./api";

// session is what the scheduler says of the caller; undefined until it has said so.
export const session = signal<Answer<"GET /session"> | undefined>(undefined);

// askAgain is the time in ms after which a first call that failed is repeated.
const askAgain = 3e3;
let timer = 0;

export async function askSession() {
	clearTimeout(timer);
	try {
		session.value = await call("GET /session", {});
	} catch {
		// The next call of a page shows why nothing answers. Until the session is known, pages offer
		// nothing that needs a role, and hear of no changes.
		if (!session.value) timer = window.setTimeout(askSession, askAgain);
	}
}

// The session is asked for at the start, and again when calls are refused or accepted once more.
effect(() => {
	void signedOut.value;
	void askSession();
});

// Another tab may have signed in somebody else: tabs share the cookie.
addEventListener("visibilitychange", () => {
	if (document.visibilityState === "visible") void askSession();
});

// Another caller begins with a new document: nothing that the one before could read is left in it.
let first: string | undefined;
effect(() => {
	const s = session.value;
	const is = s?.kind && s.kind + s.name;
	first ??= is;
	if (is && is !== first) location.reload();
});

export async function signIn(name: string, password: string) {
	setToken("");
	session.value = await call("POST /session", {}, { name, password });
	signedOut.value = false;
}

// signInFirst creates the first user with the secret of the one-time link.
export async function signInFirst(token: string, name: string, password: string) {
	setToken("");
	session.value = await call("POST /session/first", {}, { token, name, password });
	signedOut.value = false;
}

export async function signOut() {
	setToken("");
	await call("DELETE /session", {});
	signedOut.value = true;
}

export const roles = ["viewer", "operator", "editor", "coder", "admin"] as const;
export type Role = (typeof roles)[number];

// may reports whether the caller has a role: for some group, for this group, or with group 0 for
// all. It decides what a page offers; the scheduler decides what happens.
export function may(role: Role, group?: number): boolean {
	return !!session.value?.grants.some((g) => roles.indexOf(g.role) >= roles.indexOf(role) && (group === undefined || g.jobGroup === 0 || g.jobGroup === group));
}
