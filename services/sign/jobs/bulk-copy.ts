import { withOrg } from "#platform/db/pool.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { asOutage } from "#platform/outage.ts";
import { copyDefinition } from "../rpc/bulk-messages.ts";
import type { SignDeps } from "../rpc/deps.ts";
import { makeAgreement } from "../rpc/make-agreement.ts";
import { loadAgreement } from "../store/agreement-store.ts";
import { findBulkCopy, noteBulkAgreement, noteBulkCopy } from "../store/bulk-store.ts";
import type { Hold, Job, JobHandler, JobOutcome } from "./job.ts";

const done: JobOutcome = { kind: "done" };
const maxAttempts = 20;

/** Makes and sends one copy of a batch. The agreement, the count of the batch and the end of the job are one transaction. */
export const sendBulkCopies = (deps: SignDeps): JobHandler => ({
  concurrency: 1,
  // It ends by itself: a job that was given up would leave its batch without an end.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold) => {
    const { batchId, index } = job.payload as { batchId: string; index: number };
    const copy = await findBulkCopy(deps.pool, job.orgId, batchId, index);
    if (copy === undefined) return done;
    try {
      await sendCopy(deps, job, copy, async (client, { id }) => {
        await noteBulkAgreement(client, job.orgId, batchId, id);
        await noteBulkCopy(client, job.orgId, batchId, deps.clock.now());
        await hold.endIn(client);
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
  const source = await withOrg(deps.pool, orgId, (client) => loadAgreement(client, orgId, sourceId));
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
  await withOrg(deps.pool, job.orgId, async (client) => {
    await noteBulkCopy(client, job.orgId, batchId, deps.clock.now(), { index, errorCode: code, message });
    await hold.endIn(client);
  });
}
