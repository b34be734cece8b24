import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { consentReceiptId } from "./fake-consent.ts";
import { uniqueName } from "./sample-requests.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const pathOf = (userRef: string) => `/v1/click/consent/${encodeURIComponent(userRef)}`;
const read = (userRef: string, query = "") => gateway.call("GET", `${pathOf(userRef)}${query}`, { token });
const update = (userRef: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.call("POST", pathOf(userRef), { token, body, headers });
const lastChange = () => gateway.click.consent.seen.changes.at(-1);
const grant = { purposes: { marketing_email: true } };

describe("userRef", () => {
  test.each([
    ["User-42@Example.COM"],
    ["a/b?c#d&e=f+g h%20"],
    ["Zoë 🖋"],
    ["templates"],
    [" "],
    ["x".repeat(255)],
    ["🖋".repeat(255)],
  ])("%p arrives exactly as it was sent", async (userRef) => {
    expect((await read(userRef)).status).toBe(200);
    expect(gateway.click.consent.seen.reads.at(-1)?.userRef).toBe(userRef);
  });

  test.each([["x".repeat(256)], ["a\u0000b"], ["a\nb"]])("%p is 400", async (userRef) => {
    const answer = await read(userRef);
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "CLICK_VALIDATION_FAILED",
      "userRef",
    ]);
  });

  test("what is not percent-encoded UTF-8 is 400", async () => {
    const answer = await gateway.call("GET", "/v1/click/consent/%ff", { token });
    expect(answer.status).toBe(400);
  });
});

describe("getUserConsentState", () => {
  test("an unknown user has an empty state", async () => {
    const userRef = uniqueName("unknown");
    const answer = await read(userRef);
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"0"']);
    expect(answer.body).toEqual({
      userRef,
      organizationId: orgA,
      asOf: "2026-11-20T17:00:00.123Z",
      updatedAt: null,
      revision: 0,
      consents: [],
      agreements: [],
    });
  });

  test("shows absent values as null, and the history on request only", async () => {
    const userRef = uniqueName("known");
    await update(userRef, grant);
    const { body } = await read(userRef, "?includeHistory=true");
    expect(body.consents).toEqual([
      {
        purpose: "marketing_email",
        status: "GRANTED",
        valid: true,
        legalBasis: null,
        templateId: null,
        versionId: null,
        revision: null,
        locale: null,
        contentHash: null,
        receiptId: null,
        grantedAt: "2026-11-20T17:00:00.123Z",
        withdrawnAt: null,
        expiresAt: null,
        updatedAt: null,
        source: "ACCEPT",
        method: null,
        jurisdiction: null,
      },
    ]);
    expect(body.agreements).toMatchObject([{ templateSlug: "terms", isLatest: false, reacceptBy: null }]);
    expect(body.history).toEqual([
      {
        eventId: "0190a000-0000-7000-8000-0000000000fb",
        type: "GRANTED",
        purpose: "marketing_email",
        at: "2026-11-20T17:00:00.123Z",
        source: "ACCEPT",
        receiptId: null,
        actor: "USER",
        reason: null,
        occurredAt: null,
      },
    ]);
    expect((await read(userRef)).body).not.toHaveProperty("history");
  });

  test("passes the query on", async () => {
    const templateId = newId();
    const query = `?purpose=news&templateId=${templateId.toUpperCase()}&at=2026-11-01T12:00:00%2B01:00`;
    await read("user", query);
    expect(gateway.click.consent.seen.reads.at(-1)).toMatchObject({
      purpose: "news",
      templateId,
      includeHistory: false,
      at: { seconds: BigInt(Date.parse("2026-11-01T11:00:00Z") / 1000) },
    });
  });

  test.each(["templateId=x", "purpose=", "includeHistory=yes", "at=now"])("the query %s is 400", async (query) => {
    const answer = await read("user", `?${query}`);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, query.split("=")[0]]);
  });
});

