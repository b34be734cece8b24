import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import { Link } from "../app/router.tsx";
import { Icon, type IconName } from "./icon.tsx";
import "./button.css";

export type ButtonKind = "primary" | "danger" | "plain" | "quiet";

export interface ButtonProps extends Omit<AriaButtonProps, "children" | "className" | "isPending" | "style"> {
  readonly kind?: ButtonKind;
  /** Something is under way that was begun with it; it cannot be pressed meanwhile. */
  readonly isBusy?: boolean;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

export function Button({ kind = "plain", isBusy = false, icon, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} isPending={isBusy} className={`button button-${kind}`}>
      {isBusy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children && <span>{children}</span>}
    </AriaButton>
  );
}

/** A link to another page that looks like a button. */
export function ButtonLink({
  to,
  kind = "plain",
  children,
}: {
  readonly to: string;
  readonly kind?: ButtonKind;
  readonly children: ReactNode;
}) {
  return (
    <Link to={to} className={`button button-${kind}`}>
      <span>{children}</span>
    </Link>
  );
}
