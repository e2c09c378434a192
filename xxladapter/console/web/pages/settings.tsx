// Settings: pauses, calendars, alarm channels, retention, and the version and limits of the scheduler.

import { useState } from "preact/hooks";
import { call, type Answer } from "../api";
import { useCall } from "../data";
import { number, t, word } from "../i18n";
import { may } from "../session";
import { Button, Empty, Fact, Nothing, Pending, Status, Time } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { Table } from "../parts/table";
import { tellError } from "../parts/toast";
import { span, storeZone } from "../time";
import { Calendars } from "./calendars";
import { Pauses } from "./pauses";

export function Settings() {
	const info = useCall("GET /info", {}, 30e3);
	const i = info.data;
	if (!i) return <Page title={t("nav.settings")}><Pending call={info} /></Page>;
	return (
		<Page title={t("nav.settings")} wide>
			<div class="columns">
				<div class="col-8">
					<Pauses />
					<Calendars />
					<Alarms channels={i.alarms} />
				</div>
				<div class="col-4">
					<Keeping info={i} />
					<About info={i} />
				</div>
			</div>
		</Page>
	);
}

type Info = Answer<"GET /info">;

const kept = (seconds?: number) => (seconds ? span(seconds * 1000) : t("settings.forever"));

function Keeping({ info: { retention: r } }: { info: Info }) {
	return (
		<Panel title={t("settings.retention")}>
			<dl class="facts is-list">
				<Fact name={t("job.tabRuns")}>{kept(r.logsSeconds)}</Fact>
				<Fact name={t("settings.successes")}>{kept(r.successesSeconds)}</Fact>
				<Fact name={t("nav.audit")}>{kept(r.auditSeconds)}</Fact>
				<Fact name={t("settings.texts")}>{r.runTexts ? t(`settings.texts.${r.runTexts}`) : <Nothing />}</Fact>
			</dl>
			<p class="field-help">{t("settings.flags")}</p>
		</Panel>
	);
}

function About({ info: i }: { info: Info }) {
	const on = (is: boolean) => t(is ? "form.yes" : "form.no");
	const l = i.limits;
	return (
		<Panel title={t("settings.about")}>
			<dl class="facts is-list">
				<Fact name={t("settings.version")}>{i.version ?? <Nothing />}{i.revision && <small> {i.revision.slice(0, 12)}</small>}</Fact>
				<Fact name="Go">{i.go}</Fact>
				<Fact name={t("node.name")}><code>{i.node}</code></Fact>
				<Fact name={t("settings.store")}>{t(`store.${i.store.kind}`)}{i.store.journal && ` + ${t("settings.journal")}`}<br /><small>{i.store.version}</small></Fact>
				{i.store.schema !== undefined && <Fact name={t("settings.schema")}>{i.store.schema}</Fact>}
				<Fact name={t("settings.clock")}><Time at={i.now} /></Fact>
				<Fact name={t("field.zone")}>{i.zone === "Local" ? storeZone.value : i.zone}</Fact>
				<Fact name="Cron">{i.cronProfile}</Fact>
				<Fact name={t("settings.users")}>{on(i.features.users)}</Fact>
				<Fact name="/metrics">{on(i.features.metrics)}</Fact>
				<Fact name={t("settings.pools")}>{`${number(l.fastPool)} / ${number(l.slowPool)}`}</Fact>
				<Fact name={t("settings.drain")}>{span(l.drainMs)}</Fact>
				<Fact name={t("settings.skew")}>{l.skewLimitMs < 0 ? t("job.noLimit") : span(l.skewLimitMs)}</Fact>
			</dl>
		</Panel>
	);
}

// Alarms lists the channels, and sends a message on each when somebody asks.
function Alarms({ channels }: { channels: string[] }) {
	const [result, setResult] = useState<Answer<"POST /alarms/test">>();
	const [busy, setBusy] = useState(false);
	const test = async () => {
		setBusy(true);
		try {
			setResult(await call("POST /alarms/test", {}));
		} catch (e) {
			tellError(e);
		}
		setBusy(false);
	};
	const by = new Map(result?.channels.map((c) => [c.channel, c]));
	const is = { SENT: "SUCCESS", SKIPPED: "IDLE", FAILED: "FAIL" } as const;
	return (
		<Panel flush title={t("settings.alarms")} beside={may("admin", 0) && channels.length > 0 && <Button icon="broadcast" busy={busy} onClick={() => void test()}>{t("settings.test")}</Button>}>
			<Table bare label={t("settings.alarms")} rows={result ? result.channels.map((c) => c.channel) : channels} id={(c) => c}
				empty={<Empty icon="broadcast" title={t("settings.noAlarms")}>{t("settings.noAlarmsText")}</Empty>}
				columns={[
					{ head: t("settings.channel"), cell: (c) => <code>{c}</code> },
					{
						head: t("runs.result"), grow: true,
						cell: (c) => {
							const d = by.get(c);
							if (!d) return <Nothing />;
							return <span title={d.error}><Status is={is[d.result]} text={word("delivery", d.result)} />{d.error && <span class="row-under is-note field-error">{d.error}</span>}</span>;
						},
					},
					{ head: t("runs.duration"), end: true, cell: (c) => (by.has(c) ? span(by.get(c)!.tookMs) : <Nothing />) },
				]} />
		</Panel>
	);
}
