// What somebody else saved while a form was open, beside what was typed.

import { t } from "../i18n";
import { Button } from "./basic";
import { Dialog } from "./dialog";

export interface Difference {
	label: string;
	base: string; // when the form was opened
	theirs: string;
	yours: string;
}

interface Props {
	differences: Difference[];
	onBack: () => void;
	onTheirs: () => void;
	onMine: () => void;
}

export function Conflict({ differences, onBack, onTheirs, onMine }: Props) {
	// What differs from base is marked.
	const mark = (text: string, base: string) => (text === base ? text || "–" : <ins>{text || "–"}</ins>);
	return (
		<Dialog title={t("error.conflict")} onClose={onBack} wide>
			<div class="dialog-body">
				<p>{t("form.conflict")}</p>
				<table class="table diff">
					<thead>
						<tr>
							<th scope="col">{t("diff.field")}</th>
							<th scope="col">{t("form.theirs")}</th>
							<th scope="col">{t("form.yours")}</th>
						</tr>
					</thead>
					<tbody>
						{differences.map((d) => (
							<tr key={d.label}>
								<th scope="row">{d.label}</th>
								<td>{mark(d.theirs, d.base)}</td>
								<td>{mark(d.yours, d.base)}</td>
							</tr>
						))}
					</tbody>
				</table>
			</div>
			<footer class="dialog-foot">
				<Button onClick={onBack}>{t("form.back")}</Button>
				<Button onClick={onTheirs}>{t("code.takeTheirs")}</Button>
				<Button tone="primary" onClick={onMine}>{t("form.merge")}</Button>
			</footer>
		</Dialog>
	);
}
