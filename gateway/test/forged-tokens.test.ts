import { createHmac, randomBytes, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { CompactEncrypt, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const list = (authorization: string) =>
  gateway.call("GET", "/v1/click/templates", { headers: { Authorization: authorization } });

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("forged tokens", () => {
  const forgeries: [string, () => Promise<string> | string][] = [
    ["what is no token", () => "nonsense"],
    ["a token of two parts", () => "a.b"],
    ["a key with a bad checksum", () => "ak_live_0000000000000000_notakey"],
    ["a key that is far too long", () => `ak_live_${"a".repeat(300)}`],
    ["what is longer than any token", () => "a".repeat(9_000)],
    ["alg none", async () => `${base64({ alg: "none", typ: "at+jwt" })}.${base64(claims())}.`],
    [
      "alg none with a signature",
      async () => `${base64({ alg: "none", typ: "at+jwt" })}.${(await good()).split(".").slice(1).join(".")}`,
    ],
    ["HS256 signed with the public key", hs256WithPublicKey],
    ["another algorithm", async () => signWith(await generateKeyPair("EdDSA"), { alg: "EdDSA", typ: "at+jwt" })],
    [
      "another key under our key id",
      async () => signWith(await generateKeyPair("ES256"), { alg: "ES256", typ: "at+jwt", kid: "key-1" }),
    ],
    ["an unknown key id", () => gateway.auth.sign(claims(), { kid: "../../etc/passwd" })],
    ["typ JWT", () => gateway.auth.sign(claims(), { typ: "JWT" })],
    ["no typ", () => gateway.auth.sign(claims(), { typ: undefined })],
    ["another audience", () => gateway.auth.sign({ ...claims(), aud: "other" })],
    ["another issuer", () => gateway.auth.sign({ ...claims(), iss: "other" })],
    ["not yet valid", () => gateway.auth.sign({ ...claims(), nbf: Math.floor(Date.now() / 1000) + 3600 })],
    ...["iss", "aud", "exp", "iat", "sub", "client_id", "jti", "org_id"].map(
      (claim): [string, () => Promise<string>] => [`no claim ${claim}`, () => gateway.auth.sign(without(claim))],
    ),
    ["an end that is no number", () => withHeader({}, { exp: "tomorrow" })],
    ["an empty client", () => gateway.auth.sign({ ...claims(), client_id: "" })],
    ["a client that is no text", () => gateway.auth.sign({ ...claims(), client_id: 5 })],
    ["the nil organization", () => gateway.auth.sign({ ...claims(), org_id: "00000000-0000-0000-0000-000000000000" })],
    ["a list of organizations", () => gateway.auth.sign({ ...claims(), org_id: [orgA] })],
    [
      "several audiences of which none is ours",
      () => gateway.auth.sign({ ...claims(), aud: ["other", "assent-api2"] }),
    ],
    ["a malformed organization", () => gateway.auth.sign({ ...claims(), org_id: "everyone" })],
    [
      "a changed payload",
      async () => (await good()).replace(/\.[^.]*\./, `.${base64({ ...claims(), scope: "click:admin" })}.`),
    ],
    ["an embedded key", embeddedKey],
    ["a certificate address", () => gateway.auth.sign(claims(), { x5u: "https://evil.example/cert.pem", kid: "evil" })],
    ["an embedded certificate", () => gateway.auth.sign(claims(), { x5c: ["MIIB"], kid: "evil" })],
    ["a key id that is a statement", () => gateway.auth.sign(claims(), { kid: "key-1' or '1'='1" })],
    ["a key id that is an address", () => gateway.auth.sign(claims(), { kid: "https://evil.example/jwks.json" })],
    ["a key id that is no text", () => withHeader({ kid: ["key-1"] })],
    ["a critical header that nobody knows", () => withHeader({ crit: ["x"], x: 1 })],
    ["a critical header that is not there", () => withHeader({ crit: ["exp"] })],
    ["an unencoded payload", () => withHeader({ crit: ["b64"], b64: false })],
    ["an encrypted token", () => encrypted(false)],
    ["a genuine token inside of an encrypted one", () => encrypted(true)],
    ["a genuine token inside of another", async () => withHeader({ cty: "JWT" }, await good())],
    ["a signature of zeros", async () => `${(await good()).split(".").slice(0, 2).join(".")}.${"A".repeat(86)}`],
    ["a signature in another form", async () => derSignature()],
    ["a genuine token with something behind it", async () => `${await good()}.${base64({})}`],
    ["a key set address", () => gateway.auth.sign(claims(), { jku: "https://evil.example/jwks.json", kid: "evil" })],
  ];

  const claims = () => gateway.auth.claims("cl_test", orgA, "click:read");
  const good = () => gateway.auth.token("click:read");
  const without = (claim: string) => Object.fromEntries(Object.entries(claims()).filter(([name]) => name !== claim));
  const signWith = (
    { privateKey }: Awaited<ReturnType<typeof generateKeyPair>>,
    header: { alg: string; [name: string]: unknown },
  ) => new SignJWT(claims()).setProtectedHeader(header).sign(privateKey);

  async function hs256WithPublicKey(): Promise<string> {
    const input = `${base64({ alg: "HS256", typ: "at+jwt", kid: "key-1" })}.${base64(claims())}`;
    const secret = await exportSPKI(gateway.auth.signing.publicKey);
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  }

  async function embeddedKey(): Promise<string> {
    const pair = await generateKeyPair("ES256", { extractable: true });
    return signWith(pair, { alg: "ES256", typ: "at+jwt", jwk: await exportJWK(pair.publicKey) });
  }

  /** With a signature of ours that is right, of what no library would sign. */
  async function withHeader(header: object, payload: unknown = {}, form: "ieee-p1363" | "der" = "ieee-p1363") {
    const content = typeof payload === "string" ? payload : { ...claims(), ...(payload as JWTPayload) };
    const input = `${base64({ alg: "ES256", typ: "at+jwt", kid: "key-1", ...header })}.${base64(content)}`;
    const key = { format: "jwk", key: await exportJWK(gateway.auth.signing.privateKey), dsaEncoding: form } as const;
    return `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`;
  }

  const derSignature = () => withHeader({}, {}, "der");

  async function encrypted(nested: boolean): Promise<string> {
    const content = nested ? await good() : JSON.stringify(claims());
    return new CompactEncrypt(Buffer.from(content))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", typ: "at+jwt", kid: "key-1" })
      .encrypt(randomBytes(32));
  }

  test("what the forgeries are made of is let in without their tricks", async () => {
    expect((await list(`Bearer ${await withHeader({})}`)).status).toBe(200);
    expect((await list(`Bearer ${await gateway.auth.sign(claims())}`)).status).toBe(200);
  });

  test("a thousand random key ids cause at most two fetches of the key set", async () => {
    const token = await gateway.auth.sign(claims());
    const [, payload, signature] = token.split(".");
    const before = gateway.auth.calls.jwks;
    const flood = async (from: number) => {
      for (let n = from; n < from + 100; n += 1) {
        const header = base64({ alg: "ES256", typ: "at+jwt", kid: `${n} ${randomBytes(9).toString("base64url")}` });
        expect((await list(`Bearer ${header}.${payload}.${signature}`)).body.errorCode).toBe("INVALID_TOKEN");
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, n) => flood(100 * n)));
    expect(gateway.auth.calls.jwks - before).toBeLessThanOrEqual(2);
    expect((await list(`Bearer ${token}`)).status).toBe(200);
  });

  test.each(forgeries)("%s is INVALID_TOKEN", async (_name, forge) => {
    const answer = await list(`Bearer ${await forge()}`);
    expect([answer.status, answer.body.errorCode]).toEqual([401, "INVALID_TOKEN"]);
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  });

  test("headers of our own protocol from outside change nothing", async () => {
    const answer = await gateway.call("POST", "/v1/click/templates", {
      token: await gateway.auth.token("click:write"),
      body: { name: "Headers", type: "STATIC" },
      headers: { "x-org-id": "0190a000-0000-7000-8000-00000000000b", "x-client-id": "somebody" },
    });
    expect(answer.body).toMatchObject({ organizationId: orgA, createdBy: "cl_test" });
  });
});
