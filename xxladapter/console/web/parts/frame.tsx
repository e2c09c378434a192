// The frame around all pages: rail, search, clock, health, language, theme.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hasToken, offline, signedOut } from "../api";
import { refused } from "../data";
import { t, type Key } from "../i18n";
import { live } from "../live";
import { keysOpen, paletteOpen } from "../keys";
import { lang, theme, type Theme } from "../prefs";
import { href, path } from "../route";
import { may, session, signOut } from "../session";
import { tellError } from "./toast";
import { clock, day, now, offset, storeZone } from "../time";
import { Button } from "./basic";
import { Icon, Logo, type IconName } from "./icons";

// everyPlace has the pages of the rail; places leaves out those that the caller may not read.
const everyPlace: { to: string; icon: IconName; text: Key; shown?: () => boolean }[] = [
	{ to: "", icon: "overview", text: "nav.overview" },
	{ to: "jobs", icon: "jobs", text: "nav.jobs" },
	{ to: "runs", icon: "runs", text: "job.tabRuns" },
	{ to: "forecast", icon: "forecast", text: "nav.forecast" },
	{ to: "graph", icon: "graph", text: "nav.graph" },
	{ to: "executors", icon: "executors", text: "nav.executors" },
	{ to: "nodes", icon: "nodes", text: "nav.nodes" },
	{ to: "audit", icon: "audit", text: "nav.audit", shown: () => may("viewer", 0) },
	{ to: "transfer", icon: "transfer", text: "nav.transfer" },
	{ to: "users", icon: "users", text: "nav.users", shown: () => may("admin", 0) },
	{ to: "settings", icon: "settings", text: "nav.settings" },
	{ to: "me", icon: "user", text: "nav.me", shown: () => !!session.value?.name },
	{ to: "api", icon: "api", text: "nav.api" },
	{ to: "help", icon: "help", text: "nav.help" },
];
export const places = () => everyPlace.filter((p) => !p.shown || p.shown());

function isAt(to: string): boolean {
	return to === "" ? path.value === "" : path.value === to || path.value.startsWith(to + "/");
}

function Rail({ open, close }: { open: boolean; close: () => void }) {
	return (
		<nav class={open ? "rail is-open" : "rail"} aria-label={t("frame.main")}>
			<a class="brand" href={href("")} aria-label="xxlwheel" onClick={close}>
				<Logo />
				<span class="rail-text">xxlwheel</span>
			</a>
			<div class="rail-list">
				{places().map((p) => (
					<a key={p.to} href={href(p.to)} title={t(p.text)} aria-current={isAt(p.to) ? "page" : undefined} onClick={close}>
						<Icon name={p.icon} />
						<span class="rail-text">{t(p.text)}</span>
					</a>
				))}
			</div>
		</nav>
	);
}

function Clock() {
	const at = new Date(now.value);
	const own = storeZone.value;
	return (
		<span class="clock" title={t("frame.clock", { zone: own || offset(at, own) })}>
			<span class="clock-day">{day(at, own)}</span> {clock(at, own)} <span class="clock-zone">{own || offset(at, own)}</span>
		</span>
	);
}

const themes: Theme[] = ["system", "light", "dark"];

function Top({ open, menu }: { open: boolean; menu: () => void }) {
	const nextTheme = themes[(themes.indexOf(theme.value) + 1) % themes.length] as Theme;
	return (
		<header class="top">
			<span class="top-menu">
				<Button icon="menu" tone="quiet" aria-label={t("frame.menu")} aria-expanded={open} onClick={menu} />
			</span>
			<button type="button" class="seek" aria-label={t("frame.search")} onClick={() => (paletteOpen.value = true)}>
				<Icon name="search" />
				<span class="seek-text">{t("frame.search")}</span>
			</button>
			<span class="top-end">
				<Clock />
				<span class={offline.value ? "health is-fail" : "health is-success"} data-live={live.value} role="img" aria-label={t(offline.value ? "state.offline" : "state.online")} title={t(offline.value ? "state.offline" : "state.online")} />
				<button type="button" class="button is-quiet lang" lang={lang.value === "en" ? "zh-CN" : "en"} aria-label={lang.value === "en" ? "中文: 切换语言" : "EN: switch language"} onClick={() => (lang.value = lang.value === "en" ? "zh-CN" : "en")}>
					{lang.value === "en" ? "中文" : "EN"}
				</button>
				<Button icon={theme.value} tone="quiet" aria-label={t("frame.theme", { theme: t(`theme.${theme.value}`) })} onClick={() => (theme.value = nextTheme)} />
				<span class="top-help">
					<Button icon="help" tone="quiet" aria-label={t("frame.keys")} onClick={() => (keysOpen.value = true)} />
				</span>
				{(hasToken() || session.value?.kind === "user") && !signedOut.value && (
					<>
						{session.value?.name && <a class="who" href={href("me")}>{session.value.name}</a>}
						<Button icon="leave" tone="quiet" aria-label={t("frame.signout")} onClick={() => signOut().catch(tellError)} />
					</>
				)}
			</span>
		</header>
	);
}

export function Frame({ children }: { children: ComponentChildren }) {
	const [open, setOpen] = useState(false);
	useEffect(() => {
		const escape = (e: KeyboardEvent) => e.key === "Escape" && setOpen(false);
		addEventListener("keydown", escape);
		return () => removeEventListener("keydown", escape);
	}, []);
	return (
		<div class="frame">
			<a class="skip" href="#main">
				{t("frame.skip")}
			</a>
			<Rail open={open} close={() => setOpen(false)} />
			{open && <div class="veil" onClick={() => setOpen(false)} />}
			<div class="body">
				<Top open={open} menu={() => setOpen(!open)} />
				{(offline.value || refused.value) && (
					<p class="banner" role="status">
						<Icon name="warn" />
						<b>{offline.value ? t("state.offline") : refused.value!.message}</b>
						{t("state.last")}
					</p>
				)}
				{children}
			</div>
		</div>
	);
}
