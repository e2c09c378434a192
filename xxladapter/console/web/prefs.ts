// What a person chose: language, theme, and whether keys act alone. All are kept in the browser.

import { signal, effect } from "@preact/signals";

export type Lang = "zh-CN" | "en";
export type Theme = "system" | "light" | "dark";

function stored(name: string): string | null {
	try {
		return localStorage.getItem(name);
	} catch {
		return null; // the browser keeps nothing
	}
}

function keep(name: string, value: string) {
	try {
		localStorage.setItem(name, value);
	} catch {
		// It holds until the page is closed.
	}
}

function firstLang(): Lang {
	const chosen = stored("xxlwheel.lang");
	if (chosen === "zh-CN" || chosen === "en") return chosen;
	return navigator.languages.some((l) => l.toLowerCase().startsWith("zh")) ? "zh-CN" : "en";
}

function firstTheme(): Theme {
	const chosen = stored("xxlwheel.theme");
	return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export const lang = signal<Lang>(firstLang());
export const theme = signal<Theme>(firstTheme());
export const singleKeys = signal(stored("xxlwheel.keys") !== "off");

effect(() => {
	document.documentElement.lang = lang.value;
	keep("xxlwheel.lang", lang.value);
});
effect(() => {
	document.documentElement.dataset.theme = theme.value;
	keep("xxlwheel.theme", theme.value);
});
effect(() => keep("xxlwheel.keys", singleKeys.value ? "on" : "off"));
