import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { requireDocument } from "../domain/edit-documents.ts";
import { targetOf } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { pdfFileName, readDocument } from "./read-documents.ts";
import { withTarget } from "./require-target.ts";

export const getDocumentContent = (
  deps: Pick<SignDeps, "pool" | "blobs">,
): Pick<ServiceImpl<typeof SignService>, "getDocumentContent"> => ({
  async getDocumentContent(request, context) {
    const { orgId } = requireCaller(context);
    return withTarget(deps, orgId, targetOf(request.target), async (agreement, client) => {
      const document = requireDocument(agreement, request.documentId);
      const { content, sha256 } = await readDocument(deps, orgId, client, document);
      const { documentId, name } = document;
      return { file: { content, sha256, fileName: pdfFileName(name), documentId } };
    });
  },
});
