import { type CompleteSessionRequest, SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { invalid, problem } from "../problems.ts";

export interface CompletionAcceptance {
  /** Canonical JSON of the accept body, with the session. */
  readonly bytes: Uint8Array;
  readonly decision: unknown;
}

/** The body of the acceptance that a completion makes; throws CLICK_VALIDATION_FAILED. */
export function acceptanceBytes(request: CompleteSessionRequest): CompletionAcceptance {
  const given = request.acceptanceJson.length === 0 ? {} : parseObject(request.acceptanceJson);
  const { sessionId } = request;
  const named = Object.hasOwn(given, "sessionId") ? given.sessionId : sessionId;
  if (typeof named !== "string" || named.toLowerCase() !== sessionId) {
    throw invalid(problem("acceptance.sessionId", "DISAGREES", "is not the session that is completed"));
  }
  const implied = request.outcome === SessionOutcome.DECLINED ? "DECLINE" : "ACCEPT";
  const decision = Object.hasOwn(given, "decision") ? given.decision : implied;
  if (request.outcome !== SessionOutcome.UNSPECIFIED && decision !== implied) {
    throw invalid(problem("acceptance.decision", "DISAGREES", "does not agree with the outcome"));
  }
  const body = implied === "ACCEPT" ? { ...given, sessionId } : { ...given, sessionId, decision };
  return { bytes: Buffer.from(canonicalJson(body)), decision };
}

// Bodies nested deeper than any real client's would exhaust the stack when they are canonicalised.
const maxDepth = 32;

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  if (depthOf(bytes) > maxDepth)
    throw invalid(problem("acceptance", "DEPTH", `is nested deeper than ${maxDepth} levels`));
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid(problem("acceptance", "JSON", "must be JSON encoded in UTF-8"));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(problem("acceptance", "TYPE", "must be object"));
  }
  return value as Record<string, unknown>;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');

function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBrace || byte === openBracket) deepest = Math.max(deepest, ++depth);
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
  return deepest;
}
