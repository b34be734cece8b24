import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { ClickService, SessionEvent } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { addEvents, type PageEvent, type PageEventType } from "../domain/page-facts.ts";
import { closedError, statusAt, takesAcceptance } from "../domain/session.ts";
import { type EventfulSession, insertEvents, lockForEvents } from "../store/session-event-store.ts";
import { readSeed } from "../vault/record-seed.ts";
import { sealEvents } from "../vault/session-seal.ts";
import type { ClickDeps } from "./deps.ts";
import { readSession } from "./read-session.ts";
import { answerSession } from "./session-answer.ts";
import { readTime } from "./wire-time.ts";

type Deps = Pick<ClickDeps, "pool" | "vault" | "clock" | "tokens">;

export const appendSessionEvents = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "appendSessionEvents"> => ({
  async appendSessionEvents(request, context) {
    const { orgId } = requireCaller(context);
    const sessionId = request.sessionId.toLowerCase();
    if (!isUuid(sessionId)) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    const now = deps.clock.now();
    const events = readEvents(request.events, now);
    const view = await withOrg(deps.pool, orgId, async (client) => {
      const locked = await lockForEvents(orgId, client, sessionId);
      // An acceptance without a session reads as one that is completed.
      if (locked !== undefined) await addToSession(deps, orgId, client, sessionId, { locked, events, now });
      return (await readSession(deps, orgId, client, sessionId, now))?.view;
    });
    if (view === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    if (view.origin === "DIRECT") throw new DomainError("CLICK_SESSION_CLOSED");
    return { session: await answerSession(deps, view), events: events.map(eventMessage) };
  },
});

async function addToSession(
  { vault }: Deps,
  orgId: OrgId,
  client: pg.ClientBase,
  id: string,
  { locked, events, now }: { locked: EventfulSession; events: readonly PageEvent[]; now: Date },
): Promise<void> {
  requireRoom(locked, events.length, now);
  const record = { organizationId: orgId, recordId: id };
  const { seed } = readSeed(vault, record, locked.seed);
  if (seed === null) throw new DomainError("CLICK_SESSION_CLOSED");
  const { eventCount } = locked;
  const pageFacts = addEvents(locked.pageFacts, events);
  await insertEvents(orgId, client, { id, eventCount, pageFacts }, sealEvents(vault, record, seed, events));
}

/** Enough for a person; a page that reports every movement fills its own session only. */
const maxEvents = 1_000;

function requireRoom(session: EventfulSession, count: number, now: Date): void {
  const status = statusAt(session, now);
  if (!takesAcceptance(status, session.singleUse)) throw new DomainError(closedError(status));
  if (session.eventCount + count <= maxEvents) return;
  const message = `the session has ${session.eventCount} events and can have at most ${maxEvents}`;
  throw new DomainError("CLICK_VALIDATION_FAILED", { details: [{ field: "events", code: "TOO_MANY", message }] });
}

function readEvents(events: readonly SessionEvent[], serverAt: Date): PageEvent[] {
  const details: FieldProblem[] = events.flatMap(({ target }, index) =>
    target?.includes("\u0000") === true
      ? [{ field: `events[${index}].target`, code: "PATTERN", message: "must have no control characters" }]
      : [],
  );
  if (details.length > 0) throw new DomainError("CLICK_VALIDATION_FAILED", { details });
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
