import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, JsonObject } from "../agreement/agreement.ts";
import type { Change, DecisionContext, JobKind, JobRequest } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { insertJobs } from "./job-store.ts";

/** Work that is being done. */
export interface Job {
  readonly orgId: OrgId;
  readonly id: string;
  readonly kind: JobKind;
  readonly key: string;
  readonly agreementId: string | null;
  readonly payload: JsonObject;
  /** Of the request that asked for it. */
  readonly requestId: string;
  readonly traceparent: string;
  readonly createdAt: Date;
  /** How often it has been begun, this time included. */
  readonly attempts: number;
}

/** What came of a job. */
export type JobOutcome =
  /** There is nothing left to do. */
  | { readonly kind: "done" }
  /** It has not failed, but is to be done again. */
  | { readonly kind: "again"; readonly runAt: Date };

/** Does the work of one kind. It may be begun again after it was killed anywhere: whatever it changes, it changes once. */
export interface JobHandler {
  /** Of this kind at once in one process. */
  readonly concurrency: number;
  /** A job that has failed so often stays for people to look at. */
  readonly maxAttempts: number;
  /** Between two attempts at most; an hour when absent. */
  readonly maxPauseMs?: number;
  /** Rejects when it could not be done; it is then done again later. The signal is aborted when the process stops. */
  run(job: Job, hold: Hold, signal: AbortSignal): Promise<JobOutcome>;
}

/** The hold of this process on a job. */
export interface Hold {
  /**
   * Removes the job in the transaction of its last effect: both happen or neither, and only for whoever still holds the
   * job. Rejects when the hold was lost, which spoils the transaction.
   */
  endIn(tenant: Tenant): Promise<void>;
}

type ChangingDeps = Pick<SignDeps, "pool" | "vault" | "blobs" | "clock" | "newId" | "wakeRelay" | "wakeJobs">;

/** Decides about an agreement as the system; the change and the end of the job are one transaction. */
export async function changeInJob(
  deps: ChangingDeps,
  job: Job,
  hold: Hold,
  { agreementId, decide }: { agreementId: string; decide: (agreement: Agreement, context: DecisionContext) => Change },
): Promise<Agreement> {
  const context = systemContext(deps);
  const isNext = ({ kind, key }: JobRequest): boolean => kind === job.kind && key === job.key;
  let next: readonly JobRequest[] = [];
  const agreement = await changeAgreement(
    deps,
    job,
    { id: agreementId, isTemplate: false },
    (current) => {
      const change = decide(current, context);
      next = change.jobs.filter(isNext);
      return { ...change, jobs: change.jobs.filter((one) => !isNext(one)) };
    },
    new Map(),
    async (tenant) => {
      await hold.endIn(tenant);
      // The same work at a later time takes the place that has just become free.
      await insertJobs(tenant, { caller: job, agreementId, newId: deps.newId, now: context.now }, next);
    },
  );
  if (next.length > 0) deps.wakeJobs();
  return agreement;
}

/** What decisions are made with that nobody asks for. */
const systemContext = ({ clock, newId }: Pick<SignDeps, "clock" | "newId">): DecisionContext => ({
  now: clock.now(),
  newId,
  actor: { source: "system", id: "", name: "", email: "", ip: "", userAgent: "" },
});
