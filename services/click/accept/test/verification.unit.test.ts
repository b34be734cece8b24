import { describe, expect, test } from "@jest/globals";
import { effectivePolicy } from "../../terms/policy.ts";
import { failedChecks } from "../policy-checks.ts";
import { checkVerification } from "../verification.ts";

describe("checkVerification", () => {
  test("minAge asks for a statement of age, and keeps which age it was", () => {
    const policy = effectivePolicy("STATIC", { minAge: 18 });
    const without = checkVerification(policy, [], undefined);
    expect(failedChecks(without)).toMatchObject([{ field: "minAge", code: "NOT_SATISFIED" }]);
    const stated = checkVerification(policy, [{ method: "AGE_STATEMENT" }], undefined);
    expect(stated).toEqual([{ flag: "minAge", required: 18, observed: true, source: "CLIENT", ok: true }]);
    expect(checkVerification(effectivePolicy("STATIC", {}), [], undefined)).toEqual([]);
  });
});
