import {
  CheckboxGroup as AriaCheckboxGroup,
  type CheckboxGroupProps as AriaCheckboxGroupProps,
  Checkbox,
} from "react-aria-components";
import { ChoiceLabel, Choices, type ChoicesProps } from "./choices.tsx";
import { Icon } from "./icon.tsx";

export interface CheckboxGroupProps
  extends ChoicesProps,
    Omit<AriaCheckboxGroupProps, "children" | "className" | "style"> {}

/** Any of several; with a name their ids are values of the form. */
export function CheckboxGroup({ label, hint, options, ...props }: CheckboxGroupProps) {
  return (
    <AriaCheckboxGroup {...props} className="field">
      <Choices
        label={label}
        hint={hint}
        options={options}
        choice={(option) => (
          <Checkbox key={option.id} value={option.id} className="choice">
            <span className="choice-mark">
              <Icon name="check" />
            </span>
            <ChoiceLabel {...option} />
          </Checkbox>
        )}
      />
    </AriaCheckboxGroup>
  );
}
