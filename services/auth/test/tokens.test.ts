import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeProtectedHeader } from "jose";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { makeClientId, makeClientSecret } from "../domain/oauth-client.ts";
import { type AuthHarness, createOAuthClient, createOrganization, startAuth, verifyToken } from "./harness.ts";

let auth: AuthHarness;
let organizationId: string;

beforeAll(async () => {
  auth = await startAuth();
  organizationId = await createOrganization(auth);
});
afterAll(() => auth.stop());

describe("issueToken", () => {
  test("the token is what RFC 9068 says and verifies against the published keys", async () => {
    const client = await createOAuthClient(auth, organizationId);
    const { accessToken, expiresIn, scopes } = await auth.tokens.issueToken(client);
    expect(expiresIn).toBe(3600);
    expect(scopes).toEqual(["click:read", "click:accept"]);
    const { kid, jti, ...claims } = await verifyToken(auth, accessToken, auth.clock);
    const iat = auth.clock.now().getTime() / 1000;
    expect(claims).toEqual({
      iss: "assent",
      aud: "assent-api",
      iat,
      exp: iat + 3600,
      sub: client.clientId,
      client_id: client.clientId,
      scope: "click:read click:accept",
      org_id: organizationId,
    });
    expect(decodeProtectedHeader(accessToken)).toEqual({ alg: "ES256", typ: "at+jwt", kid });
    expect(jti).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("every token has an id of its own", async () => {
    const client = await createOAuthClient(auth, organizationId);
    const tokens = await Promise.all(Array.from({ length: 5 }, () => auth.tokens.issueToken(client)));
    const ids = await Promise.all(tokens.map(async (t) => (await verifyToken(auth, t.accessToken, auth.clock)).jti));
    expect(new Set(ids).size).toBe(5);
  });

  test("a token is granted what is both requested and allowed", async () => {
    const client = await createOAuthClient(auth, organizationId);
    const asked = ["click:admin", "click:accept", "no:such", "click:accept"];
    const { accessToken, scopes } = await auth.tokens.issueToken({ ...client, scopes: asked });
    expect(scopes).toEqual(["click:accept"]);
    expect((await verifyToken(auth, accessToken, auth.clock)).scope).toBe("click:accept");
  });

  test("a request of which nothing is allowed is refused", async () => {
    const client = await createOAuthClient(auth, organizationId);
    for (const scopes of [["click:admin"], ["no:such"], [""], ["click:read click:accept"]]) {
      await expectDomainError(auth.tokens.issueToken({ ...client, scopes }), "OAUTH_INVALID_SCOPE");
    }
  });

  test("unknown clients, wrong secrets and revoked clients get one and the same answer", async () => {
    const client = await createOAuthClient(auth, organizationId);
    const other = await createOAuthClient(auth, organizationId);
    const revoked = await createOAuthClient(auth, organizationId);
    await auth.admin.revokeOAuthClient({ organizationId, clientId: revoked.clientId });
    const refused = [
      { ...client, clientId: makeClientId() },
      { ...client, clientId: "no such client" },
      { ...client, clientId: `${client.clientId.slice(0, -1)}\u0000` },
      { ...client, clientId: other.clientId },
      { ...client, clientSecret: makeClientSecret() },
      { ...client, clientSecret: `${client.clientSecret}x` },
      { ...client, clientSecret: client.clientSecret.slice(0, -1) },
      { ...client, clientSecret: " " },
      revoked,
    ];
    const messages = new Set<string>();
    for (const request of refused) {
      messages.add((await expectDomainError(auth.tokens.issueToken(request), "OAUTH_INVALID_CLIENT")).message);
    }
    expect(messages.size).toBe(1);
  });

  test("a wrong secret is refused before its scopes are looked at", async () => {
    const client = await createOAuthClient(auth, organizationId);
    const request = { ...client, clientSecret: makeClientSecret(), scopes: ["no:such"] };
    await expectDomainError(auth.tokens.issueToken(request), "OAUTH_INVALID_CLIENT");
  });

  test("a request without id or secret is not valid", async () => {
    const client = await createOAuthClient(auth, organizationId);
    await expectDomainError(auth.tokens.issueToken({ ...client, clientId: "" }), "VALIDATION_FAILED");
    await expectDomainError(auth.tokens.issueToken({ ...client, clientSecret: "" }), "VALIDATION_FAILED");
    await expectDomainError(auth.tokens.issueToken({ ...client, clientSecret: "x".repeat(201) }), "VALIDATION_FAILED");
  });

  test("after a rotation only the new secret works, while tokens issued before live on", async () => {
    const client = await createOAuthClient(auth, organizationId);
    const { accessToken } = await auth.tokens.issueToken(client);
    const rotated = await auth.admin.rotateOAuthClientSecret({ organizationId, clientId: client.clientId });
    await expectDomainError(auth.tokens.issueToken(client), "OAUTH_INVALID_CLIENT");
    await auth.tokens.issueToken({ ...client, clientSecret: rotated.clientSecret });
    expect((await verifyToken(auth, accessToken, auth.clock)).sub).toBe(client.clientId);
  });

  test("a client works at once on another process, and its revocation too", async () => {
    const second = await auth.another();
    const client = await createOAuthClient(auth, organizationId);
    const { accessToken } = await second.tokens.issueToken(client);
    expect((await verifyToken(auth, accessToken, auth.clock)).client_id).toBe(client.clientId);
    await auth.admin.revokeOAuthClient({ organizationId, clientId: client.clientId });
    await expectDomainError(second.tokens.issueToken(client), "OAUTH_INVALID_CLIENT");
  });
});

describe("getJwks", () => {
  test("the key set holds public parts only", async () => {
    const { jwksJson } = await auth.tokens.getJwks({});
    const { keys } = JSON.parse(jwksJson);
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0]).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    expect(keys[0]).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig" });
  });
});
