// The console: chooses the page that the address names.

import { render, type ComponentChild } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { effect } from "@preact/signals";
import { signedOut } from "./api";
import { learnZone } from "./time";
import { t } from "./i18n";
import { keysOpen, paletteOpen } from "./keys";
import { later } from "./later";
import { href, jobTabs, match, path, query } from "./route";
import { Empty } from "./parts/basic";
import { Frame } from "./parts/frame";
import { Page } from "./parts/page";
import { Keys, Palette } from "./parts/palette";
import { Toasts } from "./parts/toast";
import { Jobs } from "./pages/jobs";
import { Login, Setup } from "./pages/login";
import { Overview } from "./pages/overview";
import { Runs } from "./pages/runs";

type Show = (params: Record<string, string>) => ComponentChild;

// routes are tried in order.
const routes: [pattern: string, show: Show][] = [
	["", () => <Overview />],
	["jobs", () => <Jobs />],
	["jobs/new", later((pages) => <pages.NewJob key={query.value.toString()} />)],
	...jobTabs.map((tab): [string, Show] => ["jobs/:id" + (tab && "/" + tab), later((pages, { id }) => <pages.Job key={id} id={Number(id)} tab={tab} />)]),
	["jobs/:id/edit", later((pages, { id }) => <pages.EditJob key={id} id={Number(id)} />)],
	["runs", () => <Runs />],
	["runs/:id", later((pages, { id }) => <pages.Run key={id} id={Number(id)} />)],
	["forecast", later((pages) => <pages.Forecast />)],
	["graph", later((pages) => <pages.Graph />)],
	["executors", later((pages) => <pages.Executors />)],
	["executors/:id", later((pages, { id }) => <pages.Group key={id} id={Number(id)} />)],
	["nodes", later((pages) => <pages.Nodes />)],
	["audit", later((pages) => <pages.Audit />)],
	["users", later((pages) => <pages.Users />)],
	["settings", later((pages) => <pages.Settings />)],
	["transfer", later((pages) => <pages.Transfer />)],
	["me", later((pages) => <pages.Me />)],
	["api", later((pages) => <pages.Api />)],
	["help", later((pages) => <pages.Help />)],
	["login", () => <Overview />],
	["setup", () => <Setup />],
];

function Chosen() {
	for (const [pattern, show] of routes) {
		const params = match(pattern, path.value);
		if (params) return <>{show(params)}</>;
	}
	return (
		<Page title={t("notFound.title")}>
			<Empty icon="search" title={t("notFound.text")}>
				<a href={href("")}>{t("notFound.back")}</a>
			</Empty>
		</Page>
	);
}

// Guarded shows what went wrong in place of a page that fails, until the address changes.
function Guarded({ children }: { children: ComponentChild }) {
	const [error, reset] = useErrorBoundary();
	useEffect(() => reset, [path.value, query.value]);
	if (!error) return <>{children}</>;
	return (
		<Page title={t("error.internal")}>
			<Empty icon="warn" title={String(error)}>
				<a href={href("")}>{t("notFound.back")}</a>
			</Empty>
		</Page>
	);
}

function App() {
	return (
		<>
			<Frame>
				<Guarded>
					<Chosen />
				</Guarded>
			</Frame>
			{signedOut.value && path.value !== "setup" && <Login />}
			{paletteOpen.value && <Palette />}
			{keysOpen.value && <Keys />}
			<Toasts />
		</>
	);
}

// The zone is asked for again after a sign-in.
effect(() => {
	if (!signedOut.value) void learnZone();
});

render(<App />, document.body);
