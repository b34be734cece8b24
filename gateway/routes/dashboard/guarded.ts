import { hash } from "node:crypto";
import { fromConnectError } from "#platform/errors.ts";
import { requireOwnOrigin } from "../../sessions/csrf.ts";
import type { RouteRequest } from "../route.ts";
import type { Services } from "../services.ts";

type Guarded = Pick<RouteRequest, "observed" | "headers" | "publicUrl">;

/**
 * Asks something that tells whether a guess was right, unless too many were wrong: counted like failures at the token
 * endpoint, by address and by what is guessed at. Throws RATE_LIMIT_EXCEEDED, or CSRF_TOKEN_INVALID for a page of
 * another site, which could log a browser in as somebody else.
 */
export async function guarded<Answer>(
  request: Guarded,
  guessedAt: string,
  { tokenGuard }: Pick<Services, "tokenGuard">,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  requireOwnOrigin({ headers: request.headers, publicUrl: request.publicUrl() });
  const { ip } = request.observed;
  const target = targetOf(guessedAt);
  tokenGuard.requireCalm(ip, target);
  try {
    return await ask();
  } catch (error) {
    if (wrongGuesses.has(fromConnectError(error)?.code ?? "")) await tokenGuard.recordFailure(ip, target);
    throw error;
  }
}

/** The same for what always succeeds and has an effect on somebody else: everything counts. */
export async function rationed<Answer>(
  request: Guarded,
  target: string,
  { tokenGuard }: Pick<Services, "tokenGuard">,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  requireOwnOrigin({ headers: request.headers, publicUrl: request.publicUrl() });
  await tokenGuard.recordFailure(request.observed.ip, targetOf(target));
  return ask();
}

const wrongGuesses: ReadonlySet<string> = new Set([
  "LOGIN_FAILED",
  "LOGIN_CODE_INVALID",
  "LOGIN_EXPIRED",
  "LINK_INVALID",
]);

/** Without the address or token itself, which would be stored with the counts. */
const targetOf = (guessedAt: string): string =>
  `person:${hash("sha256", guessedAt.trim().normalize("NFC").toLowerCase(), "base64url")}`;
