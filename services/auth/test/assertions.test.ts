import { createHmac, createPrivateKey, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { exportJWK } from "jose";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { makeClientId } from "../domain/oauth-client.ts";
import {
  type AuthHarness,
  addKey,
  createOAuthClient,
  createOrganization,
  makeKeyPair,
  signAssertion,
  startAuth,
  type TestClaims,
  type TestClient,
  type TestKeyPair,
  testAudience,
  verifyToken,
} from "./harness.ts";

let auth: AuthHarness;
let organizationId: string;
let client: TestClient;
let keyId: string;
let now: number;
const rsa = makeKeyPair("RS256");
const scopes = ["click:read", "sign:read", "sign:send"];

beforeAll(async () => {
  auth = await startAuth();
  organizationId = await createOrganization(auth);
  client = await createOAuthClient(auth, organizationId, scopes);
  keyId = await addKey(auth, organizationId, client, rsa);
  now = auth.clock.now().getTime() / 1000;
});
afterAll(() => auth.stop());

const claims = (): TestClaims => ({ iss: client.clientId, sub: client.clientId, iat: now, exp: now + 3600 });
const send = async (assertion: string | Promise<string>, scope: string[] = []) =>
  auth.tokens.issueTokenForAssertion({
    assertion: await assertion,
    scopes: scope,
    audiences: ["https://api.example.com", testAudience],
  });
const ask = (changes: TestClaims = {}, header = {}, pair: Pick<TestKeyPair, "algorithm" | "privateKey"> = rsa) =>
  send(signAssertion(pair, { ...claims(), ...changes }, header));
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("issueTokenForAssertion", () => {
  test("the token is that of client credentials", async () => {
    const { accessToken, expiresIn, scopes: granted } = await ask();
    expect([expiresIn, granted]).toEqual([3600, ["sign:read", "sign:send", "click:read"]]);
    const token = await verifyToken(auth, accessToken, auth.clock);
    expect(token).toMatchObject({ sub: client.clientId, client_id: client.clientId, org_id: organizationId });
  });

  const accepted: [string, () => Promise<unknown>][] = [
    ["the organization as its subject", () => ask({ sub: organizationId })],
    ["the organization in capitals", () => ask({ sub: organizationId.toUpperCase() })],
    ["a list of one audience", () => ask({ aud: [testAudience] })],
    ["the issuer of our tokens as its audience", () => ask({ aud: "assent" })],
    ["the id of its key", () => ask({}, { kid: keyId })],
    ["no iat", () => ask({ iat: undefined })],
    ["an iat of a clock that is 50 s early", () => ask({ iat: now + 50, exp: now + 3650 })],
    ["an end that is 50 s over", () => ask({ exp: now - 50 })],
    ["an end in more than an hour", () => ask({ exp: now + 86_400 })],
    ["a life of more than an hour in its first hour", () => ask({ iat: now - 3_600, exp: now + 3_100 })],
  ];
  test.each(accepted)("an assertion with %s is accepted", async (_name, call) => {
    await expect(call()).resolves.toMatchObject({ expiresIn: 3600 });
  });

  test("every living key of the client is tried, each with its own algorithm", async () => {
    const other = await createOAuthClient(auth, organizationId, scopes);
    const pairs = [makeKeyPair(), makeKeyPair("RS256"), makeKeyPair()];
    for (const pair of pairs) await addKey(auth, organizationId, other, pair);
    for (const pair of pairs) await ask({ iss: other.clientId, sub: other.clientId }, {}, pair);
  });

  test("scopes come from the assertion, from the request, or from both narrowed", async () => {
    const granted = async (scope: string | undefined, requested: string[]) =>
      (await send(signAssertion(rsa, { ...claims(), scope }), requested)).scopes;
    expect(await granted("click:read", [])).toEqual(["click:read"]);
    expect(await granted(undefined, ["click:read"])).toEqual(["click:read"]);
    expect(await granted("signature impersonation", [])).toEqual(["sign:read", "sign:send"]);
    expect(await granted("signature", ["sign:send", "click:read"])).toEqual(["sign:send"]);
    await expectDomainError(granted("sign:read", ["click:read"]), "OAUTH_INVALID_SCOPE");
    await expectDomainError(granted("click:admin", []), "OAUTH_INVALID_SCOPE");
  });

  const signed = () => signAssertion(rsa, claims());
  const refused: [string, () => Promise<unknown>][] = [
    ["no JWT", () => send("nonsense")],
    ["a JWT of two parts", () => send(`${base64({ alg: "RS256" })}.${base64(claims())}`)],
    ["no issuer", () => ask({ iss: undefined })],
    ["an unknown client", () => ask({ iss: makeClientId() })],
    ["an issuer that is no client id", () => ask({ iss: organizationId })],
    ["a client id in another case", () => ask({ iss: client.clientId.toUpperCase() })],
    ["a client id with a blank", () => ask({ iss: `${client.clientId} ` })],
    ["no subject", () => ask({ sub: undefined })],
    ["another subject", () => ask({ sub: newId() })],
    ["an empty subject", () => ask({ sub: "" })],
    ["no audience", () => ask({ aud: undefined })],
    ["an empty audience", () => ask({ aud: "" })],
    ["an empty list of audiences", () => ask({ aud: [] })],
    ["another audience", () => ask({ aud: "account.example.org" })],
    ["a second audience", () => ask({ aud: [testAudience, "account.example.org"] })],
    ["an audience in capitals", () => ask({ aud: testAudience.toUpperCase() })],
    ["no end", () => ask({ exp: undefined })],
    ["an end that is over", () => ask({ iat: now - 3600, exp: now - 61 })],
    ["an end in more than an hour, without iat", () => ask({ iat: undefined, exp: now + 3661 })],
    ["a life of more than an hour that began more than an hour ago", () => ask({ iat: now - 3661, exp: now + 3100 })],
    ["an iat of tomorrow", () => ask({ iat: now + 61 })],
    ["an iat that is no number", () => ask({ iat: "now" })],
    ["an nbf of tomorrow", () => ask({ nbf: now + 61 })],
    ["a scope that is no text", () => ask({ scope: ["click:read"] })],
    ["a signature of another key", () => ask({}, {}, makeKeyPair("RS256"))],
    ["a signature of another key under its kid", () => ask({}, { kid: keyId }, makeKeyPair("RS256"))],
    ["another algorithm", () => ask({}, {}, makeKeyPair("ES256"))],
    ["a longer hash", () => ask({}, { alg: "RS512" })],
    ["another padding", () => ask({}, { alg: "PS256" })],
    ["an unknown kid", () => ask({}, { kid: "../../dev/null" })],
    ["no signature", async () => send(`${base64({ alg: "none" })}.${base64(claims())}.`)],
    [
      "a changed payload",
      async () => send((await signed()).replace(/\.[^.]*\./, `.${base64({ ...claims(), scope: "sign:admin" })}.`)),
    ],
    ["an HMAC with the public key", () => send(hmacWithPublicKey())],
    ["a key of its own", async () => ask({}, { jwk: await exportJWK(stranger.publicKey) }, stranger)],
    ["a critical header that nobody knows", () => send(withHeader({ alg: "RS256", crit: ["x"], x: 1 }))],
    ["an unencoded payload", () => send(withHeader({ alg: "RS256", crit: ["b64"], b64: false }))],
  ];

  const stranger = makeKeyPair();
  function hmacWithPublicKey(): string {
    const input = `${base64({ alg: "HS256", typ: "JWT" })}.${base64({ ...claims(), aud: testAudience })}`;
    return `${input}.${createHmac("sha256", rsa.pem).update(input).digest("base64url")}`;
  }

  /** With a signature that is right, of what no library would sign. */
  function withHeader(header: object): string {
    const input = `${base64(header)}.${base64({ ...claims(), aud: testAudience })}`;
    return `${input}.${sign("sha256", Buffer.from(input), rsa.privateKey).toString("base64url")}`;
  }

  test("what the forgeries below are made of is accepted without their tricks", async () => {
    await expect(send(withHeader({ alg: "RS256" }))).resolves.toMatchObject({ expiresIn: 3600 });
  });

  test.each(refused)("an assertion with %s is refused, in the same words as any other", async (_name, call) => {
    const error = await expectDomainError(call(), "OAUTH_INVALID_GRANT");
    expect(error.message).toMatch(/^The assertion was rejected\./);
  });

  test("a client without keys, or a revoked one, is refused as one that does not exist", async () => {
    const other = await createOAuthClient(auth, organizationId, scopes);
    const byOther = () => ask({ iss: other.clientId, sub: other.clientId });
    await expectDomainError(byOther(), "OAUTH_INVALID_GRANT");
    await addKey(auth, organizationId, other, rsa);
    await byOther();
    await auth.admin.revokeOAuthClient({ organizationId, clientId: other.clientId });
    await expectDomainError(byOther(), "OAUTH_INVALID_GRANT");
  });

  test("a revoked key gets no tokens from that moment on, in every process", async () => {
    const second = await auth.another();
    const other = await createOAuthClient(auth, organizationId, scopes);
    const id = await addKey(auth, organizationId, other, rsa);
    const assertion = await signAssertion(rsa, { ...claims(), iss: other.clientId, sub: other.clientId });
    const issue = () => second.tokens.issueTokenForAssertion({ assertion, audiences: [testAudience] });
    const { accessToken } = await issue();
    await auth.admin.revokeOAuthClientKey({ organizationId, clientId: other.clientId, keyId: id });
    await expectDomainError(issue(), "OAUTH_INVALID_GRANT");
    expect((await verifyToken(auth, accessToken, auth.clock)).client_id).toBe(other.clientId);
  });

  test("an assertion may be sent again until it expires", async () => {
    const assertion = await signed();
    const tokens = [await send(assertion), await send(assertion)].map(({ accessToken }) => accessToken);
    expect(new Set(tokens).size).toBe(2);
  });
});

describe("keys of clients", () => {
  const add = (publicKeyPem: string, clientId = client.clientId) =>
    auth.admin.addOAuthClientKey({ organizationId, clientId, publicKeyPem });

  test("a key is known by its thumbprint, and adding it again changes nothing", async () => {
    const other = await createOAuthClient(auth, organizationId);
    const { pem } = makeKeyPair();
    const { key } = await add(pem, other.clientId);
    expect(key).toMatchObject({ algorithm: "ES256", clientId: other.clientId });
    expect(key?.id).toMatch(/^[\w-]{43}$/);
    expect(Object.keys(JSON.parse(key?.publicJwkJson ?? "")).sort()).toEqual(["crv", "kty", "x", "y"]);
    expect((await add(pem, other.clientId)).key).toEqual(key);
    const { keys } = await auth.admin.listOAuthClientKeys({ organizationId, clientId: other.clientId });
    expect(keys).toEqual([key]);
  });

  test("the older form of RSA keys is understood too", async () => {
    const pair = makeKeyPair("RS256", 3_072);
    const { key } = await add(pair.publicKey.export({ type: "pkcs1", format: "pem" }).toString());
    expect(key?.algorithm).toBe("RS256");
  });

  const { privateKey } = makeKeyPair();
  const spki = (body: string) => `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
  const ed25519 = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
  test.each([
    ["text", "no key"],
    ["an empty key", spki("")],
    ["bytes that are no key", spki("AAAA")],
    [
      "a private key",
      createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }))
        .export({ type: "pkcs8", format: "pem" })
        .toString(),
    ],
    ["a short RSA key", makeKeyPair("RS256", 1_024).pem],
    ["a key of another curve", spki(ed25519)],
    ["two keys", makeKeyPair().pem + makeKeyPair().pem],
  ])("%s is no key to register", async (_name, pem) => {
    const error = await expectDomainError(add(pem), "VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ field: "public_key_pem", code: "INVALID_PUBLIC_KEY" }]);
  });

  test("a client has at most five living keys, also when they are added at once", async () => {
    const other = await createOAuthClient(auth, organizationId);
    const pems = Array.from({ length: 8 }, () => makeKeyPair().pem);
    const outcomes = await Promise.allSettled(pems.map((pem) => add(pem, other.clientId)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    const { keys } = await auth.admin.listOAuthClientKeys({ organizationId, clientId: other.clientId });
    expect(keys).toHaveLength(5);
    await auth.admin.revokeOAuthClientKey({ organizationId, clientId: other.clientId, keyId: keys[0]?.id ?? "" });
    await add(makeKeyPair().pem, other.clientId);
  });

  test("a revoked key stays revoked since the first time and never comes back", async () => {
    const other = await createOAuthClient(auth, organizationId);
    const pair = makeKeyPair();
    const id = await addKey(auth, organizationId, other, pair);
    const names = { organizationId, clientId: other.clientId, keyId: id };
    const { key } = await auth.admin.revokeOAuthClientKey(names);
    expect(key?.revokedAt).toBeDefined();
    expect((await auth.admin.revokeOAuthClientKey(names)).key).toEqual(key);
    const error = await expectDomainError(add(pair.pem, other.clientId), "VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ code: "REVOKED_KEY" }]);
  });

  test("unknown clients and keys are NOT_FOUND, a revoked client as well", async () => {
    const revoked = await createOAuthClient(auth, organizationId);
    await auth.admin.revokeOAuthClient({ organizationId, clientId: revoked.clientId });
    for (const clientId of [makeClientId(), "nobody", revoked.clientId]) {
      await expectDomainError(add(makeKeyPair().pem, clientId), "NOT_FOUND");
    }
    await expectDomainError(auth.admin.listOAuthClientKeys({ organizationId, clientId: "nobody" }), "NOT_FOUND");
    const revoke = (id: string) =>
      auth.admin.revokeOAuthClientKey({ organizationId, clientId: client.clientId, keyId: id });
    await expectDomainError(revoke("A".repeat(43)), "NOT_FOUND");
    await expectDomainError(revoke("nothing"), "NOT_FOUND");
  });
});
