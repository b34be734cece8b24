import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { HeadSource } from "#gen/assent/click/v1/click_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { isTransient } from "#platform/db/errors.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import type { SignDeps } from "../deps.ts";
import type { JobHandler } from "../jobs/job.ts";
import { findRecordsDeleted } from "./acts.ts";
import { deleteWhenDue, type RemovalDeps } from "./delete-agreement.ts";
import { findDeletion, noteLeaf } from "./deletions.ts";
import { type DuePlace, listDue, listRetaining } from "./due.ts";
import { createRecordRemover, type RecordRemoverDeps } from "./record-remover.ts";

export interface RemoverDeps extends RemovalDeps {
  /** How many agreements a process deletes in a minute at most. */
  readonly perMinute: number;
  /** Called when events and jobs are waiting. */
  onDeleted(): void;
}

/** As many of one organization before it is the next one's turn. */
const turn = 10;

export interface Remover {
  /** Deletes what is due, up to the limit, and resolves with how many that were. */
  run(isStopped?: () => boolean): Promise<number>;
}

/**
 * Deletes agreements whose time is over, some of each organization in turn. Whatever ends it, it goes on where it was:
 * each deletion is a transaction of its own. Any number of processes may do so.
 */
export function createRemover(deps: RemoverDeps): Remover {
  let lastServed: OrgId | undefined;
  return {
    run: async (isStopped = () => false) => {
      const places = new Map<OrgId, DuePlace>();
      let deleted = 0;
      /** Whether there may be more. */
      const serve = async (orgId: OrgId, limit: number): Promise<boolean> => {
        const page = { until: deps.clock.now(), after: places.get(orgId), limit };
        const due = await withOrg(deps.removerPool, orgId, (tenant) => listDue(tenant, page, { removable: true }));
        for (const { id } of due) if (await deleteWhenDue(deps, orgId, id)) deleted += 1;
        lastServed = orgId;
        const last = due.at(-1);
        // What was left there is looked at in the next run.
        if (last !== undefined) places.set(orgId, last);
        return due.length === limit;
      };
      let waiting = startAfter(lastServed, await listRetaining(deps.removerPool));
      try {
        while (waiting.length > 0) {
          const again: OrgId[] = [];
          for (const orgId of waiting) {
            const limit = Math.min(turn, deps.perMinute - deleted);
            if (limit <= 0 || isStopped()) return deleted;
            if (await serve(orgId, limit)) again.push(orgId);
          }
          waiting = again;
        }
        return deleted;
      } finally {
        if (deleted > 0) deps.onDeleted();
      }
    },
  };
}

/** Those whose turn comes next are first: a limit that one organization uses up does not keep the others out. */
const startAfter = (last: OrgId | undefined, organizations: readonly OrgId[]): OrgId[] => {
  const first = last === undefined ? 0 : organizations.findIndex((one) => one > last);
  return first < 0 ? [...organizations] : [...organizations.slice(first), ...organizations.slice(0, first)];
};

const askTimeoutMs = 30_000;

/**
 * Deletes what is due every minute: agreements, and then what other services keep. All that periods and holds decide about is
 * deleted here or by the click service, which knows whether the database went back in time: then nothing goes for its time
 * alone before an operator has confirmed that, because holds may be forgotten.
 */
export function createRemovalWorker(
  deps: RemoverDeps & RecordRemoverDeps & Pick<SignDeps, "evidenceLog">,
  everyMs = 60_000,
): Worker {
  const { logger } = deps;
  const [remover, records] = [createRemover(deps), createRecordRemover(deps)];
  let isStopped = false;
  let isWaiting = false;
  const mayDelete = async (): Promise<boolean> => {
    try {
      const { allowed } = await deps.evidenceLog.mayDeleteByTime({}, { timeoutMs: askTimeoutMs });
      if (!allowed && !isWaiting) {
        logger.warn(
          "nothing is deleted because its time is over: a database went back in time and no one has confirmed it, or it cannot be told whether one did",
        );
      }
      isWaiting = !allowed;
      return allowed;
    } catch (error) {
      logger.debug({ err: error }, "nothing is deleted while the evidence log is away");
      return false;
    }
  };
  const worker = createPeriodicWorker({
    name: "remover sign",
    everyMs,
    logger,
    run: async () => {
      if (deps.perMinute === 0 || !(await mayDelete())) return;
      const deleted = await unlessAway(logger, () => remover.run(() => isStopped));
      if (deleted > 0) logger.info({ agreements: deleted }, "agreements were deleted whose time was over");
      // Deleting agreements may have taken minutes.
      if (!(await mayDelete())) return;
      const removed = await unlessAway(logger, () => records.run(() => isStopped));
      if (removed > 0) logger.info({ records: removed }, "records were deleted whose time was over");
    },
  });
  return {
    ...worker,
    start: () => {
      isStopped = false;
      return worker.start();
    },
    stop: () => {
      isStopped = true;
      return worker.stop();
    },
  };
}

const unlessAway = (logger: Logger, work: () => Promise<number>): Promise<number> =>
  work().catch((error: unknown) => {
    if (!isTransient(error)) throw error;
    logger.debug({ err: error }, "nothing is deleted while the database is away");
    return 0;
  });

const leafTimeoutMs = 5_000;

/**
 * Enters into the evidence log that an agreement was deleted, or records of other services, which have one leaf for all that
 * went together. The log answers the same place however often it is asked.
 */
export const enterDeletions = ({ pool, evidenceLog }: Pick<SignDeps, "pool" | "evidenceLog">): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ orgId, key: agreementId, requestId, traceparent }, hold, signal) => {
    const head = await withOrg(pool, orgId, (tenant) => headOf(tenant, agreementId));
    const place = await evidenceLog.recordExternalHead(
      { agreementId, ...head },
      { headers: callerHeaders({ orgId, clientId: "sign", requestId, traceparent }), signal, timeoutMs: leafTimeoutMs },
    );
    await withOrg(pool, orgId, async (tenant) => {
      if (head.source === HeadSource.SIGN_DELETION) await noteLeaf(tenant, agreementId, place);
      await hold.endIn(tenant);
    });
    return { kind: "done" };
  },
});

async function headOf(tenant: Tenant, id: string) {
  const deletion = await findDeletion(tenant, id);
  if (deletion !== undefined) {
    const { trailHead: headHash, trailLength: sequence, deletedAt } = deletion;
    return { source: HeadSource.SIGN_DELETION, headHash, sequence, completedAt: timestampFromDate(deletedAt) };
  }
  const records = await findRecordsDeleted(tenant, id);
  if (records === undefined) throw new Error(`nothing remains of the deletion ${id}`);
  const { at, count: sequence, sha256 } = records;
  const headHash = Buffer.from(sha256, "hex");
  return { source: HeadSource.SIGN_RECORDS, headHash, sequence, completedAt: timestampFromDate(at) };
}
