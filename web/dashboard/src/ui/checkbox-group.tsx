import type { ReactNode } from "react";
import {
  CheckboxGroup as AriaCheckboxGroup,
  type CheckboxGroupProps as AriaCheckboxGroupProps,
  Checkbox,
  FieldError,
  Label,
  Text,
} from "react-aria-components";
import { Icon } from "./icon.tsx";
import type { Option } from "./select.tsx";
import "./field.css";

export interface CheckboxGroupProps extends Omit<AriaCheckboxGroupProps, "children" | "className" | "style"> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly Option[];
}

/** Any of several; with a name their ids are values of the form. */
export function CheckboxGroup({ label, hint, options, ...props }: CheckboxGroupProps) {
  return (
    <AriaCheckboxGroup {...props} className="field">
      <Label className="field-label">{label}</Label>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <div className="choices">
        {options.map((option) => (
          <Checkbox key={option.id} value={option.id} className="choice">
            <span className="choice-mark">
              <Icon name="check" />
            </span>
            <span>
              {option.label}
              {option.hint && <small>{option.hint}</small>}
            </span>
          </Checkbox>
        ))}
      </div>
      <FieldError className="field-error" />
    </AriaCheckboxGroup>
  );
}
