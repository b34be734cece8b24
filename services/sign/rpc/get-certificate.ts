import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { sha256Of } from "#platform/blobs/blob-store.ts";
import { requireCaller } from "#platform/caller.ts";
import { certificateOf, readCertificateSource } from "./certificate-of.ts";
import { agreementTarget } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { withTarget } from "./require-target.ts";

export const getCertificate = (
  deps: Pick<SignDeps, "pool" | "blobs" | "renderer" | "organizations" | "clock">,
): Pick<ServiceImpl<typeof SignService>, "getCertificate"> => ({
  async getCertificate({ agreementId }, context) {
    const caller = requireCaller(context);
    const target = agreementTarget(agreementId);
    const source = await withTarget(deps, caller.orgId, target, (agreement, client) =>
      readCertificateSource(deps, caller, agreement, client),
    );
    const content = await certificateOf(deps, caller, source);
    return { file: { content, sha256: sha256Of(content), fileName: `certificate-${target.id}.pdf`, documentId: "" } };
  },
});
