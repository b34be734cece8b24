import type { Agreement } from "../domain/agreement.ts";
import type { Change, DecisionContext, JobRequest } from "../domain/change.ts";
import type { SignDeps } from "../rpc/deps.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { insertJobs } from "../store/job-store.ts";
import type { Hold, Job } from "./job.ts";

type ChangingDeps = Pick<SignDeps, "pool" | "blobs" | "clock" | "newId" | "wakeRelay" | "wakeJobs">;

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
    async (client) => {
      await hold.endIn(client);
      // The same work at a later time takes the place that has just become free.
      await insertJobs(client, { caller: job, agreementId, newId: deps.newId, now: context.now }, next);
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
