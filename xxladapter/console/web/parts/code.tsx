// The editor and the comparison as parts of a page.

import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { lang } from "../prefs";
import { compare, edit, type Opened, type Texts } from "./editor";

// texts are CodeMirror's, by its English words.
function texts(): Texts {
	return {
		Find: t("cm.find"), Replace: t("cm.replace"), next: t("cm.next"), previous: t("cm.previous"), all: t("cm.all"), replace: t("cm.replaceOne"),
		"replace all": t("cm.replaceAll"), "match case": t("cm.case"), regexp: t("cm.regexp"), "by word": t("cm.word"), close: t("action.close"),
		"Go to line": t("cm.line"), go: t("cm.go"), "$ unchanged lines": t("cm.unchanged"), "replaced $ matches": t("cm.replaced"), "current match": t("cm.current"), "on line": t("cm.onLine"),
	};
}

// useOpened opens something in an element, and again when what it depends on has changed.
function useOpened(open: (host: HTMLElement) => Opened, by: unknown[]) {
	const host = useRef<HTMLDivElement>(null);
	const opened = useRef<Opened | undefined>(undefined);
	useEffect(() => {
		if (host.current) opened.current = open(host.current);
		return () => {
			opened.current?.close();
			opened.current = undefined;
		};
	}, [...by, lang.value]);
	return { host, opened };
}

interface EditorProps {
	// start is what the editor begins with; another object replaces the text.
	start: { text: string };
	language: string;
	label: string;
	readOnly: boolean;
	onText: (text: string) => void;
}

export function CodeEditor({ start, language, label, readOnly, onText }: EditorProps) {
	const text = useRef(start.text);
	const tell = useRef(onText);
	tell.current = onText;
	const { host, opened } = useOpened(
		(at) => edit(at, { text: text.current, language, label, readOnly, texts: texts(), changed: (is) => tell.current((text.current = is)) }),
		[language, label, readOnly],
	);
	useEffect(() => {
		if (text.current === start.text) return;
		text.current = start.text;
		opened.current?.set(start.text);
	}, [start]);
	return <div ref={host} class="editor" />;
}

export function CodeDiff({ before, after, language, labels }: { before: string; after: string; language: string; labels: [string, string] }) {
	const { host } = useOpened((at) => compare(at, { before, after, language, labels, texts: texts() }), [before, after, language, ...labels]);
	if (before === after) return <p class="muted">{t("code.same")}</p>;
	return (
		<div>
			<div class="compare-heads" aria-hidden="true">
				<span>− {labels[0]}</span>
				<span>+ {labels[1]}</span>
			</div>
			<div ref={host} class="compare" />
		</div>
	);
}
