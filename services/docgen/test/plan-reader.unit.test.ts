import { randomUUID } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { Plan, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createPlanReader } from "../plans/plan-reader.ts";
import { createFakeAuth } from "./fake-auth.ts";
import { present } from "./harness.ts";

const newOrgId = (): OrgId => present(parseOrgId(randomUUID()));

function createReader() {
  const auth = createFakeAuth();
  let now = 0;
  const reader = createPlanReader({
    tokens: createClient(TokenService, auth.transport),
    monotonic: () => now,
    logger: createLogger("docgen", "silent"),
  });
  const advance = (ms: number) => {
    now += ms;
  };
  return { auth, reader, advance };
}

describe("the plan of an organization", () => {
  test("is asked for once a second, however many ask at once", async () => {
    const { auth, reader, advance } = createReader();
    const orgId = newOrgId();
    expect(await Promise.all([reader.of(orgId), reader.of(orgId), reader.of(orgId)])).toEqual(Array(3).fill("gen_pro"));
    advance(999);
    await reader.of(orgId);
    expect(auth.calls.organizations).toBe(1);
    auth.setPlan(orgId, Plan.BUSINESS);
    advance(1);
    expect([await reader.of(orgId), auth.calls.organizations]).toEqual(["business", 2]);
  });

  test("is known by each of its names", async () => {
    const { auth, reader } = createReader();
    const names = {
      gen_starter: Plan.GEN_STARTER,
      gen_pro: Plan.GEN_PRO,
      gen_hoa: Plan.GEN_HOA,
      business: Plan.BUSINESS,
      gen_payg: Plan.GEN_PAYG,
    };
    for (const [name, plan] of Object.entries(names)) {
      const orgId = newOrgId();
      auth.setPlan(orgId, plan);
      expect(await reader.of(orgId)).toBe(name);
    }
  });

  test("is the last one that was known while the auth service is away", async () => {
    const { auth, reader, advance } = createReader();
    const orgId = newOrgId();
    auth.setPlan(orgId, Plan.GEN_HOA);
    await reader.of(orgId);
    auth.setAway(true);
    advance(5_000);
    expect(await reader.of(orgId)).toBe("gen_hoa");
    auth.setAway(false);
    auth.setPlan(orgId, Plan.BUSINESS);
    advance(1_000);
    expect(await reader.of(orgId)).toBe("business");
  });

  test("that was never known is refused, and asked for again", async () => {
    const { auth, reader } = createReader();
    const orgId = newOrgId();
    auth.setAway(true);
    await expectDomainError(reader.of(orgId), "SERVICE_UNAVAILABLE");
    auth.setAway(false);
    auth.setPlan(orgId, Plan.UNSPECIFIED);
    await expectDomainError(reader.of(orgId), "SERVICE_UNAVAILABLE");
    auth.setPlan(orgId, Plan.GEN_PRO);
    expect(await reader.of(orgId)).toBe("gen_pro");
  });
});
