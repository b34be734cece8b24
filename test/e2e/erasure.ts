import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import {
  bodyOf,
  consentTemplate,
  consentText,
  generatedTemplate,
  generatedText,
  publishText,
} from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";

const person = {
  userRef: "zoe.customer@people.example",
  email: "zoe.private@mail.example",
  key: "signup of zoe 1042",
  ip: "198.51.100.77",
  userAgent: "BrowserOfZoe/133.0",
  pageUrl: "https://shop.example/account/zoe-secret-page",
  typedName: "Zoe Quentin Sigismund",
  buyer: "Zoe of 7 Long Lane, Smallville",
  reason: "because zoe has moved away",
};

const { userRef, ip, userAgent, pageUrl, email, typedName } = person;
const told = { userRef, typedName, context: { ip, userAgent, pageUrl }, metadata: { email } };
const userPath = `/v1/click/users/${encodeURIComponent(userRef)}`;
const consentPath = `/v1/click/consent/${encodeURIComponent(userRef)}`;

export const erasureOfUser = scenario("erasure of a user", (_mode, running) => {
  let system: System;
  let api: Api;
  let inspect: pg.Pool;
  beforeAll(async () => {
    system = running();
    api = await system.newOrganization();
    inspect = new pg.Pool({ connectionString: system.inspectUrl, max: 1 });
    inspect.on("error", () => {});
  });
  afterAll(async () => {
    await inspect?.end();
  });

  test("leaves nothing of what was sent about the user in any table of any service", async () => {
    const { templateId } = await publishText(api, { ...generatedTemplate, slug: "order" }, generatedText);
    await publishText(api, { ...consentTemplate, slug: "privacy" }, consentText);
    const data = { buyer: person.buyer };
    const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId, ...told, data }));
    const first = bodyOf(201, await api.accept(person.key, { sessionId: session.id, ...told }));
    const second = bodyOf(201, await api.accept(`${person.key} b`, { templateId, ...told, data }));
    const decisions = [{ purpose: "marketing", decision: "GRANT" }];
    const change = { purposes: decisions, reason: person.reason, context: told.context, metadata: { email } };
    const changed = bodyOf(200, await api.post(consentPath, change));
    const { receipts, sessions, consentChanges } = bodyOf(200, await api.call("DELETE", userPath)).erased;
    expect(receipts).toEqual([first.receiptId, second.receiptId].sort());
    expect([sessions, consentChanges]).toEqual([[session.id], [changed.receipts[0].receiptId]]);
    const dump = await dumpTables(inspect);
    expect(findIn(dump, Object.values(person))).toEqual([]);
    for (const table of ["click.acceptance", "auth.", "gateway.", "templates."]) expect(dump).toContain(`\n${table}`);
    const again = await api.accept(person.key, { sessionId: session.id, ...told });
    expect([again.status, again.body.receiptId, again.body.erased]).toEqual([200, first.receiptId, true]);
    expect(bodyOf(200, await api.get(`/v1/click/receipts/${second.receiptId}`))).toMatchObject({
      userRef: null,
      idempotencyKey: null,
      renderHash: null,
      erased: true,
    });
    expect(bodyOf(200, await api.get(consentPath))).toMatchObject({ revision: 0, consents: [], agreements: [] });
    expect((await api.call("DELETE", userPath)).body).toMatchObject({ erasureId: null, log: null });
  });

  test("is proven by the log, as are the receipts that it left", async () => {
    const { templateId } = await publishText(api, { name: "Terms", type: "STATIC", slug: "terms" }, "<p>Be kind.</p>");
    const receipt = bodyOf(201, await api.accept("key of ann", { templateId, userRef: "ann" }));
    const { log, erasureId } = bodyOf(200, await api.call("DELETE", "/v1/click/users/ann?reason=WITHDRAWAL"));
    for (const [id, { leafIndex, leafHash }] of [
      [receipt.receiptId, receipt.log],
      [erasureId, log],
    ]) {
      const path = `/v1/click/log/proofs/inclusion?receiptId=${id}`;
      await until(async () => (await api.get(path)).status === 200, 20_000);
      const proof = bodyOf(200, await api.get(path));
      const hash = Buffer.from(proof.leafHash, "base64").toString("hex");
      expect([proof.leafIndex, `sha256:${hash}`]).toEqual([leafIndex, leafHash]);
    }
    const { body } = await api.post("/v1/click/receipts/verify", { jws: receipt.signature.jws });
    expect(body).toMatchObject({ valid: true });
  });

  test("waits for the end of a legal hold, and of the time for which things must be kept", async () => {
    const { templateId } = await publishText(api, { name: "Kept", type: "STATIC", slug: "kept" }, "<p>Be kind.</p>");
    const flags = (policyFlags: object) => api.post(`/v1/click/templates/${templateId}/policy-flags`, { policyFlags });
    expect((await flags({ retentionDays: 30 })).status).toBe(200);
    const receipt = bodyOf(201, await api.accept("key of bob", { templateId, userRef: "bob", typedName: "Bob Hill" }));
    expect((await flags({ legalHold: true })).status).toBe(200);
    const held = await api.call("DELETE", "/v1/click/users/bob");
    expect([held.status, held.body.errorCode, held.body.details[0].field]).toEqual([
      409,
      "CLICK_LEGAL_HOLD",
      templateId,
    ]);
    expect(bodyOf(200, await api.get(`/v1/click/receipts/${receipt.receiptId}`))).toEqual(receipt);
    expect((await flags({ legalHold: false })).status).toBe(200);
    const { restricted } = bodyOf(200, await api.call("DELETE", "/v1/click/users/bob"));
    expect(restricted).toMatchObject([{ receiptId: receipt.receiptId }]);
    const evidence = `/v1/click/evidence/${receipt.receiptId}`;
    expect(bodyOf(200, await api.get(evidence)).subject).toMatchObject({ typedName: null, restricted: true });
    const opened = bodyOf(200, await api.post(`${evidence}/restricted`, { reason: "lawsuit 4 C 17/26" }));
    expect(opened.subject).toMatchObject({ userRef: "bob", typedName: "Bob Hill" });
    const { rows } = await inspect.query("select reason from click.restricted_access where session_id = $1", [
      receipt.receiptId,
    ]);
    expect(rows).toEqual([{ reason: "lawsuit 4 C 17/26" }]);
  });
});
