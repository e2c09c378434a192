// The user who calls: roles, password, sessions and personal tokens.

import { useState } from "preact/hooks";
import { apiError, call, type Credential } from "../api";
import { changedSomething, useCall } from "../data";
import { t, word } from "../i18n";
import { session } from "../session";
import { Button, Empty, Fact, Facts, Pending, Tag, Time, Waiting } from "../parts/basic";
import { Confirm } from "../parts/dialog";
import { Field } from "../parts/form";
import { Roles } from "../parts/grants";
import { Page, Panel } from "../parts/page";
import { Table } from "../parts/table";
import { tell } from "../parts/toast";
import { useGroups } from "./jobwords";
import { SecretDialog, TokenDialog } from "./newtoken";

export function Me() {
	const s = session.value;
	if (!s) return <Page title={t("nav.me")}><Waiting /></Page>;
	// Callers that are no users have nothing of their own.
	if (!s.name) return <Page title={t("nav.me")}><Panel><Empty icon="user" title={t("me.noUser")}>{t("me.noUserText")}</Empty></Panel></Page>;
	return <Mine session={s.kind === "user"} />;
}

function Mine({ session: signedIn }: { session: boolean }) {
	const me = useCall("GET /me", {});
	const sessions = useCall("GET /me/sessions", {});
	if (!me.data) return <Page title={t("nav.me")}><Pending call={me} /></Page>;
	return (
		<Page title={t("nav.me")} wide>
			<Panel>
				<Facts>
					<Fact name={t("login.name")}>{me.data.name}</Fact>
					<Fact name={t("field.grants")}><Roles grants={me.data.grants} /></Fact>
					<Fact name={t("field.password")}>{t(me.data.hasPassword ? "me.passwordSet" : "users.noPassword")}</Fact>
				</Facts>
			</Panel>
			<Tokens mayCreate={signedIn} />
			<Panel flush title={t("me.sessions")}>
				<Table label={t("me.sessions")} rows={sessions.data?.credentials} id={(c) => c.id} error={sessions.error} retry={sessions.reload}
					empty={<Empty icon="user" title={t("me.noSessions")} />}
					columns={[
						{
							head: t("group.address"), grow: true,
							cell: (c) => (
								<>
									<span class="row-main"><code>{c.address}</code>{c.current && <Tag tone="accent">{t("me.current")}</Tag>}</span>
									<span class="row-under"><Time at={c.addTime} relative /></span>
								</>
							),
						},
						{ head: t("me.begun"), from: "mid", end: true, cell: (c) => <Time at={c.addTime} relative /> },
						{ head: t("me.used"), from: "wide", end: true, cell: (c) => <Time at={c.usedTime} relative /> },
						{ head: t("field.expires"), from: "mid", end: true, cell: (c) => <Time at={c.expires} relative /> },
						{ head: t("list.actions"), hidden: true, end: true, cell: (c) => <End of={c} /> },
					]} />
			</Panel>
			{signedIn && me.data.hasPassword && <PasswordPanel />}
		</Page>
	);
}

// End ends a session; that of this page is ended by signing out.
function End({ of: c }: { of: Credential }) {
	const [ask, setAsk] = useState(false);
	if (c.current) return null;
	return (
		<>
			<Button tone="quiet" icon="remove" aria-label={t("me.end", { from: c.address ?? "" })} onClick={() => setAsk(true)} />
			{ask && (
				<Confirm title={t("me.end", { from: c.address ?? "" })} action={t("me.endAction")} danger onClose={() => setAsk(false)}
					onConfirm={async () => {
						await call("DELETE /me/sessions/{id}", { id: c.id });
						tell(t("me.ended"));
						changedSomething();
					}}>
					<p>{t("me.endText")}</p>
				</Confirm>
			)}
		</>
	);
}

