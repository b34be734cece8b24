import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  defaultPolicyFlags,
  type PolicyFlagName,
  type PolicyFlagRule,
  type PolicyFlags,
  policyFlagNames,
  policyFlagRules,
  type StatedPolicyFlags,
} from "../domain/policy-flags.ts";
import { looseningProblems, tightenFlags, tighteningRules } from "../domain/policy-tightening.ts";

const defaults = defaultPolicyFlags("STATIC");

/** Values of each flag from the loosest to the strictest; told once more, so that the table cannot drift unseen. */
const fromLoosest: Record<PolicyFlagName, readonly unknown[]> = {
  requireCheckbox: [false, true],
  requireScroll: [false, true],
  requireView: [false, true],
  minDisplaySeconds: [0, 1, 3600],
  requireRenderToken: [false, true],
  requireTypedName: [false, true],
  allowDirectAccept: [true, false],
  singleUseSession: [false, true],
  oneAcceptancePerRevision: [false, true],
  requireReacceptance: ["NEVER", "ON_MAJOR", "ALWAYS"],
  reacceptIntervalDays: [0, 3650, 30, 1],
  showChanges: [false, true],
  allowDecline: [],
  recordDecline: [false, true],
  requireAuthenticatedUser: [false, true],
  verificationMethods: [[], ["TYPED_NAME"], ["TYPED_NAME", "CUSTOMER_SESSION"]],
  verificationMode: [],
  minAge: [0, 16, 120],
  sessionTtlSeconds: [2_592_000, 3600, 60],
  captureIp: ["FULL", "TRUNCATED", "NONE"],
  captureUserAgent: ["FULL", "TRUNCATED", "NONE"],
  captureReferrer: ["FULL", "TRUNCATED", "NONE"],
  requireSnapshot: [false, true],
  sendCopyToUser: [false, true],
  esignDisclosure: [false, true],
  consentExpiresAfterDays: [0, 3650, 30, 1],
  retentionDays: [],
  legalHold: [false, true],
  honorGpc: [false, true],
};

/** Flags without an order of their own. */
const other: Partial<Record<PolicyFlagName, readonly unknown[]>> = {
  allowDecline: [false, true],
  retentionDays: [0, 1, 36_525],
  verificationMode: ["ANY", "ALL"],
};

const withFlag = (name: PolicyFlagName, value: unknown): PolicyFlags => ({ ...defaults, [name]: value });
const loosens = (flags: PolicyFlags, overrides: StatedPolicyFlags): boolean =>
  looseningProblems("policyOverrides", flags, overrides).length > 0;

describe("the table", () => {
  test("has every flag and no other", () => {
    expect(Object.keys(tighteningRules).sort()).toEqual([...policyFlagNames].sort());
    expect(Object.keys(fromLoosest).sort()).toEqual([...policyFlagNames].sort());
  });

  test.each(policyFlagNames)("%s: the values of the test are all that matter", (name) => {
    const values = fromLoosest[name].length > 0 ? fromLoosest[name] : (other[name] ?? []);
    const rule: PolicyFlagRule = policyFlagRules[name];
    if (rule.kind === "boolean") expect(new Set(values)).toEqual(new Set([false, true]));
    else if (rule.kind === "choice") expect(new Set(values)).toEqual(new Set(rule.choices));
    else if (rule.kind === "integer") expect(values).toEqual(expect.arrayContaining([rule.min, rule.max]));
    else expect(values.length).toBeGreaterThan(1);
  });

  test.each(policyFlagNames)("%s: a stricter or equal value is allowed and holds, a looser one is refused", (name) => {
    const values = fromLoosest[name];
    for (const [at, template] of values.entries()) {
      for (const [level, value] of values.entries()) {
        const overrides = { [name]: value } as StatedPolicyFlags;
        expect([template, value, loosens(withFlag(name, template), overrides)]).toEqual([template, value, level < at]);
        const flags = tightenFlags(withFlag(name, template), overrides);
        expect(flags).toEqual(withFlag(name, level < at ? template : value));
      }
    }
  });

  test.each(["allowDecline", "retentionDays"] as const)("%s is the same everywhere", (name) => {
    for (const template of other[name] ?? []) {
      for (const value of other[name] ?? []) {
        const overrides = { [name]: value } as StatedPolicyFlags;
        expect(loosens(withFlag(name, template), overrides)).toBe(value !== template);
        expect(tightenFlags(withFlag(name, template), overrides)).toEqual(withFlag(name, template));
      }
    }
  });

  test("a flag that the template was written without counts as off", () => {
    const { showChanges: _, ...without } = defaults;
    const flags = without as PolicyFlags;
    expect(loosens(flags, { showChanges: true })).toBe(false);
    expect(tightenFlags(flags, { showChanges: true })).toEqual({ ...defaults, showChanges: true });
  });

  test("problems name the override and say what the template says", () => {
    const flags = { ...defaults, minAge: 18, legalHold: true };
    const overrides = { minAge: 16, legalHold: true, requireView: true, retentionDays: 3 };
    expect(looseningProblems("policyOverrides", flags, overrides)).toEqual([
      {
        field: "policyOverrides.minAge",
        code: "NOT_STRICTER",
        message: "must be at least as strict as in the template, which says 18",
      },
      {
        field: "policyOverrides.retentionDays",
        code: "NOT_STRICTER",
        message: "cannot differ from the template, which says 0",
      },
    ]);
  });
});

