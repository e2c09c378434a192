// The code editor and the comparison of two sources: CodeMirror, in a shadow root, where its styles
// are sheets that the policy allows. It is a bundle of its own, loaded by the pages that show code,
// and so it imports nothing of the console.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { groovy } from "@codemirror/legacy-modes/mode/groovy";
import { javascript } from "@codemirror/legacy-modes/mode/javascript";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { python } from "@codemirror/legacy-modes/mode/python";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { php } from "./php";


const languages: Record<string, Extension> = {
	GLUE_GROOVY: StreamLanguage.define(groovy),
	GLUE_SHELL: StreamLanguage.define(shell),
	GLUE_PYTHON: StreamLanguage.define(python),
	GLUE_PYTHON2: StreamLanguage.define(python),
	GLUE_NODEJS: StreamLanguage.define(javascript),
	GLUE_POWERSHELL: StreamLanguage.define(powerShell),
	GLUE_PHP: StreamLanguage.define(php),
};

// The colours are those of theme.css, whose properties reach into the shadow root.
const colours = HighlightStyle.define([
	{ tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.standard(tags.variableName)], color: "var(--accent)", fontWeight: "600" },
	{ tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--ok)" },
	{ tag: [tags.number, tags.bool, tags.atom, tags.null], color: "var(--busy)" },
	{ tag: [tags.comment, tags.meta], color: "var(--soft)", fontStyle: "italic" },
	{ tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.className], color: "var(--warn)" },
	{ tag: tags.invalid, color: "var(--fail)" },
]);

const theme = EditorView.theme({
	"&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "var(--text)" },
	"&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
	".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
	".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
	".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--sunken)", borderRight: "1px solid var(--line)" },
	".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
	"&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
	".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent)" },
	".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--line-strong)" },
	".cm-selectionMatch": { backgroundColor: "var(--warn-soft)" },
	".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn)" },
	".cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)" },
	".cm-panels": { color: "var(--ink)", backgroundColor: "var(--sunken)", borderColor: "var(--line)" },
	".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
	".cm-textfield": { color: "var(--ink)", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", minHeight: "24px" },
	".cm-button": { color: "var(--ink)", background: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: "4px", minHeight: "24px" },
	".cm-panel.cm-search [name=close]": { color: "var(--ink)", minWidth: "24px", minHeight: "24px" },
	"&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--fail-soft)" },
	"&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--ok-soft)" },
	"&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "none", boxShadow: "inset 0 -2px var(--fail)" },
	"&.cm-merge-b .cm-changedText": { background: "none", boxShadow: "inset 0 -2px var(--ok)" },
	"&.cm-merge-a .cm-changedLineGutter": { background: "var(--fail)" },
	"&.cm-merge-b .cm-changedLineGutter": { background: "var(--ok)" },
	".cm-collapsedLines": { color: "var(--soft)", background: "var(--sunken)" },
	".cm-specialChar": { color: "var(--fail)" },
});

// Texts are what CodeMirror says in the language of the console, by its English words.
export type Texts = Record<string, string>;

function common(language: string, label: string, texts: Texts): Extension[] {
	return [
		lineNumbers(), highlightSpecialChars(), theme, syntaxHighlighting(colours), languages[language] ?? [],
		EditorState.phrases.of(texts), EditorState.tabSize.of(4), EditorView.lineWrapping,
		EditorView.contentAttributes.of({ "aria-label": label }),
	];
}

const fixed = [EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ tabindex: "0" })];

// root returns the shadow root of an element, empty.
function root(host: HTMLElement): ShadowRoot {
	const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
	shadow.replaceChildren();
	return shadow;
}

export interface EditorOptions {
	text: string;
	language: string; // a GLUE type
	label: string;
	readOnly: boolean;
	texts: Texts;
	// changed is called after each change with the whole text.
	changed: (text: string) => void;
}

export interface Opened {
	// set replaces the text, as one step that can be undone.
	set: (text: string) => void;
	close: () => void;
}

// edit opens an editor inside host.
export function edit(host: HTMLElement, o: EditorOptions): Opened {
	const shadow = root(host);
	const view = new EditorView({
		parent: shadow,
		root: shadow,
		doc: o.text,
		extensions: [
			common(o.language, o.label, o.texts),
			o.readOnly ? fixed : [
				history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
				indentUnit.of(o.text.includes("\n\t") ? "\t" : "    "),
				keymap.of([indentWithTab, ...historyKeymap]),
				EditorView.updateListener.of((u) => u.docChanged && o.changed(u.state.doc.toString())),
			],
			search(),
			keymap.of([...searchKeymap, ...defaultKeymap]),
			EditorView.theme({ "&": { height: "100%" }, ".cm-scroller": { overflow: "auto" } }),
		],
	});
	return {
		set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
		close: () => view.destroy(),
	};
}

export interface Compared {
	before: string;
	after: string;
	language: string;
	labels: [before: string, after: string];
	texts: Texts;
}

// narrow is the width in px below which two sources stand in one column.
const narrow = 640;

// compare shows what differs between two sources: side by side, or in one column where it is narrow.
export function compare(host: HTMLElement, o: Compared): Opened {
	const shadow = root(host);
	const shared = { highlightChanges: true, gutter: true, collapseUnchanged: { margin: 3, minSize: 6 } };
	const unified = () => new EditorView({
		parent: shadow, root: shadow, doc: o.after,
		extensions: [common(o.language, o.labels[1], o.texts), fixed, unifiedMergeView({ ...shared, original: o.before, mergeControls: false }), EditorView.editorAttributes.of({ class: "cm-merge-b" })],
	});
	const side = (doc: string, label: string) => ({ doc, extensions: [common(o.language, label, o.texts), fixed] });
	const split = () => new MergeView({ ...shared, parent: shadow, root: shadow, a: side(o.before, o.labels[0]), b: side(o.after, o.labels[1]) });
	let shown: EditorView | MergeView | undefined;
	let small: boolean | undefined;
	// It is called with the first width too.
	const fit = new ResizeObserver(() => {
		if (small === host.clientWidth < narrow) return;
		small = host.clientWidth < narrow;
		shown?.destroy();
		shown = small ? unified() : split();
	});
	fit.observe(host);
	const close = () => {
		fit.disconnect();
		shown?.destroy();
	};
	return { set: () => undefined, close };
}
