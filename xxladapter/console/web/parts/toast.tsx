// Short notices at the edge of the page, spoken politely and gone after some seconds.

import { signal } from "@preact/signals";
import { t } from "../i18n";
import { ApiError } from "../api";
import { Icon } from "./icons";
import { Button } from "./basic";

interface Notice {
	id: number;
	text: string;
	failed: boolean;
	link?: { to: string; text: string };
}

const notices = signal<Notice[]>([]);
let last = 0;

function dismiss(id: number) {
	notices.value = notices.value.filter((n) => n.id !== id);
}

// tell shows a notice for 6 s, or 12 s if something failed, and for as long as somebody points at
// notices or has the focus there.
export function tell(text: string, link?: Notice["link"], failed = false) {
	const id = ++last;
	notices.value = [...notices.value.slice(-3), { id, text, failed, link }];
	const end = () => void (document.querySelector(".toasts:is(:hover, :focus-within)") ? setTimeout(end, 1e3) : dismiss(id));
	setTimeout(end, failed ? 12e3 : 6e3);
}

// tellError shows why something failed.
export function tellError(e: unknown) {
	tell(e instanceof ApiError && e.code === "unreachable" && e.status === 0 ? t("state.offline") : e instanceof Error ? e.message : String(e), undefined, true);
}

export function Toasts() {
	return (
		<div class="toasts" role="status" aria-live="polite">
			{notices.value.map((n) => (
				<div key={n.id} class={n.failed ? "toast is-failed" : "toast"}>
					<Icon name={n.failed ? "warn" : "check"} />
					<span class="toast-text">{n.text}</span>
					{n.link && <a href={n.link.to}>{n.link.text}</a>}
					<Button icon="close" tone="quiet" aria-label={t("action.close")} onClick={() => dismiss(n.id)} />
				</div>
			))}
		</div>
	);
}
