// Sign-in stands above the page that needs it, so that nothing typed there is lost.

import { useState } from "preact/hooks";
import { apiError, call, setToken, signedOut } from "../api";
import { changedSomething } from "../data";
import { t } from "../i18n";
import { base, go } from "../route";
import { session, signIn, signInFirst } from "../session";
import { Button } from "../parts/basic";
import { Dialog } from "../parts/dialog";
import { Field } from "../parts/form";
import { Page, Panel } from "../parts/page";

// why returns the reason in the reader's words.
function why(e: unknown): string {
	const { status, message } = apiError(e);
	return status === 401 ? t("login.refused") : message;
}

export function Login() {
	const [byToken, setByToken] = useState(false);
	const [name, setName] = useState("");
	const [secret, setSecret] = useState("");
	const [error, setError] = useState<string>();
	const [busy, setBusy] = useState(false);
	const oidc = session.value?.oidc;
	const submit = async (e: Event) => {
		e.preventDefault();
		setBusy(true);
		setError(undefined);
		try {
			if (byToken) {
				setToken(secret.trim());
				await call("GET /nodes", {});
				signedOut.value = false;
			} else await signIn(name.trim(), secret);
			changedSomething();
		} catch (e) {
			if (byToken) setToken("");
			setError(byToken && apiError(e).status === 401 ? t("login.wrong") : why(e));
		}
		setBusy(false);
	};
	return (
		<Dialog title={t("login.action")} onClose={() => {}} fixed>
			<form onSubmit={submit} class="login">
				<div class="dialog-body">
					{session.value?.setup && <p class="muted">{t("login.setup")}</p>}
					{!byToken && (
						<Field label={t("login.name")}>
							<input autocomplete="username" value={name} onInput={(e) => setName(e.currentTarget.value)} autofocus />
						</Field>
					)}
					<Field key={String(byToken)} label={t(byToken ? "login.token" : "field.password")} help={byToken ? t("login.tokenHelp") : undefined} error={error}>
						<input type="password" autocomplete="current-password" value={secret} onInput={(e) => setSecret(e.currentTarget.value)} />
					</Field>
					{session.value && !session.value.secure && location.hostname !== "127.0.0.1" && location.hostname !== "localhost" && <p class="late">{t("login.plain")}</p>}
				</div>
				<footer class="dialog-foot">
					<Button
						tone="quiet"
						onClick={() => {
							setByToken(!byToken);
							setSecret("");
							setError(undefined);
						}}
					>
						{t(byToken ? "login.byName" : "login.byToken")}
					</Button>
					{oidc && (
						<a class="button" href={new URL("../api/v1/login/oidc", base).href} target="_self">
							{t("login.oidc", { name: oidc })}
						</a>
					)}
					<Button type="submit" tone="primary" busy={busy} disabled={!secret.trim() || (!byToken && !name.trim())}>
						{t("login.action")}
					</Button>
				</footer>
			</form>
		</Dialog>
	);
}

// The secret of the one-time link leaves the address at once, and so the browser's history.
const link = /^#secret=(.+)$/.exec(location.hash)?.[1] ?? "";
if (link && location.pathname.endsWith("/setup")) history.replaceState(null, "", location.pathname);

// Setup creates the first user.
export function Setup() {
	const [name, setName] = useState("");
	const [password, setPassword] = useState("");
	const [again, setAgain] = useState("");
	const [wrong, setWrong] = useState<{ field?: string; text: string }>();
	const [busy, setBusy] = useState(false);
	const at = (field: string) => (wrong?.field === field ? wrong.text : undefined);
	const submit = async (e: Event) => {
		e.preventDefault();
		if (password !== again) return setWrong({ field: "again", text: t("setup.differ") });
		setBusy(true);
		setWrong(undefined);
		try {
			await signInFirst(link, name.trim(), password);
			changedSomething();
			go("");
		} catch (e) {
			const { field, message } = apiError(e);
			setWrong({ field: field === "token" ? undefined : field, text: message });
		}
		setBusy(false);
	};
	return (
		<Page title={t("setup.title")}>
			<Panel>
				<form class="form narrow" onSubmit={submit}>
					<p class="muted">{t("setup.text")}</p>
					<Field label={t("login.name")} error={at("name")} required>
						<input autocomplete="username" maxLength={50} value={name} onInput={(e) => setName(e.currentTarget.value)} />
					</Field>
					<Field label={t("field.password")} error={at("password")} help={t("setup.passwordHelp")} required>
						<input type="password" autocomplete="new-password" value={password} onInput={(e) => setPassword(e.currentTarget.value)} />
					</Field>
					<Field label={t("setup.again")} error={at("again")} required>
						<input type="password" autocomplete="new-password" value={again} onInput={(e) => setAgain(e.currentTarget.value)} />
					</Field>
					<div class="form-foot">
						{wrong && !["name", "password", "again"].includes(wrong.field ?? "") && <p class="field-error" role="alert">{wrong.text}</p>}
						<Button type="submit" tone="primary" busy={busy}>{t("setup.action")}</Button>
					</div>
				</form>
			</Panel>
		</Page>
	);
}
