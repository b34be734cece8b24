import type { Client } from "@connectrpc/connect";
import type pg from "pg";
import type { EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import { withHolds } from "#platform/db/hold-marks.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { isOutage } from "#platform/outage.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import { keyLifetimeMs, retentionMs } from "../domain/endpoint.ts";
import { measureWaiting } from "../store/queue-store.ts";
import { dropOldDeliveries, findOldDeliveries, sweepEvents, sweepSome } from "../store/requeue-store.ts";

export interface SweepDeps {
  /** Connects as the role that removes rows of all organizations. */
  readonly sweeperPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface DeliverySweepDeps extends SweepDeps {
  /** Knows whether the database went back in time, and may have forgotten holds. */
  readonly evidenceLog: Pick<Client<typeof EvidenceLogService>, "mayDeleteByTime">;
  /** Knows the legal holds. */
  readonly sign: Pick<Client<typeof SignService>, "findPersonHold">;
}

const everyMs = 60_000;
/** Whether there is a hold is asked for each organization, of a service that has other things to do as well. */
const deliveriesEveryMs = 60 * 60_000;
const askTimeoutMs = 10_000;
const batch = 1_000;
/** A deleted endpoint stays until what was under way when it went has ended. */
const afterDeletionMs = 60 * 60_000;
/** What is shown of 30 days, and the day on which it is no longer. */
const usesMs = 32 * 86_400_000;

/** Deletes data whose retention has ended. Concurrent processes are safe. */
export function createSweep(deps: DeliverySweepDeps): Worker {
  let deliveriesAt = 0;
  return createPeriodicWorker({
    name: "webhook-sweep",
    everyMs,
    logger: deps.logger,
    run: async () => {
      await sweep(deps);
      const now = deps.clock.now().getTime();
      if (now < deliveriesAt) return;
      await sweepDeliveries(deps);
      deliveriesAt = now + deliveriesEveryMs;
    },
  });
}

export async function sweep({ sweeperPool, clock, logger }: SweepDeps): Promise<void> {
  const now = clock.now().getTime();
  const limits = {
    keysBefore: new Date(now - keyLifetimeMs),
    endpointsBefore: new Date(now - afterDeletionMs),
    usesBefore: new Date(now - usesMs),
  };
  try {
    let isMore = true;
    while (isMore) isMore = await sweepSome(sweeperPool, limits, batch);
  } catch (error) {
    if (!isTransient(error)) throw error;
    logger.debug({ err: error }, "nothing is removed while the database is away");
  }
}

/**
 * Deletes deliveries and events after 30 days, of organizations without legal holds. Where there is one, the sign service
 * looks at each delivery, and has those deleted that none keeps. Throws while a service that must be asked is away; when
 * it fails for one organization, it throws once the others are done.
 */
export async function sweepDeliveries({ sweeperPool, clock, evidenceLog, sign }: DeliverySweepDeps): Promise<void> {
  const before = new Date(clock.now().getTime() - retentionMs);
  const organizations = await findOldDeliveries(sweeperPool, before);
  if (organizations.length > 0 && !(await evidenceLog.mayDeleteByTime({}, { timeoutMs: askTimeoutMs })).allowed) return;
  /** How many were deleted; undefined when there are holds. Holds are read before each batch, since one may be set in between. */
  const dropSome = (orgId: OrgId) => {
    const headers = callerHeaders({ orgId, clientId: "webhooks", requestId: "", traceparent: "" });
    return withHolds(
      () => sign.findPersonHold({}, { headers, timeoutMs: askTimeoutMs }),
      async ({ hasHolds, mark }) =>
        hasHolds ? undefined : withOrg(sweeperPool, orgId, (tenant) => dropOldDeliveries(tenant, before, mark, batch)),
    );
  };
  const keeping: OrgId[] = [];
  const failures: unknown[] = [];
  for (const orgId of organizations) {
    try {
      let dropped: number | undefined = batch;
      while (dropped === batch) dropped = await dropSome(orgId);
      if (dropped === undefined) keeping.push(orgId);
    } catch (error) {
      if (isOutage(error)) throw error;
      keeping.push(orgId);
      failures.push(error);
    }
  }
  while ((await sweepEvents(sweeperPool, { before, keeping, batch })) === batch);
  if (failures.length > 0) throw failures.at(-1);
}

interface WatchDeps {
  /** Connects as the role that sees what waits of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "webhookWaiting" | "webhookOldestSeconds">;
}

const usualEveryMs = 15_000;

/** Measures what waits to be sent, and for how long. */
export const createWatch = (deps: WatchDeps, everyMs = usualEveryMs): Worker =>
  createPeriodicWorker({ name: "webhook-watch", everyMs, logger: deps.logger, run: () => measure(deps) });

async function measure({ claimerPool, clock, logger, metrics }: WatchDeps): Promise<void> {
  try {
    const now = clock.now();
    const { due, oldest } = await measureWaiting(claimerPool, now);
    metrics.webhookWaiting.set(due);
    metrics.webhookOldestSeconds.set(oldest === undefined ? 0 : (now.getTime() - oldest.getTime()) / 1_000);
  } catch (error) {
    if (!isTransient(error)) throw error;
    logger.debug({ err: error }, "nothing is measured while the database is away");
  }
}
