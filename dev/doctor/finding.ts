import type pg from "pg";
import { type Environment, readSettings } from "#platform/config.ts";
import { settingsOfPrograms } from "../programs.ts";

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

type Program = (typeof settingsOfPrograms)[number];

/** What is looked at: some processes of an installation, and the environment that they read. */
export interface Installation {
  readonly env: Environment;
  readonly programs: readonly Program[];
  /** Whether a process of this name is looked at. */
  has(program: string): boolean;
  /** The value that those processes use which know the setting; undefined when none does, or it is not set or not usable. */
  value(name: string): unknown;
  /** The same where it is a text that is not empty. */
  text(name: string): string | undefined;
}

export const programNames: readonly string[] = settingsOfPrograms.map(({ title }) => title);

export function createInstallation(names: readonly string[], env: Environment): Installation {
  const programs = settingsOfPrograms.filter(({ title }) => names.includes(title));
  const value = (name: string): unknown => {
    const setting = programs.map(({ settings }) => settings[name]).find((one) => one !== undefined);
    if (setting === undefined) return undefined;
    try {
      return readSettings({ [name]: setting }, env)[name];
    } catch {
      // What is wrong with it stands among the findings about settings.
      return undefined;
    }
  };
  return {
    env,
    programs,
    has: (program) => programs.some(({ title }) => title === program),
    value,
    text: (name) => {
      const found = value(name);
      return typeof found === "string" && found !== "" ? found : undefined;
    },
  };
}
