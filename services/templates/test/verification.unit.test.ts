import { describe, expect, test } from "@jest/globals";
import { defaultPolicyFlags, type StatedPolicyFlags } from "../domain/policy-flags.ts";
import { effectiveConfiguration, verificationRequirements } from "../rpc/configuration.ts";

const requirements = (stated: StatedPolicyFlags) =>
  verificationRequirements({ ...defaultPolicyFlags("STATIC"), ...stated });

/** Method names, with a question mark for alternatives. */
const methods = (stated: StatedPolicyFlags): string[] =>
  requirements(stated).methods.map(({ method, required }) => (required ? method : `${method}?`));

describe("verificationRequirements", () => {
  test("asks for nothing by default", () => {
    expect(requirements({})).toEqual({ required: false, mode: "ALL", methods: [] });
    expect(requirements({ verificationMethods: ["NONE"] })).toMatchObject({ required: false, methods: [] });
  });

  test("tells level and parameters of each method, the weakest first", () => {
    expect(requirements({ verificationMethods: ["CUSTOMER_SESSION", "CUSTOMER_ATTESTED"], minAge: 18 })).toEqual({
      required: true,
      mode: "ALL",
      methods: [
        { method: "AGE_STATEMENT", required: true, level: 1, parameters: { minAge: 18 } },
        { method: "CUSTOMER_ATTESTED", required: true, level: 1, parameters: {} },
        {
          method: "CUSTOMER_SESSION",
          required: true,
          level: 2,
          parameters: { authMethods: ["PASSWORD", "SSO", "MFA", "PASSKEY"] },
        },
      ],
    });
  });

  test("ANY makes alternatives of several methods and none of a single one", () => {
    const any = { verificationMode: "ANY" } as const;
    expect(methods({ ...any, verificationMethods: ["TYPED_NAME", "CUSTOMER_SESSION"] })).toEqual([
      "TYPED_NAME?",
      "CUSTOMER_SESSION?",
    ]);
    expect(methods({ ...any, verificationMethods: ["TYPED_NAME"] })).toEqual(["TYPED_NAME"]);
    expect(methods({ ...any, verificationMethods: ["NONE", "TYPED_NAME"] })).toEqual(["TYPED_NAME"]);
    expect(requirements({ ...any, verificationMethods: ["TYPED_NAME", "CUSTOMER_SESSION"] }).required).toBe(true);
  });

  test("other flags ask for methods as well, each once", () => {
    expect(methods({ requireAuthenticatedUser: true })).toEqual(["CUSTOMER_SESSION"]);
    expect(methods({ requireTypedName: true, verificationMethods: ["TYPED_NAME"] })).toEqual(["TYPED_NAME"]);
    expect(methods({ requireTypedName: true, minAge: 16, requireAuthenticatedUser: true })).toEqual([
      "AGE_STATEMENT",
      "TYPED_NAME",
      "CUSTOMER_SESSION",
    ]);
  });

  test("alternatives fall away when another flag asks for one of them anyway", () => {
    const any = { verificationMode: "ANY", verificationMethods: ["TYPED_NAME", "CUSTOMER_ATTESTED"] } as const;
    expect(methods({ ...any, requireTypedName: true })).toEqual(["TYPED_NAME"]);
    expect(methods({ ...any, requireAuthenticatedUser: true })).toEqual([
      "CUSTOMER_ATTESTED?",
      "TYPED_NAME?",
      "CUSTOMER_SESSION",
    ]);
  });
});

describe("effectiveConfiguration", () => {
  test("equal policies have equal hashes, whatever the order of the flags", () => {
    const flags = defaultPolicyFlags("CONSENT");
    const reversed = Object.fromEntries(Object.entries(flags).reverse()) as typeof flags;
    const hash = (policyFlags: typeof flags) => effectiveConfiguration({ type: "CONSENT", policyFlags }).policyHash;
    expect(hash(flags)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(hash(reversed)).toBe(hash(flags));
    expect(hash({ ...flags, requireScroll: true })).not.toBe(hash(flags));
  });

  test("a flag that is younger than the template has its default", () => {
    const { honorGpc: _, ...older } = defaultPolicyFlags("STATIC");
    const { policy } = effectiveConfiguration({
      type: "STATIC",
      policyFlags: older as ReturnType<typeof defaultPolicyFlags>,
    });
    expect(policy).toEqual(defaultPolicyFlags("STATIC"));
  });
});
