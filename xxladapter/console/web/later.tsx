// Pages of the second bundle, which is loaded when one of them is shown first.

import { signal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { ApiError, offline } from "./api";
import { t } from "./i18n";
import { Failure, Waiting } from "./parts/basic";
import { Page } from "./parts/page";

type Pages = typeof import("./pages/more");

const pages = signal<Pages | undefined>(undefined);
const error = signal<ApiError | undefined>(undefined);
let loading = false;

async function load() {
	if (loading) return;
	loading = true;
	error.value = undefined;
	try {
		pages.value = await import("./pages/more");
	} catch (e) {
		error.value = new ApiError(0, "unreachable", String(e));
	}
	loading = false;
}

// A scheduler of another release has other bundles, which only a new document names.
function again() {
	if (offline.value) void load();
	else location.reload();
}

// later returns what shows a page once its bundle is there.
export function later<P>(show: (pages: Pages, params: P) => ComponentChild) {
	return (params: P) => <Later show={(all) => show(all, params)} />;
}

function Later({ show }: { show: (pages: Pages) => ComponentChild }) {
	if (pages.value) return <>{show(pages.value)}</>;
	if (error.value) return <Page title="xxlwheel"><Failure error={error.value} retry={again} /></Page>;
	void load();
	return <Page title={t("state.loading")}><Waiting /></Page>;
}
