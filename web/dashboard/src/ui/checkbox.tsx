import type { ReactNode } from "react";
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from "react-aria-components";
import { Icon } from "./button.tsx";
import "./field.css";

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
