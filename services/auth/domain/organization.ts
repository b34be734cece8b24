import type { FieldProblem } from "#platform/errors.ts";
import { problem, refusals } from "#platform/problems.ts";

const plans = ["gen_starter", "gen_pro", "gen_hoa", "business", "gen_payg"] as const;
export type Plan = (typeof plans)[number];

/** Requests per window that an organization has instead of the platform's default; an absent group has the default. */
export interface Limits {
  readonly accept?: number | undefined;
  readonly render?: number | undefined;
  readonly other?: number | undefined;
  readonly sign?: number | undefined;
}

/** How many API keys and OAuth clients an organization may have that has no ceiling of its own. */
export const defaultMaxCredentials = 100;

const { invalid, refuse } = refusals("VALIDATION_FAILED");

const limitGroups = ["accept", "render", "other", "sign"] as const;

// Far above what any installation serves, and far below what a 32-bit column holds.
const maxLimit = 1_000_000_000;

// Control characters, line and paragraph separators: a name is one line, and Postgres cannot store NUL.
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The name of an organization, key or client, without blanks around it. Throws VALIDATION_FAILED. */
export function parseName(value: string): string {
  const name = value.trim();
  if (name === "") throw invalid(problem("name", "REQUIRED", "must not be blank"));
  if (unprintable.test(name) || !name.isWellFormed()) {
    throw invalid(problem("name", "INVALID_CHARACTERS", "must be one line of printable characters"));
  }
  return name;
}

/** The named groups of a limit change. Throws VALIDATION_FAILED for a limit that would switch a group off or overflow. */
export function parseLimits(limits: Limits, field = "limits"): Limits {
  const problems: FieldProblem[] = [];
  const parsed: Record<string, number> = {};
  for (const group of limitGroups) {
    const value = limits[group];
    if (value === undefined) continue;
    if (value >= 1 && value <= maxLimit) parsed[group] = value;
    else problems.push(problem(`${field}.${group}`, "OUT_OF_RANGE", `must be from 1 to ${maxLimit}`));
  }
  refuse(problems);
  return parsed;
}
