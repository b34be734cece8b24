import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SignJWT } from "jose";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { makeApiKey } from "../domain/api-key.ts";
import {
  type AuthHarness,
  createKey,
  createOAuthClient,
  createOrganization,
  describeChanges,
  listChanges,
  runWorkerOnce,
  startAuth,
  verifyToken,
} from "./harness.ts";

let auth: AuthHarness;
let organizationId: string;

beforeAll(async () => {
  auth = await startAuth();
  organizationId = await createOrganization(auth);
});
afterAll(() => auth.stop());

/** What `work` adds to the feed. */
async function changesOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = (await listChanges(auth)).at(-1)?.cursor ?? 0n;
  await work();
  return describeChanges(await listChanges(auth, before));
}

async function issue(): Promise<{ accessToken: string; tokenId: string }> {
  const { accessToken } = await auth.tokens.issueToken(await createOAuthClient(auth, organizationId));
  const { jti } = await verifyToken(auth, accessToken, auth.clock);
  return { accessToken, tokenId: jti ?? "" };
}

describe("revokeToken", () => {
  test("an access token is revoked once, however often it is asked for", async () => {
    const { accessToken, tokenId } = await issue();
    const second = await auth.another();
    const changes = await changesOf(() =>
      Promise.all([auth, second, auth, second].map(({ admin }) => admin.revokeToken({ token: accessToken }))),
    );
    expect(changes).toEqual([`revokedTokenId:${tokenId}`]);
  });

  test("an expired access token may be revoked as well", async () => {
    const { accessToken, tokenId } = await issue();
    auth.clock.advance(2 * 3600 * 1000);
    expect(await changesOf(() => auth.admin.revokeToken({ token: accessToken }))).toEqual([
      `revokedTokenId:${tokenId}`,
    ]);
  });

  test("an API key is revoked by its value, once", async () => {
    const { keyId, apiKey } = await createKey(auth, organizationId);
    const changes = await changesOf(async () => {
      await auth.admin.revokeToken({ token: apiKey });
      await auth.admin.revokeToken({ token: apiKey });
    });
    expect(changes).toEqual([`revokedKeyId:${keyId}`]);
    await expectDomainError(auth.tokens.authenticateApiKey({ apiKey }), "INVALID_TOKEN");
  });

  test("what is neither an access token nor an API key of ours is refused and revokes nothing", async () => {
    const { accessToken } = await issue();
    const [header = "", payload = "", signature = ""] = accessToken.split(".");
    const [, otherPayload = ""] = (await issue()).accessToken.split(".");
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
    const { jwksJson } = await auth.tokens.getJwks({});
    const publicKey = Buffer.from(JSON.stringify(JSON.parse(jwksJson).keys[0]));
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const refused = [
      "x",
      "a.b.c",
      `${header}.${payload}.`,
      `${header}.${otherPayload}.${signature}`,
      `${none}.${payload}.`,
      await new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "at+jwt" }).sign(publicKey),
      makeApiKey(false).value,
      "ak_live_x",
    ];
    const changes = await changesOf(async () => {
      for (const token of refused) {
        const error = await expectDomainError(auth.admin.revokeToken({ token }), "VALIDATION_FAILED");
        expect(error.details[0]?.field).toBe("token");
      }
      await expectDomainError(auth.admin.revokeToken({ token: "" }), "VALIDATION_FAILED");
      await expectDomainError(auth.admin.revokeToken({ token: "x".repeat(8193) }), "VALIDATION_FAILED");
    });
    expect(changes).toEqual([]);
  });

  test("a token of another issuer or audience is not ours, even when its signature is", async () => {
    const { accessToken } = await issue();
    for (const config of [{ issuer: "other" }, { audience: "other" }]) {
      const other = await auth.another(config);
      await expectDomainError(other.admin.revokeToken({ token: accessToken }), "VALIDATION_FAILED");
    }
  });
});

describe("revokeApiKey", () => {
  test("concurrent revocations of one key record one change and answer with the same time", async () => {
    const { keyId } = await createKey(auth, organizationId);
    const second = await auth.another();
    const times = new Set<number>();
    const changes = await changesOf(async () => {
      const calls = [auth, second, auth, second, auth].map(({ admin }) =>
        admin.revokeApiKey({ organizationId, keyId }),
      );
      for (const { key } of await Promise.all(calls)) {
        if (key?.revokedAt !== undefined) times.add(timestampDate(key.revokedAt).getTime());
      }
    });
    expect(changes).toEqual([`revokedKeyId:${keyId}`]);
    expect([...times]).toEqual([auth.clock.now().getTime()]);
  });

  test("revoking a revoked key changes nothing", async () => {
    const { keyId } = await createKey(auth, organizationId);
    const first = await auth.admin.revokeApiKey({ organizationId, keyId });
    auth.clock.advance(1000);
    const changes = await changesOf(async () => {
      expect(await auth.admin.revokeApiKey({ organizationId, keyId })).toEqual(first);
    });
    expect(changes).toEqual([]);
    const { keys } = await auth.admin.listApiKeys({ organizationId });
    expect(keys.find((key) => key.id === keyId)).toEqual(first.key);
  });
});

describe("revokeOAuthClient", () => {
  test("gateways hear of a revoked client once", async () => {
    const { clientId } = await createOAuthClient(auth, organizationId);
    const changes = await changesOf(async () => {
      const calls = Array.from({ length: 4 }, () => auth.admin.revokeOAuthClient({ organizationId, clientId }));
      await Promise.all(calls);
    });
    expect(changes).toEqual([`revokedClientId:${clientId}`]);
  });
});

describe("purge", () => {
  test("revoked tokens stay until an hour after they expired", async () => {
    const { accessToken, tokenId } = await issue();
    await auth.admin.revokeToken({ token: accessToken });
    const isKept = async () => {
      const { rowCount } = await auth.superuser.query("select from auth.revoked_token where token_id = $1", [tokenId]);
      return rowCount === 1;
    };
    auth.clock.advance(2 * 3600 * 1000);
    await runWorkerOnce(auth, "auth-purge");
    expect(await isKept()).toBe(true);
    auth.clock.advance(1000);
    await runWorkerOnce(auth, "auth-purge");
    expect(await isKept()).toBe(false);
  });

  test("changes are kept for a week, and a reader reads on as if nothing was deleted", async () => {
    await auth.admin.setOrganizationLimits({ organizationId, limits: { accept: 5 } });
    const last = (await listChanges(auth)).at(-1)?.cursor ?? 0n;
    auth.clock.advance(7 * 24 * 3600 * 1000 + 1);
    await runWorkerOnce(auth, "auth-purge");
    expect((await auth.superuser.query("select from auth.change")).rowCount).toBe(0);
    await auth.admin.setOrganizationLimits({ organizationId, limits: { accept: 6 } });
    expect((await listChanges(auth, last)).map((change) => change.cursor)).toEqual([last + 1n]);
  });
});
