import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { createGatherer } from "#platform/gatherer.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { OutboundResult } from "#platform/net/outbound-post.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { type Attempt, type Delivery, delayAfter, isOrdered } from "../domain/delivery.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { type Asked, errorText, isSuccess, type Outcome, outcomeOf } from "../domain/outcome.ts";
import { endpointDisabledRecord } from "../events.ts";
import { listSealedConnectSecrets, type SealedConnectSecret } from "../store/connect-secret-store.ts";
import {
  giveUpWaiting,
  loadClaimed,
  lockAttempted,
  releaseClaim,
  removeClaimed,
  settleAttempted,
  settleDelivery,
} from "../store/delivery-store.ts";
import { findEndpoint, findWithSecrets } from "../store/endpoint-store.ts";
import { disableEndpoint, saveFailingSince } from "../store/health-store.ts";
import { type Claimed, lockQueue, refreshQueue, usualPlaces } from "../store/queue-store.ts";
import { type Delivered, type LoadedStandard, loadManyClaimed, recordManyDelivered } from "../store/sender-store.ts";

/** A delivery with what the database knows of its receiver. */
export interface Loaded extends LoadedStandard {
  /** Of the compatible interface. */
  readonly keys: readonly SealedConnectSecret[];
}

/** Undefined when the delivery belongs to another process by now, or is gone. */
export type Load = (claimed: Claimed) => Promise<Loaded | undefined>;

export interface LoadDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that sees what is claimed of all organizations. */
  readonly senderPool: pg.Pool;
}

/** Loads deliveries that were claimed together. Those to receivers of the compatible interface need keys, too, and are rarer. */
export function createLoad({ pool, senderPool }: LoadDeps): Load {
  const together = createGatherer({
    maxItems: maxTogether,
    run: (claims: readonly Claimed[]) => loadManyClaimed(senderPool, claims),
  });
  return async (claimed) => {
    const loaded = await together.add(claimed);
    if (loaded === "none") return undefined;
    return loaded === "other" ? loadConnect(pool, claimed) : { ...loaded, keys: [] };
  };
}

const loadConnect = (pool: pg.Pool, claimed: Claimed): Promise<Loaded | undefined> =>
  withOrg(pool, claimed.orgId, async (tenant) => {
    const loaded = await loadClaimed(tenant, claimed);
    if (loaded === undefined) return undefined;
    const { endpointId } = loaded.delivery;
    const found = endpointId === undefined ? undefined : await findWithSecrets(tenant, endpointId);
    return {
      ...loaded,
      ...{ endpoint: found?.endpoint, secrets: found?.secrets },
      keys: isOrdered(loaded.delivery) ? await listSealedConnectSecrets(tenant) : [],
    };
  });

export interface RecordDeps {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly newId: NewId;
  /** At least 0 and less than 1. */
  random(): number;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
}

/** A delivery that this process has claimed, as it was loaded. */
export interface Held {
  readonly claimed: Claimed;
  readonly delivery: Delivery;
}

/** One request, and what came of it. */
interface Made {
  readonly at: Date;
  readonly url: string;
  readonly timeoutMs: number;
  readonly requiresAcknowledgement: boolean;
  readonly result: OutboundResult;
}

/**
 * Records an attempt with all its consequences, atomically. Undefined when the delivery is gone or another
 * process has made an attempt meanwhile.
 */
export async function recordAttempt(deps: RecordDeps, held: Held, made: Made): Promise<Outcome | undefined> {
  const outcome = await changing(deps, held, async (tenant, endpoint, now) => {
    const { claimed, delivery } = held;
    const current = await lockAttempted(tenant, { ...claimed, attempts: delivery.attempts });
    if (current === undefined) return { value: undefined };
    const asked = askedOf(held, made, endpoint);
    const decided = outcomeOf({ step: current.step, asked, result: made.result, random: deps.random(), now });
    await writeDelivery(tenant, { current, made, outcome: decided, now });
    if (endpoint?.kind !== "standard" || endpoint.url !== made.url) return { value: decided };
    await writeHealth(deps, tenant, { endpoint, outcome: decided, now });
    return { value: decided, places: decided.failingSince === undefined ? usualPlaces : 1 };
  });
  if (outcome?.disable !== undefined) deps.wakeRelay();
  return outcome;
}

/** Releases the delivery, now or for later, without counting an attempt. */
export const release = (deps: RecordDeps, held: Held, dueAt?: Date): Promise<void> =>
  changing(deps, held, async (tenant) => {
    await releaseClaim(tenant, { ...held.claimed, dueAt });
    return { value: undefined };
  });

/** It goes without a trace. */
export const remove = (deps: RecordDeps, held: Held): Promise<void> =>
  changing(deps, held, async (tenant) => {
    await removeClaimed(tenant, held.claimed);
    return { value: undefined };
  });

/** Gives up without having contacted the receiver. */
export const giveUp = (deps: RecordDeps, held: Held): Promise<void> =>
  settle(deps, held, (delivery) => ({ ...delivery, status: "dead", dueAt: undefined }));

/**
 * After an internal error nothing was sent. Put off as after a failed attempt, so that retries end eventually.
 */
export const putOffFailed = (deps: RecordDeps, held: Held): Promise<void> =>
  settle(deps, held, (delivery, now) => {
    const delay = delayAfter(delivery.step, deps.random());
    if (delay === undefined) return { ...delivery, status: "dead", dueAt: undefined };
    return { ...delivery, step: delivery.step + 1, dueAt: new Date(now.getTime() + delay) };
  });

