// The console: chooses the page that the address names.

import { render, type ComponentChild } from "preact";
import { effect } from "@preact/signals";
import { signedOut } from "./api";
import { learnZone } from "./time";
import { t } from "./i18n";
import { keysOpen, paletteOpen } from "./keys";
import { href, match, path, query } from "./route";
import { Empty } from "./parts/basic";
import { Frame } from "./parts/frame";
import { Page } from "./parts/page";
import { Keys, Palette } from "./parts/palette";
import { Toasts } from "./parts/toast";
import { Api } from "./pages/api";
import { Audit } from "./pages/audit";
import { Executors } from "./pages/executors";
import { Forecast } from "./pages/forecast";
import { Graph } from "./pages/graph";
import { Group } from "./pages/group";
import { Help } from "./pages/help";
import { Job } from "./pages/job";
import { EditJob, NewJob } from "./pages/jobform";
import { Jobs } from "./pages/jobs";
import { Login, Setup } from "./pages/login";
import { Me } from "./pages/me";
import { Nodes } from "./pages/nodes";
import { Overview } from "./pages/overview";
import { Run } from "./pages/run";
import { Runs } from "./pages/runs";
import { Settings } from "./pages/settings";
import { Transfer } from "./pages/transfer";
import { Users } from "./pages/users";

type Show = (params: Record<string, string>) => ComponentChild;

// routes are tried in order.
const routes: [pattern: string, show: Show][] = [
	["", () => <Overview />],
	["jobs", () => <Jobs />],
	["jobs/new", () => <NewJob key={query.value.toString()} />],
	["jobs/:id", ({ id }) => <Job key={id} id={Number(id)} tab="" />],
	["jobs/:id/edit", ({ id }) => <EditJob key={id} id={Number(id)} />],
	["jobs/:id/runs", ({ id }) => <Job key={id} id={Number(id)} tab="runs" />],
	["jobs/:id/timeline", ({ id }) => <Job key={id} id={Number(id)} tab="timeline" />],
	["jobs/:id/why", ({ id }) => <Job key={id} id={Number(id)} tab="why" />],
	["jobs/:id/code", ({ id }) => <Job key={id} id={Number(id)} tab="code" />],
	["jobs/:id/misfires", ({ id }) => <Job key={id} id={Number(id)} tab="misfires" />],
	["jobs/:id/changes", ({ id }) => <Job key={id} id={Number(id)} tab="changes" />],
	["runs", () => <Runs />],
	["runs/:id", ({ id }) => <Run key={id} id={Number(id)} />],
	["forecast", () => <Forecast />],
	["graph", () => <Graph />],
	["executors", () => <Executors />],
	["executors/:id", ({ id }) => <Group key={id} id={Number(id)} />],
	["nodes", () => <Nodes />],
	["audit", () => <Audit />],
	["users", () => <Users />],
	["settings", () => <Settings />],
	["transfer", () => <Transfer />],
	["me", () => <Me />],
	["api", () => <Api />],
	["help", () => <Help />],
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

function App() {
	return (
		<>
			<Frame>
				<Chosen />
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
