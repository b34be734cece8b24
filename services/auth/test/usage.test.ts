import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import {
  type AuthHarness,
  type AuthProcess,
  createKey,
  createOAuthClient,
  createOrganization,
  runWorkerOnce,
  startAuth,
  type TestClient,
  type TestKey,
} from "./harness.ts";

let auth: AuthHarness;
let organizationId: string;
let key: TestKey;
let client: TestClient;

beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth.stop());
beforeEach(async () => {
  organizationId = await createOrganization(auth);
  key = await createKey(auth, organizationId);
  client = await createOAuthClient(auth, organizationId);
});

const flush = (process: AuthProcess = auth) => runWorkerOnce(process, "auth-usage");
const now = () => auth.clock.now().toISOString();

async function lastUses(): Promise<(string | undefined)[]> {
  const { keys } = await auth.admin.listApiKeys({ organizationId });
  const { clients } = await auth.admin.listOAuthClients({ organizationId });
  return [...keys, ...clients].map(({ lastUsedAt }) => lastUsedAt && timestampDate(lastUsedAt).toISOString());
}

describe("last uses", () => {
  test("a key is used when it is authenticated, a client when it is issued a token", async () => {
    expect(await lastUses()).toEqual([undefined, undefined]);
    await auth.tokens.authenticateApiKey(key);
    const usedAt = now();
    await flush();
    expect(await lastUses()).toEqual([usedAt, undefined]);
    auth.clock.advance(1_000);
    await auth.tokens.issueToken(client);
    await flush();
    expect(await lastUses()).toEqual([usedAt, now()]);
  });

  test("they are written a minute apart at the earliest, whichever process does it", async () => {
    const second = await auth.another();
    const usedAt = now();
    await auth.tokens.issueToken(client);
    await flush();
    auth.clock.advance(59_000);
    await second.tokens.issueToken(client);
    await flush(second);
    expect(await lastUses()).toEqual([undefined, usedAt]);
    auth.clock.advance(1_000);
    await second.tokens.issueToken(client);
    await flush(second);
    expect(await lastUses()).toEqual([undefined, now()]);
  });

  test("a late process does not turn the time back", async () => {
    const second = await auth.another();
    await second.tokens.issueToken(client);
    auth.clock.advance(120_000);
    await auth.tokens.issueToken(client);
    await flush();
    await flush(second);
    expect(await lastUses()).toEqual([undefined, now()]);
  });

  test("what is refused is no use", async () => {
    await expectDomainError(auth.tokens.issueToken({ ...client, clientSecret: "wrong" }), "OAUTH_INVALID_CLIENT");
    await expectDomainError(auth.tokens.issueToken({ ...client, scopes: ["click:admin"] }), "OAUTH_INVALID_SCOPE");
    await expectDomainError(auth.tokens.authenticateApiKey({ apiKey: `${key.apiKey.slice(0, -1)}_` }), "INVALID_TOKEN");
    await flush();
    expect(await lastUses()).toEqual([undefined, undefined]);
  });

  test("uses of many organizations are written together, and a failure loses none", async () => {
    const others = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const id = await createOrganization(auth);
        return { id, key: await createKey(auth, id) };
      }),
    );
    for (const other of others) await auth.tokens.authenticateApiKey(other.key);
    await auth.superuser.query("revoke update on auth.api_key from assent_auth_janitor");
    await auth.superuser.query("revoke update (last_used_at) on auth.api_key from assent_auth_janitor");
    await flush();
    await auth.superuser.query("grant update (last_used_at) on auth.api_key to assent_auth_janitor");
    await flush();
    for (const { id } of others) {
      const { keys } = await auth.admin.listApiKeys({ organizationId: id });
      expect(keys[0]?.lastUsedAt).toBeDefined();
    }
  });
});

describe("describeCaller", () => {
  test("a key and a client have their own name, and that of their organization", async () => {
    for (const [clientId, name] of [
      [key.keyId, "Key"],
      [client.clientId, "Backend"],
    ] as const) {
      const caller = await auth.tokens.describeCaller({ organizationId, clientId });
      expect(caller).toMatchObject({ name, organizationName: "Acme" });
      expect(caller.createdAt && timestampDate(caller.createdAt)).toEqual(auth.clock.now());
    }
  });

  test("what is neither is NOT_FOUND", async () => {
    for (const clientId of ["", "nobody", "0".repeat(16), "user:", "user:x", `user:${organizationId}`]) {
      await expectDomainError(auth.tokens.describeCaller({ organizationId, clientId }), "NOT_FOUND");
    }
  });
});
