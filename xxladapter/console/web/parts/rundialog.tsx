// Run now: the parameter and the addresses for this one run.

import { useState } from "preact/hooks";
import { call, type Job } from "../api";
import { changedSomething, useCall } from "../data";
import { t } from "../i18n";
import { href } from "../route";
import { Checks } from "./basic";
import { Confirm } from "./dialog";
import { Field } from "./form";
import { tell } from "./toast";

export function RunDialog({ job, onClose }: { job: Job; onClose: () => void }) {
	// A list leaves the parameter out.
	const whole = useCall("GET /jobs/{id}", job.executorParam === undefined ? { id: job.id! } : undefined);
	const [typed, setParam] = useState<string>();
	const param = typed ?? job.executorParam ?? whole.data?.executorParam;
	const [chosen, setChosen] = useState<string[]>([]);
	const group = useCall("GET /groups/{id}", job.jobGroup ? { id: job.jobGroup } : undefined);
	const addresses = group.data?.addressList ?? [];
	const run = async () => {
		await call("POST /jobs/{id}/trigger", { id: job.id! }, { executorParam: param, addressList: chosen.length ? chosen : undefined });
		tell(t("run.triggered", { name: job.name ?? "" }), { to: href(`runs?job=${job.id}`), text: t("run.show") });
		changedSomething();
	};
	return (
		<Confirm title={t("jobs.run", { name: job.name ?? "" })} action={t("bulk.trigger")} onClose={onClose} onConfirm={run}>
			<Field label={t("field.executorParam")} help={t("run.paramHelp")} error={whole.error?.message}>
				<textarea rows={3} class="mono-input" value={param ?? ""} onInput={(e) => setParam(e.currentTarget.value)} />
			</Field>
			<fieldset class="checks">
				<legend>{t("run.addresses")}</legend>
				{group.error ? <p class="field-error">{group.error.message}</p> : group.data && addresses.length === 0 && <p class="muted">{t("run.noAddresses")}</p>}
				<Checks of={addresses} chosen={chosen} set={setChosen} label={(a) => <code>{a}</code>} />
				<p class="field-help">{t("run.addressesHelp")}</p>
			</fieldset>
		</Confirm>
	);
}
