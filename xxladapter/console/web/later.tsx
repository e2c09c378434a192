// Bundles that are loaded when something of them is shown first.

import { signal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { ApiError, offline } from "./api";
import { t } from "./i18n";
import { Failure, Waiting } from "./parts/basic";
import { Page } from "./parts/page";

// bundle returns a function that makes components. Each shows a part of the bundle once that is
// loaded, and until then what within puts around a placeholder or an error.
export function bundle<B>(open: () => Promise<B>, within: (instead: ComponentChild) => ComponentChild) {
	const parts = signal<B | undefined>(undefined);
	const error = signal<ApiError | undefined>(undefined);
	let loading = false;
	const load = async () => {
		if (loading) return;
		loading = true;
		error.value = undefined;
		try {
			parts.value = await open();
		} catch (e) {
			error.value = new ApiError(0, "unreachable", String(e));
		}
		loading = false;
	};
	// A scheduler of another release has other bundles, which only a new document names.
	const again = () => {
		if (offline.value) void load();
		else location.reload();
	};
	const Later = ({ show }: { show: (parts: B) => ComponentChild }) => {
		if (parts.value) return <>{show(parts.value)}</>;
		if (error.value) return <>{within(<Failure error={error.value} retry={again} />)}</>;
		void load();
		return <>{within(<Waiting />)}</>;
	};
	return <P,>(show: (parts: B, params: P) => ComponentChild) => (params: P) => <Later show={(all) => show(all, params)} />;
}

// later shows the pages that a visit does not mostly begin with.
export const later = bundle(() => import("./pages/more"), (instead) => <Page title={t("state.loading")}>{instead}</Page>);
