// Users: who may sign in, and what each may do in which group.

import { useState } from "preact/hooks";
import { apiError, call, type ApiError, type Grant, type User } from "../api";
import { changedSomething, useCall } from "../data";
import { t } from "../i18n";
import { askSession, roles, session } from "../session";
import { Button, Empty, Tag, Time } from "../parts/basic";
import { Confirm } from "../parts/dialog";
import { Field } from "../parts/form";
import { GrantFields, Roles } from "../parts/grants";
import { Page, Panel } from "../parts/page";
import { Search, Table } from "../parts/table";
import { tell } from "../parts/toast";

// The dialog that is open; add has no user yet.
type Doing = { is: "add" } | { is: "edit" | "password" | "remove"; user: User };

export function Users() {
	const users = useCall("GET /users", {});
	const [doing, setDoing] = useState<Doing>();
	const close = () => setDoing(undefined);
	const [text, setText] = useState("");
	const [role, setRole] = useState("");
	const rows = users.data?.users.filter((u) => (u.name ?? "").toLowerCase().includes(text.toLowerCase()) && (!role || u.grants?.some((g) => g.role === role)));
	const name = (u: User) => ({ name: u.name ?? "" });
	return (
		<Page title={t("nav.users")} wide actions={<Button icon="add" tone="primary" disabled={!users.data} onClick={() => setDoing({ is: "add" })}>{t("users.new")}</Button>}>
			<Search label={t("users.search")} text={text} set={setText}>
				<select aria-label={t("roles.one")} value={role} onChange={(e) => setRole(e.currentTarget.value)}>
					<option value="">{t("users.anyRole")}</option>
					{roles.map((r) => <option key={r} value={r}>{t(`role.${r}`)}</option>)}
				</select>
			</Search>
			<Panel flush>
				<Table label={t("nav.users")} rows={rows} id={(u) => u.id!} error={users.error} retry={users.reload}
					empty={text || role ? <Empty icon="filter" title={t("list.noneMatch")} /> : <Empty icon="users" title={t("users.none")}>{t("users.noneText")}</Empty>}
					columns={[
						{
							head: t("login.name"), share: true,
							cell: (u) => (
								<>
									<span class="row-main">
										<button type="button" class="sort row-link" onClick={() => setDoing({ is: "edit", user: u })}><b>{u.name}</b></button>
										{u.name === session.value?.name && <Tag>{t("users.you")}</Tag>}
									</span>
									<span class="row-under"><Roles grants={u.grants ?? []} /></span>
								</>
							),
						},
						{ head: t("field.grants"), from: "mid", share: true, cell: (u) => <Roles grants={u.grants ?? []} /> },
						{ head: t("users.signIn"), from: "wide", cell: (u) => t(u.provider ? "users.provider" : u.hasPassword ? "field.password" : "users.noPassword") },
						{ head: t("fact.added"), from: "wide", end: true, cell: (u) => <Time at={u.addTime} relative /> },
						{
							head: t("list.actions"), hidden: true, end: true,
							cell: (u) => (
								<span class="row-actions">
									<Button icon="edit" tone="quiet" shortcut="e" aria-label={t("users.edit", name(u))} onClick={() => setDoing({ is: "edit", user: u })} />
									<Button icon="key" tone="quiet" aria-label={t("users.password", name(u))} onClick={() => setDoing({ is: "password", user: u })} />
									<Button icon="remove" tone="quiet" aria-label={t("calendar.remove", name(u))} onClick={() => setDoing({ is: "remove", user: u })} />
								</span>
							),
						},
					]} />
			</Panel>
			{doing?.is === "add" && <UserDialog first={users.data?.users.length === 0} onClose={close} />}
			{doing?.is === "edit" && <UserDialog user={doing.user} onClose={close} />}
			{doing?.is === "password" && <PasswordDialog user={doing.user} onClose={close} />}
			{doing?.is === "remove" && (
				<Confirm title={t("calendar.remove", name(doing.user))} action={t("bulk.delete")} danger onClose={close}
					onConfirm={async () => {
						await call("DELETE /users/{id}", { id: doing.user.id! });
						tell(t("group.removed", name(doing.user)));
						changedSomething();
					}}>
					<p>{t("users.removeText")}</p>
				</Confirm>
			)}
		</Page>
	);
}

// UserDialog creates a user, or changes the roles of one.
function UserDialog({ user, first, onClose }: { user?: User; first?: boolean; onClose: () => void }) {
	const [name, setName] = useState("");
	const [password, setPassword] = useState("");
	const [grants, setGrants] = useState<Grant[]>(user?.grants ?? [{ jobGroup: 0, role: first ? "admin" : "viewer" }]);
	const [wrong, setWrong] = useState<ApiError>();
	const at = (field: string) => (wrong?.field === field ? wrong.message : undefined);
	const save = async () => {
		try {
			if (user) await call("PUT /users/{id}", { id: user.id! }, { grants });
			else await call("POST /users", {}, { name: name.trim(), password, grants });
		} catch (e) {
			setWrong(apiError(e));
			throw e;
		}
		tell(t("form.saved", { name: user?.name ?? name.trim() }));
		if (user?.name === session.value?.name) void askSession(); // the navigation depends on the caller's roles
		changedSomething();
	};
	return (
		<Confirm title={user ? t("users.edit", { name: user.name ?? "" }) : t("users.new")} action={t(user ? "code.save" : "form.create")} onClose={onClose} onConfirm={save}>
			{!user && (
				<>
					<Field label={t("login.name")} required error={at("name")}>
						<input autocomplete="off" maxLength={50} spellcheck={false} value={name} onInput={(e) => setName(e.currentTarget.value)} />
					</Field>
					<Field label={t("field.password")} error={at("password")} help={t("users.passwordHelp")}>
						<input type="password" autocomplete="new-password" value={password} onInput={(e) => setPassword(e.currentTarget.value)} />
					</Field>
				</>
			)}
			{user?.provider && <p class="late">{t("users.providerText")}</p>}
			<GrantFields grants={grants} set={setGrants} />
		</Confirm>
	);
}

function PasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
	const [password, setPassword] = useState("");
	return (
		<Confirm title={t("users.password", { name: user.name ?? "" })} action={t("code.save")} onClose={onClose}
			onConfirm={async () => {
				await call("PUT /users/{id}", { id: user.id! }, { password });
				tell(t("form.saved", { name: user.name ?? "" }));
				changedSomething();
			}}>
			<Field label={t("me.new")} help={t("users.passwordHelp")}>
				<input type="password" autocomplete="new-password" value={password} onInput={(e) => setPassword(e.currentTarget.value)} />
			</Field>
			<p class="muted">{t("users.passwordText")}</p>
		</Confirm>
	);
}
