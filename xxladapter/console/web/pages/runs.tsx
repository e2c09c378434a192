// All runs.

import { useState } from "preact/hooks";
import { t } from "../i18n";
import { query } from "../route";
import { may } from "../session";
import { Button } from "../parts/basic";
import { Page } from "../parts/page";
import { ClearDialog } from "./clearruns";
import { useGroups } from "./jobwords";
import { RunTable } from "./runtable";

export function Runs() {
	const groups = useGroups();
	const [clear, setClear] = useState(false);
	const group = Number(query.value.get("group")) || undefined;
	const job = Number(query.value.get("job")) || undefined;
	return (
		<Page title={t("job.tabRuns")} wide actions={may("editor") && <Button icon="remove" onClick={() => setClear(true)}>{t("clear.open")}</Button>}>
			<RunTable groups={groups.options} />
			{clear && <ClearDialog group={group} job={job} onClose={() => setClear(false)} />}
		</Page>
	);
}
