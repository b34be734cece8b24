import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { SignDeps } from "./deps.ts";

export const getSealCertificate = ({
  sealer,
}: Pick<SignDeps, "sealer">): Pick<ServiceImpl<typeof SignService>, "getSealCertificate"> => ({
  getSealCertificate() {
    if (sealer === undefined) throw new DomainError("SERVICE_UNAVAILABLE");
    const { certificates, formerCertificates, isTest } = sealer;
    return { certificates: certificates + formerCertificates, isTest };
  },
});
