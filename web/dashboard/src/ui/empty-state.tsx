import type { ReactNode } from "react";
import "./notice.css";

interface EmptyStateProps {
  readonly title: string;
  /** What to do next. */
  readonly text: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ title, text, action }: EmptyStateProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {action}
    </div>
  );
}
