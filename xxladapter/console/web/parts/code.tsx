// The editor and the comparison as parts of a page. Their bundle is loaded when one is shown first.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api";
import { t } from "../i18n";
import { lang } from "../prefs";
import { Failure, Waiting } from "./basic";
import type { Opened, Texts } from "./editor";

let loading: Promise<typeof import("./editor")> | undefined;

// load returns the bundle; after a failure the next call tries again.
function load() {
	loading ??= import("./editor").catch((e: unknown) => {
		loading = undefined;
		throw e;
	});
	return loading;
}

// templateOf returns what a new script in a language may begin with.
export async function templateOf(language: string): Promise<string> {
	return (await load()).templates[language] ?? "";
}

// texts are CodeMirror's, by its English words.
function texts(): Texts {
	return {
		Find: t("cm.find"), Replace: t("cm.replace"), next: t("cm.next"), previous: t("cm.previous"), all: t("cm.all"), replace: t("cm.replaceOne"),
		"replace all": t("cm.replaceAll"), "match case": t("cm.case"), regexp: t("cm.regexp"), "by word": t("cm.word"), close: t("action.close"),
		"Go to line": t("cm.line"), go: t("cm.go"), "$ unchanged lines": t("cm.unchanged"), "replaced $ matches": t("cm.replaced"), "current match": t("cm.current"), "on line": t("cm.onLine"),
	};
}

// useOpened opens something in an element, and again when what it depends on has changed.
function useOpened(open: (bundle: typeof import("./editor"), host: HTMLElement) => Opened, by: unknown[]) {
	const host = useRef<HTMLDivElement>(null);
	const opened = useRef<Opened | undefined>(undefined);
	const [ready, setReady] = useState(false);
	const [error, setError] = useState<ApiError>();
	const [tries, setTries] = useState(0);
	useEffect(() => {
		let gone = false;
		setError(undefined);
		load().then(
			(bundle) => {
				if (gone || !host.current) return;
				opened.current = open(bundle, host.current);
				setReady(true);
			},
			(e: unknown) => !gone && setError(new ApiError(0, "unreachable", String(e))),
		);
		return () => {
			gone = true;
			opened.current?.close();
			opened.current = undefined;
		};
	}, [...by, lang.value, tries]);
	const instead = error ? <Failure error={error} retry={() => setTries(tries + 1)} /> : ready ? null : <Waiting />;
	return { host, opened, instead };
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
	const { host, opened, instead } = useOpened(
		(bundle, at) => bundle.edit(at, { text: text.current, language, label, readOnly, texts: texts(), changed: (is) => tell.current((text.current = is)) }),
		[language, label, readOnly],
	);
	useEffect(() => {
		if (text.current === start.text) return;
		text.current = start.text;
		opened.current?.set(start.text);
	}, [start]);
	return (
		<>
			{instead}
			<div ref={host} class="editor" hidden={!!instead} />
		</>
	);
}

export function CodeDiff({ before, after, language, labels }: { before: string; after: string; language: string; labels: [string, string] }) {
	const { host, instead } = useOpened((bundle, at) => bundle.compare(at, { before, after, language, labels, texts: texts() }), [before, after, language, ...labels]);
	if (before === after) return <p class="muted">{t("code.same")}</p>;
	return (
		<div>
			<div class="compare-heads" aria-hidden="true">
				<span>− {labels[0]}</span>
				<span>+ {labels[1]}</span>
			</div>
			{instead}
			<div ref={host} class="compare" />
		</div>
	);
}
