import type { ReactNode } from "react";
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from "react-aria-components";
import "./field.css";

export interface SwitchProps extends Omit<AriaSwitchProps, "children" | "className" | "style"> {
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
