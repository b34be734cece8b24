import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, type JWTPayload, jwtVerify } from "jose";
import { type AssertionAlgorithm, type ClientKey, maxLivingKeys } from "./oauth-client.ts";

/** What an assertion says of itself, before anything of it has been proven. */
export interface UnprovenAssertion {
  readonly token: string;
  /** Its iss. */
  readonly clientId: string;
  readonly kid: string | undefined;
  readonly algorithm: AssertionAlgorithm;
}

/** What an assertion says that the client has signed. */
export interface ProvenAssertion {
  readonly subject: string;
  /** The names of its claim scope. */
  readonly scopes: readonly string[];
}

export interface AssertionRules {
  /** The keys of the client that the assertion names; none when there is no such client. */
  readonly keys: readonly ClientKey[];
  /** The names of this token endpoint. */
  readonly audiences: readonly string[];
  readonly now: Date;
}

const toleranceSeconds = 60;
const maxLifetimeSeconds = 3_600;

/** Undefined when it cannot be an assertion. */
export function readAssertion(token: string): UnprovenAssertion | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    if (typeof iss !== "string" || (alg !== "RS256" && alg !== "ES256")) return undefined;
    return { token, clientId: iss, kid: typeof kid === "string" ? kid : undefined, algorithm: alg };
  } catch {
    return undefined;
  }
}

/**
 * Checks an assertion against the keys of its client (RFC 7523 §3). Undefined for everything that is wrong with it, after
 * as many verifications for a client that does not exist as for one whose keys do not fit.
 */
export async function proveAssertion(
  assertion: UnprovenAssertion,
  rules: AssertionRules,
): Promise<ProvenAssertion | undefined> {
  const candidates = rules.keys.filter(
    // The algorithm is the key's own, so an assertion that names another one has no key.
    ({ keyId, algorithm }) => algorithm === assertion.algorithm && (assertion.kid ?? keyId) === keyId,
  );
  for (const { publicJwk } of candidates) {
    const claims = await verify(assertion, publicJwk, rules.now);
    if (claims !== undefined) return readClaims(claims, rules);
  }
  const tries = assertion.kid === undefined ? maxLivingKeys : 1;
  // What these find is thrown away: they only take the time.
  for (let n = candidates.length; n < tries; n += 1) {
    await verify(assertion, standIns[assertion.algorithm], rules.now);
  }
  return undefined;
}

async function verify(
  { token, clientId, algorithm }: UnprovenAssertion,
  publicJwk: JWK,
  now: Date,
): Promise<JWTPayload | undefined> {
  const options = {
    algorithms: [algorithm],
    issuer: clientId,
    requiredClaims: ["exp", "sub", "aud"],
    clockTolerance: toleranceSeconds,
    currentDate: now,
  };
  return importJWK(publicJwk, algorithm)
    .then((key) => jwtVerify(token, key, options))
    .then(
      ({ payload }) => payload,
      () => undefined,
    );
}

function readClaims(claims: JWTPayload, { audiences, now }: AssertionRules): ProvenAssertion | undefined {
  const { sub, scope = "" } = claims;
  const isForUs = audiences.includes(soleAudience(claims.aud) ?? "");
  if (!isForUs || !isTimely(claims, now) || typeof sub !== "string" || typeof scope !== "string") return undefined;
  return { subject: sub, scopes: scope.split(" ").filter((name) => name !== "") };
}

/** An assertion that is meant for several servers could be used by one of them against another. */
const soleAudience = (audience: JWTPayload["aud"]): string | undefined => {
  const all: readonly string[] = [audience ?? []].flat();
  return all.length === 1 && all[0] !== "" ? all[0] : undefined;
};

/**
 * The verification has found that it has not expired and is valid already. One that lives longer than we allow is over when
 * our time is, counted from when it was made; without that nobody knows when it began.
 */
function isTimely({ exp = 0, iat }: JWTPayload, now: Date): boolean {
  const seconds = Math.floor(now.getTime() / 1000);
  if (iat === undefined) return exp - seconds <= longest;
  return iat <= seconds + toleranceSeconds && seconds - iat <= longest;
}

const longest = maxLifetimeSeconds + toleranceSeconds;

/** Stand-in keys whose private halves were thrown away, so that unknown clients take as long as known ones. */
const standIns: Readonly<Record<AssertionAlgorithm, JWK>> = {
  RS256: {
    kty: "RSA",
    n:
      "2ZrIVEXGXMAq3LFiwScJjUDtYfJ--es9M5HltZKbwwGrR5ZInGbsEqKq-NjZmIstdU-jWjAPKx-BgP9UHYTtSj" +
      "lg9ee6zhXtMFiwhnVEidbXMXFTxUIS0NEkaPmTpI0IY15epcvH8zNtzEYQfynnH8YhVjQWfoRpae9DBGTX5wyd" +
      "KUPNVsnJQA58MmvcFwMHATWxx9YIv3pMHXSjxuP8NzNoOZtsBMZ3RQWuDCMH-_3bP12ZwwfBkUS91PLpkWT-hZ" +
      "Bc_9qeKJQse5QF5O_eTiJxSvBGLw5dN89Hwb-89NFdJxMh6-eTSxQUJXQkH5OjLLPvyLHS9OQbkAq1d7RQfQ",
    e: "AQAB",
  },
  ES256: {
    kty: "EC",
    crv: "P-256",
    x: "3IqXMvfNqYrwpzKMJTYcM6I1Fe27-p_YRkErDUcFBjo",
    y: "L-Q-_-rmAnCV4Fm0qjJTdndWzrzxAKbL5RDghC216jI",
  },
};
