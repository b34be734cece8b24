import { isDeepStrictEqual } from "node:util";
import type { FieldProblem } from "#platform/errors.ts";
import { type PolicyFlagName, type PolicyFlags, policyFlagNames, type StatedPolicyFlags } from "./policy-flags.ts";
import { problem } from "./problems.ts";

/** When one value of a flag is at least as strict as another. */
export type TighteningRule =
  /** The higher the rank the stricter. */
  | { readonly kind: "ranked"; readonly rank: (value: never) => number }
  /** No value is stricter than another: what the template says holds everywhere. */
  | { readonly kind: "fixed" }
  /** Strict or not only together with the other flags of this kind. */
  | { readonly kind: "verification" };

const ranked = <T>(rank: (value: T) => number) => ({ kind: "ranked", rank }) as const;
/** Off for a template that was written before there was the flag. */
const on = ranked<boolean | undefined>((value) => Number(value ?? false));
const off = ranked<boolean>((value) => Number(!value));
const higher = ranked<number>((value) => value);
const lower = ranked<number>((value) => -value);
/** 0 is no limit at all. */
const lowerAboveZero = ranked<number>((value) => (value === 0 ? Number.NEGATIVE_INFINITY : -value));
const ascending = (...values: readonly string[]) => ranked<string>((value) => values.indexOf(value));
const fixed = { kind: "fixed" } as const;
const verification = { kind: "verification" } as const;
/** The less is kept of the person the stricter. */
const capture = ascending("FULL", "TRUNCATED", "NONE");

/** For every policy flag, what a deployment may make of it: it asks more of the customer or keeps less of the person. */
export const tighteningRules = {
  requireCheckbox: on,
  requireScroll: on,
  requireView: on,
  minDisplaySeconds: higher,
  requireRenderToken: on,
  requireTypedName: on,
  allowDirectAccept: off,
  singleUseSession: on,
  oneAcceptancePerRevision: on,
  requireReacceptance: ascending("NEVER", "ON_MAJOR", "ALWAYS"),
  reacceptIntervalDays: lowerAboveZero,
  showChanges: on,
  // Allowing declines serves the person, forbidding them limits what is recorded: neither is stricter.
  allowDecline: fixed,
  recordDecline: on,
  requireAuthenticatedUser: on,
  verificationMethods: verification,
  verificationMode: verification,
  minAge: higher,
  sessionTtlSeconds: lower,
  captureIp: capture,
  captureUserAgent: capture,
  captureReferrer: capture,
  requireSnapshot: on,
  sendCopyToUser: on,
  esignDisclosure: on,
  consentExpiresAfterDays: lowerAboveZero,
  // A short time protects the person and a long one the proof: neither is stricter.
  retentionDays: fixed,
  legalHold: on,
  honorGpc: on,
} as const satisfies Record<PolicyFlagName, TighteningRule>;

/** The problems of overrides: each one that is less strict than the flag it overrides. */
export function looseningProblems(field: string, flags: PolicyFlags, overrides: StatedPolicyFlags): FieldProblem[] {
  const isVerified = implies(requirementOf({ ...flags, ...overrides }), requirementOf(flags));
  return policyFlagNames
    .filter((name) => Object.hasOwn(overrides, name))
    .filter((name) =>
      tighteningRules[name].kind === "verification"
        ? !isVerified
        : !isAtLeastAsStrict(name, overrides[name], flags[name]),
    )
    .map((name) => problem(`${field}.${name}`, "NOT_STRICTER", messageFor(name, flags)));
}

/**
 * The flags with the overrides that are stricter. Those that were when they were written, but are no longer because the
 * flags have become stricter since, give way: the result is never less strict than the flags.
 */
export function tightenFlags(flags: PolicyFlags, overrides: StatedPolicyFlags): PolicyFlags {
  const stricter = policyFlagNames.filter(
    (name) =>
      Object.hasOwn(overrides, name) &&
      tighteningRules[name].kind === "ranked" &&
      isAtLeastAsStrict(name, overrides[name], flags[name]),
  );
  return {
    ...flags,
    ...Object.fromEntries(stricter.map((name) => [name, overrides[name]])),
    ...tightenVerification(flags, { ...flags, ...overrides }),
  };
}

function isAtLeastAsStrict(name: PolicyFlagName, value: unknown, than: unknown): boolean {
  const rule: TighteningRule = tighteningRules[name];
  if (rule.kind !== "ranked") return isDeepStrictEqual(value, than);
  return rule.rank(value as never) >= rule.rank(than as never);
}

type Verification = Pick<PolicyFlags, "verificationMethods" | "verificationMode">;

/** Alternatives, one of which must be passed for each entry. NONE asks for nothing, wherever it is named. */
function requirementOf({ verificationMethods, verificationMode }: Verification): string[][] {
  const methods = verificationMethods.filter((method) => method !== "NONE");
  if (methods.length === 0) return [];
  return verificationMode === "ANY" ? [methods] : methods.map((method) => [method]);
}

/** Whether meeting the first requirement implies meeting the second. */
const implies = (requirement: readonly string[][], other: readonly string[][]): boolean =>
  other.every((alternatives) => requirement.some((own) => own.every((method) => alternatives.includes(method))));

function tightenVerification(flags: Verification, wanted: Verification): Verification {
  const [given, asked] = [requirementOf(flags), requirementOf(wanted)];
  if (implies(asked, given)) return pickVerification(wanted);
  if (implies(given, asked)) return pickVerification(flags);
  const methods = new Set([...flags.verificationMethods, ...wanted.verificationMethods]);
  return { verificationMethods: [...methods], verificationMode: "ALL" };
}

const pickVerification = ({ verificationMethods, verificationMode }: Verification): Verification => ({
  verificationMethods,
  verificationMode,
});

function messageFor(name: PolicyFlagName, flags: PolicyFlags): string {
  const value = JSON.stringify(flags[name]);
  switch (tighteningRules[name].kind) {
    case "fixed":
      return `cannot differ from the template, which says ${value}`;
    case "ranked":
      return `must be at least as strict as in the template, which says ${value}`;
    case "verification": {
      const { verificationMethods, verificationMode } = flags;
      const required = `${verificationMode} of ${JSON.stringify(verificationMethods)}`;
      return `must, with the other verification flag, imply what the template requires: ${required}`;
    }
  }
}
