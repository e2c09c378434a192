// Dialogs: the browser's own element keeps the focus inside and gives it back.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { Button } from "./basic";
import { apiError } from "../api";

interface DialogProps {
	title: string;
	onClose: () => void;
	children: ComponentChildren;
	wide?: boolean;
	side?: boolean; // a drawer at the end of the page
	// fixed dialogs cannot be closed by Escape.
	fixed?: boolean;
}

export function Dialog({ title, onClose, children, wide, side, fixed }: DialogProps) {
	const box = useRef<HTMLDialogElement>(null);
	const pressed = useRef<EventTarget | null>(null); // where the mouse was pressed
	const id = useId();
	// The dialog is shown before anybody can type, because showing it moves the focus.
	useLayoutEffect(() => {
		const back = document.activeElement as HTMLElement | null;
		const shown = box.current;
		shown?.showModal();
		// The browser would choose the button that closes it.
		shown?.querySelector<HTMLElement>("form :is(input, select, textarea, .dialog-foot button):enabled")?.focus();
		return () => {
			shown?.close(); // what is behind it cannot have the focus before
			back?.focus?.({ preventScroll: true });
		};
	}, []);
	return (
		<dialog
			ref={box}
			class={"dialog" + (wide ? " is-wide" : "") + (side ? " is-side" : "")}
			aria-labelledby={id}
			onCancel={(e) => {
				e.preventDefault();
				if (!fixed) onClose();
			}}
			onMouseDown={(e) => (pressed.current = e.target)}
			onClick={(e) => {
				// Text that is selected to beyond the edge ends in a click there.
				if (e.target === box.current && pressed.current === box.current && !fixed) onClose();
			}}
		>
			<header class="dialog-head">
				<h2 id={id}>{title}</h2>
				{!fixed && <Button icon="close" tone="quiet" aria-label={t("action.close")} onClick={onClose} />}
			</header>
			{children}
		</dialog>
	);
}

interface ConfirmProps {
	title: string;
	children: ComponentChildren;
	action: string;
	danger?: boolean;
	wide?: boolean;
	onClose: () => void;
	// onConfirm does the action; what it throws is shown in the dialog, which stays open.
	onConfirm: () => Promise<void>;
}

export function Confirm({ title, children, action, danger, wide, onClose, onConfirm }: ConfirmProps) {
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<string>();
	const confirm = async (e: Event) => {
		e.preventDefault();
		setBusy(true);
		setError(undefined);
		try {
			await onConfirm();
			onClose();
		} catch (e) {
			setError(apiError(e).message);
			setBusy(false);
		}
	};
	return (
		<Dialog title={title} wide={wide} onClose={onClose}>
			<form onSubmit={confirm}>
				<div class="dialog-body">
					{children}
					{error && (
						<p class="field-error" role="alert">
							{error}
						</p>
					)}
				</div>
				<footer class="dialog-foot">
					<Button onClick={onClose}>{t("action.cancel")}</Button>
					<Button type="submit" tone={danger ? "danger" : "primary"} busy={busy}>
						{action}
					</Button>
				</footer>
			</form>
		</Dialog>
	);
}
