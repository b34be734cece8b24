import "./field.css";
import "./radio-group.css";
import type { ReactNode } from "react";
import {
  Checkbox as AriaCheckbox,
  CheckboxGroup as AriaCheckboxGroup,
  type CheckboxGroupProps as AriaCheckboxGroupProps,
  type CheckboxProps as AriaCheckboxProps,
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps as AriaRadioGroupProps,
  Switch as AriaSwitch,
  type SwitchProps as AriaSwitchProps,
  FieldError,
  Label,
  Radio,
  Text,
} from "react-aria-components";
import { Icon } from "./button.tsx";
import type { Option } from "./text-field.tsx";

interface ChoicesProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly Option[];
}

/** What is inside a group of check boxes or radio buttons: its label, its choices and what is wrong with it. */
function Choices({ label, hint, options, choice }: ChoicesProps & { readonly choice: (option: Option) => ReactNode }) {
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
function ChoiceLabel({ label, hint }: Option) {
  return (
    <span>
      {label}
      {hint && <small>{hint}</small>}
    </span>
  );
}

interface CheckboxGroupProps extends ChoicesProps, Omit<AriaCheckboxGroupProps, "children" | "className" | "style"> {}

/** Any of several; with a name their ids are values of the form. */
export function CheckboxGroup({ label, hint, options, ...props }: CheckboxGroupProps) {
  return (
    <AriaCheckboxGroup {...props} className="field">
      <Choices
        label={label}
        hint={hint}
        options={options}
        choice={(option) => (
          <Checkbox key={option.id} value={option.id}>
            <ChoiceLabel {...option} />
          </Checkbox>
        )}
      />
    </AriaCheckboxGroup>
  );
}

interface RadioGroupProps extends ChoicesProps, Omit<AriaRadioGroupProps, "children" | "className" | "style"> {}

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

interface SwitchProps extends Omit<AriaSwitchProps, "children" | "className" | "style"> {
  readonly children: ReactNode;
}

/** On or off; with a name its value ("on") is one of the form while it is on. */
export function Switch({ children, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className="switch">
      <span className="switch-track" />
      <span>{children}</span>
    </AriaSwitch>
  );
}

export interface CheckboxProps extends Omit<AriaCheckboxProps, "children" | "className" | "style"> {
  /** Without words beside it, it needs an aria-label. */
  readonly children?: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="choice">
      <span className="choice-mark">
        <Icon name="check" />
      </span>
      {children && <span>{children}</span>}
    </AriaCheckbox>
  );
}
