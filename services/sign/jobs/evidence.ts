import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { HeadSource, type RecordExternalHeadResponse } from "#gen/assent/click/v1/click_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { inSnapshot } from "#platform/db/transaction.ts";
import { type AuditEvent, isChainIntact } from "../domain/audit-chain.ts";
import { changeTo } from "../domain/change-list.ts";
import type { SignDeps } from "../rpc/deps.ts";
import { loadAgreement } from "../store/agreement-store.ts";
import { listAuditEvents } from "../store/audit-store.ts";
import { evidenceDetails } from "../verification/evidence-place.ts";
import { changeInJob } from "./change-in-job.ts";
import type { Hold, Job, JobHandler } from "./job.ts";

/**
 * Enters the head of the trail of a completed agreement into the evidence log of the organization, and notes in the trail
 * where it is. The log answers the same place however often it is asked. Nobody waits for it, and it is never given up.
 */
export const enterIntoLog = (deps: SignDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold, stopping) => {
    try {
      const head = await readHead(deps, job);
      await note(deps, job, hold, { head, place: await enter(deps, job, head, stopping) });
      return { kind: "done" };
    } catch (error) {
      // Another process may have it at once.
      if (stopping.aborted) return { kind: "again", runAt: deps.clock.now() };
      throw error;
    }
  },
});

/** What was the last event when the agreement was completed; others have followed since. */
async function readHead({ pool }: SignDeps, { orgId, key: agreementId }: Job): Promise<AuditEvent> {
  const { agreement, events } = await inSnapshot(orgId, pool, async (client) => ({
    agreement: await loadAgreement(client, orgId, agreementId),
    events: await listAuditEvents(client, orgId, agreementId),
  }));
  const head = events.find(({ action }) => action === "agreement.completed");
  if (agreement === undefined || head === undefined) throw new Error(`agreement ${agreementId} is not completed`);
  // The log would say for ever that it was so.
  if (!isChainIntact(agreementId, events, agreement.audit)) {
    throw new Error(`the trail of agreement ${agreementId} is not what was written`);
  }
  return head;
}

const timeoutMs = 5_000;

const enter = (
  { evidenceLog }: SignDeps,
  { orgId, key: agreementId, requestId, traceparent }: Job,
  { hash: headHash, sequence, occurredAt }: AuditEvent,
  signal: AbortSignal,
): Promise<RecordExternalHeadResponse> =>
  evidenceLog.recordExternalHead(
    { source: HeadSource.SIGN, agreementId, headHash, sequence, completedAt: timestampFromDate(occurredAt) },
    { headers: callerHeaders({ orgId, clientId: "sign", requestId, traceparent }), signal, timeoutMs },
  );

const note = (
  deps: SignDeps,
  job: Job,
  hold: Hold,
  { head, place }: { readonly head: AuditEvent; readonly place: RecordExternalHeadResponse },
) =>
  changeInJob(deps, job, hold, {
    agreementId: job.key,
    decide: (agreement, { actor }) => {
      // With the leaf, so that nobody has to ask for what its hash is of.
      const details = { sequence: head.sequence, ...evidenceDetails(place), leaf: place.leaf };
      return changeTo(agreement, { audit: [{ action: "agreement.logged", actor, details }] });
    },
  });
