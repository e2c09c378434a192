// The palette finds pages and jobs by typing; the list of keys is beside it.

import { useState } from "preact/hooks";
import { useCall, useDelayed } from "../data";
import { t } from "../i18n";
import { keysOpen, paletteOpen } from "../keys";
import { singleKeys } from "../prefs";
import { go } from "../route";
import { may } from "../session";
import { Check } from "./basic";
import { Dialog } from "./dialog";
import { places } from "./frame";
import { Icon, type IconName } from "./icons";

interface Entry {
	to: string;
	icon: IconName;
	text: string;
	note: string;
}

export function Palette() {
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const wanted = useDelayed(text.trim(), 150);
	const jobs = useCall("GET /jobs", wanted ? { name: wanted, limit: 8 } : undefined);
	const close = () => (paletteOpen.value = false);
	const low = text.trim().toLowerCase();
	const entries: Entry[] = [
		...places().map((p) => ({ to: p.to, icon: p.icon, text: t(p.text), note: t("palette.page") })),
		...(may("editor") ? [{ to: "jobs/new", icon: "add" as IconName, text: t("jobs.new"), note: t("palette.action") }] : []),
	].filter((e) => !low || e.text.toLowerCase().includes(low));
	if (low) for (const j of jobs.data?.jobs ?? []) entries.push({ to: `jobs/${j.id}`, icon: "jobs", text: j.name ?? "", note: `#${j.id}` });
	const chosen = Math.min(at, entries.length - 1);
	const open = (e?: Entry) => {
		if (!e) return;
		close();
		go(e.to);
	};
	const onKey = (e: KeyboardEvent) => {
		if (e.key === "ArrowDown") setAt(Math.min(chosen + 1, entries.length - 1));
		else if (e.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
		else if (e.key === "Enter") open(entries[chosen]);
		else return;
		e.preventDefault();
	};
	return (
		<Dialog title={t("frame.search")} onClose={close}>
			<div class="palette">
				<input
					type="text" autofocus role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={entries.length ? `palette-${chosen}` : undefined}
					aria-label={t("frame.search")} placeholder={t("palette.hint")} value={text} onKeyDown={onKey}
					onInput={(e) => {
						setText(e.currentTarget.value);
						setAt(0);
					}}
				/>
				{jobs.error && <p class="field-error palette-none">{jobs.error.message}</p>}
				{entries.length > 0 ? (
					<ul id="palette-list" role="listbox" aria-label={t("frame.search")}>
						{entries.map((e, i) => (
							<li key={e.to} id={`palette-${i}`} role="option" aria-selected={i === chosen} onClick={() => open(e)} onMouseMove={() => setAt(i)}>
								<Icon name={e.icon} />
								<span class="palette-text">{e.text}</span>
								<small>{e.note}</small>
							</li>
						))}
					</ul>
				) : (
					<p id="palette-list" class="muted palette-none">{!jobs.error && t("palette.none")}</p>
				)}
			</div>
		</Dialog>
	);
}

export function Keys() {
	const rows: [string, string][] = [
		["/", t("keys.search")], ["Ctrl K", t("keys.palette")], ["j  k", t("keys.rows")], ["Enter", t("keys.open")],
		["e", t("keys.edit")], ["d", t("keys.details")], ["r", t("keys.run")], ["l", t("keys.runs")], ["x", t("keys.choose")], ["?", t("keys.list")],
	];
	return (
		<Dialog title={t("frame.keys")} onClose={() => (keysOpen.value = false)}>
			<div class="dialog-body">
				<Check on={singleKeys.value} set={(on) => (singleKeys.value = on)}>{t("keys.single")}</Check>
			</div>
			<dl class="dialog-body keys">
				{rows.map(([key, what]) => (
					<div key={key}>
						<dt>
							{key.split("  ").map((k) => (
								<kbd key={k}>{k}</kbd>
							))}
						</dt>
						<dd>{what}</dd>
					</div>
				))}
			</dl>
		</Dialog>
	);
}
