import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  importJWK,
  type JWK,
  jwtVerify,
} from "jose";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { signNote, verifierKey, verifyNote } from "#platform/transparency/signed-note.ts";
import { createEvidenceKeys } from "../evidence-keys.ts";
import { logName } from "./fake-evidence-keys.ts";
import { createFakes, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

const get = (path: string) => gateway.call("GET", path);
const payload = new TextEncoder().encode('{"v":1}');

describe("the key set", () => {
  test("verifies access tokens, receipts and render tokens, also those of a replaced key", async () => {
    const { body, text } = await get("/.well-known/jwks.json");
    expect(text).not.toContain('"d"');
    await jwtVerify(await gateway.auth.token("click:read"), createLocalJWKSet(body));
    const { old, receipt, render } = gateway.click.evidenceKeys.made;
    for (const { privateKey, published } of [old, receipt, render]) {
      const jws = await new CompactSign(payload)
        .setProtectedHeader({ alg: "EdDSA", kid: published.kid, typ: "click-receipt+jws" })
        .sign(privateKey);
      const jwk = body.keys.find(({ kid }: JWK) => kid === published.kid);
      expect(await calculateJwkThumbprint(jwk)).toBe(jwk.kid);
      expect(new TextDecoder().decode((await compactVerify(jws, await importJWK(jwk))).payload)).toBe('{"v":1}');
    }
  });

  test("tells when the signatures of a key of evidence are good, and has no keys of logs", async () => {
    const { keys } = (await get("/.well-known/jwks.json")).body;
    const { old, receipt, log } = gateway.click.evidenceKeys.made;
    const find = (wanted: string) => keys.find(({ kid }: JWK) => kid === wanted);
    expect(find(old.published.kid)).toEqual({
      ...{ kty: "OKP", crv: "Ed25519", x: old.published.publicKey.toString("base64url"), kid: old.published.kid },
      ...{ alg: "EdDSA", use: "sig", purpose: "receipt" },
      nbf: Date.parse("2026-01-01T00:00:00Z") / 1000,
      exp: Date.parse("2026-11-20T01:00:01Z") / 1000,
      revokedAt: "2026-11-20T00:01:00.123Z",
    });
    expect(Object.keys(find(receipt.published.kid))).toEqual(expect.not.arrayContaining(["exp", "revokedAt"]));
    expect(find(log.published.kid)).toBeUndefined();
  });

  test("is that of access tokens alone while the click service was never reached, and not for long", async () => {
    const fakes = await createFakes();
    fakes.click.evidenceKeys.state.isDown = true;
    const other = await startTestGateway(database.url, { fakes });
    try {
      const { status, body, headers } = await other.call("GET", "/.well-known/jwks.json");
      expect([status, body.keys.map(({ kid }: JWK) => kid)]).toEqual([200, ["key-1"]]);
      expect(headers.get("cache-control")).toBe("public, max-age=5");
      const answer = await other.call("GET", "/.well-known/click-keys.json");
      expect([answer.status, answer.body.errorCode]).toEqual([503, "SERVICE_UNAVAILABLE"]);
      expect((await other.call("GET", "/.well-known/click-log-keys")).status).toBe(503);
      expect(fakes.click.evidenceKeys.state.calls).toBe(1);
    } finally {
      await other.stop();
    }
  });
});

describe("the keys of logs", () => {
  test("are verifier keys, one a line, of the anchor log and of any log that is asked for", async () => {
    const organizationId = newId();
    const { privateKey, published } = gateway.click.evidenceKeys.made.log;
    const all = await get("/.well-known/click-log-keys");
    expect([all.status, all.headers.get("content-type"), all.headers.get("cache-control")]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "public, max-age=60",
    ]);
    expect(all.headers.has("access-control-allow-origin")).toBe(false);
    const anchor = verifierKey(`${logName}/anchor`, published.publicKey);
    expect(all.text).toBe(`${anchor}\n`);
    const { text } = await get(`/.well-known/click-log-keys?log=${organizationId.toUpperCase()}`);
    const keys = text.trimEnd().split("\n");
    expect(keys[0]).toBe(anchor);
    const name = `${logName}/${organizationId}`;
    const note = signNote(`${name}\n1\nAAAA\n`, { name, key: privateKey, publicKey: published.publicKey });
    expect(verifyNote(note, keys)?.signers).toEqual([name]);
  });

  test("stand with all other keys in the file for verifiers", async () => {
    const { made } = gateway.click.evidenceKeys;
    const organizationId = newId();
    const { body } = await get(`/.well-known/click-keys.json?log=${organizationId}`);
    expect(Object.keys(body)).toEqual(["keys", "logKeys", "logSigningKeys", "tsaCertificates"]);
    const kids = [made.render, made.old, made.receipt].map(({ published }) => published.kid);
    expect(body.keys.map(({ kid }: JWK) => kid)).toEqual(kids);
    expect(body.logKeys).toEqual(
      ["anchor", organizationId].map((log) => verifierKey(`${logName}/${log}`, made.log.published.publicKey)),
    );
    expect(body.tsaCertificates).toEqual(["-----BEGIN CERTIFICATE-----\n"]);
    expect(body.logSigningKeys).toMatchObject([{ kid: made.log.published.kid, purpose: "log" }]);
  });

  test("of all epochs stand there when a log was set back in time, with what happened", async () => {
    const logId = newId();
    const asked: (string | undefined)[] = [];
    const epoch = {
      ...{
        logId,
        epoch: 2,
        origin: `${logName}/${logId}/e2`,
        formerCheckpoint: "a note",
        firstIndex: 20n,
        treeSize: 20n,
      },
      ...{ missingFrom: 20n, missingTo: 120n, openedAt: timestampFromDate(new Date("2026-11-20T00:00:00Z")) },
    };
    const { publicKey } = gateway.click.evidenceKeys.made.log.published;
    const listEvidenceKeys = async ({ logId }: { logId?: string | undefined }) => {
      asked.push(logId);
      const log = { kid: "k", purpose: "log", publicKey, notBefore: epoch.openedAt };
      const verifierKeys = ["anchor", "anchor/e2"];
      return {
        keys: [log],
        verifierKeys,
        logName,
        tsaCertificates: [],
        highestEpoch: 7801,
        epochNumbers: [1, 2, 7801],
        epochs: logId ? [epoch] : [],
      } as never;
    };
    const logger = createLogger("gateway", "silent");
    const keys = createEvidenceKeys({ click: { listEvidenceKeys }, monotonic: () => 0, logger });
    // None of the numbers between: nobody had them.
    const origins = ["", "/e2", "/e7801"].map((end) => verifierKey(`${logName}/${logId}${end}`, publicKey));
    expect((await keys.read()).verifierKeys(logId)).toEqual(["anchor", "anchor/e2", ...origins]);
    for (const name of [logId, logId.toUpperCase()]) {
      expect(await keys.epochs(name)).toEqual([
        {
          ...{ logId, epoch: 2, origin: epoch.origin, firstIndex: 20, treeSize: 20, missing: { from: 20, to: 120 } },
          ...{ formerCheckpoint: "a note", openedAt: "2026-11-20T00:00:00.000Z" },
        },
      ]);
    }
    expect(asked).toEqual([undefined, logId]);
  });

  test("no UUID is refused", async () => {
    for (const path of ["click-log-keys?log=acme", "click-keys.json?log=", `click-keys.json?log=${newId()}&log=x`]) {
      const { status, body } = await get(`/.well-known/${path}`);
      expect([path, status, body.errorCode]).toEqual([path, 400, "CLICK_VALIDATION_FAILED"]);
    }
  });
});

