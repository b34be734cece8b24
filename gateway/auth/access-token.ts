import { errors, type JWTPayload, jwtVerify } from "jose";
import type { Clock } from "#platform/clock.ts";
import { DomainError } from "#platform/errors.ts";
import { parseOrgId } from "#platform/ids.ts";
import type { KeySet } from "./key-set.ts";
import type { Principal } from "./principal.ts";
import { isDashboardScope } from "./scopes.ts";

export interface VerifiedToken {
  readonly principal: Principal;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface AccessTokenDeps {
  readonly keys: KeySet;
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
}

/**
 * Verifies an access token of RFC 9068. Throws TOKEN_EXPIRED for a genuine token whose time is over, INVALID_TOKEN for
 * everything else that is not a token of ours, and what the key set throws when it cannot be loaded.
 */
export async function verifyAccessToken(token: string, deps: AccessTokenDeps): Promise<VerifiedToken> {
  try {
    const { payload } = await jwtVerify(token, deps.keys.getKey, {
      // Fixed here and never taken from the token, or its sender would choose how it is checked.
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
  // Whatever a token says, what only people may do is for no client.
  const scopes = new Set((typeof scope === "string" ? scope.split(" ") : []).filter((name) => !isDashboardScope(name)));
  return { principal: { orgId, clientId, scopes, tokenId: jti }, expiresAt: exp * 1000 };
}
