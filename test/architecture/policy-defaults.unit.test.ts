import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { verificationRequirements } from "../../services/click/accept/verification.ts";
import { effectivePolicy } from "../../services/click/terms/policy.ts";
import {
  defaultPolicyFlags,
  policyFlagRules,
  verificationMethods,
} from "../../services/templates/domain/policy-flags.ts";
import { effectiveConfiguration } from "../../services/templates/rpc/configuration.ts";

// The templates service tells the hash of the policy and the click service writes it into receipts. No service imports
// another one, so both know the defaults and what they ask for; here they are held together.
describe.each(["STATIC", "GENERATED", "CONSENT"] as const)("the policy of a %s template", (type) => {
  test("has the same defaults in both services", () => {
    expect(effectivePolicy(type, {})).toEqual(defaultPolicyFlags(type));
  });

  test("has the same hash in both services, whatever is stated", () => {
    const names = Object.keys(policyFlagRules);
    const stated = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(fc.boolean(), fc.nat(100), fc.constantFrom("A", "B")),
    );
    fc.assert(
      fc.property(stated, (flags) => {
        const policyFlags = { ...defaultPolicyFlags(type), ...flags } as ReturnType<typeof defaultPolicyFlags>;
        const told = effectiveConfiguration({ type, policyFlags: { ...policyFlags, verificationMethods: [] } });
        const written = effectivePolicy(type, { ...flags, verificationMethods: [] });
        expect(told.policyHash).toBe(sha256Label(canonicalJson(written)));
      }),
    );
  });

  test("asks for the same verification in both services", () => {
    const stated = fc.record({
      verificationMethods: fc.uniqueArray(fc.constantFrom(...verificationMethods)),
      verificationMode: fc.constantFrom("ALL" as const, "ANY" as const),
      requireAuthenticatedUser: fc.boolean(),
      requireTypedName: fc.boolean(),
      minAge: fc.constantFrom(0, 18),
    });
    fc.assert(
      fc.property(stated, (flags) => {
        const { verification } = effectiveConfiguration({
          type,
          policyFlags: { ...defaultPolicyFlags(type), ...flags },
        });
        const methods = verification.methods.map((method) => ({ ...method, validForSeconds: null }));
        expect(verificationRequirements(effectivePolicy(type, flags))).toEqual({ ...verification, methods });
      }),
    );
  });
});
