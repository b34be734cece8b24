import { type ReactNode, useEffect } from "react";
import "./page.css";

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