const settle = (deps: RecordDeps, held: Held, change: (delivery: Delivery, now: Date) => Delivery): Promise<void> =>
  changing(deps, held, async (tenant, _endpoint, now) => {
    const { claimed, delivery } = held;
    const current = await lockAttempted(tenant, { ...claimed, attempts: delivery.attempts });
    if (current?.dueAt !== undefined) await settleDelivery(tenant, change(current, now));
    else await releaseClaim(tenant, { ...claimed, dueAt: undefined });
    return { value: undefined };
  });

interface Changed<T> {
  readonly value: T;
  readonly places?: number;
}

/** With the rows locked in the order of everybody: the endpoint, the queue, and then the delivery. */
function changing<T>(
  { pool, clock }: RecordDeps,
  { claimed: { orgId, receiverId }, delivery }: Held,
  work: (tenant: Tenant, endpoint: Endpoint | undefined, now: Date) => Promise<Changed<T>>,
): Promise<T> {
  return withOrg(pool, orgId, async (tenant) => {
    const { endpointId } = delivery;
    const endpoint = endpointId === undefined ? undefined : await findEndpoint(tenant, endpointId, { lock: true });
    await lockQueue(tenant, { receiverId, isOrdered: isOrdered(delivery) });
    const now = clock.now();
    const { value, places } = await work(tenant, endpoint, now);
    await refreshQueue(tenant, receiverId, now, places);
    return value;
  });
}

function askedOf({ delivery }: Held, { requiresAcknowledgement, url }: Made, endpoint: Endpoint | undefined): Asked {
  // That of an agreement has no endpoint, and one that is gone is as good as disabled.
  const isEnabled = delivery.endpointId === undefined || endpoint?.isEnabled === true;
  if (isOrdered(delivery)) return { kind: "connect", requiresAcknowledgement, isEnabled };
  const isMoved = endpoint !== undefined && endpoint.url !== url;
  return { kind: "standard", failingSince: endpoint?.failingSince, isEnabled, isMoved };
}

interface Written {
  readonly current: Delivery;
  readonly made: Made;
  readonly outcome: Outcome;
  readonly now: Date;
}

async function writeDelivery(tenant: Tenant, { current, made, outcome, now }: Written): Promise<void> {
  const { id, deliveredAt } = current;
  const attempts = current.attempts + 1;
  const { status, dueAt } = outcome;
  const settled = {
    ...{ id, status, dueAt, attempts, step: current.step + 1 },
    deliveredAt: status === "delivered" ? now : deliveredAt,
  };
  await settleAttempted(tenant, settled, attemptOf(made));
}

/** As it is written down. */
const attemptOf = ({ at, url, timeoutMs, result }: Made): Attempt => ({
  ...{ at, url, durationMs: result.durationMs, error: errorText(result, timeoutMs) },
  statusCode: result.kind === "answered" ? result.status : 0,
  response: result.kind === "answered" ? result.excerpt : "",
});

async function writeHealth(
  { newId }: RecordDeps,
  tenant: Tenant,
  { endpoint, outcome, now }: { readonly endpoint: Endpoint; readonly outcome: Outcome; readonly now: Date },
): Promise<void> {
  const { id, url, failingSince, isEnabled } = endpoint;
  if (!isEnabled) return;
  if (outcome.failingSince?.getTime() !== failingSince?.getTime()) {
    await saveFailingSince(tenant, id, outcome.failingSince);
  }
  if (outcome.disable === undefined) return;
  await disableEndpoint(tenant, id, { reason: outcome.disable, now });
  await giveUpWaiting(tenant, id);
  const facts = { orgId: tenant.orgId, eventId: newId(), endpointId: id, url, now };
  await insertOutbox(tenant.client, "webhooks", [endpointDisabledRecord(facts, outcome.disable)]);
}

/**
 * Writes down an attempt if nothing follows from it but that this delivery is done. False when more does, or may: then
 * nothing is written.
 */
export type RecordDelivered = (held: Held, loaded: Loaded, made: Made) => Promise<boolean>;

interface RecordDeliveredDeps {
  /** Connects as the role that sees what is claimed of all organizations. */
  readonly senderPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxTogether = 100;

/** Its claim holds a place of the receiver so much longer when much is delivered. */
const paceMs = 20;

/** Records successful deliveries that finish at about the same time together, across organizations. */
export function createRecordDelivered({ senderPool, clock, logger }: RecordDeliveredDeps): RecordDelivered {
  const run = async (delivered: readonly Delivered[]): Promise<readonly boolean[]> => {
    try {
      return await recordManyDelivered(senderPool, delivered, clock.now());
    } catch (error) {
      if (isTransient(error)) throw error;
      logger.warn({ err: error, deliveries: delivered.length }, "deliveries are written down one by one");
      return delivered.map(() => false);
    }
  };
  const together = createGatherer({ maxItems: maxTogether, paceMs, run });
  return async ({ claimed, delivery: { attempts } }, { endpoint }, made) => {
    const isPlain = endpoint?.kind === "standard" && endpoint.failingSince === undefined && isSuccess(made.result);
    return isPlain ? together.add({ claimed, attempts, attempt: attemptOf(made) }) : false;
  };
}
