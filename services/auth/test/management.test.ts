import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LimitsSchema, type OrganizationSummary, Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { newId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
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

describe("suspending an organization", () => {
  test("says since when and why, once, and tells gateways; resuming ends it; both stand in the trail with who", async () => {
    const organizationId = await createOrganization(auth);
    const before = (await listChanges(auth)).at(-1)?.cursor ?? 0n;
    const suspend = (reason: string) =>
      auth.admin.suspendOrganization({ organizationId, reason, requestedBy: "Ann of operations" });
    const first = await suspend("unpaid");
    expect(first.organization).toMatchObject({ suspensionReason: "unpaid", suspendedAt: expect.anything() });
    auth.clock.advance(1000);
    expect((await suspend("other")).organization).toEqual(first.organization);
    const { organization } = await auth.tokens.describeOrganization({ organizationId });
    expect(organization?.suspendedAt).toEqual(first.organization?.suspendedAt);
    const resumed = await auth.admin.resumeOrganization({ organizationId, requestedBy: "Ben" });
    expect(resumed.organization).toMatchObject({ suspensionReason: "" });
    expect(resumed.organization?.suspendedAt).toBeUndefined();
    await auth.admin.resumeOrganization({ organizationId, requestedBy: "Ben" });
    expect(await listChanges(auth, before)).toHaveLength(2);
    const { rows } = await auth.superuser.query(
      "select action, actor_id, details from auth.audit_event where organization_id = $1 order by event_id",
      [organizationId],
    );
    expect(rows).toEqual([
      {
        action: "organization.suspended",
        actor_id: "operator",
        details: { reason: "unpaid", requestedBy: "Ann of operations" },
      },
      { action: "organization.resumed", actor_id: "operator", details: { requestedBy: "Ben" } },
    ]);
  });
});

describe("the list of organizations", () => {
  test("has all of them once over pages, with their credentials and whether they are suspended", async () => {
    const organizationId = await createOrganization(auth);
    await auth.admin.createApiKey({ organizationId, name: "one" });
    const { key } = await auth.admin.createApiKey({ organizationId, name: "two" });
    await auth.admin.revokeApiKey({ organizationId, keyId: key?.id ?? "" });
    await auth.admin.createOAuthClient({ organizationId, name: "three", scopes: ["click:read"] });
    await auth.admin.suspendOrganization({ organizationId, reason: "a test", requestedBy: "Ann" });
    const listed: OrganizationSummary[] = [];
    for (let cursor = ""; ; ) {
      const page = await auth.admin.listOrganizations({ pageSize: 2, cursor });
      expect(page.organizations.length).toBeLessThanOrEqual(2);
      listed.push(...page.organizations);
      cursor = page.nextCursor;
      if (cursor === "") break;
    }
    const { rows } = await auth.superuser.query("select organization_id as id from auth.organization order by 1");
    expect(listed.map(({ organization }) => organization?.id)).toEqual(rows.map(({ id }) => id));
    const found = listed.find(({ organization }) => organization?.id === organizationId);
    expect(found).toMatchObject({ keys: 1, clients: 1, users: 0, closed: false });
    expect(found?.organization?.suspensionReason).toBe("a test");
    await expectDomainError(auth.admin.listOrganizations({ cursor: "nonsense" }), "VALIDATION_FAILED");
  });
});

describe("the use of organizations", () => {
  const day = 86_400_000;
  const reportOf = (organizationId: string, gatewayId = newId(), sequence = 1n) => ({
    ...{ gatewayId, sequence, requests: [{ organizationId, requests: 10, refused: 3 }] },
    load: { spanMs: 15_000, organizations: [{ organizationId, busyMs: 30_000, errorMs: 0 }] },
  });
  const listed = async (process: Pick<AuthHarness, "admin">, organizationId: string) => {
    for (let cursor = ""; ; ) {
      const page = await process.admin.listOrganizations({ pageSize: 500, cursor });
      const found = page.organizations.find(({ organization }) => organization?.id === organizationId);
      if (found !== undefined || page.nextCursor === "") return found;
      cursor = page.nextCursor;
    }
  };

  test("is what gateways report, each report once, for today and for 30 days; nobody who is not there is added", async () => {
    const organizationId = await createOrganization(auth);
    const report = reportOf(organizationId);
    await auth.tokens.reportUse(report);
    await auth.tokens.reportUse(report);
    await auth.tokens.reportUse(reportOf(newId()));
    auth.clock.advance(29 * day);
    await auth.tokens.reportUse(reportOf(organizationId, report.gatewayId, 2n));
    expect(await listed(auth, organizationId)).toMatchObject({
      usedToday: { requests: 10n, refused: 3n },
      usedIn30Days: { requests: 20n, refused: 6n },
    });
    auth.clock.advance(day);
    expect(await listed(auth, organizationId)).toMatchObject({
      usedToday: { requests: 0n, refused: 0n },
      usedIn30Days: { requests: 10n, refused: 3n },
    });
  });

  test("has what the webhooks service counts, and is shown without it while that is away", async () => {
    const organizationId = await createOrganization(auth);
    let failure: Code | undefined;
    const webhooks = createMemoryTransport(
      (router) =>
        void router.service(WebhooksService, {
          countUse: ({ organizationIds }) => {
            if (failure !== undefined) throw new ConnectError("away", failure);
            const [today, last30Days] = [
              { acceptances: 1n },
              { acceptances: 5n, agreements: 4n, documents: 3n, deliveries: 2n },
            ];
            return { organizations: organizationIds.map((one) => ({ organizationId: one, today, last30Days })) };
          },
        }),
      { interceptors: [] },
    );
    const process = await auth.another({}, { webhooks });
    const counted = { acceptances: 5n, agreements: 4n, documents: 3n, deliveries: 2n };
    expect(await listed(process, organizationId)).toMatchObject({
      usedToday: { acceptances: 1n },
      usedIn30Days: counted,
    });
    for (failure of [Code.Unavailable, Code.Unimplemented]) {
      const without = (await listed(process, organizationId))?.usedIn30Days;
      expect([without?.requests, without?.acceptances, without?.deliveries]).toEqual([0n, undefined, undefined]);
    }
  });

  test("names who keeps the gateways busy in the last minute, merged over them, with what nobody can tell apart", async () => {
    auth.clock.advance(day);
    const [big, small] = [await createOrganization(auth, "Big"), await createOrganization(auth, "Small")];
    const gatewayId = newId();
    for (const sequence of [1n, 2n, 3n, 4n, 5n]) {
      const organizations = [{ organizationId: big, busyMs: 30_000, errorMs: 6_000 }];
      await auth.tokens.reportUse({ gatewayId, sequence, load: { spanMs: 15_000, othersMs: 3_000, organizations } });
    }
    await auth.tokens.reportUse(reportOf(small));
    const { organizations, gateways } = await auth.admin.listBusyOrganizations({});
    // Four reports of a minute are kept.
    expect(organizations).toMatchObject([
      { organizationId: big, name: "Big", busyAtLeast: 1.6, busyAtMost: 2 },
      { organizationId: small, name: "Small", busyAtLeast: 0.5, busyAtMost: 0.7 },
    ]);
    expect(gateways).toBe(2);
    expect((await auth.admin.listBusyOrganizations({ limit: 1 })).organizations).toHaveLength(1);
    auth.clock.advance(66_000);
    expect(await auth.admin.listBusyOrganizations({})).toMatchObject({ organizations: [], gateways: 0 });
  });
});

describe("the ceiling on credentials", () => {
  test("holds for keys and clients together, also when many are made at once; a revoked one makes room", async () => {
    const organizationId = await createOrganization(auth);
    await auth.admin.setOrganizationLimits({ organizationId, limits: {}, maxCredentials: 5 });
    const made = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        n % 2 === 0
          ? auth.admin.createApiKey({ organizationId, name: `key ${n}` })
          : auth.admin.createOAuthClient({ organizationId, name: `client ${n}`, scopes: ["click:read"] }),
      ),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    const another = () => auth.admin.createApiKey({ organizationId, name: "another" });
    await expectDomainError(another(), "TOO_MANY_CREDENTIALS");
    const [key] = (await auth.admin.listApiKeys({ organizationId })).keys;
    await auth.admin.revokeApiKey({ organizationId, keyId: key?.id ?? "" });
    await another();
    await expectDomainError(another(), "TOO_MANY_CREDENTIALS");
  });

  test("is 100 when nothing else is said", async () => {
    const organizationId = await createOrganization(auth);
    await auth.superuser.query(
      `insert into auth.api_key (organization_id, key_id, name, secret_hash, created_at)
       select $1, 'full' || n, 'key', sha256(n::text::bytea), now() from generate_series(1, 100) n`,
      [organizationId],
    );
    await expectDomainError(auth.admin.createApiKey({ organizationId, name: "101" }), "TOO_MANY_CREDENTIALS");
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
