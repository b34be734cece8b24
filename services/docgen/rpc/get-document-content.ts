import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { type Document, hasEnded, statusAt } from "../domain/document.ts";
import { findDocument } from "../store/document-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { documentMessage } from "./document-messages.ts";
import { canonicalId } from "./ids.ts";

export const getDocumentContent = (
  deps: Pick<DocgenDeps, "pool" | "blobs" | "clock">,
): Pick<ServiceImpl<typeof DocgenService>, "getDocumentContent"> => ({
  async getDocumentContent(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.documentId);
    const now = deps.clock.now();
    return inTransaction(orgId, deps.pool, async (client) => {
      const document = await findDocument(orgId, client, id);
      const sha256 = requireReady(document, now);
      const content = await deps.blobs.read(orgId, sha256, client);
      // It was deleted, or has expired, since the document was read.
      if (document === undefined || content === undefined) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
      return { document: documentMessage(document, now), content };
    });
  },
});

/** The hash of the bytes, when there are any. */
function requireReady(document: Document | undefined, now: Date): Uint8Array {
  if (document === undefined || document.deletedAt !== null) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
  const status = statusAt(document, now);
  if (status === "completed" && document.sha256 !== null) return document.sha256;
  // A failed document never will be ready, but it can be read why.
  if (!hasEnded(document) || status === "failed") throw new DomainError("GEN_DOCUMENT_NOT_READY");
  throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
}
