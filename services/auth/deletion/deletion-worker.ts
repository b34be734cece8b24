import { randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Pool } from "pg";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { countRows, type Destroyable, destroyRows } from "#platform/destroy-tables.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import { operator } from "../domain/audit.ts";
import { exporterNames } from "../privacy/holders.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { type ClaimedJob, claimJob } from "../store/job-store.ts";
import { lockOrganization } from "../store/user-store.ts";
import {
  closeOrganization,
  type DeletionChange,
  endCredentials,
  type Found,
  forgetNames,
  lockClaimed,
  type StoredDeletion,
  updateDeletion,
} from "./deletion-store.ts";

export interface DeletionWorkerDeps extends Pick<AuthDeps, "people" | "holders" | "clock"> {
  readonly janitor: Pool;
  readonly destroyerPool: Pool;
  readonly logger: Logger;
}

/** Longer than a call may take; then another process goes on. */
const leaseMs = 2 * 60_000;
const callMs = 60_000;
const maxPauseMs = 10 * 60_000;
/** How often it is asked whether the last legal hold was lifted. */
const heldMs = 3_600_000;
/**
 * What had begun before the last credential died is over by then: requests, work, and what gateways remember, in the
 * windows of its budgets too (gateway/limits/window-store.ts), which name it for little more than three minutes.
 */
const quietMs = 4 * 60_000;

/** Deletes organizations. Any number of processes may do it; what one leaves undone, another goes on with. */
export const createDeletionWorker = (deps: DeletionWorkerDeps): QueueWorker =>
  createQueueWorker({
    ...{ name: "auth-deletions", pollMs: 1_000, logger: deps.logger },
    work: async (mayGoOn) => {
      while (mayGoOn() && (await deleteNext(deps, mayGoOn)));
    },
  });

/** False when nothing is due. */
async function deleteNext(deps: DeletionWorkerDeps, mayGoOn: () => boolean): Promise<boolean> {
  const now = deps.clock.now();
  const until = new Date(now.getTime() + leaseMs);
  const claimed = await claimJob(deps.janitor, "organization_deletion", { claim: randomUUID(), now, until });
  if (claimed === undefined) return false;
  try {
    while (await takeStep(deps, claimed)) {
      if (mayGoOn()) continue;
      await release(deps, claimed, 0);
      return false;
    }
  } catch (err) {
    deps.logger.warn({ err, orgId: claimed.orgId, deletionId: claimed.id }, "a deletion is gone on with later");
    await release(deps, claimed, Math.min(maxPauseMs, 1_000 * 2 ** Math.min(claimed.attempts - 1, 20)));
  }
  return true;
}

/** Stores the outcome of a deletion whose lease this process still holds. */
const change = (
  { people }: DeletionWorkerDeps,
  claimed: ClaimedJob,
  work: (tenant: Tenant, found: StoredDeletion) => Promise<DeletionChange>,
): Promise<void> =>
  withOrg(people, claimed.orgId, async (tenant) => {
    const found = await lockClaimed(tenant, claimed);
    if (found !== undefined) await updateDeletion(tenant, found.id, await work(tenant, found));
  });

const later = (deps: DeletionWorkerDeps, ms: number) => ({
  ...{ runAt: new Date(deps.clock.now().getTime() + ms), claim: null, claimedUntil: null },
});

const release = (deps: DeletionWorkerDeps, claimed: ClaimedJob, pauseMs: number): Promise<void> =>
  change(deps, claimed, async () => later(deps, pauseMs));

/** The services in the order in which they destroy their records; the one that signs the certificate comes last. */
const services = exporterNames;
/** After what was found was written down, and each service has destroyed what it had. */
const [inventory, firstService] = [0, 1];
const verification = firstService + services.length;
const ownRecords = verification + 1;

