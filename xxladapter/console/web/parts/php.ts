// The words of PHP, coloured. It knows no more of the language than comments, texts and names.

import type { StreamParser } from "@codemirror/language";

const keywords = new Set(
	"abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield".split(" "),
);

interface State {
	// until ends what continues over lines: a comment, or a text in these quotes.
	until?: "*/" | "'" | '"' | "`";
}

function within(stream: { next: () => string | void; match: (text: string) => unknown }, state: State): string {
	const style = state.until === "*/" ? "comment" : "string";
	for (;;) {
		if (state.until && stream.match(state.until)) {
			state.until = undefined;
			return style;
		}
		const c = stream.next();
		if (!c) return style;
		if (c === "\\" && style === "string") stream.next();
	}
}

export const php: StreamParser<State> = {
	name: "php",
	startState: () => ({}),
	token(stream, state) {
		if (state.until) return within(stream, state);
		if (stream.eatSpace()) return null;
		if (stream.match(/^(<\?(php|=)?|\?>)/)) return "meta";
		if (stream.match(/^(\/\/|#(?!\[))/)) {
			stream.skipToEnd();
			return "comment";
		}
		if (stream.match("/*")) state.until = "*/";
		else if (stream.match(/^['"`]/)) state.until = stream.current() as State["until"];
		if (state.until) return within(stream, state);
		if (stream.match(/^\$\w+/)) return "variableName";
		if (stream.match(/^(0x[\da-f_]+|0b[01_]+|\d[\d_]*(\.\d+)?(e[+-]?\d+)?)/i)) return "number";
		if (stream.match(/^[a-z_]\w*/i)) {
			const word = stream.current().toLowerCase();
			if (keywords.has(word)) return "keyword";
			return word === "true" || word === "false" || word === "null" ? "atom" : null;
		}
		stream.next();
		return null;
	},
	languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
};
