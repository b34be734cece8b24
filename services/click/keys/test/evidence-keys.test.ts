import { randomBytes } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { calculateJwkThumbprint, compactVerify, importJWK } from "jose";
import pg from "pg";
import { ClickService, EvidenceAdminService, type EvidenceKey } from "#gen/assent/click/v1/click_pb.ts";
import { createPool } from "#platform/db/pool.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { signNote, verifyNote } from "#platform/transparency/signed-note.ts";
import { evidenceAdminRoutes } from "../../handlers.ts";
import { anchorLogId, logOrigin, receiptJws } from "../../log/leaf.ts";
import { createClickService } from "../../service.ts";
import { createFakeTemplates } from "../../test/fake-templates.ts";
import { testIssuer } from "../../test/harness.ts";
import { createEvidenceParts, type EvidenceParts, evidenceJwk } from "../evidence-parts.ts";
import { rawPublicKey } from "../sealed-columns.ts";
import { listEvidenceKeys } from "../signing-key-handlers.ts";

let database: TestDatabase;
let pool: pg.Pool;
let superuser: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, role: "assent_click", name: "test" });
  superuser = new pg.Pool({ connectionString: database.superuserUrl, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await superuser.end();
  await database.drop();
});

const dayMs = 86_400_000;
const minuteMs = 60_000;
const orgId = newId();
const logger = createLogger("test", "silent");
let now: Date;
let parts: EvidenceParts;
let click: Client<typeof ClickService>;
let admin: Client<typeof EvidenceAdminService>;

beforeEach(async () => {
  await superuser.query("truncate click.signing_key");
  now = new Date("2026-11-20T12:00:00Z");
  const clock = { now: () => now };
  parts = createEvidenceParts({
    ...{ pool, masterKeys: [randomBytes(32)], hashKey: () => randomBytes(32) },
    ...{ issuer: testIssuer, clock, logger },
  });
  const interceptors = serverInterceptors({ service: "click", logger, metrics: createMetrics() });
  const transport = createMemoryTransport(
    (router) => {
      router.service(
        ClickService,
        listEvidenceKeys({ ...parts, pool, integratorPool: pool, tsaCertificates: ["a PEM"] }),
      );
      const setbacks = { areConfirmed: async () => true, list: async () => [], confirm: async () => 0 };
      evidenceAdminRoutes({ ...parts, integratorPool: pool, clock, logger, setbacks, logMemory: undefined })(router);
    },
    { interceptors },
  );
  click = createClient(ClickService, transport);
  admin = createClient(EvidenceAdminService, transport);
});

const advance = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
const keysOf = async (purpose: string): Promise<EvidenceKey[]> =>
  (await click.listEvidenceKeys({})).keys.filter((key) => key.purpose === purpose);
const dateOf = (time: EvidenceKey["notBefore"]): Date | undefined => time && timestampDate(time);

/** Signs a leaf now; verifies it with nothing but what is published then. */
async function signReceipt(): Promise<{ kid: string; verify: () => Promise<string> }> {
  const recordId = newId();
  const payload = { v: 1, kind: "click.acceptance", iss: testIssuer, org: orgId, rid: recordId } as const;
  const [leaf] = await parts.leafSigner.sign([{ recordId, payload }], now);
  const key = leaf && (await parts.receiptKeys.byGeneration(leaf.signedBy));
  if (leaf === undefined || key === undefined) throw new Error("nothing was signed");
  const jws = receiptJws(key, leaf.leaf, leaf.signature);
  const verify = async (): Promise<string> => {
    const published = (await keysOf("receipt")).find(({ kid }) => kid === key.kid);
    if (published === undefined) return "unknown key";
    const jwk = evidenceJwk(await parts.receiptKeys.all(), key, "receipt");
    expect(jwk.x).toBe(Buffer.from(published.publicKey).toString("base64url"));
    expect(jwk.nbf).toBe(Number(published.notBefore?.seconds));
    expect(await calculateJwkThumbprint(jwk)).toBe(key.kid);
    return JSON.parse(Buffer.from((await compactVerify(jws, await importJWK(jwk))).payload).toString()).rid === recordId
      ? "verified"
      : "another leaf";
  };
  return { kid: key.kid, verify };
}

