import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { hasEnded } from "../domain/document.ts";
import { noteItemsEnded } from "../store/batch-progress.ts";
import { deleteDocument as deleteLocked, type LockedDocument, lockDocument } from "../store/document-store.ts";
import { schema } from "../store/orm.ts";
import { returnSlots } from "../store/usage-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { canonicalId } from "./ids.ts";

type Deps = Pick<DocgenDeps, "pool" | "blobs" | "workLoop" | "clock" | "newId" | "wakeRelay">;

export const deleteDocument = (deps: Deps): Pick<ServiceImpl<typeof DocgenService>, "deleteDocument"> => ({
  async deleteDocument(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const id = canonicalId(request.documentId);
    const now = deps.clock.now();
    await inTransaction(orgId, deps.pool, async (client) => {
      const document = await lockDocument(orgId, client, id);
      if (document === undefined) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
      await deleteLocked(orgId, client, id, now);
      if (document.status === "completed") await deps.blobs.release(orgId, id, client);
      await giveBackSlots(caller, client, document);
      if (document.batchId !== null && !hasEnded(document)) {
        const counts = { completed: 0, failed: 0, cancelled: 1 };
        const event = { caller, eventId: deps.newId(), now };
        await insertOutbox(client, schema, await noteItemsEnded(client, orgId, document.batchId, counts, event));
      }
    });
    deps.workLoop.drop(id);
    deps.wakeRelay();
    return {};
  },
});

/** Only what was never begun; the row is locked, so it happens once. */
async function giveBackSlots({ orgId }: Caller, client: pg.PoolClient, document: LockedDocument): Promise<void> {
  const { status, slot, hourStart, minuteStart } = document;
  if (status !== "queued" || slot !== "taken" || hourStart === null) return;
  await returnSlots(client, orgId, { hourStart, ...(minuteStart === null ? {} : { minuteStart }) });
}
