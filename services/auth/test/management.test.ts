import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LimitsSchema, Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { makeClientId } from "../domain/oauth-client.ts";
import {
  type AuthHarness,
  createKey,
  createOAuthClient,
  createOrganization,
  describeChanges,
  listChanges,
  startAuth,
} from "./harness.ts";

let auth: AuthHarness;

beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth.stop());

describe("createOrganization", () => {
  test("an organization is described as it was created", async () => {
    const { organization } = await auth.admin.createOrganization({
      name: " Söhne & Co ",
      plan: Plan.GEN_HOA,
      sandbox: true,
    });
    expect(organization).toMatchObject({ name: "Söhne & Co", plan: Plan.GEN_HOA, sandbox: true });
    const described = await auth.tokens.describeOrganization({ organizationId: organization?.id ?? "" });
    expect(described.organization).toEqual(organization);
    expect(organization?.createdAt && timestampDate(organization.createdAt)).toEqual(auth.clock.now());
  });

  test("names that are empty, blank, too long or unprintable are refused", async () => {
    for (const name of ["", "  ", "x".repeat(256), "a\u0000b", "a\r\nb"]) {
      const error = await expectDomainError(
        auth.admin.createOrganization({ name, plan: Plan.GEN_PRO }),
        "VALIDATION_FAILED",
      );
      expect(error.details[0]?.field).toBe("name");
    }
  });

  test("a missing or unknown plan is refused", async () => {
    for (const plan of [Plan.UNSPECIFIED, 99 as Plan]) {
      const error = await expectDomainError(auth.admin.createOrganization({ name: "Acme", plan }), "VALIDATION_FAILED");
      expect(error.details[0]?.field).toBe("plan");
    }
  });
});

describe("setOrganizationPlan", () => {
  test("the plan changes and gateways hear of it", async () => {
    const organizationId = await createOrganization(auth);
    const before = (await listChanges(auth)).at(-1)?.cursor ?? 0n;
    const { organization } = await auth.admin.setOrganizationPlan({ organizationId, plan: Plan.BUSINESS });
    expect(organization?.plan).toBe(Plan.BUSINESS);
    expect((await auth.tokens.describeOrganization({ organizationId })).organization).toEqual(organization);
    expect(describeChanges(await listChanges(auth, before))).toEqual([`changedOrganizationId:${organizationId}`]);
  });
});

describe("setOrganizationLimits", () => {
  test("groups that are not named keep what they have", async () => {
    const organizationId = await createOrganization(auth);
    const described = await auth.tokens.describeOrganization({ organizationId });
    expect(described.organization?.limits).toEqual(create(LimitsSchema, {}));
    await auth.admin.setOrganizationLimits({ organizationId, limits: { accept: 10, sign: 3 } });
    const { organization } = await auth.admin.setOrganizationLimits({
      organizationId,
      limits: { accept: 20, other: 7 },
    });
    expect(organization?.limits).toEqual(create(LimitsSchema, { accept: 20, other: 7, sign: 3 }));
    expect((await auth.tokens.describeOrganization({ organizationId })).organization).toEqual(organization);
  });

  test("concurrent changes of different groups all last, and the last answer shows them all", async () => {
    const organizationId = await createOrganization(auth);
    const second = await auth.another();
    const groups = ["accept", "render", "other", "sign"] as const;
    const calls = groups.flatMap((group, index) =>
      [auth, second].map(({ admin }) =>
        admin.setOrganizationLimits({ organizationId, limits: { [group]: index + 1 } }),
      ),
    );
    const answers = await Promise.all(calls);
    const complete = { accept: 1, render: 2, other: 3, sign: 4 };
    expect((await auth.tokens.describeOrganization({ organizationId })).organization?.limits).toMatchObject(complete);
    const counts = answers.map(
      ({ organization }) => groups.filter((g) => organization?.limits?.[g] !== undefined).length,
    );
    expect(Math.max(...counts)).toBe(4);
  });

  test("zero, too large and missing limits are refused", async () => {
    const organizationId = await createOrganization(auth);
    for (const limits of [{ accept: 0 }, { sign: 4_294_967_295 }]) {
      await expectDomainError(auth.admin.setOrganizationLimits({ organizationId, limits }), "VALIDATION_FAILED");
    }
    await expectDomainError(auth.admin.setOrganizationLimits({ organizationId }), "VALIDATION_FAILED");
  });
});

describe("createApiKey", () => {
  test("keys are listed newest first and without their secrets", async () => {
    const organizationId = await createOrganization(auth);
    const older = await createKey(auth, organizationId);
    auth.clock.advance(1000);
    const newer = await createKey(auth, organizationId);
    const { keys } = await auth.admin.listApiKeys({ organizationId });
    expect(keys.map((key) => key.id)).toEqual([newer.keyId, older.keyId]);
    expect(keys[0]).toMatchObject({ organizationId, name: "Key" });
    expect(keys[0]?.revokedAt).toBeUndefined();
    const shown = JSON.stringify(keys, (_, value) => (typeof value === "bigint" ? String(value) : value));
    expect(shown).not.toContain(newer.apiKey.slice(25));
  });

  test("bad names are refused", async () => {
    const organizationId = await createOrganization(auth);
    await expectDomainError(auth.admin.createApiKey({ organizationId, name: " " }), "VALIDATION_FAILED");
  });
});

