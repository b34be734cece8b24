import type pg from "pg";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { printCertificate } from "../certificate/print-certificate.ts";
import type { Agreement } from "../domain/agreement.ts";
import type { AuditEvent } from "../domain/audit-chain.ts";
import { listAuditEvents } from "../store/audit-store.ts";
import type { SignDeps } from "./deps.ts";

/** The sealed certificate, or what one is printed from that says how far the agreement is. */
export type CertificateSource =
  | { readonly kind: "sealed"; readonly pdf: Uint8Array }
  | { readonly kind: "open"; readonly agreement: Agreement; readonly events: readonly AuditEvent[] };

export async function readCertificateSource(
  { blobs }: Pick<SignDeps, "blobs">,
  { orgId }: Pick<Caller, "orgId">,
  agreement: Agreement,
  client: pg.PoolClient,
): Promise<CertificateSource> {
  const { id, certificate } = agreement;
  if (certificate === null) return { kind: "open", agreement, events: await listAuditEvents(client, orgId, id) };
  const pdf = await blobs.read(orgId, certificate.sha256, client);
  if (pdf === undefined) throw new Error(`the certificate of agreement ${id} is missing`);
  return { kind: "sealed", pdf };
}

/** The certificate as a PDF. Must not be called within a transaction. */
export async function certificateOf(
  { organizations, renderer, clock }: Pick<SignDeps, "organizations" | "renderer" | "clock">,
  caller: Caller,
  source: CertificateSource,
): Promise<Uint8Array> {
  if (source.kind === "sealed") return source.pdf;
  const { agreement, events } = source;
  const { name: organizationName } = await organizations.of(caller.orgId);
  return printCertificate(renderer, { agreement, events, organizationName, now: clock.now() }, callerHeaders(caller));
}
