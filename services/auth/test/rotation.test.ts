import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { resealAll } from "#platform/testing/database-dump.ts";
import { totpCode } from "../domain/second-factor.ts";
import {
  type AuthHarness,
  createKey,
  createOAuthClient,
  createOrganization,
  createProcess,
  masterKey,
  publishedKids,
  runWorkerOnce,
  startAuth,
  type TestClient,
  verifyToken,
} from "./harness.ts";
import { createOwner, fromBase32, password, visitor } from "./people.ts";

let auth: AuthHarness;
let client: TestClient;

beforeEach(async () => {
  auth = await startAuth();
  client = await createOAuthClient(auth, await createOrganization(auth));
});
afterEach(() => auth.stop());

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

async function issue(): Promise<{ accessToken: string; kid: string }> {
  const { accessToken } = await auth.tokens.issueToken(client);
  return { accessToken, kid: (await verifyToken(auth, accessToken, auth.clock)).kid };
}

const storedKeys = async () => {
  const { rows } = await auth.superuser.query<{ generation: number; kid: string }>(
    "select generation, kid from auth.signing_key order by generation",
  );
  return rows;
};

describe("key rotation", () => {
  test("a new key is published a day ahead, takes over after 30 days, and the old one stays for its last tokens", async () => {
    const { kid: old } = await issue();
    auth.clock.advance(29 * day - minute);
    expect(await publishedKids(auth)).toEqual([old]);

    auth.clock.advance(minute);
    const [, next = ""] = await publishedKids(auth);
    expect(next).not.toBe("");
    expect((await issue()).kid).toBe(old);

    auth.clock.advance(day - 1);
    const last = await issue();
    expect(last.kid).toBe(old);

    auth.clock.advance(1);
    expect((await issue()).kid).toBe(next);
    expect(await publishedKids(auth)).toEqual([old, next]);

    auth.clock.advance(hour - minute);
    expect((await verifyToken(auth, last.accessToken, auth.clock)).kid).toBe(old);
    auth.clock.advance(hour + minute);
    expect(await publishedKids(auth)).toEqual([next]);
  });

  test("tokens verify on every day of a year", async () => {
    const kids = new Set<string>();
    for (let n = 0; n < 365; n += 1) {
      kids.add((await issue()).kid);
      auth.clock.advance(day);
    }
    expect(kids.size).toBe(13);
  });

  test("after a standstill of months the old key signs until the new one was published for a day", async () => {
    const { kid: old } = await issue();
    auth.clock.advance(100 * day);
    expect((await issue()).kid).toBe(old);
    expect(await publishedKids(auth)).toHaveLength(2);
    auth.clock.advance(day);
    expect((await issue()).kid).not.toBe(old);
  });

  test("the worker deletes keys that are not published any more", async () => {
    const { kid: old } = await issue();
    auth.clock.advance(29 * day);
    await runWorkerOnce(auth, "auth-keys");
    auth.clock.advance(day + 2 * hour - 1);
    await runWorkerOnce(auth, "auth-purge");
    expect((await storedKeys()).map((key) => key.kid)).toContain(old);
    auth.clock.advance(1);
    await runWorkerOnce(auth, "auth-purge");
    expect((await storedKeys()).map((key) => key.generation)).toEqual([2]);
    await runWorkerOnce(auth, "auth-keys");
    expect(await publishedKids(auth)).toHaveLength(1);
  });
});

describe("several processes", () => {
  test("processes that start at once on an empty database share one key", async () => {
    const processes = await Promise.all(Array.from({ length: 5 }, () => auth.another()));
    const kids = await Promise.all(processes.map(publishedKids));
    expect(new Set(kids.flat()).size).toBe(1);
    expect(await storedKeys()).toHaveLength(1);
  });

  test("processes that rotate at once make one next key", async () => {
    const processes = await Promise.all(Array.from({ length: 5 }, () => auth.another()));
    await Promise.all(processes.map(publishedKids));
    auth.clock.advance(29 * day);
    const kids = await Promise.all(processes.map(publishedKids));
    expect(new Set(kids.map(String)).size).toBe(1);
    expect((await storedKeys()).map((key) => key.generation)).toEqual([1, 2]);
  });

  test("a process signs with a key that another one made", async () => {
    const second = await auth.another();
    const { kid } = await issue();
    const { accessToken } = await second.tokens.issueToken(client);
    expect((await verifyToken(second, accessToken, auth.clock)).kid).toBe(kid);
  });

  test("calls at the same time load the keys once", async () => {
    const fresh = await auth.another();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => fresh.tokens.issueToken(client)));
    expect(new Set(tokens.map((token) => token.accessToken.split(".")[0])).size).toBe(1);
  });
});

