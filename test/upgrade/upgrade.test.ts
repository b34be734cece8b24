import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { createLogger } from "#platform/logger.ts";
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { openHome } from "../../dev/home.ts";
import { allMigrations, migrateAll } from "../../dev/migrations.ts";
import { type SingleProcess, startSingleProcess } from "../../dev/single-process.ts";
import { Api } from "../support/api.ts";
import { Browser } from "../support/browser-people.ts";
import { checkTrail } from "../support/check-trail.ts";
import { collectEvents, type EventLog } from "../support/events.ts";
import { bodyOf } from "../support/journeys.ts";
import { readPageAndConsent } from "../support/read-and-consent.ts";
import { startReceiver } from "../support/receiver.ts";
import { factsOf, keptReleases, restoreRelease, statementsOf } from "./release.ts";
import { shapeOf } from "./shape.ts";

/** Tables that a later migration took away, by the last release that had them. */
const gone: ReadonlyMap<string, readonly string[]> = new Map([["1", ["sign.subscription"]]]);

const lastRelease = keptReleases().findLast((release) => release.includes("."));

describe.each(keptReleases())("an installation of release %s, migrated", (release) => {
  const facts = factsOf(release);
  const folder = mkdtempSync(join(tmpdir(), "assent-upgrade-"));
  let database: TestDatabase;
  let running: SingleProcess;
  let events: EventLog;
  let api: Api;
  let inspector: pg.Pool;
  let before: ReadonlyMap<string, number>;
  let pending: string[];
  let applied: string[];

  beforeAll(async () => {
    const logger = createLogger("upgrade", "error");
    database = await createEmptyTestDatabase();
    await restoreRelease(release, database);
    inspector = new pg.Pool({ connectionString: database.superuserUrl, max: 1 });
    inspector.on("error", () => {});
    before = await rowCounts();
    pending = await pendingMigrations();
    applied = await migrateAll(database.url, logger);
    await postponeExpiry();
    const { secrets } = openHome({ ASSENT_HOME: folder });
    const { authMasterKey, clickMasterKey, webhooksMasterKey, signMasterKey } = { ...secrets, ...facts };
    running = await startSingleProcess({
      ...{ databaseUrl: database.url, natsUrl: "", host: "127.0.0.1", port: 0, logger },
      secrets: { ...secrets, authMasterKey, clickMasterKey, webhooksMasterKey, signMasterKey },
    });
    running.open();
    events = await collectEvents(running.bus, "upgrade");
    api = new Api(`http://127.0.0.1:${running.port}`, facts.apiKey, facts.organizationId);
  });
  afterAll(async () => {
    await events?.stop();
    await running?.stop();
    await inspector?.end();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("has the schemas of a new one, to the last grant, and no migration is pending", async () => {
    const fresh = await createTestDatabase();
    try {
      expect(await shapeOf(database.superuserUrl)).toEqual(await shapeOf(fresh.superuserUrl));
    } finally {
      await fresh.drop();
    }
    expect(applied.toSorted()).toEqual(pending.toSorted());
    expect(await migrateAll(database.url, createLogger("upgrade", "silent"))).toEqual([]);
  });

  test("takes every statement of that release from the role that sent it, whose processes still run meanwhile", async () => {
    const client = new pg.Client({ connectionString: database.superuserUrl });
    await client.connect();
    const refused: string[] = [];
    try {
      for (const { role, text } of statementsOf(release)) {
        await client.query(`set role ${role}; set search_path = ${role.split("_")[1]}`);
        // Looks at names, types and permissions, and does nothing.
        await client.query(`explain (generic_plan) ${text}`).catch((error: Error) => {
          refused.push(`${role}: ${text}: ${error.message}`);
        });
      }
    } finally {
      await client.end();
    }
    expect(refused).toEqual([]);
    if (release === lastRelease) expect(statementsOf(release).length).toBeGreaterThan(200);
  });

  test("has lost no row but those of tables that are gone", () => {
    expect([...before.keys()].filter((table) => !kept.has(table))).toEqual(gone.get(release) ?? []);
    for (const [table, count] of before) if (kept.has(table)) expect([table, kept.get(table)]).toEqual([table, count]);
    expect(before.size).toBeGreaterThan(60);
  });

  test("knows its clients, with their limits", async () => {
    const answer = await api.accept("after-1", { templateSlug: facts.templateSlug, userRef: "eve" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("x-ratelimit-limit")).toBe(String(facts.acceptLimit));
    const token = await Api.fetchToken(api.baseUrl, facts.clientId, facts.clientSecret, "click:read");
    bodyOf(200, token);
    // What it does from now on is announced, after the position that the earlier release had come to.
    await until(() =>
      events
        .of("assent.click.acceptance.recorded")
        .some((event) => event.acceptanceRecorded?.receiptId === answer.body.receiptId),
    );
  });

  test("answers a request of that time with the receipt of that time, and tells another body from it", async () => {
    const body = { templateSlug: facts.templateSlug, userRef: "ada" };
    const again = await api.accept(facts.idempotencyKey, body);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(again.body).toMatchObject({ receiptId: facts.receipt.receiptId, userRef: "ada" });
    const other = await api.accept(facts.idempotencyKey, { ...body, userRef: "somebody else" });
    expect([other.status, other.body.errorCode]).toEqual([422, "CLICK_IDEMPOTENCY_KEY_REUSED"]);
    expect(bodyOf(200, await api.get(`/v1/click/receipts/${facts.receipt.receiptId}`))).toMatchObject(facts.receipt);
  });

  test("proves its records in a log that has only grown", async () => {
    const then = facts.inclusionProof;
    const path = `/v1/click/log/proofs/inclusion?receiptId=${facts.receipt.receiptId}&size=${then.treeSize}`;
    expect(bodyOf(200, await api.get(path))).toEqual(then);
    const bytes = (text: string): Buffer => Buffer.from(text, "base64");
    // Signed with a key that is still published.
    const keys = await (await fetch(`${api.baseUrl}/.well-known/click-log-keys?log=${facts.organizationId}`)).text();
    const note = verifyNote(then.checkpoint, keys.trim().split("\n"));
    const { size, root } = parseCheckpoint(note?.text ?? "") ?? { size: 0, root: Buffer.alloc(32) };
    expect(verifyInclusion(then.leafIndex, size, bytes(then.leafHash), then.auditPath.map(bytes), root)).toBe(true);
  });

  test("knows what was consented to and withdrawn", async () => {
    const { consents, revision } = bodyOf(200, await api.get("/v1/click/consent/ada"));
    expect({ consents, revision }).toEqual({
      consents: facts.consentState.consents,
      revision: facts.consentState.revision,
    });
  });

  test("has the agreements of that time: the sealed file to the byte, and the trail", async () => {
    const path = `/v1/sign/agreements/${facts.completedId}`;
    expect(bodyOf(200, await api.get(path)).status).toBe("completed");
    const trail: object[] = bodyOf(200, await api.get(`${path}/audit-events`));
    // What the answers of that time had is there; later ones have members more.
    expect(trail.slice(0, facts.auditEvents.length)).toMatchObject(facts.auditEvents);
    expect(checkTrail(facts.completedId, trail).problems).toEqual([]);
    const { rows } = await inspector.query<{ sha256: string }>(
      "select encode(sealed_sha256, 'hex') as sha256 from sign.document where agreement_id = $1",
      [facts.completedId],
    );
    expect(await sha256Of(`${path}/documents/1/content`)).toBe(rows[0]?.sha256);
    // Stored in clear then, and the same when it is encrypted.
    const inClear = "select from sign.blob where not is_sealed";
    await until(async () => (await inspector.query(inClear)).rowCount === 0, 30_000);
    expect(await sha256Of(`${path}/documents/1/content`)).toBe(rows[0]?.sha256);
  });

  test("lets people sign what was sent before", async () => {
    const path = `/v1/sign/agreements/${facts.waitingId}`;
    const wish = { recipientId: "1", returnUrl: "https://www.example.com/" };
    const { url } = bodyOf(201, await api.post(`${path}/views/recipient`, wish));
    const { headers } = await fetch(api.baseUrl + new URL(url).pathname, { redirect: "manual" });
    const page = /\/signing\/s\/[^/]+/.exec(headers.get("location") ?? "")?.[0] ?? "";
    const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const say = (what: string, body: object) => api.call("POST", `${page}/${what}`, body, { cookie });
    await readPageAndConsent((method, what, body) => api.call(method, `${page}/${what}`, body, { cookie }));
    const adopted = { typed: "Ann", font: "caveat", drawnPng: "" };
    bodyOf(200, await say("finish", { values: [], signature: adopted, initials: adopted }));
    await until(async () => bodyOf(200, await api.get(path)).status === "completed", 60_000);
    // What it did then is hashed as it was, and what it does now in the format of now, in one chain.
    const trail: { readonly format: number }[] = bodyOf(200, await api.get(`${path}/audit-events`));
    expect(checkTrail(facts.waitingId, trail).problems).toEqual([]);
    expect(trail.at(-1)?.format).toBe(2);
  });

  test("has the generated documents of that time, and generates with the templates of that time", async () => {
    const { id, sha256, contentUrl } = facts.generatedDocument;
    expect(bodyOf(200, await api.get(`/v1/gen/documents/${id}`))).toMatchObject({ status: "completed", sha256 });
    expect(await sha256Of(contentUrl)).toBe(sha256);
    const wanted = { templateId: facts.letterId, data: { name: "Ada" } };
    // The first document waits for the processes that render.
    const made = await until(async () => {
      const answer = await api.post("/v1/gen/documents", wanted);
      return answer.status !== 503 && answer;
    }, 60_000);
    expect(made.body).toMatchObject({ status: "completed", version: 1 });
  });

  test("leaves erased who was erased, and void what was void", async () => {
    const { erasedReceiptId, voidedId } = facts;
    if (erasedReceiptId !== undefined) {
      const receipt = bodyOf(200, await api.get(`/v1/click/receipts/${erasedReceiptId}`));
      expect(receipt).toMatchObject({ erased: true, userRef: null });
    }
    if (voidedId !== undefined) {
      expect(bodyOf(200, await api.get(`/v1/sign/agreements/${voidedId}`)).status).toBe("voided");
    }
  });

  test("lets people of that time log in", async () => {
    if (facts.owner === undefined) return;
    const browser = new Browser(api.baseUrl);
    const answer = bodyOf(200, await browser.login(facts.owner.email, facts.owner.password));
    expect(answer.status).toBe("signed_in");
    const people: { email: string }[] = bodyOf(200, await browser.get("/v1/dashboard/users"));
    expect(people.map(({ email }) => email).sort()).toEqual([facts.memberEmail, facts.owner.email]);
  });

  test("signs what it sends with the secret that the endpoint had, and knows what was delivered", async () => {
    if (facts.webhook === undefined) return;
    const { endpointId, secret, deliveryId } = facts.webhook;
    expect(bodyOf(200, await api.get(`/v1/webhooks/deliveries/${deliveryId}`)).status).toBe("DELIVERED");
    const receiver = await startReceiver();
    try {
      const url = receiver.urlOf("moved");
      bodyOf(200, await api.call("PATCH", `/v1/webhooks/endpoints/${endpointId}`, { url }));
      bodyOf(202, await api.call("POST", `/v1/webhooks/endpoints/${endpointId}/test`));
      const [received] = await until(() => receiver.at("moved").length > 0 && receiver.at("moved"), 20_000);
      expect(new Webhook(secret).verify(received?.text ?? "", received?.headers ?? {})).toEqual(received?.body);
    } finally {
      await receiver.close();
    }
  });

  const kept = new Map<string, number>();

  async function rowCounts(): Promise<Map<string, number>> {
    const { rows } = await inspector.query<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables where schemaname = any($1)
       and tablename not in ('migration', 'relay_lease') order by 1`,
      [allMigrations.map(({ schema }) => schema)],
    );
    const counts = new Map<string, number>();
    for (const { name } of rows) {
      const found = await inspector.query<{ n: number }>(`select count(*)::int as n from ${name}`);
      counts.set(name, found.rows[0]?.n ?? 0);
    }
    return counts;
  }

  async function pendingMigrations(): Promise<string[]> {
    const names = await Promise.all(
      allMigrations.map(async ({ schema, list }) => {
        const exists = await inspector.query("select from pg_tables where schemaname = $1", [schema]);
        const done = exists.rowCount ? (await inspector.query(`select name from ${schema}.migration`)).rows : [];
        const applied = new Set(done.map(({ name }) => name));
        return list.flatMap(({ name }) => (applied.has(name) ? [] : [`${schema}.${name}`]));
      }),
    );
    return names.flat();
  }

  /** What waits or is kept for some time would be over one day, whatever the release; nothing has run yet that changes rows. */
  async function postponeExpiry(): Promise<void> {
    for (const [table, count] of await rowCounts()) if (before.has(table)) kept.set(table, count);
    const later = "greatest(now(), timestamptz '2026-11-21') + interval '30 days'";
    await inspector.query(`update sign.agreement set expires_at = ${later} where expires_at is not null`);
    await inspector.query(`update sign.job set run_at = ${later} where kind = 'expiry'`);
    await inspector.query(`update docgen.document set expires_at = ${later} where expires_at is not null`);
    const lately = "greatest(created_at, now() - interval '1 day')";
    for (const table of ["event", "delivery"])
      await inspector.query(`update webhooks.${table} set created_at = ${lately}`);
  }

  async function sha256Of(path: string): Promise<string> {
    const response = await fetch(api.baseUrl + path, { headers: { authorization: `Bearer ${api.token}` } });
    expect(response.status).toBe(200);
    return createHash("sha256")
      .update(new Uint8Array(await response.arrayBuffer()))
      .digest("hex");
  }
});
