import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { requireDocument } from "../../domain/edit-documents.ts";
import type { SignDeps } from "../deps.ts";
import { pdfFileName, readDocument } from "../read-documents.ts";
import { requireSession } from "./signing-session.ts";

export const getCeremonyDocument = (
  deps: Pick<SignDeps, "pool" | "clock" | "blobs">,
): Pick<ServiceImpl<typeof SigningService>, "getCeremonyDocument"> => ({
  async getCeremonyDocument({ sessionToken, documentId }) {
    const { orgId, agreement } = await requireSession(deps, sessionToken);
    if (agreement === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
    const document = requireDocument(agreement, documentId);
    const { content } = await inTransaction(orgId, deps.pool, (client) => readDocument(deps, orgId, client, document));
    return { content, fileName: pdfFileName(document.name) };
  },
});
