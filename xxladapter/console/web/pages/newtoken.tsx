// A new personal token: its rights, its expiry, and its secret, which is shown once.

import { useState } from "preact/hooks";
import { apiError, call, type ApiError, type Token } from "../api";
import { changedSomething } from "../data";
import { plural, t } from "../i18n";
import { Button, Checks } from "../parts/basic";
import { Confirm, Dialog } from "../parts/dialog";
import { Field, Select } from "../parts/form";
import { roleOptions } from "../parts/grants";
import { instant, now } from "../time";
import { copy } from "./api";
import { useGroups } from "./jobwords";

const days = [1, 7, 30, 90, 365];

export function TokenDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }) {
	const groups = useGroups();
	const [name, setName] = useState("");
	const [role, setRole] = useState("viewer");
	const [chosen, setChosen] = useState<number[]>([]);
	const [life, setLife] = useState("90");
	const [wrong, setWrong] = useState<ApiError>();
	const at = (field: string) => (wrong?.field === field ? wrong.message : undefined);
	const end = new Date(now.value + Number(life) * 86400e3);
	const create = async () => {
		const form: Token = { name: name.trim(), expires: end.toISOString() };
		if (role) form.role = role as Token["role"];
		if (chosen.length) form.groups = chosen;
		try {
			onCreated((await call("POST /tokens", {}, form)).token);
		} catch (e) {
			setWrong(apiError(e));
			throw e;
		}
		changedSomething();
	};
	return (
		<Confirm title={t("token.new")} action={t("form.create")} onClose={onClose} onConfirm={create}>
			<Field label={t("token.name")} required error={at("name")} help={t("token.nameHelp")}>
				<input maxLength={64} value={name} onInput={(e) => setName(e.currentTarget.value)} />
			</Field>
			<Field label={t("token.role")} error={at("role")}>
				<Select value={role} onChange={(e) => setRole(e.currentTarget.value)} options={[...roleOptions(), { value: "", text: t("token.allRoles") }]} />
			</Field>
			<Field label={t("field.expires")} error={at("expires")} help={instant(end)}>
				<Select value={life} onChange={(e) => setLife(e.currentTarget.value)} options={days.map((n) => ({ value: String(n), text: plural("token.days", n) }))} />
			</Field>
			<fieldset class="checks">
				<legend>{t("field.jobGroup")}</legend>
				<Checks of={[...groups.byID.keys()] as number[]} chosen={chosen} set={setChosen} label={groups.name} />
				<p class="field-help">{t("token.groupsHelp")}</p>
			</fieldset>
		</Confirm>
	);
}

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
	return (
		<Dialog title={t("token.created")} onClose={onClose} fixed>
			<div class="dialog-body">
				<Field label={t("group.token")} help={t("token.once")}>
					<input class="mono-input" readOnly value={secret} onFocus={(e) => e.currentTarget.select()} />
				</Field>
			</div>
			<footer class="dialog-foot">
				{/* Browsers offer no clipboard to pages without TLS. */}
				{navigator.clipboard && <Button icon="copy" onClick={() => copy(secret)}>{t("api.copy")}</Button>}
				<Button tone="primary" onClick={onClose}>{t("token.done")}</Button>
			</footer>
		</Dialog>
	);
}
