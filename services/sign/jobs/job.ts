import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, JsonObject } from "../agreement/agreement.ts";
import type { Change, DecisionContext, JobKind, JobRequest } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { insertJobs } from "./job-store.ts";

/** A running job. */
export interface Job {
  readonly orgId: OrgId;
  readonly id: string;
  readonly kind: JobKind;
  readonly key: string;
  readonly agreementId: string | null;
  readonly payload: JsonObject;
  /** The id of the request that created it. */
  readonly requestId: string;
  readonly traceparent: string;
  readonly createdAt: Date;
  /** Attempts so far, including this one. */
  readonly attempts: number;
}

/** The outcome of a job. */
export type JobOutcome =
  /** Finished. */
  | { readonly kind: "done" }
  /** Not failed, but to run again. */
  | { readonly kind: "again"; readonly runAt: Date };

/**
 * Handles one kind of job. It may run again after being killed at any point, so its effects must happen only
 * once.
 */
export interface JobHandler {
  /** Concurrent jobs of this kind in one process. */
  readonly concurrency: number;
  /** After this many failures a job is left for operators. */
  readonly maxAttempts: number;
  /** The longest pause between attempts; an hour when absent. */
  readonly maxPauseMs?: number;
  /** Rejects when the job failed; it is then retried later. The signal is aborted when the process stops. */
  run(job: Job, hold: Hold, signal: AbortSignal): Promise<JobOutcome>;
}

/** This process's claim on a job. */
export interface Hold {
  /**
   * Removes the job in the transaction of its final effect, if the claim still holds. Rejects otherwise, which
   * rolls the transaction back.
   */
  endIn(tenant: Tenant): Promise<void>;
}

type ChangingDeps = Pick<SignDeps, "pool" | "vault" | "codes" | "files" | "clock" | "newId" | "wakeRelay" | "wakeJobs">;

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
      // Inserted after the removal, since the same kind and key can exist only once.
      await insertJobs(tenant, { caller: job, agreementId, newId: deps.newId, now: context.now }, next);
    },
  );
  if (next.length > 0) deps.wakeJobs();
  return agreement;
}

/** The context of decisions that no caller asked for. */
export const systemContext = ({ clock, newId }: Pick<SignDeps, "clock" | "newId">): DecisionContext => ({
  now: clock.now(),
  newId,
  actor: { source: "system", id: "", name: "", email: "", ip: "", userAgent: "" },
});
