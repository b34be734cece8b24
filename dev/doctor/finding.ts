import type pg from "pg";
export type Query = <T extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<T[]>;
/**
 * What one check has found. "wrong" is something that breaks the product or its promises, "notice" something to know or to
 * decide about, "skipped" what could not be looked at from here.
 */
export interface Finding {
  readonly check: string;
  readonly verdict: "ok" | "notice" | "wrong" | "skipped";
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

export const ok = (check: string, says: string): Finding => ({ check, verdict: "ok", says });

export const notice = (check: string, says: string, todo: string): Finding => ({
  check,
  verdict: "notice",
  says,
  todo,
});

export const wrong = (check: string, says: string, todo: string): Finding => ({ check, verdict: "wrong", says, todo });

export const skipped = (check: string, says: string): Finding => ({ check, verdict: "skipped", says });

/** The message of whatever was thrown, with that of its cause, on one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = error instanceof AggregateError ? error.errors.map(reasonOf) : [error.message];
  const cause = error.cause === undefined ? [] : [reasonOf(error.cause)];
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  return (
    [...parts, ...cause]
      .filter((part) => part !== "")
      .join(": ")
      .replaceAll(/\s+/g, " ") || code
  );
}
