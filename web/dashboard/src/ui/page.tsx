import "./page.css";
import "./link-tabs.css";
import "./chart.css";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "../app/router.tsx";

interface PageProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly intro?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What a page consists of; the title is also that of the browser's tab. */
export function Page({ title, intro, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Assent`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1 id="page-title" tabIndex={-1}>
            {title}
          </h1>
          {intro && <p className="page-intro">{intro}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, intro, actions, children }: SectionProps) {
  return (
    <section className="section">
      <header className="page-head">
        <div>
          <h2>{title}</h2>
          {intro && <p className="page-intro">{intro}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Names and values, such as the facts about one thing. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface LinkTab {
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

interface NumberTile {
  readonly name: string;
  readonly value: ReactNode;
  /** What the number means, or how it comes about. */
  readonly hint?: ReactNode;
}

/** Numbers that are to be seen at a glance. */
export function NumberTiles({ tiles }: { readonly tiles: readonly NumberTile[] }) {
  return (
    <dl className="tiles">
      {tiles.map(({ name, value, hint }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong>
            {hint && <small>{hint}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
