// Killing a run: the question before it is done.

import { call, type ListedRun, type Run } from "../api";
import { changedSomething } from "../data";
import { t } from "../i18n";
import { may } from "../session";
import { Confirm } from "../parts/dialog";
import { tell } from "../parts/toast";

type Killed = Pick<ListedRun | Run, "id" | "jobId" | "jobGroup" | "status" | "triggerCode" | "executorAddress">;

// mayKill reports whether the caller may kill a run that an executor has accepted.
export function mayKill(l: Killed): boolean {
	return l.status === "RUNNING" && l.triggerCode === 200 && may("operator", l.jobGroup);
}

export function KillDialog({ run: l, name, onClose }: { run: Killed; name?: string; onClose: () => void }) {
	return (
		<Confirm title={t("runs.killTitle")} action={t("runs.kill")} danger onClose={onClose}
			onConfirm={async () => {
				await call("POST /runs/{id}/kill", { id: l.id });
				tell(t("runs.killed"));
				changedSomething();
			}}>
			<p>{t("runs.killText", { name: name ?? `${t("job.one")} #${l.jobId}`, address: l.executorAddress })}</p>
		</Confirm>
	);
}
