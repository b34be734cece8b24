import type { ServiceImpl } from "@connectrpc/connect";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { requireDocument } from "../../domain/edit-documents.ts";
import type { SignDeps } from "../deps.ts";
import { pdfFileName, readDocument } from "../read-documents.ts";
import { noteOpened, requireShownSession } from "./shown-session.ts";

export const getCeremonyDocument = (
  deps: SignDeps,
): Pick<ServiceImpl<typeof SigningService>, "getCeremonyDocument"> => ({
  async getCeremonyDocument({ sessionToken, documentId, visitor }) {
    const session = await requireShownSession(deps, sessionToken);
    const { orgId, agreement } = session;
    if (agreement === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
    const document = requireDocument(agreement, documentId);
    const { content } = await inTransaction(orgId, deps.pool, (client) => readDocument(deps, orgId, client, document));
    await noteOpened(deps, session, visitor);
    return { content, fileName: pdfFileName(document.name) };
  },
});
