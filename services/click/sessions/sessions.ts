import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { SessionEvent, SessionSchema } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { sessionCancelled } from "../events.ts";
import { readTime, sessionMessage } from "../messages.ts";
import { invalid, problem, refuse } from "../problems.ts";
import { sealEvents } from "../vault/seals.ts";
import { readSeed } from "../vault/subject-vault.ts";
import { readSession } from "./read-session.ts";
import { addEvents, closedError, type PageEvent, type PageEventType, statusAt, takesAcceptance } from "./session.ts";
import {
  type EventfulSession,
  insertEvents,
  lockForEvents,
  cancelSession as storeCancellation,
} from "./session-event-store.ts";
import type { SessionView } from "./session-view.ts";

type GetSessionDeps = Pick<ClickDeps, "pool" | "vault" | "clock" | "tokens">;

export const getSession = (deps: GetSessionDeps): ClickRpcs<"getSession"> => ({
  async getSession({ sessionId }, context) {
    const { pool, clock } = deps;
    const { orgId } = requireCaller(context);
    const found = isUuid(sessionId)
      ? await withOrg(pool, orgId, (tenant) => readSession(deps, tenant, sessionId, clock.now()))
      : undefined;
    if (found === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    return { session: await answerSession(deps, found.view) };
  },
});

type CancelSessionDeps = Pick<ClickDeps, "pool" | "vault" | "clock" | "newId" | "tokens" | "wakeRelay">;

export const cancelSession = (deps: CancelSessionDeps): ClickRpcs<"cancelSession"> => ({
  async cancelSession(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const sessionId = request.sessionId.toLowerCase();
    if (!isUuid(sessionId)) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    const now = deps.clock.now();
    const { view, isChanged } = await withOrg(deps.pool, orgId, async (tenant) => {
      const cancelled = await storeCancellation(tenant, { id: sessionId, now });
      if (cancelled !== undefined) {
        const event = sessionCancelled({ caller, eventId: deps.newId(), now }, sessionId, cancelled);
        await insertOutbox(tenant.client, "click", [event]);
      }
      const found = await readSession(deps, tenant, sessionId, now);
      return { view: found?.view, isChanged: cancelled !== undefined };
    });
    if (view === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    if (view.status !== "CANCELLED") throw new DomainError(closedError(view.status));
    if (isChanged) deps.wakeRelay();
    return { session: await answerSession(deps, view) };
  },
});

type AppendSessionEventsDeps = Pick<ClickDeps, "pool" | "vault" | "clock" | "tokens">;

export const appendSessionEvents = (deps: AppendSessionEventsDeps): ClickRpcs<"appendSessionEvents"> => ({
  async appendSessionEvents(request, context) {
    const { orgId } = requireCaller(context);
    const sessionId = request.sessionId.toLowerCase();
    if (!isUuid(sessionId)) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    const now = deps.clock.now();
    const events = readEvents(request.events, now);
    const view = await withOrg(deps.pool, orgId, async (tenant) => {
      const locked = await lockForEvents(tenant, sessionId);
      // An acceptance without a session reads as one that is completed.
      if (locked !== undefined) await addToSession(deps, tenant, sessionId, { locked, events, now });
      return (await readSession(deps, tenant, sessionId, now))?.view;
    });
    if (view === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    if (view.origin === "DIRECT") throw new DomainError("CLICK_SESSION_CLOSED");
    return { session: await answerSession(deps, view), events: events.map(eventMessage) };
  },
});

async function addToSession(
  { vault }: AppendSessionEventsDeps,
  tenant: Tenant,
  id: string,
  { locked, events, now }: { locked: EventfulSession; events: readonly PageEvent[]; now: Date },
): Promise<void> {
  requireRoom(locked, events.length, now);
  const record = { organizationId: tenant.orgId, recordId: id };
  const { seed } = readSeed(vault, record, locked.seed);
  if (seed === null) throw new DomainError("CLICK_SESSION_CLOSED");
  const { eventCount } = locked;
  const pageFacts = addEvents(locked.pageFacts, events);
  await insertEvents(tenant, { id, eventCount, pageFacts }, sealEvents(vault, record, seed, events));
}

/** Enough for a person; a page that reports every movement only fills up its own session. */
const maxEvents = 1_000;

function requireRoom(session: EventfulSession, count: number, now: Date): void {
  const status = statusAt(session, now);
  if (!takesAcceptance(status, session.singleUse)) throw new DomainError(closedError(status));
  if (session.eventCount + count <= maxEvents) return;
  const message = `the session has ${session.eventCount} events and can have at most ${maxEvents}`;
  throw invalid(problem("events", "TOO_MANY", message));
}

function readEvents(events: readonly SessionEvent[], serverAt: Date): PageEvent[] {
  const wrong = events.flatMap(({ target }, index) => (target?.includes("\0") ? [`events[${index}].target`] : []));
  refuse(wrong.map((field) => problem(field, "PATTERN", "must have no control characters")));
  return events.map(({ type, at, target }, index) => ({
    type: type as PageEventType,
    at: readTime(`events[${index}].at`, at) ?? null,
    target: target ?? null,
    serverAt,
  }));
}

const eventMessage = ({ type, at, target, serverAt }: PageEvent) => ({
  type,
  ...(at === null ? {} : { at: timestampFromDate(at) }),
  ...(target === null ? {} : { target }),
  serverAt: timestampFromDate(serverAt),
});

/** A session with the token with which a browser can render it. */
export async function answerSession(
  { tokens }: Pick<ClickDeps, "tokens">,
  view: SessionView,
): Promise<MessageInitShape<typeof SessionSchema>> {
  const renderToken = view.claims === null ? "" : await tokens.sign(view.claims);
  return { ...sessionMessage(view), renderToken };
}
