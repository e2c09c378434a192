// Keys that work anywhere outside fields. An element with data-key="e" is pressed by e: first in the
// row that has the focus, then on the page. So each key has something visible that does the same.
// Keys without Ctrl can be turned off, because somebody who dictates or has a tremor presses them
// without meaning to (WCAG 2.2, criterion 2.1.4).

import { signal } from "@preact/signals";
import { singleKeys } from "./prefs";

export const paletteOpen = signal(false);
export const keysOpen = signal(false);

function typing(target: EventTarget | null): boolean {
	const e = target as HTMLElement | null;
	return !!e?.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable], .editor, .compare");
}

// step moves the focus to the link of the row that is by rows further down.
function step(by: number) {
	const links = [...document.querySelectorAll<HTMLElement>("main .row-link")];
	const unique = [...new Set(links)].filter((l) => l.offsetParent);
	if (unique.length === 0) return;
	const row = document.activeElement?.closest("tr, li");
	const at = unique.findIndex((l) => l === document.activeElement || (row && l.closest("tr, li") === row));
	unique[Math.max(0, Math.min(unique.length - 1, at < 0 ? 0 : at + by))]?.focus();
}

addEventListener("keydown", (e) => {
	if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
		e.preventDefault();
		paletteOpen.value = !paletteOpen.value;
		return;
	}
	if (!singleKeys.value || e.ctrlKey || e.metaKey || e.altKey || typing(e.target) || document.querySelector("dialog[open]")) return;
	switch (e.key) {
		case "/": {
			const search = document.querySelector<HTMLInputElement>("main input[type=search]");
			if (search) search.focus();
			else paletteOpen.value = true;
			e.preventDefault();
			return;
		}
		case "?":
			keysOpen.value = true;
			return;
		case "j":
			return step(1);
		case "k":
			return step(-1);
	}
	if (!/^[a-z]$/.test(e.key)) return;
	const selector = `[data-key="${e.key}"]`;
	const row = document.activeElement?.closest("tr");
	const target = row?.querySelector<HTMLElement>(selector) ?? document.querySelector<HTMLElement>(`.page-head ${selector}`);
	if (target && !(target as HTMLButtonElement).disabled) {
		e.preventDefault();
		target.click();
	}
});