describe("updateUserConsentState", () => {
  test("answers the state with its receipts, and passes everything on", async () => {
    const templateId = newId();
    const userRef = uniqueName("user");
    const body = {
      purposes: [
        { purpose: "a", decision: "GRANT", templateId: templateId.toUpperCase(), expiresAt: "2027-01-01T00:00:00Z" },
        { purpose: "b", decision: "WITHDRAW", templateId: null },
      ],
      locale: "de",
      source: "SUPPORT",
      method: "PHONE",
      actor: { type: "ADMIN", id: "agent-7" },
      reason: "asked",
      occurredAt: "2026-11-19T00:00:00Z",
      context: { ip: "203.0.113.9", userAgent: null },
      metadata: { ticket: "1" },
    };
    const answer = await update(userRef, body, { "User-Agent": "Backend/1" });
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"1"']);
    expect(answer.body).toMatchObject({ userRef, revision: 1, receipts: [{ receiptId: consentReceiptId }] });
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
    expect(lastChange()).toMatchObject({
      userRef,
      purposes: [
        { purpose: "a", decision: "GRANT", templateId, expiresAt: { seconds: 1_798_761_600n } },
        { purpose: "b", decision: "WITHDRAW" },
      ],
      withdrawAll: false,
      locale: "de",
      source: "SUPPORT",
      method: "PHONE",
      actorType: "ADMIN",
      actorId: "agent-7",
      reason: "asked",
      context: { ip: "203.0.113.9" },
      metadata: { ticket: "1" },
      observed: { userAgent: "Backend/1" },
    });
    expect([lastChange()?.idempotencyKey, lastChange()?.expectedRevision]).toEqual([undefined, undefined]);
  });

  test("the short form grants and denies", async () => {
    await update("user", { purposes: { news: true, ads: false } });
    expect(lastChange()?.purposes).toMatchObject([
      { purpose: "news", decision: "GRANT" },
      { purpose: "ads", decision: "DENY" },
    ]);
  });

  test("the digest is that of the canonical body, whatever the order of keys and white space", async () => {
    const expected = createHash("sha256").update('{"purposes":{"a":true,"b":false},"withdrawAll":true}').digest();
    await update("user", '{ "withdrawAll": true, "purposes": { "b": false, "a": true } }');
    expect(Buffer.from(lastChange()?.bodyDigest ?? []).equals(expected)).toBe(true);
  });

  test("a key is optional, and a replay says that it is one", async () => {
    const answer = await update("user", grant, { "X-Idempotency-Key": "replayed" });
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(lastChange()?.idempotencyKey).toBe("replayed");
    const bad = await update("user", grant, { "X-Idempotency-Key": "x".repeat(256) });
    expect([bad.status, bad.body.errorCode]).toEqual([400, "CLICK_IDEMPOTENCY_KEY_INVALID"]);
  });

  test("If-Match guards the revision", async () => {
    const userRef = uniqueName("guarded");
    expect((await update(userRef, grant, { "If-Match": '"0"' })).status).toBe(200);
    const conflict = await update(userRef, grant, { "If-Match": '"0"' });
    expect([conflict.status, conflict.body.errorCode]).toEqual([409, "CLICK_CONSENT_CONFLICT"]);
    expect((await update(userRef, grant, { "If-Match": "1" })).status).toBe(200);
    expect((await update(userRef, grant, { "If-Match": "*" })).status).toBe(200);
    // As the ETag of a compressed answer says it.
    expect((await update(userRef, grant, { "If-Match": 'W/"3"' })).status).toBe(200);
    expect((await update(userRef, grant, { "If-Match": 'W/"3"' })).status).toBe(409);
    const bad = await update(userRef, grant, { "If-Match": 'W/"one"' });
    expect([bad.status, bad.body.details[0].field]).toEqual([400, "If-Match"]);
  });

  test.each([
    [{}, "purposes"],
    [{ purposes: [] }, "purposes"],
    [{ purposes: {} }, "purposes"],
    [{ purposes: null, withdrawAll: false }, "purposes"],
    [{ purposes: "all" }, "purposes"],
    [{ purposes: { a: "yes" } }, "purposes.a"],
    [{ purposes: { "": true } }, "purposes"],
    [{ purposes: [{ decision: "GRANT" }] }, "purposes[0].purpose"],
    [{ purposes: [{ purpose: "a", decision: "MAYBE" }] }, "purposes[0].decision"],
    [{ purposes: [{ purpose: "a", decision: "GRANT", templateId: "x" }] }, "purposes[0].templateId"],
    [{ ...grant, source: "TV" }, "source"],
    [{ ...grant, actor: { type: "ROBOT" } }, "actor.type"],
    [{ ...grant, occurredAt: "then" }, "occurredAt"],
    [{ ...grant, metadata: { a: 1 } }, "metadata.a"],
  ])("%j is 400", async (body, field) => {
    const answer = await update("user", body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(answer.body.details.map((detail: { field: string }) => detail.field)).toContain(field);
  });

  test("withdrawAll is enough", async () => {
    expect((await update("user", { withdrawAll: true })).status).toBe(200);
  });
});
