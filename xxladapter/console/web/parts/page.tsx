// The head of each page, its panels and its tabs.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useTitle } from "../data";
import { t } from "../i18n";
import { lang } from "../prefs";

interface PageProps {
	title: string;
	// above leads to the page that this one belongs to.
	above?: { to: string; text: string };
	beside?: ComponentChildren;
	actions?: ComponentChildren;
	children: ComponentChildren;
	wide?: boolean;
}

export function Page({ title, above, beside, actions, children, wide }: PageProps) {
	useTitle(title);
	return (
		<main id="main" class={wide ? "page is-wide" : "page"}>
			<header class="page-head">
				<div class="page-title">
					{above && (
						<nav aria-label={t("frame.above")} class="crumb">
							<a href={above.to}>{above.text}</a>
							<span aria-hidden="true">/</span>
						</nav>
					)}
					<h1 tabIndex={-1} title={title}>
						{title}
					</h1>
					{beside}
				</div>
				{actions && <div class="actions">{actions}</div>}
			</header>
			{children}
		</main>
	);
}

export function Panel({ title, beside, children, flush }: { title?: string; beside?: ComponentChildren; children: ComponentChildren; flush?: boolean }) {
	return (
		<section class={"panel" + (flush ? " is-flush" : "")} aria-label={title}>
			{title && (
				<header class="panel-head">
					<h2>{title}</h2>
					{beside}
				</header>
			)}
			<div class="panel-body">{children}</div>
		</section>
	);
}

export function Tabs({ label, tabs, current }: { label: string; tabs: { id: string; to: string; text: string; count?: number }[]; current: string }) {
	// Where the tabs are wider than the window, the current one is moved into view, and again when the
	// window or the language changes.
	const bar = useRef<HTMLElement>(null);
	useEffect(() => {
		const watch = new ResizeObserver(([of]) => {
			const at = of!.target.querySelector<HTMLElement>("[aria-current]");
			if (at) of!.target.scrollLeft = at.offsetLeft + at.offsetWidth - of!.target.clientWidth;
		});
		watch.observe(bar.current!); // calls once now
		return () => watch.disconnect();
	}, [current, lang.value]);
	return (
		<nav class="tabs" aria-label={label} ref={bar}>
			{tabs.map((tab) => (
				<a key={tab.id} href={tab.to} aria-current={tab.id === current ? "page" : undefined}>
					{tab.text}
					{tab.count !== undefined && <span class="tab-count">{tab.count}</span>}
				</a>
			))}
		</nav>
	);
}
