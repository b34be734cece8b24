import {
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps as AriaRadioGroupProps,
  Radio,
} from "react-aria-components";
import { ChoiceLabel, Choices, type ChoicesProps } from "./choices.tsx";
import "./radio-group.css";

export interface RadioGroupProps extends ChoicesProps, Omit<AriaRadioGroupProps, "children" | "className" | "style"> {}

/** One of a few, all of which are seen at once; with a name its id is a value of the form. */
export function RadioGroup({ label, hint, options, ...props }: RadioGroupProps) {
  return (
    <AriaRadioGroup {...props} className="field">
      <Choices
        label={label}
        hint={hint}
        options={options}
        choice={(option) => (
          <Radio key={option.id} value={option.id} className="choice">
            <span className="radio-mark" />
            <ChoiceLabel {...option} />
          </Radio>
        )}
      />
    </AriaRadioGroup>
  );
}
