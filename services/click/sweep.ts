import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import { withTransaction } from "#platform/db/pool.ts";
import { type NewId, type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { type EventContext, insertOutbox, type OutboxRecord } from "#platform/outbox/outbox.ts";
import { expiryId } from "./consent/consent.ts";
import { takeDueGrants } from "./consent/consent-store.ts";
import { consentExpired, sessionExpired } from "./events.ts";
import { expireDueSessions } from "./sessions/session-event-store.ts";

export interface SweepDeps {
  /** Connects as the sweeper. */
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Called after each commit that wrote events. */
  onSwept(): void;
}

const batchSize = 200;

/**
 * Tells of the sessions and grants whose time is over, each exactly once: what is looked at, what it changes and its
 * events are committed together. Any number of processes may do it at the same time.
 */
async function sweep(deps: SweepDeps): Promise<void> {
  for (const sweepSome of [sweepSessions, sweepGrants]) {
    let more = true;
    while (more) more = await sweepSome(deps);
  }
}

/** The same, but an outage of the database is left to those who need an answer: what was missed is swept afterwards. */
export async function sweepUnlessAway(deps: SweepDeps & { readonly logger: Logger }): Promise<void> {
  try {
    await sweep(deps);
  } catch (error) {
    if (!isTransient(error)) throw error;
    deps.logger.debug({ err: error }, "nothing is swept while the database is away");
  }
}

/** True when there may be more. */
async function sweepSessions(deps: SweepDeps): Promise<boolean> {
  const now = deps.clock.now();
  return sweepBatch(deps, async (client) => {
    const { looked, expired } = await expireDueSessions(client, now, batchSize);
    const events = expired.map((session) =>
      sessionExpired(contextOf(deps, session.organizationId, now), session.id, session),
    );
    return { looked, events };
  });
}

async function sweepGrants(deps: SweepDeps): Promise<boolean> {
  const now = deps.clock.now();
  return sweepBatch(deps, async (client) => {
    const { looked, expired } = await takeDueGrants(client, now, batchSize);
    const events = expired.map(({ organizationId, eventId, ...grant }) =>
      consentExpired(contextOf(deps, organizationId, now), { ...grant, expiryId: expiryId(eventId) }),
    );
    return { looked, events };
  });
}

async function sweepBatch(
  { pool, onSwept }: SweepDeps,
  take: (client: pg.PoolClient) => Promise<{ looked: number; events: readonly OutboxRecord[] }>,
): Promise<boolean> {
  const { looked, events } = await withTransaction(pool, async (client) => {
    const taken = await take(client);
    await insertOutbox(client, "click", taken.events);
    return taken;
  });
  if (events.length > 0) onSwept();
  return looked === batchSize;
}

/** Nobody asked for what time brings about. */
const contextOf = ({ newId }: SweepDeps, organizationId: string, now: Date): EventContext => ({
  caller: { orgId: parseOrgId(organizationId) as OrgId, requestId: "", traceparent: "" },
  eventId: newId(),
  now,
});
