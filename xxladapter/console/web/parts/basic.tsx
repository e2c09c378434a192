// The smallest parts: times, statuses, switches, and what stands in place of data.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api";
import { number, t, word, type Key } from "../i18n";
import { ago, brief, browserZone, instant, now, offset, storeZone, zone } from "../time";
import { Icon, type IconName } from "./icons";

// Time shows an instant in a zone, which is the page's if none is given; its title has that zone and
// the browser's.
export function Time({ at, relative, zone: own = zone.value }: { at?: string; relative?: boolean; zone?: string }) {
	if (!at) return <Nothing />;
	const date = new Date(at);
	let title = instant(date, own);
	if (own && own !== browserZone) title += `\n${browserZone}: ${instant(date, browserZone)}`;
	return (
		<time dateTime={at} title={title}>
			{brief(date, own)}
			{relative && <small>{ago(date)}</small>}
		</time>
	);
}

// InZone names the zone of a job, in which its page shows times, and the browser's where its clock
// shows another time.
export function InZone({ name }: { name: string }) {
	const at = new Date(now.peek());
	const own = offset(at, name || storeZone.value), theirs = offset(at, browserZone);
	return (
		<>
			{name && <span title={t("job.inZone")}><Tag>{name} {own}</Tag></span>}
			{own !== theirs && <Tag>{t("time.yours")} {theirs}</Tag>}
		</>
	);
}

export function Count({ n }: { n: number }) {
	return <span class="num">{number(n)}</span>;
}

const marks: Record<string, IconName> = { SUCCESS: "check", FAIL: "fail", RUNNING: "run", WARN: "warn", IDLE: "pause" };

// Status shows a result by mark, word and colour, never by colour alone.
export function Status({ is, text }: { is: string; text?: string }) {
	return (
		<span class={"status is-" + is.toLowerCase()}>
			<Icon name={marks[is] ?? "clock"} />
			{text ?? word("status", is)}
		</span>
	);
}

// Tag is a short word; its title has what the space cuts.
export function Tag({ children, tone, title }: { children: ComponentChildren; tone?: "warn" | "accent"; title?: string }) {
	return <span class={"tag" + (tone ? " is-" + tone : "")} title={title ?? (typeof children === "string" ? children : undefined)}>{children}</span>;
}

// Check is a checkbox with its label.
export function Check({ on, set, children }: { on: boolean; set: (on: boolean) => void; children: ComponentChildren }) {
	return (
		<label class="check">
			<input type="checkbox" checked={on} onChange={(e) => set(e.currentTarget.checked)} />
			{children}
		</label>
	);
}

// Checks has a checkbox for each of several values; set is called with those that are chosen.
export function Checks<T>({ of, chosen, set, label }: { of: readonly T[]; chosen: T[]; set: (chosen: T[]) => void; label: (value: T) => ComponentChildren }) {
	return (
		<>
			{of.map((value) => (
				<Check key={String(value)} on={chosen.includes(value)} set={(on) => set(on ? [...chosen, value] : chosen.filter((c) => c !== value))}>
					{label(value)}
				</Check>
			))}
		</>
	);
}

export function Mono({ children }: { children: ComponentChildren }) {
	return <code class="mono">{children}</code>;
}

interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "icon"> {
	icon?: IconName;
	tone?: "primary" | "danger" | "quiet";
	busy?: boolean;
	children?: ComponentChildren;
	// shortcut presses the button; see keys.ts.
	shortcut?: string;
}

export function Button({ icon, tone, busy, children, shortcut, ...rest }: ButtonProps) {
	const label = rest["aria-label"];
	return (
		<button
			type="button"
			{...rest}
			disabled={rest.disabled || busy}
			class={"button" + (tone ? " is-" + tone : "") + (children ? "" : " is-icon")}
			data-key={shortcut}
			title={rest.title ?? (shortcut && label ? `${label} (${shortcut})` : (label as string | undefined))}
		>
			{icon && <Icon name={icon} />}
			{children}
		</button>
	);
}

// LinkButton is a link that looks like a button: it leads somewhere and changes nothing.
export function LinkButton({ icon, tone, to, children, shortcut, label }: { icon?: IconName; tone?: "primary" | "quiet"; to: string; children?: ComponentChildren; shortcut?: string; label?: string }) {
	return (
		<a class={"button" + (tone ? " is-" + tone : "") + (children ? "" : " is-icon")} href={to} data-key={shortcut} aria-label={label} title={label}>
			{icon && <Icon name={icon} />}
			{children}
		</a>
	);
}

export function Switch({ on, label, busy, disabled, onChange }: { on: boolean; label: string; busy?: boolean; disabled?: boolean; onChange: (on: boolean) => void }) {
	return <button type="button" class="switch" role="switch" aria-checked={on} aria-label={label} aria-busy={busy} disabled={busy || disabled} onClick={() => onChange(!on)} />;
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
	return (
		<div class="empty">
			<Icon name={icon} />
			<p class="empty-title">{title}</p>
			{children && <div class="empty-text">{children}</div>}
		</div>
	);
}

// Failure stands where data would be, with a way to try again.
export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
	const key = ("error." + error.code) as Key;
	const titles: Key[] = ["error.not_found", "error.forbidden", "error.unauthorized", "error.unreachable", "error.conflict", "error.invalid"];
	return (
		<div class="empty is-failure" role="alert">
			<Icon name="warn" />
			<p class="empty-title">{t(titles.includes(key) ? key : "error.internal")}</p>
			<p class="empty-text">{error.message}</p>
			{retry && error.code !== "not_found" && (
				<Button icon="reload" onClick={retry}>
					{t("action.retry")}
				</Button>
			)}
		</div>
	);
}

// quiet is the time between two texts that one Spoken gives a screen reader, in ms.
const quiet = 5e3;

// Spoken gives screen readers a text that changes by itself. If it changes several times within
// five seconds, only the last text is given.
export function Spoken({ text }: { text: string }) {
	const [said, say] = useState("");
	const at = useRef(-quiet);
	useEffect(() => {
		const timer = setTimeout(() => {
			at.current = performance.now();
			say(text);
		}, at.current + quiet - performance.now());
		return () => clearTimeout(timer);
	}, [text]);
	return <span class="spoken" role="status">{said}</span>;
}

// Waiting keeps the place of rows that are loaded.
export function Waiting({ rows = 6 }: { rows?: number }) {
	return (
		<div class="waiting" role="status" aria-label={t("state.loading")}>
			{Array.from({ length: rows }, (_, i) => (
				<span key={i} />
			))}
		</div>
	);
}

// Pending stands for what a call has not brought: it waits, or says why there is nothing.
export function Pending({ call }: { call: { error?: ApiError; reload: () => void } }) {
	return call.error ? <Failure error={call.error} retry={call.reload} /> : <Waiting />;
}

// Nothing stands where a value is missing.
export const Nothing = () => <span class="none">–</span>;

export function Facts({ children }: { children: ComponentChildren }) {
	return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}