describe("a flood", () => {
  const startReading = () => {
    const state = { calls: 0, isDown: false, now: 0 };
    const listEvidenceKeys = async () => {
      state.calls += 1;
      await Promise.resolve();
      if (state.isDown) throw new Error("down");
      return { keys: [], verifierKeys: [`key ${state.calls}`], logName, tsaCertificates: [] } as never;
    };
    const logger = createLogger("gateway", "silent");
    return { state, keys: createEvidenceKeys({ click: { listEvidenceKeys }, monotonic: () => state.now, logger }) };
  };

  test("for a thousand logs asks the click service once", async () => {
    const before = gateway.click.evidenceKeys.state.calls;
    await get("/.well-known/click-keys.json");
    for (let n = 0; n < 20; n += 1) {
      const asked = Array.from({ length: 50 }, () => get(`/.well-known/click-log-keys?log=${newId()}`));
      expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    }
    expect(gateway.click.evidenceKeys.state.calls - before).toBeLessThanOrEqual(3);
  });

  test("at once is one question, and the answer is good for five seconds", async () => {
    const { state, keys } = startReading();
    await Promise.all(Array.from({ length: 100 }, () => keys.read()));
    state.now = 5_000;
    expect((await keys.read()).verifierKeys()).toEqual(["key 1"]);
    expect(state.calls).toBe(1);
    state.now = 5_001;
    expect((await keys.read()).verifierKeys()).toEqual(["key 2"]);
  });

  test("in an outage is answered with the last keys, and asks again now and then", async () => {
    const { state, keys } = startReading();
    await keys.read();
    state.isDown = true;
    for (let n = 1; n <= 100; n += 1) {
      state.now = n * 1_000;
      expect((await keys.read()).verifierKeys()).toEqual(["key 1"]);
    }
    expect(state.calls).toBeLessThanOrEqual(21);
    state.isDown = false;
    state.now += 5_001;
    await keys.read();
    await keys.read();
    expect((await keys.read()).verifierKeys()).not.toEqual(["key 1"]);
  });

  test("before the first answer is refused without asking each time", async () => {
    const { state, keys } = startReading();
    state.isDown = true;
    for (let n = 0; n < 100; n += 1) await expect(keys.read()).rejects.toThrow("down");
    expect(state.calls).toBe(1);
  });
});
