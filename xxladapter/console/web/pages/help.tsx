// Help: what each page answers, and where the rest is written.

import { t, type Key } from "../i18n";
import { href } from "../route";
import { places } from "../parts/frame";
import { Page, Panel } from "../parts/page";

const about: Record<string, Key> = {
	"": "help.overview", jobs: "help.jobs", runs: "help.runs", forecast: "help.forecast", graph: "help.graph", executors: "help.executors", nodes: "help.nodes", audit: "help.audit", transfer: "help.transfer", users: "help.users", settings: "help.settings", me: "help.me", api: "help.api",
};

export function Help() {
	return (
		<Page title={t("nav.help")}>
			<Panel>
				<div class="prose">
					<p>{t("help.intro")}</p>
					{places().filter((p) => about[p.to]).map((p) => (
						<section key={p.to}>
							<h2>
								<a href={href(p.to)}>{t(p.text)}</a>
							</h2>
							<p>{t(about[p.to]!)}</p>
						</section>
					))}
					<h2>{t("help.licences")}</h2>
					<p>
						<a href={href("licences.txt")}>licences.txt</a>
					</p>
				</div>
			</Panel>
		</Page>
	);
}
