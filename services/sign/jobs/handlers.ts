import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { HeadSource, type RecordExternalHeadResponse } from "#gen/assent/click/v1/click_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { asOutage, isOutage } from "#platform/outage.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import { type AuditEvent, isChainIntact } from "../agreement/audit-chain.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { type Change, changeTo, type DecisionContext } from "../agreement/change.ts";
import { findBulkCopy, noteBulkAgreement, noteBulkCopy } from "../bulk/bulk-store.ts";
import { copyDefinition } from "../bulk/handlers.ts";
import { type CompletionDeps, completeAgreement } from "../completion/complete-agreement.ts";
import { makeAgreement } from "../create/make-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { expireWhenDue, warnWhenDue } from "../send/end-agreement.ts";
import { remindWhenDue } from "../send/remind.ts";
import { evidenceDetails } from "../verification/verify.ts";
import { changeInJob, type Hold, type Job, type JobHandler, type JobOutcome } from "./job.ts";
import type { JobLoopDeps } from "./job-loop.ts";
import { sendMails } from "./mail.ts";

/** Who does the work of each kind. */
export const jobHandlers = (deps: SignDeps): JobLoopDeps["handlers"] => ({
  "bulk-copy": sendBulkCopies(deps),
  evidence: enterIntoLog(deps),
  mail: sendMails(deps),
  reminder: sendReminders(deps),
  expiry: endExpired(deps),
  "expiry-warning": warnOfExpiry(deps),
  // Without a sealer the work waits for a process that has one.
  ...(deps.sealer === undefined ? {} : { completion: completeAgreements({ ...deps, sealer: deps.sealer }) }),
});

/** Asks again those whose turn it is, and plans the next time. */
const sendReminders = (deps: SignDeps): JobHandler => whenDue(deps, remindWhenDue);

/** Ends what was not finished in time. */
const endExpired = (deps: SignDeps): JobHandler => whenDue(deps, expireWhenDue);

/** Tells those whose turn it is that there is not much time left. */
const warnOfExpiry = (deps: SignDeps): JobHandler => whenDue(deps, warnWhenDue);

type Decide = (agreement: Agreement, context: DecisionContext) => Change;

/** Short: until an agreement has ended, people can still sign it. */
const maxPauseMs = 5 * 60_000;

const whenDue = (deps: SignDeps, decide: Decide): JobHandler => ({
  concurrency: 2,
  // Never given up: what has to end does so as soon as that can be, however long something else was away.
  maxAttempts: Number.POSITIVE_INFINITY,
  maxPauseMs,
  run: async (job, hold) => {
    const agreementId = String(job.payload.agreementId);
    await changeInJob(deps, job, hold, { agreementId, decide }).catch((error: unknown) => {
      // Nothing is due for what was deleted.
      if (!(error instanceof DomainError && error.code === "ENVELOPE_NOT_FOUND")) throw error;
    });
    return { kind: "done" };
  },
});

/** Seals what everybody has signed. It is never given up: people have signed, so it has to be done some day. */
export const completeAgreements = (deps: CompletionDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ orgId, key, requestId, traceparent }, hold, stopping) => {
    const caller = { orgId, requestId, traceparent };
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadlineMs)]);
    try {
      await unlessAborted(signal, completeAgreement(deps, caller, key, hold.endIn, signal));
      return { kind: "done" };
    } catch (error) {
      // Another process may have it at once.
      if (stopping.aborted) return { kind: "again", runAt: deps.clock.now() };
      if (!isOutage(error)) throw error;
      const { message, cause } = error;
      deps.logger.warn({ agreementId: key, requestId, err: cause ?? message }, "a completion waits for what it needs");
      return { kind: "again", runAt: new Date(deps.clock.now().getTime() + outagePauseMs) };
    }
  },
});

/** Something never answers; a hundred large documents take half of that. */
const deadlineMs = 5 * 60_000;