describe("ListEvidenceKeys", () => {
  test("needs no caller and makes what is missing: a key of each purpose", async () => {
    const { keys, logName, tsaCertificates } = await click.listEvidenceKeys({});
    expect(keys.map(({ purpose }) => purpose)).toEqual(["render", "receipt", "log"]);
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(3);
    for (const key of keys) {
      expect([key.publicKey.length, key.notAfter, key.revokedAt]).toEqual([32, undefined, undefined]);
      expect(dateOf(key.notBefore)).toEqual(new Date("2026-11-20T11:00:00Z"));
    }
    expect([logName, tsaCertificates]).toEqual(["assent.localhost/click/log", ["a PEM"]]);
  });

  test("a receipt that was signed before a rotation verifies with the published keys, and so do later ones", async () => {
    const early = await signReceipt();
    advance(364 * dayMs);
    await signReceipt();
    await until(async () => (await keysOf("receipt")).length === 2);
    const takeover = new Date("2027-11-20T12:00:00Z");
    const [first, second] = await keysOf("receipt");
    expect([dateOf(first?.notAfter), dateOf(second?.notBefore)]).toEqual([
      new Date(takeover.getTime() + 60 * minuteMs),
      new Date(takeover.getTime() - 60 * minuteMs),
    ]);
    advance(dayMs);
    const late = await signReceipt();
    expect([early.kid, late.kid]).toEqual([first?.kid, second?.kid]);
    advance(2 * 365 * dayMs);
    expect([await early.verify(), await late.verify()]).toEqual(["verified", "verified"]);
  });

  test("a revoked key stays published with its time, and signs nothing more", async () => {
    const before = await signReceipt();
    await admin.revokeSigningKey({ kid: before.kid });
    const after = await signReceipt();
    expect(after.kid).not.toBe(before.kid);
    expect([await before.verify(), await after.verify()]).toEqual(["verified", "verified"]);
    const [revoked, successor] = await keysOf("receipt");
    expect(revoked).toMatchObject({ kid: before.kid });
    expect([dateOf(revoked?.revokedAt), dateOf(successor?.revokedAt)]).toEqual([
      new Date(now.getTime() + minuteMs),
      undefined,
    ]);
    expect(dateOf(revoked?.notAfter)).toEqual(new Date(now.getTime() + 60 * minuteMs));
  });

  test("a key that was planned, and then never signed, is left out", async () => {
    await signReceipt();
    advance(364 * dayMs);
    await signReceipt();
    await until(async () => (await keysOf("receipt")).length === 2);
    const [first, planned] = await keysOf("receipt");
    const { key: made } = await admin.rotateSigningKey({ purpose: "receipt" });
    expect((await keysOf("receipt")).map(({ kid }) => kid)).toEqual([first?.kid, made?.kid]);
    advance(2 * dayMs);
    expect((await signReceipt()).kid).toBe(made?.kid);
    expect((await admin.listSigningKeys({})).keys.map(({ kid }) => kid)).toContain(planned?.kid);
  });

  test("checkpoints of the asked log and the anchor log verify, whichever log key signed them", async () => {
    const notes = [];
    for (let generation = 1; generation <= 2; generation += 1) {
      const key = await parts.logKeys.signingAt(now);
      for (const log of [orgId, anchorLogId]) {
        const name = logOrigin(testIssuer, log);
        const signer = { name, key: key.privateKey, publicKey: rawPublicKey(key) };
        notes.push({ name, note: signNote(`${name}\n${generation}\nAAAA\n`, signer) });
      }
      await admin.rotateSigningKey({ purpose: "log" });
      advance(1);
    }
    const { verifierKeys } = await click.listEvidenceKeys({ logId: orgId.toUpperCase() });
    expect(verifierKeys).toHaveLength(6);
    for (const { name, note } of notes) expect(verifyNote(note, verifierKeys)?.signers).toEqual([name]);
    expect((await click.listEvidenceKeys({})).verifierKeys).toEqual(verifierKeys.slice(0, 3));
    expect((await click.listEvidenceKeys({ logId: anchorLogId })).verifierKeys).toEqual(verifierKeys.slice(0, 3));
    await expectDomainError(click.listEvidenceKeys({ logId: "acme" }), "VALIDATION_FAILED");
  });
});

describe("a process with another master key", () => {
  test("does not become ready", async () => {
    const start = (masterKey: Buffer) => {
      const runtime = { logger, metrics: createMetrics(), clock: { now: () => now }, newId, bus: createMemoryBus() };
      const config = { databaseUrl: database.url, masterKey: masterKey.toString("base64"), issuer: testIssuer };
      return createClickService(config, {
        runtime,
        templates: createFakeTemplates().transport,
        docgen: createMemoryTransport(() => undefined, { interceptors: [] }),
      });
    };
    const masterKey = randomBytes(32);
    const [good, same, bad] = [await start(masterKey), await start(masterKey), await start(randomBytes(32))];
    await Promise.all([good.checkReady(), same.checkReady()]);
    await expect(bad.checkReady()).rejects.toThrow("master key");
    await Promise.all([good, same, bad].map((service) => service.close()));
  });
});

describe("EvidenceAdminService", () => {
  test("lists every key with when it signs", async () => {
    const { key: made } = await admin.rotateSigningKey({ purpose: "log" });
    const { keys } = await admin.listSigningKeys({});
    expect(keys.map(({ purpose, generation }) => [purpose, generation])).toEqual([
      ["render", 1],
      ["receipt", 1],
      ["log", 1],
    ]);
    expect(made).toEqual(keys.at(-1));
    const { key: next } = await admin.rotateSigningKey({ purpose: "log" });
    expect((await admin.listSigningKeys({})).keys.slice(-2)).toMatchObject([{ signsUntil: next?.signsFrom }, next]);
  });

  test("an unknown purpose and an unknown key are not found", async () => {
    await expectDomainError(admin.rotateSigningKey({ purpose: "oauth" }), "NOT_FOUND");
    await expectDomainError(admin.revokeSigningKey({ kid: "unknown" }), "NOT_FOUND");
  });

  test("the service may neither change keys nor delete them, and nobody else may use them", async () => {
    await signReceipt();
    await expect(pool.query("update click.signing_key set signs_from = now()")).rejects.toThrow("permission denied");
    await expect(pool.query("delete from click.signing_key")).rejects.toThrow("permission denied");
    for (const role of ["recorder", "relay", "sweeper", "eraser"]) {
      const other = createPool({ url: database.url, role: `assent_click_${role}`, name: "test" });
      await expect(other.query("select from click.signing_key")).rejects.toThrow("permission denied");
      await other.end();
    }
  });
});
