import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { HeadSource, type RecordExternalHeadResponse } from "#gen/assent/click/v1/click_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { asOutage, isOutage } from "#platform/outage.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { loadAgreement, loadDeleted } from "../agreement/agreement-store.ts";
import { type AuditEvent, isChainIntact } from "../agreement/audit-chain.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { type Change, changeTo, type DecisionContext } from "../agreement/change.ts";
import { findBulkCopy, noteBulkAgreement, noteBulkCopy } from "../bulk/bulk-store.ts";
import { copyDefinition } from "../bulk/handlers.ts";
import { type CompletionDeps, completeAgreement } from "../completion/complete-agreement.ts";
import { makeAgreement } from "../create/make-agreement.ts";
import type { SignDeps } from "../deps.ts";
import { pageHostKind } from "../page-hosts/store.ts";
import { purgeAgreements } from "../retention/purge.ts";
import { enterDeletions } from "../retention/remover.ts";
import { fillFileSearch, readFileWords } from "../search/search-jobs.ts";
import { expireWhenDue, warnWhenDue } from "../send/end-agreement.ts";
import { remindWhenDue } from "../send/send-agreement.ts";
import { recheckProofs, senderKind, tellOwners } from "../sender-domains/recheck.ts";
import { evidenceDetails } from "../verification/verify.ts";
import { resumeWhenDue } from "../workflow/resume.ts";
import { changeInJob, type Hold, type Job, type JobHandler, type JobOutcome } from "./job.ts";
import type { JobLoopDeps } from "./job-loop.ts";
import { sendMails } from "./mail.ts";
import { type NoticeDeps, sendNotices, tellSenders } from "./notices.ts";

/** The handler of each kind of job. */
export const jobHandlers = (deps: NoticeDeps): JobLoopDeps["handlers"] => ({
  "bulk-copy": sendBulkCopies(deps),
  deletion: enterDeletions(deps),
  evidence: enterIntoLog(deps),
  "file-search": fillFileSearch(deps),
  "file-words": readFileWords(deps),
  mail: sendMails(deps),
  notice: tellSenders(deps),
  "notice-mail": sendNotices(deps),
  purge: purgeAgreements(deps),
  reminder: sendReminders(deps),
  resumption: resumePausedOnes(deps),
  "page-host": recheckProofs(deps, pageHostKind),
  "page-host-mail": tellOwners(deps, pageHostKind),
  "sender-domain": recheckProofs(deps, senderKind(deps)),
  "sender-domain-mail": tellOwners(deps, senderKind(deps)),
  expiry: endExpired(deps),
  "expiry-warning": warnOfExpiry(deps),
  // Without a sealer, completions wait for a process that has one.
  ...(deps.sealer === undefined ? {} : { completion: completeAgreements({ ...deps, sealer: deps.sealer }) }),
});

/** Sends reminders to the recipients whose turn it is, and schedules the next ones. */
const sendReminders = (deps: SignDeps): JobHandler => whenDue(deps, remindWhenDue);

/** Goes on with agreements whose schedule or pause is over. */
const resumePausedOnes = (deps: SignDeps): JobHandler => whenDue(deps, resumeWhenDue);

/** Expires agreements that were not finished in time. */
const endExpired = (deps: SignDeps): JobHandler => whenDue(deps, expireWhenDue);

/** Warns the recipients whose turn it is that little time is left. */
const warnOfExpiry = (deps: SignDeps): JobHandler => whenDue(deps, warnWhenDue);

type Decide = (agreement: Agreement, context: DecisionContext) => Change;

/** Short, because people can still sign an agreement until it has expired. */
const maxPauseMs = 5 * 60_000;

const whenDue = (deps: SignDeps, decide: Decide): JobHandler => ({
  concurrency: 2,
  // Never given up: an expiry must happen as soon as possible, however long an outage lasted.
  maxAttempts: Number.POSITIVE_INFINITY,
  maxPauseMs,
  run: async (job, hold) => {
    const agreementId = String(job.payload.agreementId);
    // Once the agreement was deleted nothing is due.
    await changeInJob(deps, job, hold, { agreementId, decide }).catch(ignoreDeleted);
    return { kind: "done" };
  },
});

function ignoreDeleted(error: unknown): void {
  if (!(error instanceof DomainError && error.code === "ENVELOPE_NOT_FOUND")) throw error;
}

/** Seals completed agreements. Never given up: people have signed. */
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
      // The process is stopping; release the job so that another one takes it at once.
      if (stopping.aborted) return { kind: "again", runAt: deps.clock.now() };
      if (!isOutage(error)) throw error;
      const { message, cause } = error;
      deps.logger.warn({ agreementId: key, requestId, err: cause ?? message }, "a completion waits for what it needs");
      return { kind: "again", runAt: new Date(deps.clock.now().getTime() + outagePauseMs) };
    }
  },
});

