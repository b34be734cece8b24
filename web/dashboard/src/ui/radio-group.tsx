import type { ReactNode } from "react";
import {
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps as AriaRadioGroupProps,
  FieldError,
  Label,
  Radio,
  Text,
} from "react-aria-components";
import type { Option } from "./select.tsx";
import "./field.css";
import "./radio-group.css";

export interface RadioGroupProps extends Omit<AriaRadioGroupProps, "children" | "className" | "style"> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly Option[];
}

/** One of a few, all of which are seen at once; with a name its id is a value of the form. */
export function RadioGroup({ label, hint, options, ...props }: RadioGroupProps) {
  return (
    <AriaRadioGroup {...props} className="field">
      <Label className="field-label">{label}</Label>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <div className="choices">
        {options.map((option) => (
          <Radio key={option.id} value={option.id} className="choice">
            <span className="radio-mark" />
            <span>
              {option.label}
              {option.hint && <small>{option.hint}</small>}
            </span>
          </Radio>
        ))}
      </div>
      <FieldError className="field-error" />
    </AriaRadioGroup>
  );
}
