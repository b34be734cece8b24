import { hash } from "node:crypto";
import type { Client } from "@connectrpc/connect";
import { errors, type JWTPayload, jwtVerify } from "jose";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { parseOrgId } from "#platform/ids.ts";
import { createExpiringCache, type KeySet } from "./key-set.ts";
import { allScopes, isDashboardScope, type Principal } from "./principal.ts";
import type { Revocations } from "./revocations.ts";

/** Verifies the value of an Authorization header. Rejects with UNAUTHORIZED, INVALID_TOKEN or TOKEN_EXPIRED. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

export interface AuthenticateDeps extends AccessTokenDeps {
  readonly tokens: Pick<Client<typeof TokenService>, "authenticateApiKey">;
  readonly revocations: Revocations;
  readonly clock: Clock;
}

const maxCached = 10_000;
const verifiedMs = 60_000;
const keyFoundMs = 30_000;
const keyRefusedMs = 5_000;
/** Longer than any token of ours; avoids hashing what cannot be one. */
const maxTokenLength = 8_192;

// RFC 6750 §2.1; the scheme is case-insensitive.
const bearerPattern = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Verifying a signature costs as much as an RPC, so results are cached by the token's hash: access tokens for a
 * minute, API keys for half a minute. Revocations are still checked on every request.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const verified = createExpiringCache<Principal>(deps.clock, maxCached);
  const refused = createExpiringCache<true>(deps.clock, maxCached);
  const verifying = new Map<string, Promise<Principal>>();

  const findApiKey = async (token: string, digest: string, now: number): Promise<Principal> => {
    if (refused.get(digest) !== undefined) throw new DomainError("INVALID_TOKEN");
    try {
      const principal = await askForKey(token, deps);
      verified.set(digest, principal, now + keyFoundMs);
      return principal;
    } catch (error) {
      if (fromConnectError(error)?.code === "INVALID_TOKEN") refused.set(digest, true, now + keyRefusedMs);
      throw error;
    }
  };

  const verify = async (token: string, digest: string): Promise<Principal> => {
    const now = deps.clock.now().getTime();
    if (token.startsWith("ak_")) return findApiKey(token, digest, now);
    const { principal, expiresAt } = await verifyAccessToken(token, deps);
    verified.set(digest, principal, Math.min(now + verifiedMs, expiresAt));
    return principal;
  };

  /** Concurrent requests with the same unknown token share one verification. */
  const verifyOnce = (token: string, digest: string): Promise<Principal> => {
    const running = verifying.get(digest);
    if (running !== undefined) return running;
    const started = verify(token, digest).finally(() => verifying.delete(digest));
    verifying.set(digest, started);
    return started;
  };

  return async (authorization) => {
    const token = readBearer(authorization);
    if (token.length > maxTokenLength) throw new DomainError("INVALID_TOKEN");
    deps.revocations.requireKnown();
    const digest = hash("sha256", token, "base64");
    const principal = verified.get(digest) ?? (await verifyOnce(token, digest));
    if (deps.revocations.isRevoked(principal)) throw new DomainError("INVALID_TOKEN");
    return principal;
  };
}

function readBearer(authorization: string | undefined): string {
  const token = authorization === undefined ? undefined : bearerPattern.exec(authorization)?.[1];
  if (token === undefined) throw new DomainError("UNAUTHORIZED");
  return token;
}

async function askForKey(apiKey: string, { tokens }: AuthenticateDeps): Promise<Principal> {
  // The auth service rejects longer keys as invalid arguments; for the caller such a key simply does not exist.
  if (apiKey.length > 200) throw new DomainError("INVALID_TOKEN");
  const { keyId, organizationId } = await tokens.authenticateApiKey({ apiKey }, { timeoutMs: 2_000 });
  const orgId = parseOrgId(organizationId);
  if (orgId === undefined) throw new Error("the auth service answered with a malformed organization id");
  return { orgId, clientId: keyId, scopes: allScopes, tokenId: undefined };
}

interface VerifiedToken {
  readonly principal: Principal;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

interface AccessTokenDeps {
  readonly keys: KeySet;
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
}

/**
 * Verifies an RFC 9068 access token. Throws TOKEN_EXPIRED for a genuine but expired token, INVALID_TOKEN for
 * anything else that is not our token, and the key set's error when it cannot be loaded.
 */
async function verifyAccessToken(token: string, deps: AccessTokenDeps): Promise<VerifiedToken> {
  try {
    const { payload } = await jwtVerify(token, deps.keys.getKey, {
      // Fixed here: taking the algorithm from the token would let its sender choose how it is verified.
      algorithms: ["ES256"],
      typ: "at+jwt",
      issuer: deps.issuer,
      audience: deps.audience,
      requiredClaims: ["exp", "iat", "sub", "client_id", "jti", "org_id"],
      clockTolerance: 5,
      currentDate: deps.clock.now(),
    });
    return readClaims(payload);
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new DomainError("TOKEN_EXPIRED");
    if (error instanceof errors.JOSEError) throw new DomainError("INVALID_TOKEN", { cause: error });
    throw error;
  }
}

/** The nil UUID (RFC 9562) names no organization. */
const nobody = "00000000-0000-0000-0000-000000000000";

function readClaims(claims: JWTPayload): VerifiedToken {
  const { client_id: clientId, org_id: organizationId, jti, scope, exp } = claims;
  const orgId = typeof organizationId === "string" ? parseOrgId(organizationId) : undefined;
  const isComplete = typeof clientId === "string" && clientId !== "" && typeof jti === "string" && exp !== undefined;
  if (orgId === undefined || orgId === nobody || !isComplete) throw new DomainError("INVALID_TOKEN");
  // Scopes reserved for people are dropped, whatever the token says.
  const scopes = new Set((typeof scope === "string" ? scope.split(" ") : []).filter((name) => !isDashboardScope(name)));
  return { principal: { orgId, clientId, scopes, tokenId: jti }, expiresAt: exp * 1000 };
}
