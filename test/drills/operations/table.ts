import type { LoadReport } from "../../chaos/lifecycle/load.ts";

/** What came of a step. */
export interface Row {
  readonly step: string;
  readonly what: string;
  /** Absent where no customers were served. */
  readonly load?: LoadReport | undefined;
  readonly seconds: number;
  /** What was promised and is not so. */
  readonly violations: readonly string[];
}

export const columns = [
  ...["step", "what was done", "requests", "failed", "sent again", "longest", "time", "violations"],
] as const;

/** As it stands in docs/reliability.md. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ step, what, load, seconds, violations }) => [
    ...[step, what.replaceAll("|", "/")],
    ...(load === undefined ? ["–", "–", "–", "–"] : served(load)),
    ...[`${seconds.toFixed(0)} s`, String(violations.length)],
  ]);
  return [columns, columns.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |\n`).join("");
}

const served = ({ requests, failures, unavailable, refused, broken, longestMs }: LoadReport): string[] => [
  ...[String(requests), String(failures.length), String(unavailable + refused + broken)],
  `${(longestMs / 1_000).toFixed(1)} s`,
];

/** A request that failed for a customer is a violation wherever it was. */
export const violationsOf = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ step, violations }) => violations.map((text) => `${step}: ${text}`));

/** Bounds a step: whatever hangs must not hang for ever. */
export async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new TooLateError(seconds)), seconds * 1_000);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export class TooLateError extends Error {
  constructor(seconds: number) {
    super(`it was not done within ${seconds} s`);
    this.name = "TooLateError";
  }
}
