import "./button.css";
import { type ReactNode, useEffect, useRef } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import { Link } from "../app/router.tsx";

export type ButtonKind = "primary" | "danger" | "plain" | "quiet";

export interface ButtonProps extends Omit<AriaButtonProps, "children" | "className" | "isPending" | "style"> {
  readonly kind?: ButtonKind;
  /** Something is under way that was begun with it; it cannot be pressed meanwhile. */
  readonly isBusy?: boolean;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

export function Button({ kind = "plain", isBusy = false, icon, children, ...props }: ButtonProps) {
  const wasBusy = useRef(false);
  wasBusy.current ||= isBusy;
  useEffect(
    () => () => {
      if (wasBusy.current) forgetAnnouncements();
    },
    [],
  );
  return (
    <AriaButton {...props} isPending={isBusy} className={`button button-${kind}`}>
      {isBusy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children && <span>{children}</span>}
    </AriaButton>
  );
}

/**
 * A busy button is announced by an element that it labels, and that stays for seven seconds. Once the button is gone, as
 * with its dialog, that is a picture without a name. The first announcement of a page comes a little later than the others.
 */
function forgetAnnouncements(): void {
  setTimeout(removeNameless);
  const observer = new MutationObserver(removeNameless);
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), 500);
}

function removeNameless(): void {
  for (const announced of document.querySelectorAll("[data-live-announcer] [aria-labelledby]")) {
    const labels = announced.getAttribute("aria-labelledby")?.split(" ") ?? [];
    if (labels.every((id) => document.getElementById(id) === null)) announced.remove();
  }
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

const shapes = {
  menu: "M3 5h14M3 10h14M3 15h14",
  close: "M5 5l10 10M15 5L5 15",
  copy: "M7 7V4h9v9h-3M4 7h9v9H4z",
  check: "M4 10.5l4 4 8-9",
  down: "M5 8l5 5 5-5",
  alert: "M10 3l8 14H2zM10 8v4M10 14.5v.01",
  info: "M10 18a8 8 0 100-16 8 8 0 000 16zM10 9v5M10 6v.01",
  home: "M3 10l7-6 7 6v7H3z",
  template: "M4 3h12v14H4zM7 7h6M7 10h6M7 13h3",
  receipt: "M5 2.500h10v15l-2.500-1.500-2.500 1.500-2.500-1.500-2.500 1.500zM7.500 9.500l2 2 3.500-4",
  sign: "M3 15c2-5 4-10 6-9s-3 8-1 8 2-4 4-4 0 3 2 3h3M3 18h14",
  generate: "M4 3h8l4 4v10H4zM12 3v4h4M8 13l2 2 3-4",
  key: "M13 3a4 4 0 11-3.5 6L3 15.500V17h3v-2h2v-2l2.500-2.500",
  client: "M4 4h12v9H4zM2 16h16",
  hook: "M7 9a4 4 0 116 0l2 4M5 10l-2 4h9M15 13a2 2 0 110 4 2 2 0 010-4",
  people: "M7 9a3 3 0 100-6 3 3 0 000 6zM2 17c0-3 2-5 5-5s5 2 5 5M13 4a3 3 0 010 5M14 12c3 0 4 2 4 5",
  shield: "M10 2l7 3v5c0 4-3 7-7 8-4-1-7-4-7-8V5zM7 10l2 2 4-4",
  brand: "M3 3h7l7 7-7 7-7-7zM7 7v.01",
  building: "M4 17V4h8v13M12 8h4v9M2 17h16M7 7h2M7 10h2M7 13h2",
  person: "M10 10a3.500 3.500 0 100-7 3.500 3.500 0 000 7zM3 17c0-4 3-6 7-6s7 2 7 6",
  theme: "M10 18a8 8 0 100-16 8 8 0 000 16zM10 2v16M13 4v12M16 6v8",
  out: "M8 4H4v12h4M9 10h8M14 7l3 3-3 3",
} as const;

export type IconName = keyof typeof shapes;

/** A drawing beside words that say the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <path
        d={shapes[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