describe("stored signing keys", () => {
  test("the private key is stored encrypted only", async () => {
    await issue();
    const { rows } = await auth.superuser.query("select private_jwk from auth.signing_key");
    expect(rows[0].private_jwk.toString("latin1")).not.toMatch(/"d"|kty|P-256/);
  });

  test("another master key cannot use them and says so instead of making its own", async () => {
    await issue();
    const foreign = await auth.another({ masterKey: randomBytes(32).toString("base64") });
    await expect(foreign.service.checkReady()).rejects.toThrow("the master key is not the one it was made with");
    expect(await storedKeys()).toHaveLength(1);
  });

  test("a process that knows the keys goes on with them while they cannot be read", async () => {
    const { kid } = await issue();
    await auth.superuser.query("alter table auth.signing_key rename to away");
    auth.clock.advance(hour);
    expect(await publishedKids(auth)).toEqual([kid]);
    await runWorkerOnce(auth, "auth-keys");
    expect((await issue()).kid).toBe(kid);
    await expect(publishedKids(await auth.another())).rejects.toThrow();
  });

  test("a row that was changed in the database is refused", async () => {
    await issue();
    await auth.superuser.query("update auth.signing_key set kid = 'someone-elses'");
    const fresh = await auth.another();
    await expect(fresh.service.checkReady()).rejects.toThrow("cannot be decrypted");
  });
});

describe("checkReady", () => {
  test("a process with a database and keys is ready, one without a database is not", async () => {
    await auth.service.checkReady();
    const offline = await createProcess({ databaseUrl: "postgres://nobody@127.0.0.1:1/none" }, auth.clock);
    await expect(offline.service.checkReady()).rejects.toThrow();
    await offline.service.close();
  });
});

describe("replacing the master key", () => {
  test("keys, secrets, tokens, passwords and second factors of before work with the newest key alone", async () => {
    const organizationId = await createOrganization(auth);
    const { apiKey, keyId } = await createKey(auth, organizationId);
    const owner = await createOwner(auth, organizationId);
    const { uri } = await auth.users.beginTotp({ password, visitor }, owner.call);
    const secret = fromBase32(new URL(uri).searchParams.get("secret") ?? "");
    const code = () => totpCode(secret, Math.floor(auth.clock.now().getTime() / 30_000));
    await auth.users.confirmTotp({ code: code(), sessionId: owner.sessionId, visitor }, owner.call);
    const before = await issue();

    const newest = randomBytes(32).toString("base64");
    const both = await auth.another({ masterKey: `${newest},${masterKey}` });
    expect(await both.tokens.authenticateApiKey({ apiKey })).toMatchObject({ keyId });
    expect(await resealAll(both.service.resealer)).toMatchObject({ unreadable: 0 });

    const alone = await auth.another({ masterKey: newest });
    await alone.service.checkReady();
    expect(await alone.tokens.authenticateApiKey({ apiKey })).toMatchObject({ keyId });
    const after = await alone.tokens.issueToken(client);
    expect((await verifyToken(alone, after.accessToken, auth.clock)).kid).toBe(before.kid);
    auth.clock.advance(minute);
    const { outcome } = await alone.logins.login({ email: owner.email, password, visitor });
    if (outcome.case !== "secondFactor") throw new Error(`the login ended with ${outcome.case}`);
    const { pendingToken } = outcome.value;
    const { signedIn } = await alone.logins.continueLogin({ pendingToken, code: code(), visitor });
    expect(signedIn?.principal?.user?.id).toBe(owner.userId);
  });
});
