import { sha256Of } from "#platform/blobs/blob-store.ts";
import { type Caller, callerHeaders, requireCaller } from "#platform/caller.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { agreementTarget, withTarget } from "../agreement/context.ts";
import { listConsentTexts as readTexts } from "../agreement/file-store.ts";
import { readBranded } from "../brands/brand-store.ts";
import { type PrintedAgreement, printCertificate } from "../certificate/print-certificate.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";

export const getCertificate = (
  deps: Pick<SignDeps, "pool" | "vault" | "files" | "renderer" | "organizations" | "clock">,
): SignRpcs<"getCertificate"> => ({
  async getCertificate({ agreementId }, context) {
    const caller = requireCaller(context);
    const target = agreementTarget(agreementId);
    const source = await withTarget(deps, caller.orgId, target, (agreement, tenant) =>
      readCertificateSource(deps, agreement, tenant),
    );
    const content = await certificateOf(deps, caller, source);
    return { file: { content, sha256: sha256Of(content), fileName: `certificate-${target.id}.pdf`, documentId: "" } };
  },
});

/** The sealed certificate, or the data to render one that states the agreement's progress. */
type CertificateSource =
  | { readonly kind: "sealed"; readonly pdf: Uint8Array }
  | ({ readonly kind: "open" } & Pick<PrintedAgreement, "agreement" | "events" | "branded">);

export async function readCertificateSource(
  { files, vault }: Pick<SignDeps, "files" | "vault">,
  agreement: Agreement,
  tenant: Tenant,
): Promise<CertificateSource> {
  const { id, certificate } = agreement;
  if (certificate === null) {
    const branded = await readBranded(tenant, agreement.brandId ?? null);
    return { kind: "open", agreement, events: await listAuditEvents(tenant, vault, id), branded };
  }
  return { kind: "sealed", pdf: await files.read(tenant, id, certificate) };
}

/** The certificate as PDF. Must not be called within a transaction. */
export async function certificateOf(
  { organizations, renderer, clock }: Pick<SignDeps, "organizations" | "renderer" | "clock">,
  caller: Caller,
  source: CertificateSource,
): Promise<Uint8Array> {
  if (source.kind === "sealed") return source.pdf;
  const { agreement, events, branded } = source;
  const { name: organizationName } = await organizations.of(caller.orgId);
  const sender = await organizations.sender(caller.orgId, agreement.sender.id);
  const printed = { agreement, events, organizationName, sender, branded, now: clock.now() };
  return printCertificate(renderer, printed, callerHeaders(caller));
}

export const getSealCertificate = ({ sealer }: Pick<SignDeps, "sealer">): SignRpcs<"getSealCertificate"> => ({
  getSealCertificate() {
    if (sealer === undefined) throw new DomainError("SERVICE_UNAVAILABLE");
    const { certificates, formerCertificates, isTest } = sealer;
    return { certificates: certificates + formerCertificates, isTest };
  },
});

export const listConsentTexts = (deps: Pick<SignDeps, "pool">): SignRpcs<"listConsentTexts"> => ({
  async listConsentTexts({ agreementId }, context) {
    const { orgId } = requireCaller(context);
    const texts = await withTarget(deps, orgId, agreementTarget(agreementId), (agreement, tenant) =>
      readTexts(tenant, agreement.id),
    );
    return { texts: [...texts] };
  },
});
