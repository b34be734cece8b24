import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { certificateOf, readCertificateSource } from "./certificate-of.ts";
import { targetOf } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { readDocument } from "./read-documents.ts";
import { withTarget } from "./require-target.ts";

export const getCombinedDocument = (
  deps: Pick<SignDeps, "pool" | "blobs" | "intake" | "renderer" | "organizations" | "clock">,
): Pick<ServiceImpl<typeof SignService>, "getCombinedDocument"> => ({
  async getCombinedDocument({ target, withCertificate }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const { agreement, files, source } = await withTarget(deps, orgId, targetOf(target), async (found, client) => {
      if (found.documents.length === 0) throw new DomainError("DOCUMENT_NOT_FOUND");
      const contents: Uint8Array[] = [];
      for (const document of found.documents) {
        contents.push((await readDocument(deps, orgId, client, document)).content);
      }
      // Nobody has to do anything with a template, so there is nothing to certify.
      const hasTrail = withCertificate && found.status !== "template";
      return {
        agreement: found,
        files: contents,
        source: hasTrail ? await readCertificateSource(deps, caller, found, client) : undefined,
      };
    });
    if (source !== undefined) files.push(await certificateOf(deps, caller, source));
    const only = files.length === 1 ? files[0] : undefined;
    // A single sealed file stays as it was sealed. One joined of several has the seals of none: those are for each file.
    const content = only ?? (await deps.intake.merge(orgId, files));
    return { file: { content, sha256: sha256Of(content), fileName: `combined-${agreement.id}.pdf`, documentId: "" } };
  },
});
