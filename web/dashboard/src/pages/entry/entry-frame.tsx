import { type ReactNode, useEffect } from "react";
import { Brand } from "../../app/layout.tsx";
import { ThemeChoice } from "../../app/theme-choice.tsx";
import "./entry.css";

interface EntryFrameProps {
  readonly title: string;
  readonly intro?: string;
  readonly children: ReactNode;
}

/** Around the pages of those who are not logged in. */
export function EntryFrame({ title, intro, children }: EntryFrameProps) {
  useEffect(() => {
    document.title = `${title} · Assent`;
  }, [title]);
  return (
    <div className="entry">
      <header>
        <Brand />
      </header>
      <main className="entry-card">
        <h1>{title}</h1>
        {intro && <p className="page-intro">{intro}</p>}
        {children}
      </main>
      <footer>
        <ThemeChoice />
      </footer>
    </div>
  );
}