type Verification = Pick<PolicyFlags, "verificationMethods" | "verificationMode">;
const methods = ["NONE", "CUSTOMER_ATTESTED", "TYPED_NAME", "CUSTOMER_SESSION"] as const;
const any = (...verificationMethods: (typeof methods)[number][]): Verification => ({
  verificationMethods,
  verificationMode: "ANY",
});
const all = (...verificationMethods: (typeof methods)[number][]): Verification => ({
  verificationMethods,
  verificationMode: "ALL",
});

/** As the acceptance is checked. */
function isMet({ verificationMethods, verificationMode }: Verification, passed: readonly string[]): boolean {
  const required = verificationMethods.filter((method) => method !== "NONE");
  if (required.length === 0) return true;
  const met = required.filter((method) => passed.includes(method));
  return verificationMode === "ANY" ? met.length > 0 : met.length === required.length;
}

const verification: fc.Arbitrary<Verification> = fc.record({
  verificationMethods: fc.subarray([...methods]),
  verificationMode: fc.constantFrom("ALL" as const, "ANY" as const),
});

const everySubset = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
  ["CUSTOMER_ATTESTED", "TYPED_NAME", "CUSTOMER_SESSION"].filter((_, index) => (bits >> index) % 2 === 1),
);

describe("verification flags", () => {
  test.each([
    ["nothing is required yet", all(), any("TYPED_NAME"), false],
    ["one more of all", all("TYPED_NAME"), all("TYPED_NAME", "CUSTOMER_SESSION"), false],
    ["one less of all", all("TYPED_NAME", "CUSTOMER_SESSION"), all("TYPED_NAME"), true],
    ["one more of any", any("TYPED_NAME"), any("TYPED_NAME", "CUSTOMER_SESSION"), true],
    ["one less of any", any("TYPED_NAME", "CUSTOMER_SESSION"), any("TYPED_NAME"), false],
    ["all instead of any", any("TYPED_NAME", "CUSTOMER_SESSION"), all("TYPED_NAME", "CUSTOMER_SESSION"), false],
    ["any instead of all", all("TYPED_NAME", "CUSTOMER_SESSION"), any("TYPED_NAME", "CUSTOMER_SESSION"), true],
    ["one of the alternatives and another", any("TYPED_NAME"), all("TYPED_NAME", "CUSTOMER_SESSION"), false],
    ["another method", any("TYPED_NAME"), all("CUSTOMER_SESSION"), true],
    ["none at all", any("TYPED_NAME"), all(), true],
    ["the method NONE", any("TYPED_NAME"), any("NONE"), true],
  ])("%s", (_title, template, override, refused) => {
    expect(loosens({ ...defaults, ...template }, override)).toBe(refused);
  });

  test("the mode alone is judged by the methods of the template", () => {
    const flags = { ...defaults, ...all("TYPED_NAME", "CUSTOMER_SESSION") };
    expect(loosens(flags, { verificationMode: "ANY" })).toBe(true);
    expect(loosens({ ...defaults, ...any("TYPED_NAME") }, { verificationMode: "ALL" })).toBe(false);
  });

  test("whoever meets the flags in force meets the template's and, when they were allowed, the overrides", () => {
    fc.assert(
      fc.property(verification, verification, (template, override) => {
        const flags = { ...defaults, ...template };
        const result = tightenFlags(flags, override);
        const wanted = { ...flags, ...override };
        for (const passed of everySubset) {
          if (isMet(result, passed)) expect([isMet(template, passed), isMet(wanted, passed)]).toEqual([true, true]);
        }
        if (!loosens(flags, override)) expect(result).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });
});

describe("tightenFlags", () => {
  test("is never less strict than the template, whatever the overrides were", () => {
    const stated = fc.record(
      Object.fromEntries(
        policyFlagNames
          .filter((name) => !name.startsWith("verification"))
          .map((name) => [name, fc.constantFrom(...(other[name] ?? fromLoosest[name]))]),
      ),
      { requiredKeys: [] },
    ) as unknown as fc.Arbitrary<StatedPolicyFlags>;
    fc.assert(
      fc.property(stated, stated, (given, overrides) => {
        const flags = { ...defaults, ...given };
        const result = tightenFlags(flags, overrides);
        expect(looseningProblems("policyOverrides", flags, result)).toEqual([]);
        expect(tightenFlags(result, overrides)).toEqual(result);
      }),
      { numRuns: 500 },
    );
  });
});