/** Guards against a hanging dependency; a hundred large documents take half of this. */
const deadlineMs = 5 * 60_000;

/** Short, so that work that waited for another service is done soon after it is back. */
const outagePauseMs = 3_000;

/** Rejects on abort. Work that continues regardless changes nothing, because the claim is lost by then. */
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
 * Enters a head of a trail into the organization's evidence log, that of a completed agreement, of an erasure or of a purge, and records
 * its position in the trail. The log returns the same position however often it is asked. Nobody waits for this job, and it
 * is never given up.
 */
const enterIntoLog = (deps: SignDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold, stopping) => {
    try {
      const head = await readHead(deps, job);
      // Nobody reads the trail of an agreement that was deleted.
      await note(deps, job, hold, { head, place: await enter(deps, job, head, stopping) }).catch(ignoreDeleted);
      return { kind: "done" };
    } catch (error) {
      // The process is stopping; release the job so that another one takes it at once.
      if (stopping.aborted) return { kind: "again", runAt: deps.clock.now() };
      throw error;
    }
  },
});

/** The agreement of a job that enters the head of its completion, or that of an erasure. */
const agreementOf = ({ key, payload }: Job): string =>
  typeof payload.erasure === "number" ? String(payload.agreementId) : key;

/** The event at the time of completion, or that states the erasure; later events do not count. */
async function readHead({ pool, vault }: SignDeps, job: Job): Promise<AuditEvent> {
  const [agreementId, { erasure }] = [agreementOf(job), job.payload];
  const { agreement, events } = await withOrgSnapshot(pool, job.orgId, async (tenant) => ({
    agreement: (await loadAgreement(tenant, agreementId)) ?? (await loadDeleted(tenant, agreementId)),
    events: await listAuditEvents(tenant, vault, agreementId),
  }));
  const head = events.find(({ action, sequence }) =>
    erasure === undefined ? action === "agreement.completed" : sequence === erasure,
  );
  if (agreement === undefined || head === undefined) throw new Error(`agreement ${agreementId} has no such head`);
  // The log would keep a broken trail's head for ever.
  if (!isChainIntact(agreementId, events, agreement.audit)) {
    throw new Error(`the trail of agreement ${agreementId} is not what was written`);
  }
  return head;
}

const timeoutMs = 5_000;

const enter = (
  { evidenceLog }: SignDeps,
  job: Job,
  { action, hash: headHash, sequence, occurredAt }: AuditEvent,
  signal: AbortSignal,
): Promise<RecordExternalHeadResponse> => {
  const { orgId, requestId, traceparent } = job;
  const erases = action === "agreement.erased" || action === "agreement.purged";
  const source = erases ? HeadSource.SIGN_ERASURE : HeadSource.SIGN;
  return evidenceLog.recordExternalHead(
    { source, agreementId: agreementOf(job), headHash, sequence, completedAt: timestampFromDate(occurredAt) },
    { headers: callerHeaders({ orgId, clientId: "sign", requestId, traceparent }), signal, timeoutMs },
  );
};

const note = (
  deps: SignDeps,
  job: Job,
  hold: Hold,
  { head, place }: { readonly head: AuditEvent; readonly place: RecordExternalHeadResponse },
) =>
  changeInJob(deps, job, hold, {
    agreementId: agreementOf(job),
    decide: (agreement, { actor }) => {
      // Includes the leaf, so that its hash can be checked without another request.
      const details = { sequence: head.sequence, ...evidenceDetails(place), leaf: place.leaf };
      return changeTo(agreement, { audit: [{ action: "agreement.logged", actor, details }] });
    },
  });

const done: JobOutcome = { kind: "done" };
const maxAttempts = 20;

/**
 * Creates and sends one copy of a batch. The agreement, the batch's counters and the end of the job are one
 * transaction.
 */
const sendBulkCopies = (deps: SignDeps): JobHandler => ({
  concurrency: 1,
  // Never given up here: it ends by itself, because otherwise the batch would never end.
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

/** The current source: a draft or template that the copy overrides. */
async function sendCopy(deps: SignDeps, job: Job, { sourceId, createdBy, copy }: Copy, within: Within): Promise<void> {
  const { orgId, requestId, traceparent } = job;
  const source = await withOrg(deps.pool, orgId, (tenant) => loadAgreement(tenant, sourceId));
  if (source === undefined) throw new DomainError("ENVELOPE_NOT_FOUND");
  // Sent meanwhile: values that people entered must not be copied.
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

/** Errors of the copy itself are final; outages are retried for a limited time, so that every batch ends. */
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
