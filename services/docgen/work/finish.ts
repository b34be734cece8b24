import { sha256Of } from "#platform/blobs/blob-store.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { type EventContext, insertOutbox, type OutboxRecord } from "#platform/outbox/outbox.ts";
import type { Document, Failure } from "../domain/document.ts";
import { documentCompleted, documentFailed } from "../events.ts";
import type { Rendered } from "../renderer/render-job.ts";
import type { Claimed } from "../store/claim-store.ts";
import { completeClaimed, type Finished, failClaimed, noteItemsEnded } from "../store/finish-store.ts";
import { schema } from "../store/orm.ts";
import type { WorkDeps } from "./work-deps.ts";

/** What came of a claimed document. */
export type Outcome =
  | { readonly kind: "completed"; readonly rendered: Rendered }
  | { readonly kind: "failed"; readonly failure: Failure };

type Deps = Pick<WorkDeps, "pool" | "blobs" | "clock" | "newId">;

/**
 * Records what came of a document: its status, its bytes, the progress of its batch and the events, all of them or none.
 * Undefined when the claim holds no more: then somebody else renders the document, or nobody wants it, and nothing is
 * written.
 */
export const finish = (deps: Deps, claimed: Claimed, outcome: Outcome): Promise<Document | undefined> =>
  withOrg(deps.pool, claimed.orgId, async (tenant) => {
    const { orgId } = claimed;
    const now = deps.clock.now();
    // First of all: everybody who locks a blob or a batch has its document before.
    const finished =
      outcome.kind === "failed"
        ? await failClaimed(tenant, claimed, { failure: outcome.failure, completedAt: now })
        : await complete(deps, tenant, claimed, outcome.rendered, now);
    if (finished === undefined) return undefined;
    const { requestId, traceparent, ...document } = finished;
    const context = { caller: { orgId, requestId, traceparent }, eventId: deps.newId(), now };
    await insertOutbox(tenant.client, schema, [eventOf(context, document)]);
    if (document.batchId !== null) {
      const counts = outcome.kind === "failed" ? { failed: 1 } : { completed: 1 };
      const ended = { completed: 0, failed: 0, cancelled: 0, ...counts };
      const batchContext = { ...context, eventId: deps.newId() };
      await insertOutbox(tenant.client, schema, await noteItemsEnded(tenant, document.batchId, ended, batchContext));
    }
    return document;
  });

async function complete(
  { blobs }: Deps,
  tenant: Tenant,
  claimed: Claimed,
  { pdf, ...rendered }: Rendered,
  completedAt: Date,
): Promise<Finished | undefined> {
  const { id } = claimed;
  const completion = { ...rendered, sha256: sha256Of(pdf), bytes: pdf.length, completedAt };
  const finished = await completeClaimed(tenant, claimed, completion);
  if (finished !== undefined) await blobs.put(tenant, id, pdf);
  return finished;
}

function eventOf(context: EventContext, document: Document): OutboxRecord {
  const { failure, pages, bytes, sha256 } = document;
  if (failure !== null) return documentFailed(context, document, failure);
  if (pages === null || bytes === null || sha256 === null) throw new Error("a completed document lacks its facts");
  return documentCompleted(context, document, { pages, bytes, sha256 });
}
