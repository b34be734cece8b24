import "./notice.css";
import { type ReactNode, useEffect, useState } from "react";
import { asApiError } from "../api/errors.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, Icon } from "./button.tsx";

const patienceMs = 500;

/** In the place of what is being loaded; shows nothing before it has taken half a second. */
export function Loading() {
  const { loading } = useTexts("common");
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading" role="status">
      {isLong && (
        <>
          <span className="spinner" aria-hidden="true" />
          {loading}
        </>
      )}
    </div>
  );
}

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

/** In the place of what could not be loaded. */
export function ErrorState({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { tryAgain } = useTexts("common");
  return (
    <div className="secret">
      <ErrorNotice error={error} />
      {retry && (
        <div>
          <Button onPress={retry}>{tryAgain}</Button>
        </div>
      )}
    </div>
  );
}

/** Says what went wrong, with what to name when asking for help. */
export function ErrorNotice({ error }: { readonly error: unknown }) {
  const problem = asApiError(error);
  const texts = useTexts("errors");
  const { requestNumber } = useTexts("common");
  return (
    <Notice tone="danger" title={texts.byCode.get(problem.code) ?? problem.message}>
      {problem.details.map(({ field, message }) => (
        <p key={`${field} ${message}`}>{[field, message].filter(Boolean).join(": ")}</p>
      ))}
      {problem.requestId && (
        <p>
          {requestNumber} <code>{problem.requestId}</code>
        </p>
      )}
    </Notice>
  );
}

export type Tone = "info" | "success" | "warning" | "danger";

interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children?: ReactNode;
}

/** A message on a page; read out when it appears. */
export function Notice({ tone = "info", title, children }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <Icon name={icons[tone]} />
      <div>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
    </div>
  );
}

const icons = { info: "info", success: "check", warning: "alert", danger: "alert" } as const;