function Tokens({ mayCreate }: { mayCreate: boolean }) {
	const tokens = useCall("GET /tokens", {});
	const groups = useGroups();
	const [add, setAdd] = useState(false);
	const [secret, setSecret] = useState("");
	const [remove, setRemove] = useState<Credential>();
	const scope = (c: Credential) => `${c.role ? word("role", c.role) : t("token.allRoles")} · ${c.groups?.map(groups.name).join(", ") || t("token.allGroups")}`;
	return (
		<Panel flush title={t("me.tokens")} beside={mayCreate && <Button icon="add" onClick={() => setAdd(true)}>{t("token.new")}</Button>}>
			<Table label={t("me.tokens")} rows={tokens.data?.credentials} id={(c) => c.id} error={tokens.error} retry={tokens.reload}
				empty={<Empty icon="code" title={t("token.none")}>{t("token.noneText")}</Empty>}
				columns={[
					{
						head: t("token.name"), grow: true,
						cell: (c) => (
							<>
								<span class="row-main"><b class="cut">{c.name}</b></span>
								<span class="row-under is-note">{scope(c)}</span>
								<span class="row-under"><Time at={c.expires} relative /></span>
							</>
						),
					},
					{ head: t("me.used"), from: "wide", end: true, cell: (c) => <Time at={c.usedTime} relative /> },
					{ head: t("field.expires"), from: "mid", end: true, cell: (c) => <Time at={c.expires} relative /> },
					{ head: t("list.actions"), hidden: true, end: true, cell: (c) => <Button tone="quiet" icon="remove" aria-label={t("token.revoke", { name: c.name ?? "" })} onClick={() => setRemove(c)} /> },
				]} />
			{add && <TokenDialog onClose={() => setAdd(false)} onCreated={setSecret} />}
			{secret && !add && <SecretDialog secret={secret} onClose={() => setSecret("")} />}
			{remove && (
				<Confirm title={t("token.revoke", { name: remove.name ?? "" })} action={t("token.revokeAction")} danger onClose={() => setRemove(undefined)}
					onConfirm={async () => {
						await call("DELETE /tokens/{id}", { id: remove.id });
						tell(t("group.removed", { name: remove.name ?? "" }));
						changedSomething();
					}}>
					<p>{t("token.revokeText")}</p>
				</Confirm>
			)}
		</Panel>
	);
}

function PasswordPanel() {
	const empty = { old: "", new: "", again: "" };
	const [fields, setFields] = useState(empty);
	const [wrong, setWrong] = useState<{ field?: string; text: string }>();
	const [busy, setBusy] = useState(false);
	const submit = async (e: Event) => {
		e.preventDefault();
		if (fields.new !== fields.again) return setWrong({ field: "again", text: t("setup.differ") });
		setBusy(true);
		setWrong(undefined);
		try {
			await call("PUT /me/password", {}, { old: fields.old, new: fields.new });
			setFields(empty);
			tell(t("me.changed"));
			changedSomething();
		} catch (e) {
			const { field, message } = apiError(e);
			setWrong({ field: field === "password" ? "new" : field, text: message });
		}
		setBusy(false);
	};
	const input = (name: keyof typeof empty, label: string, help?: string) => (
		<Field label={label} required help={help} error={wrong?.field === name ? wrong.text : undefined}>
			<input type="password" autocomplete={name === "old" ? "current-password" : "new-password"} value={fields[name]} onInput={(e) => setFields({ ...fields, [name]: e.currentTarget.value })} />
		</Field>
	);
	return (
		<Panel title={t("me.password")}>
			<form class="form narrow" onSubmit={submit}>
				{input("old", t("me.old"))}
				{input("new", t("me.new"), t("setup.passwordHelp"))}
				{input("again", t("setup.again"))}
				<div class="form-foot">
					{wrong && !(wrong.field! in fields) && <p class="field-error" role="alert">{wrong.text}</p>}
					<Button type="submit" tone="primary" busy={busy}>{t("me.password")}</Button>
				</div>
			</form>
		</Panel>
	);
}
