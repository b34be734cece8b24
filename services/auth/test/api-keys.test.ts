import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createTestClock } from "#platform/testing/service-harness.ts";
import { makeApiKey } from "../domain/api-key.ts";
import { toBase62 } from "../domain/secrets.ts";
import { type AuthHarness, createKey, createOrganization, createProcess, startAuth } from "./harness.ts";

let auth: AuthHarness;
let organizationId: string;

beforeAll(async () => {
  auth = await startAuth();
  organizationId = await createOrganization(auth);
});
afterAll(() => auth.stop());

/** The same text with a checksum that fits. */
const withChecksum = (body: string): string => body + toBase62(crc32(body), 6);

describe("authenticateApiKey", () => {
  test("a key leads to its id and organization", async () => {
    const { keyId, apiKey } = await createKey(auth, organizationId);
    expect(apiKey).toMatch(/^ak_live_/);
    expect(await auth.tokens.authenticateApiKey({ apiKey })).toMatchObject({ keyId, organizationId });
  });

  test("keys of a sandbox organization begin with ak_test_", async () => {
    const sandbox = await createOrganization(auth, "Sandbox", true);
    const { keyId, apiKey } = await createKey(auth, sandbox);
    expect(apiKey).toMatch(/^ak_test_/);
    expect(await auth.tokens.authenticateApiKey({ apiKey })).toMatchObject({ keyId, organizationId: sandbox });
  });

  test("one changed letter is found out by the checksum, without a look into the database", async () => {
    const { apiKey } = await createKey(auth, organizationId);
    const withoutDatabase = await createProcess({ databaseUrl: "postgres://nobody@127.0.0.1:1/none" }, auth.clock);
    try {
      for (let at = "ak_live_".length; at < apiKey.length; at += 1) {
        const other = apiKey[at] === "x" ? "y" : "x";
        const changed = apiKey[at] === "_" ? apiKey : apiKey.slice(0, at) + other + apiKey.slice(at + 1);
        if (changed === apiKey) continue;
        await expectDomainError(withoutDatabase.tokens.authenticateApiKey({ apiKey: changed }), "INVALID_TOKEN");
      }
      await expectDomainError(withoutDatabase.tokens.authenticateApiKey({ apiKey }), "SERVICE_UNAVAILABLE");
    } finally {
      await withoutDatabase.service.close();
    }
  });

  test("malformed, unknown, forged and revoked keys get one and the same answer", async () => {
    const { keyId, apiKey } = await createKey(auth, organizationId);
    const other = await createKey(auth, organizationId);
    const revoked = await createKey(auth, organizationId);
    await auth.admin.revokeApiKey({ organizationId, keyId: revoked.keyId });
    const ownSecret = apiKey.slice(25, -6);
    const refused = [
      "",
      "ak_live_",
      "Bearer x",
      apiKey.slice(0, -1),
      `${apiKey.slice(0, -1)}${apiKey.endsWith("a") ? "b" : "a"}`,
      makeApiKey(false).value,
      withChecksum(`ak_live_${keyId}_${"A".repeat(43)}`),
      withChecksum(`ak_live_${other.keyId}_${ownSecret}`),
      withChecksum(`ak_test_${keyId}_${ownSecret}`),
      revoked.apiKey,
    ];
    const messages = new Set<string>();
    for (const value of refused) {
      messages.add(
        (await expectDomainError(auth.tokens.authenticateApiKey({ apiKey: value }), "INVALID_TOKEN")).message,
      );
    }
    expect(messages.size).toBe(1);
    expect(await auth.tokens.authenticateApiKey({ apiKey })).toMatchObject({ keyId });
  });

  test("a mistyped key is refused without asking the database", async () => {
    const offline = await createProcess(
      { databaseUrl: "postgres://nobody@127.0.0.1:1/none" },
      createTestClock(Date.UTC(2026, 5, 1)),
    );
    const { value } = makeApiKey(false);
    const mistyped = `${value.slice(0, 30)}${value[30] === "a" ? "b" : "a"}${value.slice(31)}`;
    await expectDomainError(offline.tokens.authenticateApiKey({ apiKey: mistyped }), "INVALID_TOKEN");
    await expectDomainError(offline.tokens.authenticateApiKey({ apiKey: value }), "SERVICE_UNAVAILABLE");
    await offline.service.close();
  });

  test("a process with another master key judges no key", async () => {
    const foreign = await auth.another({ masterKey: randomBytes(32).toString("base64") });
    const { apiKey } = await createKey(auth, organizationId);
    await expectDomainError(foreign.tokens.authenticateApiKey({ apiKey }), "SERVICE_UNAVAILABLE");
  });

  test("the database holds no key and no secret in a form that could be used", async () => {
    const { apiKey } = await createKey(auth, organizationId);
    const { rows } = await auth.superuser.query("select encode(secret_hash, 'hex') as hash, name from auth.api_key");
    expect(JSON.stringify(rows)).not.toContain(apiKey.slice(25));
    expect(rows.every((row) => row.hash.length === 64)).toBe(true);
  });
});
