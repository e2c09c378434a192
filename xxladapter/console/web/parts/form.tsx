// Fields of forms: a label, what it is for, and what is wrong with it, tied together for screen
// readers.

import { cloneElement, type ComponentChildren, type JSX, type VNode } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
	label: string;
	help?: ComponentChildren;
	error?: string;
	required?: boolean;
	wide?: boolean;
	children: VNode<object>;
}

export function Field({ label, help, error, required, wide, children }: FieldProps) {
	const id = useId();
	const about = [error && id + "-error", help && id + "-help"].filter(Boolean).join(" ");
	return (
		<div class={"field" + (wide ? " is-wide" : "") + (error ? " has-error" : "")}>
			<label for={id}>
				{label}
				{required && <span class="required" aria-hidden="true">*</span>}
			</label>
			{cloneElement(children, { id, required, "aria-invalid": error ? true : undefined, "aria-describedby": about || undefined } as object)}
			{error && (
				<p class="field-error" id={id + "-error"}>
					{error}
				</p>
			)}
			{help && (
				<p class="field-help" id={id + "-help"}>
					{help}
				</p>
			)}
		</div>
	);
}

export function Select({ options, ...rest }: JSX.IntrinsicElements["select"] & { options: { value: string; text: string }[] }) {
	return (
		<select {...rest}>
			{options.map((o) => (
				<option key={o.value} value={o.value}>
					{o.text}
				</option>
			))}
		</select>
	);
}

export function FormSection({ title, note, children }: { title: string; note?: string; children: ComponentChildren }) {
	return (
		<fieldset class="form-section">
			<legend>{title}</legend>
			{note && <p class="muted">{note}</p>}
			<div class="fields">{children}</div>
		</fieldset>
	);
}
