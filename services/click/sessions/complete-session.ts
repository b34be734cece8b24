import { hash } from "node:crypto";
import { type CompleteSessionRequest, SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import type { RecordOutcome } from "../accept/record-queue.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { sessionCompleted, sessionDeclined } from "../events.ts";
import type { CompletionInput } from "../log/log-leaves.ts";
import { appendLeaves } from "../log/log-store.ts";
import { invalid, problem } from "../problems.ts";
import { readAcceptance } from "../receipts/acceptance-receipts.ts";
import { sealCompletion } from "../vault/seals.ts";
import { type FoundSession, readSession } from "./read-session.ts";
import { type SessionOutcome as Outcome, planCompletion, type StoredStatus } from "./session.ts";
import { completeSession as storeCompletion } from "./session-store.ts";
import type { SessionView } from "./session-view.ts";
import { answerSession } from "./sessions.ts";

type Deps = Pick<
  ClickDeps,
  | "pool"
  | "vault"
  | "clock"
  | "newId"
  | "acceptPath"
  | "tokens"
  | "wakeRelay"
  | "wakeIntegrator"
  | "issuer"
  | "leafSigner"
  | "receiptKeys"
>;

export const completeSession = (deps: Deps): ClickRpcs<"completeSession"> => ({
  async completeSession(request, context) {
    const caller = requireCaller(context);
    if (!isUuid(request.sessionId)) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    const asked = { ...request, sessionId: request.sessionId.toLowerCase() };
    const { session, replayed } = await complete(deps, caller, asked);
    return {
      replayed,
      session: await answerSession(deps, session.view),
      receiptsJson: await Promise.all(
        session.acceptances.map(async (acceptance) => (await readAcceptance(deps, acceptance)).receiptJson),
      ),
    };
  },
});

const maxRounds = 5;

interface Completed {
  readonly session: FoundSession;
  /** The acceptance had been recorded under its key before this request. */
  readonly replayed: boolean;
}

/** `left` is a decline that is not recorded. */
type Recorded = "recorded" | "replayed" | "left";

const isKeyed = ({ idempotencyKey }: Pick<CompleteSessionRequest, "idempotencyKey">): boolean => idempotencyKey !== "";

/**
 * Reads the state of the session, acts on it, and repeats until nothing is left to do. So it does not matter whether
 * the state changes in between, or whether an earlier process died after acting.
 */
async function complete(deps: Deps, caller: Caller, request: CompleteSessionRequest): Promise<Completed> {
  const outcome = requestedOutcome(request.outcome);
  const reason = request.reason ?? null;
  // A request with a key is promised the receipt of this very acceptance, whatever has happened to the session.
  let hasAcceptance = request.acceptanceJson.length > 0 || (isKeyed(request) && outcome === "ACCEPTED");
  let recorded: Recorded = "recorded";
  for (let round = 1; round <= maxRounds; round += 1) {
    const session = await requireSession(deps, caller.orgId, request.sessionId);
    const recordsDecline = recorded !== "left" && recordsDeclines(session.view);
    const step = planCompletion(session.view.status, { outcome, hasAcceptance, recordsDecline });
    switch (step.kind) {
      case "answer":
        return { session, replayed: isKeyed(request) && recorded === "replayed" };
      case "refuse":
        throw new DomainError(step.code);
      case "close":
        await close(deps, caller, session, { outcome: step.outcome, reason });
        break;
      case "record":
        recorded = await record(deps, caller, request, session.view);
        break;
    }
    // The retention time of what would be recorded now is already over.
    hasAcceptance = hasAcceptance && step.kind !== "record";
  }
  throw new DomainError("SERVICE_UNAVAILABLE");
}

function requestedOutcome(outcome: SessionOutcome): "ACCEPTED" | "DECLINED" | null {
  switch (outcome) {
    case SessionOutcome.UNSPECIFIED:
      return null;
    case SessionOutcome.ACCEPTED:
      return "ACCEPTED";
    case SessionOutcome.DECLINED:
      return "DECLINED";
    default:
      throw invalid(problem("outcome", "ENUM", "must be ACCEPTED or DECLINED"));
  }
}

async function requireSession(deps: Deps, orgId: OrgId, sessionId: string): Promise<FoundSession> {
  const { pool, clock } = deps;
  const session = await withOrg(pool, orgId, (tenant) => readSession(deps, tenant, sessionId, clock.now()));
  if (session === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
  return session;
}

const recordsDeclines = ({ policy, userRef }: SessionView): boolean =>
  policy.allowDecline && policy.recordDecline && userRef !== null;

/** Why a decline is left unrecorded although the session can be closed: no decline was sent explicitly. */
const pastRecording: readonly ErrorCode[] = [
  "CLICK_TEMPLATE_NOT_FOUND",
  "CLICK_TEMPLATE_ARCHIVED",
  "CLICK_VERSION_SUPERSEDED",
  "CLICK_SESSION_CLOSED",
];

/**
 * Records the acceptance: under the key of the request, as accept does, or else under the session's own key. For the
 * latter, a session that was accepted under another key counts as recorded.
 */
async function record(
  deps: Deps,
  caller: Caller,
  request: CompleteSessionRequest,
  { policy }: SessionView,
): Promise<Recorded> {
  const { bytes, decision } = acceptanceBytes(request);
  // The leaf of the completion names all acceptances. A session that is used many times may get further ones meanwhile,
  // so it is closed in a separate step.
  const completion = policy.singleUseSession || decision === "DECLINE" ? { reason: request.reason ?? null } : undefined;
  const [recording] = deps.acceptPath.accept([
    {
      caller,
      observed: { ip: request.observed?.ip ?? "", userAgent: request.observed?.userAgent ?? "" },
      ...keyOf(request),
      bytes,
      ...(completion === undefined ? {} : { completion }),
    },
  ]);
  const outcome = (await recording) as RecordOutcome;
  if (outcome.kind !== "refused") return outcome.kind;
  const isImplied = request.acceptanceJson.length === 0 && decision === "DECLINE";
  if (isImplied && pastRecording.includes(outcome.error.code)) return "left";
  if (!isKeyed(request) && outcome.error.code === "CLICK_SESSION_CLOSED" && decision === "ACCEPT") {
    const { view } = await requireSession(deps, caller.orgId, request.sessionId);
    if (view.status === "ACCEPTED" || view.outcome === "ACCEPTED") return "replayed";
  }
  throw outcome.error;
}

/** A key stands for the whole request: the outcome and the reason are part of what is repeated. */
function keyOf({ sessionId, idempotencyKey, requestHash }: CompleteSessionRequest) {
  if (idempotencyKey === "") return { idempotencyKey: `session:${sessionId}` };
  return { idempotencyKey, compared: Buffer.concat([Buffer.from(`complete ${sessionId} `), requestHash]) };
}

async function close(
  deps: Deps,
  caller: Caller,
  session: FoundSession,
  { outcome, reason }: { outcome: Outcome; reason: string | null },
): Promise<void> {
  const { pool, clock, newId, wakeRelay, wakeIntegrator, vault, leafSigner } = deps;
  const { id, status, receiptIds } = session.view;
  const now = clock.now();
  const input = completionInput(deps, session, { outcome, reason, now });
  const { leaf, sealedReason } = sealCompletion(vault, session.seed, input);
  // Signed before any lock is taken; the signature of a leaf that does not get logged is never returned.
  const leaves = await leafSigner.sign([leaf], now);
  const isClosed = await withOrg(pool, caller.orgId, async (tenant) => {
    const completion = { id, from: status as StoredStatus, receiptIds, outcome, sealedReason, now };
    if (!(await storeCompletion(tenant, completion))) return false;
    const context = () => ({ caller, eventId: newId(), now });
    const declined = outcome === "DECLINED" ? [sessionDeclined(context(), id, session.view)] : [];
    const completed = sessionCompleted(context(), id, outcome, session.view);
    await insertOutbox(tenant.client, "click", [...declined, completed]);
    await appendLeaves(tenant, leaves);
    return true;
  });
  if (!isClosed) return;
  wakeRelay();
  wakeIntegrator(caller.orgId);
}

const completionInput = (
  { issuer }: Deps,
  { view, terms, context }: FoundSession,
  { outcome, reason, now }: { outcome: Outcome; reason: string | null; now: Date },
): CompletionInput => ({
  issuer,
  organizationId: view.organizationId,
  sessionId: view.id,
  outcome,
  text: view,
  termsHash: hash("sha256", terms, "buffer"),
  createdAt: view.createdAt,
  completedAt: now,
  receiptIds: view.receiptIds,
  person: { userRef: view.userRef, reason, metadata: view.metadata, context },
});

interface CompletionAcceptance {
  /** Canonical JSON of the accept body, with the session. */
  readonly bytes: Uint8Array;
  readonly decision: unknown;
}

/** The body of the acceptance that a completion makes; throws CLICK_VALIDATION_FAILED. */
function acceptanceBytes(request: CompleteSessionRequest): CompletionAcceptance {
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
