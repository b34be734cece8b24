import { type CryptoKey, createLocalJWKSet, type JSONWebKeySet, jwtVerify, SignJWT } from "jose";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import { tokenLifetimeSeconds } from "./signing-key.ts";

export interface TokenIssuer {
  readonly issuer: string;
  readonly audience: string;
}

export interface TokenSubject {
  readonly tokenId: string;
  readonly orgId: OrgId;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** What revoking needs to know of a token whose signature is ours. */
export interface VerifiedToken {
  readonly tokenId: string;
  readonly orgId: OrgId;
  readonly expiresAt: Date;
}

const algorithm = "ES256";
const type = "at+jwt";

/** Signs an access token as RFC 9068 describes it. */
export function signAccessToken(
  issuer: TokenIssuer,
  key: { readonly kid: string; readonly privateKey: CryptoKey },
  subject: TokenSubject,
  now: Date,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({
    iss: issuer.issuer,
    aud: issuer.audience,
    iat: issuedAt,
    exp: issuedAt + tokenLifetimeSeconds,
    sub: subject.clientId,
    client_id: subject.clientId,
    jti: subject.tokenId,
    scope: subject.scopes.join(" "),
    org_id: subject.orgId,
  })
    .setProtectedHeader({ alg: algorithm, typ: type, kid: key.kid })
    .sign(key.privateKey);
}

/** Checks that we issued a token, expired or not; undefined when we did not. */
export async function verifyAccessToken(
  issuer: TokenIssuer,
  jwks: JSONWebKeySet,
  token: string,
): Promise<VerifiedToken | undefined> {
  const claims = await jwtVerify(token, createLocalJWKSet(jwks), {
    ...issuer,
    algorithms: [algorithm],
    typ: type,
    requiredClaims: ["exp", "jti", "org_id"],
    // Seen from 1970 nothing has expired; an expired token may be revoked like any other.
    currentDate: new Date(0),
  }).then(
    (result) => result.payload,
    () => undefined,
  );
  const orgId = typeof claims?.org_id === "string" ? parseOrgId(claims.org_id) : undefined;
  if (claims?.jti === undefined || claims.exp === undefined || orgId === undefined) return undefined;
  return { tokenId: claims.jti, orgId, expiresAt: new Date(claims.exp * 1000) };
}
