// The newest runs of a job as bars, the newest at the end: low and green for successes, high and red
// for failures, hollow for runs that have not ended.

import type { LastRun } from "../api";
import { plural, t, word } from "../i18n";

const step = 4;
const most = 20;

export function Spark({ runs }: { runs?: LastRun[] }) {
	if (!runs?.length) return <span class="none">–</span>;
	const old = runs.slice(0, most).reverse();
	const bars = (status: LastRun["status"], top: number) =>
		old.map((r, i) => (r.status === status ? `M${(most - old.length + i) * step + 0.5} 16V${top}h3V16z` : "")).join("");
	const failed = old.filter((r) => r.status === "FAIL").length;
	const label = `${plural("spark.runs", old.length)}, ${failed ? plural("spark.failed", failed) : t("spark.noneFailed")}; ${t("spark.newest", { is: word("status", runs[0]!.status) })}`;
	return (
		<svg class="spark" viewBox={`0 0 ${most * step} 16`} role="img" aria-label={label}>
			<title>{label}</title>
			<path class="bar-ok" d={bars("SUCCESS", 8)} />
			<path class="bar-fail" d={bars("FAIL", 0.5)} />
			<path class="bar-open" d={bars("RUNNING", 4)} />
		</svg>
	);
}
