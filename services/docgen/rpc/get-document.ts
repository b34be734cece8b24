import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { findDocument } from "../store/document-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { documentMessage } from "./document-messages.ts";
import { canonicalId } from "./ids.ts";

export const getDocument = (
  deps: Pick<DocgenDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof DocgenService>, "getDocument"> => ({
  async getDocument(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.documentId);
    const document = await inTransaction(orgId, deps.pool, (client) => findDocument(orgId, client, id));
    if (document === undefined || document.deletedAt !== null) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
    return { document: documentMessage(document, deps.clock.now()) };
  },
});
