import { utf8Text } from "./bytes.ts";
import { fail } from "./finding.ts";
import { type Json, parseJson } from "./json.ts";
import { parseJws } from "./jws.ts";
import { at, time, timeOrNull } from "./read.ts";
import type { LogRecord } from "./records.ts";
import type { Run } from "./run.ts";
import type { ShownAcceptance } from "./shown-acceptance.ts";

/** How far the clocks of two processes of the service may differ. */
export const skewMs = 5_000;

export const isDirect = ({ bundle }: Run): boolean => at(bundle, "session.origin") === "DIRECT";

/**
 * Since when the text may have been on display when it was accepted, in milliseconds since 1970: what the service counted
 * from. Without a session its render token tells. Two answers when clocks leave both possible; null when nothing tells.
 */
export function displayedSince(
  run: Run,
  { leaf }: LogRecord,
  { renderToken }: ShownAcceptance,
): readonly (number | null)[] {
  if (isDirect(run)) return [renderToken === null ? null : tokenTime(readTokenClaims(renderToken).claims)];
  const acceptedAt = time(leaf, "acceptedAt");
  const createdAt = time(run.bundle, "session.createdAt");
  const presentedAt = timeOrNull(run.bundle, "session.presentedAt");
  // A session that may be used many times can be accepted through the API before it is ever presented.
  if (presentedAt === null || presentedAt > acceptedAt + skewMs) return [createdAt];
  return presentedAt < acceptedAt - skewMs ? [presentedAt] : [presentedAt, createdAt];
}

const renderTyp = "click-render+jws";

export function readTokenClaims(token: Json) {
  const name = "the render token";
  const jws = parseJws(typeof token === "string" ? token : fail(`${name} is not a text`), renderTyp, name);
  return { jws, claims: parseJson(utf8Text(jws.payload, name), name) };
}

/** Tokens tell seconds, with fractions. */
export function tokenTime(claims: Json): number {
  const iat = at(claims, "iat");
  return typeof iat === "number" ? Math.round(iat * 1000) : fail("the render token does not say when it was made");
}
