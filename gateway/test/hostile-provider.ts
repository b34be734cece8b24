import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** What is wrong with the next ID token. */
export interface Forgery {
  readonly claims?: JWTPayload;
  /** Signs with a key that is not published. */
  readonly isForged?: boolean;
}

/** A provider that answers every code, with ID tokens as a test wants them. */
export interface HostileProvider {
  readonly issuer: string;
  forgery: Forgery;
  /** What the last browser was sent with. */
  nonce: string;
  stop(): Promise<void>;
}

export async function startHostileProvider(clientId: string): Promise<HostileProvider> {
  const [own, other] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const server = createServer((req, res) => {
    void answerTo(req.url ?? "").then((answer) => {
      res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: HostileProvider = {
    issuer,
    forgery: {},
    nonce: "",
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const answerTo = async (path: string): Promise<unknown> => {
    if (path.startsWith("/.well-known/")) return describe(issuer);
    if (path === "/jwks")
      return { keys: [{ ...(await exportJWK(own.publicKey)), alg: "RS256", kid: "1", use: "sig" }] };
    return { access_token: "access", token_type: "Bearer", id_token: await idToken() };
  };
  const idToken = async (): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const { claims = {}, isForged = false } = provider.forgery;
    const known = { iss: issuer, aud: clientId, sub: "person-1", iat: now, exp: now + 300, nonce: provider.nonce };
    return new SignJWT({ ...known, email: "ann@example.com", email_verified: true, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .sign((isForged ? other : own).privateKey);
  };
  return provider;
}

const describe = (issuer: string): object => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
});
