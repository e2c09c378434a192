// The address of the page: the path below the console, and the query, where lists keep their state.

import { signal, computed, batch } from "@preact/signals";

// The console's own folder, found from the script's address, so that any prefix works.
export const base = new URL("..", import.meta.url);

function read(): string {
	const path = location.pathname;
	return path.startsWith(base.pathname) ? path.slice(base.pathname.length) : "";
}

// The browser resolves the icon's relative link again whenever the address changes.
const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
if (icon) icon.href = new URL("icon.svg", base).href;

export const path = signal(read());
const search = signal(location.search);
export const query = computed(() => new URLSearchParams(search.value));

function follow() {
	batch(() => {
		path.value = read();
		search.value = location.search;
	});
}

// A guard may keep people on a page whose changes are not saved. It returns true to let them go.
let guard: (() => boolean) | undefined;
export function guardLeaving(f: (() => boolean) | undefined) {
	guard = f;
}

// The browser has left the page's entry of its history when it says so; who stays gets another one.
addEventListener("popstate", () => {
	if (guard && !guard()) history.pushState(null, "", new URL(path.value + search.value, base));
	else follow();
});

// go leads to a page; to is a path below the console, with its query.
export function go(to: string, replace = false) {
	if (guard && !guard()) return;
	guard = undefined;
	const url = new URL(to, base);
	if (replace) history.replaceState(null, "", url);
	else history.pushState(null, "", url);
	follow();
	if (!replace) {
		scrollTo(0, 0);
		// A screen reader begins at the new page's heading.
		requestAnimationFrame(() => document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true }));
	}
}

// setQuery changes parameters of the query in place; undefined and empty text remove one.
export function setQuery(changes: Record<string, string | undefined>) {
	const next = new URLSearchParams(location.search);
	for (const [name, value] of Object.entries(changes)) {
		if (value) next.set(name, value);
		else next.delete(name);
	}
	const text = next.toString();
	history.replaceState(null, "", location.pathname + (text ? "?" + text : ""));
	follow();
}

export function href(to: string): string {
	return new URL(to, base).pathname + new URL(to, base).search;
}

// jobTabs are the parts of a job's page, by the last part of their addresses.
export const jobTabs = ["", "runs", "timeline", "why", "code", "misfires", "changes"] as const;

// match returns the parameters of a pattern such as jobs/:id, or undefined.
export function match(pattern: string, at: string): Record<string, string> | undefined {
	const want = pattern.split("/");
	const is = at.replace(/\/$/, "").split("/");
	if (want.length !== is.length) return undefined;
	const params: Record<string, string> = {};
	for (const [i, part] of want.entries()) {
		const text = is[i] ?? "";
		if (part.startsWith(":")) {
			if (!text) return undefined;
			params[part.slice(1)] = decodeURIComponent(text);
		} else if (part !== text) return undefined;
	}
	return params;
}

// Links inside the console change the page without loading the document again.
document.addEventListener("click", (e) => {
	if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
	const link = (e.target as Element).closest?.("a");
	if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
	if (!link.pathname.startsWith(base.pathname) || link.pathname.startsWith(base.pathname + "assets/") || link.pathname.endsWith(".txt")) return;
	e.preventDefault();
	if (link.hash && link.pathname === location.pathname) {
		document.getElementById(link.hash.slice(1))?.scrollIntoView();
		return;
	}
	go(link.pathname.slice(base.pathname.length) + link.search);
});