/** Short, so that what has waited for another service is done soon after it is back. */
const outagePauseMs = 3_000;

/** What goes on regardless changes nothing: the hold on the job is lost by then. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => {});
  }
}

/**
 * Enters the head of the trail of a completed agreement into the evidence log of the organization, and notes in the trail
 * where it is. The log answers the same place however often it is asked. Nobody waits for it, and it is never given up.
 */
const enterIntoLog = (deps: SignDeps): JobHandler => ({
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
async function readHead({ pool, vault }: SignDeps, { orgId, key: agreementId }: Job): Promise<AuditEvent> {
  const { agreement, events } = await withOrgSnapshot(pool, orgId, async (tenant) => ({
    agreement: await loadAgreement(tenant, agreementId),
    events: await listAuditEvents(tenant, vault, agreementId),
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

const done: JobOutcome = { kind: "done" };
const maxAttempts = 20;

/** Makes and sends one copy of a batch. The agreement, the count of the batch and the end of the job are one transaction. */
const sendBulkCopies = (deps: SignDeps): JobHandler => ({
  concurrency: 1,
  // It ends by itself: a job that was given up would leave its batch without an end.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold) => {
    const { batchId, index } = job.payload as { batchId: string; index: number };
    const copy = await withOrg(deps.pool, job.orgId, (tenant) => findBulkCopy(tenant, batchId, index));
    if (copy === undefined) return done;
    try {
      await sendCopy(deps, job, copy, async (tenant, { id }) => {
        await noteBulkAgreement(tenant, batchId, id);
        await noteBulkCopy(tenant, batchId, deps.clock.now());
        await hold.endIn(tenant);
      });
    } catch (error) {
      const failure = finalFailure(error, job);
      if (failure === undefined) throw error;
      await noteFailure(deps, job, hold, failure);
    }
    return done;
  },
});

type Within = NonNullable<Parameters<typeof makeAgreement>[2]["within"]>;
type Copy = NonNullable<Awaited<ReturnType<typeof findBulkCopy>>>;

/** The source as it is by now: a draft or a template that the copy is laid over. */
async function sendCopy(deps: SignDeps, job: Job, { sourceId, createdBy, copy }: Copy, within: Within): Promise<void> {
  const { orgId, requestId, traceparent } = job;
  const source = await withOrg(deps.pool, orgId, (tenant) => loadAgreement(tenant, sourceId));
  if (source === undefined) throw new DomainError("ENVELOPE_NOT_FOUND");
  // Sent since: what people have put into it is nobody else's.
  if (source.status !== "created" && source.status !== "template") throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
  const definition = copyDefinition(copy);
  await makeAgreement(
    deps,
    { orgId, clientId: createdBy, requestId, traceparent },
    {
      definition,
      compositions: [
        {
          layers: [
            { kind: "template", template: source },
            { kind: "definition", definition },
          ],
        },
      ],
      isTemplate: false,
      send: true,
      observed: undefined,
      idempotency: undefined,
      within,
    },
  );
}

/** What is wrong with the copy stays wrong; what is away comes back, or is waited for no longer: every batch ends. */
function finalFailure(error: unknown, { attempts }: Job): DomainError | undefined {
  const failure = fromConnectError(error) ?? asOutage(error) ?? new DomainError("INTERNAL_ERROR", { cause: error });
  const mayPass = failure.code === "SERVICE_UNAVAILABLE" || failure.code === "INTERNAL_ERROR";
  return mayPass && attempts < maxAttempts ? undefined : failure;
}

async function noteFailure(deps: SignDeps, job: Job, hold: Hold, { code, message }: DomainError): Promise<void> {
  const { batchId, index } = job.payload as { batchId: string; index: number };
  await withOrg(deps.pool, job.orgId, async (tenant) => {
    await noteBulkCopy(tenant, batchId, deps.clock.now(), { index, errorCode: code, message });
    await hold.endIn(tenant);
  });
}
