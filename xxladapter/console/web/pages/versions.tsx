// The versions of a job's fields: which there are, and how an earlier one comes back.

import { useState } from "preact/hooks";
import { call, type Job } from "../api";
import { changedSomething, useCall } from "../data";
import { t, word } from "../i18n";
import { may } from "../session";
import { Button, Empty, Failure, Pending, Tag, Time, Waiting } from "../parts/basic";
import { FieldChanges } from "../parts/changes";
import { Confirm } from "../parts/dialog";
import { Panel } from "../parts/page";
import { tell } from "../parts/toast";

export function JobVersions({ job }: { job: Job }) {
	const list = useCall("GET /jobs/{id}/versions", { id: job.id!, limit: 50 }, 5e3);
	const [restore, setRestore] = useState(0);
	const versions = list.data?.versions;
	const newest = versions?.[0]?.version ?? 0;
	return (
		<Panel flush title={t("code.versions")}>
			{!versions ? <Pending call={list} /> : versions.length === 0 ? (
				<Empty icon="audit" title={t("code.noVersions")} />
			) : (
				<ul class="entries versions">
					{versions.map((v) => (
						<li key={v.version}>
							<div class="entry-head">
								<b>{v.version}</b>
								{v.actor && <span>{v.actor.name || word("actor", v.actor.kind)}</span>}
								<span class="entry-time"><Time at={v.time} relative /></span>
							</div>
							<div class="actions">
								{v.version === newest ? <Tag tone="accent">{t("code.inUse")}</Tag> : may("editor", job.jobGroup) && <Button tone="quiet" aria-label={t("code.restoreOf", { remark: v.version })} onClick={() => setRestore(v.version)}>{t("code.restore")}</Button>}
							</div>
						</li>
					))}
				</ul>
			)}
			{restore > 0 && <RestoreDialog id={job.id!} version={restore} newest={newest} onClose={() => setRestore(0)} />}
		</Panel>
	);
}

// kept are the fields that stay as they are: the schedule stays on or off, and sources have versions of their own.
const kept = ["running", "glueUpdated", "glueRemark"];

// RestoreDialog shows what comes back before it does.
function RestoreDialog({ id, version, newest, onClose }: { id: number; version: number; newest: number; onClose: () => void }) {
	const v = useCall("GET /jobs/{id}/versions/{version}", { id, version, against: newest });
	const changes = v.data?.changes.filter((c) => !kept.includes(c.field));
	return (
		<Confirm title={t("code.restoreTitle")} action={t("code.restore")} wide onClose={onClose}
			onConfirm={async () => {
				await call("POST /jobs/{id}/versions/{version}/restore", { id, version });
				tell(t("code.restored"));
				changedSomething();
			}}>
			{!changes ? v.error ? <Failure error={v.error} retry={v.reload} /> : <Waiting rows={3} /> : changes.length === 0 ? <p>{t("code.same")}</p> : <FieldChanges changes={changes} />}
		</Confirm>
	);
}
