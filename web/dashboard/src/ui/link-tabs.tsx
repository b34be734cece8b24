import { useEffect, useRef } from "react";
import { Link } from "../app/router.tsx";
import "./link-tabs.css";

export interface LinkTab {
  readonly to: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** Leads from one page of an area to the next; each has an address of its own. */
export function LinkTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly LinkTab[] }) {
  const line = useRef<HTMLElement>(null);
  const current = tabs.find(({ isCurrent }) => isCurrent)?.to;
  // Where the tabs do not fit beside each other, the line is moved to the one that is shown; the page stays where it is.
  useEffect(() => {
    const tab = current === undefined ? null : line.current?.querySelector<HTMLElement>("[aria-current]");
    if (line.current && tab) line.current.scrollLeft = middleOf(tab) - line.current.clientWidth / 2;
  }, [current]);
  return (
    <nav className="link-tabs" aria-label={label} ref={line}>
      {tabs.map(({ to, text, isCurrent }) => (
        <Link key={to} to={to} aria-current={isCurrent ? "page" : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

const middleOf = ({ offsetLeft, offsetWidth }: HTMLElement): number => offsetLeft + offsetWidth / 2;
