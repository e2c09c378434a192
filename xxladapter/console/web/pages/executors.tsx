// Groups of executors.

import { useState } from "preact/hooks";
import { useCall } from "../data";
import { plural, t } from "../i18n";
import { href } from "../route";
import { may } from "../session";
import { Button, Empty, Mono, Tag, Time } from "../parts/basic";
import { Page, Panel } from "../parts/page";
import { Search, Table, type Column } from "../parts/table";
import type { Group } from "../api";
import { GroupDialog } from "./group";

export function Executors() {
	const [add, setAdd] = useState(false);
	const groups = useCall("GET /groups", {}, 5e3);
	const [text, setText] = useState("");
	const rows = groups.data?.groups.filter((g) => `${g.title}\n${g.appName}`.toLowerCase().includes(text.toLowerCase()));
	const columns: Column<Group>[] = [
		{
			head: t("field.title"), grow: true, share: true,
			cell: (g) => (
				<>
					<span class="row-main">
						<a class="row-link" href={href(`executors/${g.id}`)}>{g.title || g.appName}</a>
						<small>#{g.id}</small>
					</span>
					<span class="row-under">{g.appName}</span>
				</>
			),
		},
		{ head: t("field.appName"), from: "mid", share: true, cell: (g) => <span class="cut"><Mono>{g.appName}</Mono></span> },
		{ head: t("group.addresses"), cell: (g) => (g.addressList?.length ? <span>{plural("group.count", g.addressList.length)}</span> : <Tag tone="warn">{t("group.noneAlive")}</Tag>) },
		{ head: t("group.type"), from: "mid", cell: (g) => t(g.addressType === 1 ? "group.manual" : "group.automatic") },
		{ head: t("group.token"), from: "wide", cell: (g) => t(g.hasAccessToken ? "group.ownToken" : "group.sharedToken") },
		{ head: t("fact.updated"), from: "wide", end: true, cell: (g) => <Time at={g.updateTime} relative /> },
	];
	return (
		<Page title={t("nav.executors")} wide actions={may("admin", 0) && <Button icon="add" tone="primary" onClick={() => setAdd(true)}>{t("group.new")}</Button>}>
			<Search label={t("group.search")} text={text} set={setText} />
			<Panel flush>
				<Table label={t("nav.executors")} columns={columns} rows={rows} id={(g) => g.id!} error={groups.error} retry={groups.reload}
					empty={text ? <Empty icon="filter" title={t("list.noneMatch")} /> : <Empty icon="executors" title={t("group.none")}>{t("group.noneText")}</Empty>} />
			</Panel>
			{add && <GroupDialog onClose={() => setAdd(false)} />}
		</Page>
	);
}