describe("createOAuthClient", () => {
  test("clients are listed newest first with their scopes and without their secrets", async () => {
    const organizationId = await createOrganization(auth);
    const older = await createOAuthClient(auth, organizationId);
    auth.clock.advance(1000);
    const newer = await createOAuthClient(auth, organizationId, ["webhooks:write", "sign:read", "sign:read"]);
    expect(newer.clientSecret).toMatch(/^cs_[0-9A-Za-z]{43}$/);
    const { clients } = await auth.admin.listOAuthClients({ organizationId });
    expect(clients.map((client) => client.id)).toEqual([newer.clientId, older.clientId]);
    expect(clients[0]).toMatchObject({ organizationId, name: "Backend", scopes: ["sign:read", "webhooks:write"] });
  });

  test("unknown scopes are refused by name, and a client without scopes too", async () => {
    const organizationId = await createOrganization(auth);
    const request = { organizationId, name: "Backend", scopes: ["click:read", "click:everything"] };
    const error = await expectDomainError(auth.admin.createOAuthClient(request), "VALIDATION_FAILED");
    expect(error.details.map((detail) => detail.field)).toEqual(["scopes[1]"]);
    await expectDomainError(auth.admin.createOAuthClient({ ...request, scopes: [] }), "VALIDATION_FAILED");
  });
});

describe("rotateOAuthClientSecret", () => {
  test("a revoked client gets no new secret", async () => {
    const organizationId = await createOrganization(auth);
    const { clientId } = await createOAuthClient(auth, organizationId);
    await auth.admin.revokeOAuthClient({ organizationId, clientId });
    await expectDomainError(auth.admin.rotateOAuthClientSecret({ organizationId, clientId }), "NOT_FOUND");
  });

  test("of rotations at the same time one secret remains", async () => {
    const organizationId = await createOrganization(auth);
    const { clientId } = await createOAuthClient(auth, organizationId);
    const rotations = Array.from({ length: 5 }, () => auth.admin.rotateOAuthClientSecret({ organizationId, clientId }));
    const secrets = (await Promise.all(rotations)).map((rotation) => rotation.clientSecret);
    const outcomes = await Promise.allSettled(
      secrets.map((clientSecret) => auth.tokens.issueToken({ clientId, clientSecret })),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
  });
});

describe("unknown ids", () => {
  test("every operation on an unknown organization, key or client answers NOT_FOUND", async () => {
    const unknown = newId();
    const known = await createOrganization(auth);
    const { admin, tokens } = auth;
    const client = { name: "Backend", scopes: ["click:read"] };
    const calls = [
      () => tokens.describeOrganization({ organizationId: unknown }),
      () => admin.setOrganizationPlan({ organizationId: unknown, plan: Plan.GEN_PRO }),
      () => admin.setOrganizationLimits({ organizationId: unknown, limits: { accept: 1 } }),
      () => admin.createApiKey({ organizationId: unknown, name: "Key" }),
      () => admin.listApiKeys({ organizationId: unknown }),
      () => admin.revokeApiKey({ organizationId: unknown, keyId: "a".repeat(16) }),
      () => admin.createOAuthClient({ organizationId: unknown, ...client }),
      () => admin.listOAuthClients({ organizationId: unknown }),
      () => admin.rotateOAuthClientSecret({ organizationId: unknown, clientId: makeClientId() }),
      () => admin.revokeOAuthClient({ organizationId: unknown, clientId: makeClientId() }),
      () => admin.revokeApiKey({ organizationId: known, keyId: "a".repeat(16) }),
      () => admin.revokeApiKey({ organizationId: known, keyId: "\u0000" }),
      () => admin.rotateOAuthClientSecret({ organizationId: known, clientId: makeClientId() }),
      () => admin.rotateOAuthClientSecret({ organizationId: known, clientId: "" }),
      () => admin.revokeOAuthClient({ organizationId: known, clientId: makeClientId() }),
      () => admin.revokeOAuthClient({ organizationId: known, clientId: "\u0000" }),
    ];
    for (const call of calls) await expectDomainError(call(), "NOT_FOUND");
  });

  test("what is not a UUID is not valid, and upper case is the same organization", async () => {
    await expectDomainError(auth.admin.listApiKeys({ organizationId: "acme" }), "VALIDATION_FAILED");
    const organizationId = await createOrganization(auth);
    const described = await auth.tokens.describeOrganization({ organizationId: organizationId.toUpperCase() });
    expect(described.organization?.id).toBe(organizationId);
  });
});