/** Does what comes next; false when there is nothing to do now, or somebody else does it. */
async function takeStep(deps: DeletionWorkerDeps, claimed: ClaimedJob): Promise<boolean> {
  const { orgId } = claimed;
  const found = await withOrg(deps.people, orgId, (tenant) => lockClaimed(tenant, claimed));
  if (found === undefined) return false;
  const goOn = async (step: number, more: DeletionChange = {}): Promise<true> => {
    const claimedUntil = new Date(deps.clock.now().getTime() + leaseMs);
    await change(deps, claimed, async () => ({ ...more, step, claimedUntil, attempts: 0 }));
    return true;
  };
  const asked = asOperator(orgId);
  // Once something is gone, no hold can bring it back.
  if (found.status !== "running" || found.step === inventory) {
    if (await isHeld(deps, orgId)) {
      await change(deps, claimed, async (tenant) => {
        await closeOrganization(tenant, null);
        return { status: "held", ...later(deps, heldMs) };
      });
      return false;
    }
    if (found.status === "running") return goOn(firstService, { found: await takeInventory(deps, orgId) });
    await change(deps, claimed, async (tenant) => {
      const closedAt = deps.clock.now();
      await lockOrganization(tenant);
      await endCredentials(tenant, closedAt);
      await closeOrganization(tenant, closedAt);
      return { status: "running", step: inventory, closedAt, attempts: 0, ...later(deps, quietMs) };
    });
    return false;
  }
  const service = services[found.step - firstService];
  if (service !== undefined) {
    const { isMore } = await deps.holders[service].destroyRecords({}, asked);
    return goOn(isMore ? found.step : found.step + 1);
  }
  if (found.step === verification) {
    const { records } = await countAll(deps, orgId);
    return goOn(services.every((name) => records[name] === undefined) ? ownRecords : firstService);
  }
  if (await destroyRows(ownOf(deps), orgId)) return goOn(ownRecords);
  await withOrg(deps.destroyerPool, orgId, forgetNames);
  const completedAt = deps.clock.now();
  const statement = JSON.stringify(statementOf(found, completedAt));
  const { jws: certificate } = await deps.holders.log.signDestruction({ statement }, asked);
  const end = { status: "completed", completedAt, certificate, found: null, claim: null, runAt: null } as const;
  await change(deps, claimed, async () => end);
  deps.logger.info({ orgId, deletionId: found.id }, "an organization was deleted");
  return false;
}

const asOperator = (orgId: OrgId) => {
  const caller: Caller = { orgId, clientId: operator.id, requestId: "", traceparent: "" };
  return { headers: callerHeaders(caller), timeoutMs: callMs };
};

async function isHeld({ holders }: DeletionWorkerDeps, orgId: OrgId): Promise<boolean> {
  const found = await Promise.all(services.map((name) => holders[name].findHold({}, asOperator(orgId))));
  return found.some((one) => one.isHeld);
}

/** The deletion itself stays. */
const ownOf = ({ destroyerPool }: DeletionWorkerDeps): Destroyable => ({
  ...{ pool: destroyerPool, schema: "auth", leaveOut: ["organization_deletion"] },
});

/** Services without any are left out. */
async function countAll(deps: DeletionWorkerDeps, orgId: OrgId): Promise<Pick<Found, "records">> {
  const records: Record<string, Record<string, number>> = { auth: await countRows(ownOf(deps), orgId) };
  for (const name of services) {
    const { tables } = await deps.holders[name].countRecords({}, asOperator(orgId));
    if (tables.length > 0) records[name] = Object.fromEntries(tables.map(({ table, rows }) => [table, Number(rows)]));
  }
  return { records };
}

async function takeInventory(deps: DeletionWorkerDeps, orgId: OrgId): Promise<Found> {
  const headOf = async (anchor: boolean): Promise<string | null> => {
    try {
      return (await deps.holders.heads.getCheckpoint({ anchor }, asOperator(orgId))).note;
    } catch (error) {
      if (ConnectError.from(error).code === Code.NotFound) return null;
      throw error;
    }
  };
  const log = { checkpoint: await headOf(false), anchor: await headOf(true) };
  return { ...(await countAll(deps, orgId)), log };
}

/** What is left after an organization is gone, and why. */
const kept = [
  {
    what: "this certificate, with when the deletion was asked for and by whom",
    why: "It proves the deletion.",
  },
  {
    what: "hashes of checkpoints in the anchor log",
    why: "They name no one and prove the records of other organizations.",
  },
  {
    what: "events in the stream of messages and ids of events that took effect",
    why: "They hold nothing personal but the reasons for declining or voiding, and expire by themselves within 8 days.",
  },
  {
    what: "the list of erasures, apart from the database",
    why: "It is sealed, names the organization by its id, and puts restored backups right; entries go after their time.",
  },
  {
    what: "backups and copies outside the product",
    why: "They are beyond its reach, and expire as the operator decides.",
  },
] as const;

/** What is signed. The service that signs adds who it is, whose it was, and when it signed. */
const statementOf = (
  { id, requestedBy, requestedAt, effectiveAt, closedAt, found }: StoredDeletion,
  completedAt: Date,
): object => ({
  deletion: id,
  ...{ requestedBy, requestedAt, effectiveAt, closedAt, completedAt },
  /** Rows by service and table: files, keys and leaves are rows too. Nothing of them was left when it was looked again. */
  destroyed: found?.records ?? {},
  log: found?.log ?? { checkpoint: null, anchor: null },
  kept,
});
