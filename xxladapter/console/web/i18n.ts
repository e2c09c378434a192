// Texts in both languages. A key that a locale lacks does not compile; a test finds unused ones.

import { lang, type Lang } from "./prefs";
import texts from "texts";

export type Key = keyof typeof import("./locales/en.json");
type Params = Record<string, string | number>;

// Each key has its texts in the order of these languages; the bundler has joined the locales, and keys
// that it has shortened have no group.
const order: readonly Lang[] = ["en", "zh-CN"];
const flat = new Map(Object.entries(texts).flatMap(([group, keys]) => Object.entries(keys).flatMap(([rest, all]) => all.split("\n").map((line, n) => [group ? `${group}.${rest}` : n.toString(36), line.split("|")] as const))));

// t returns the text of a key in the chosen language, with {name} replaced.
export function t(key: Key, params?: Params): string {
	const text = flat.get(key)![order.indexOf(lang.value)]!;
	return params ? text.replace(/\{(\w+)\}/g, (all, name: string) => String(params[name] ?? all)) : text;
}

// known reports whether a text made from a value of the API is a key.
export function known(key: string): key is Key {
	return flat.has(key);
}

// word returns the text of a value of the API, or the value itself where there is none.
export function word(group: string, value: string): string {
	const key = `${group}.${value}`;
	return known(key) ? t(key) : value;
}

// Formats are slow to make, and a list uses hundreds.
const rules: Record<Lang, Intl.PluralRules> = { en: new Intl.PluralRules("en"), "zh-CN": new Intl.PluralRules("zh-CN") };
const numbers = new Map<string, Intl.NumberFormat>();

// plural returns the text of key.one or key.other for a count n.
export function plural(key: PluralKey, n: number): string {
	const form = rules[lang.value].select(n) === "one" ? "one" : "other";
	return t(`${key}.${form}`, { n: number(n) });
}

type PluralKey = Key extends infer K ? (K extends `${infer P}.other` ? P : never) : never;

export function number(n: number, digits = 0): string {
	const key = lang.value + digits;
	let format = numbers.get(key);
	if (!format) numbers.set(key, (format = new Intl.NumberFormat(lang.value, { maximumFractionDigits: digits })));
	return format.format(n);
}
