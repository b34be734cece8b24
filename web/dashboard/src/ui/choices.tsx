import type { ReactNode } from "react";
import { FieldError, Label, Text } from "react-aria-components";
import type { Option } from "./select.tsx";
import "./field.css";

export interface ChoicesProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly Option[];
}

/** What is inside a group of check boxes or radio buttons: its label, its choices and what is wrong with it. */
export function Choices({
  label,
  hint,
  options,
  choice,
}: ChoicesProps & { readonly choice: (option: Option) => ReactNode }) {
  return (
    <>
      <Label className="field-label">{label}</Label>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <div className="choices">{options.map(choice)}</div>
      <FieldError className="field-error" />
    </>
  );
}

/** The words of a choice, with its hint below. */
export function ChoiceLabel({ label, hint }: Option) {
  return (
    <span>
      {label}
      {hint && <small>{hint}</small>}
    </span>
  );
}
