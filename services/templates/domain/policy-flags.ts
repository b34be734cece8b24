import type { TemplateType } from "./type-config.ts";

/** The values a flag accepts, and its default. */
export type PolicyFlagRule =
  | { readonly kind: "boolean"; readonly fallback: Fallback<boolean> }
  | { readonly kind: "integer"; readonly min: number; readonly max: number; readonly fallback: Fallback<number> }
  | { readonly kind: "choice"; readonly choices: readonly string[]; readonly fallback: Fallback<string> }
  | { readonly kind: "set"; readonly choices: readonly string[]; readonly fallback: Fallback<readonly string[]> };

/** One value, or one per type of template. */
type Fallback<T> = T | Readonly<Record<TemplateType, T>>;

const boolean = (fallback: Fallback<boolean>) => ({ kind: "boolean", fallback }) as const;
const integer = (min: number, max: number, fallback: number) => ({ kind: "integer", min, max, fallback }) as const;
const choice = <const C extends readonly string[]>(choices: C, fallback: Fallback<C[number]>) =>
  ({ kind: "choice", choices, fallback }) as const;
const setOf = <const C extends readonly string[]>(choices: C) => ({ kind: "set", choices, fallback: [] }) as const;

const captureModes = ["FULL", "TRUNCATED", "NONE"] as const;

/** Ways to verify the person that an acceptance can carry today; a template may require no other. */
export const verificationMethods = [
  "NONE",
  "CUSTOMER_ATTESTED",
  "CUSTOMER_SESSION",
  "TYPED_NAME",
  "AGE_STATEMENT",
] as const;

const maxDays = 3650;

/** Every policy flag of a template. */
export const policyFlagRules = {
  requireCheckbox: boolean({ STATIC: false, GENERATED: false, CONSENT: true }),
  requireScroll: boolean(false),
  requireView: boolean(false),
  minDisplaySeconds: integer(0, 3600, 0),
  requireRenderToken: boolean(false),
  requireTypedName: boolean(false),
  allowDirectAccept: boolean(true),
  singleUseSession: boolean(true),
  oneAcceptancePerRevision: boolean(false),
  requireReacceptance: choice(["ON_MAJOR", "ALWAYS", "NEVER"], "ON_MAJOR"),
  reacceptIntervalDays: integer(0, maxDays, 0),
  showChanges: boolean(false),
  allowDecline: boolean(false),
  recordDecline: boolean(true),
  requireAuthenticatedUser: boolean(false),
  verificationMethods: setOf(verificationMethods),
  verificationMode: choice(["ALL", "ANY"], "ALL"),
  minAge: integer(0, 120, 0),
  sessionTtlSeconds: integer(60, 2_592_000, 3600),
  captureIp: choice(captureModes, { STATIC: "FULL", GENERATED: "FULL", CONSENT: "TRUNCATED" }),
  captureUserAgent: choice(captureModes, "FULL"),
  captureReferrer: choice(captureModes, "FULL"),
  requireSnapshot: boolean(false),
  sendCopyToUser: boolean(false),
  esignDisclosure: boolean(false),
  consentExpiresAfterDays: integer(0, maxDays, 0),
  // 0 keeps for ever; the upper end is a hundred years.
  retentionDays: integer(0, 36_525, 0),
  legalHold: boolean(false),
  honorGpc: boolean(false),
} as const satisfies Record<string, PolicyFlagRule>;

export type PolicyFlagName = keyof typeof policyFlagRules;

type FlagValue<R extends PolicyFlagRule> = R extends { kind: "boolean" }
  ? boolean
  : R extends { kind: "integer" }
    ? number
    : R extends { kind: "choice"; choices: readonly (infer C)[] }
      ? C
      : R extends { kind: "set"; choices: readonly (infer C)[] }
        ? readonly C[]
        : never;

/** All flags of a template with their values. */
export type PolicyFlags = { readonly [Name in PolicyFlagName]: FlagValue<(typeof policyFlagRules)[Name]> };

/** The flags that somebody named. */
export type StatedPolicyFlags = Partial<PolicyFlags>;

export const policyFlagNames = Object.keys(policyFlagRules) as readonly PolicyFlagName[];

export const isPolicyFlagName = (name: string): name is PolicyFlagName => Object.hasOwn(policyFlagRules, name);

/** The flags of a template of this type whose author states none. */
export const defaultPolicyFlags = (type: TemplateType): PolicyFlags =>
  Object.fromEntries(policyFlagNames.map((name) => [name, fallbackOf(policyFlagRules[name], type)])) as PolicyFlags;

function fallbackOf(rule: PolicyFlagRule, type: TemplateType): unknown {
  const { fallback } = rule;
  return typeof fallback === "object" && "CONSENT" in fallback ? fallback[type] : fallback;
}
