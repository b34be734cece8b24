import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { Profile, type RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { Agreement } from "../domain/agreement.ts";
import type { AuditEvent } from "../domain/audit-chain.ts";
import { certificateFooter, certificateHtml, certificateTitle } from "./certificate.ts";
import { englishTexts } from "./certificate-texts.ts";

export interface PrintedAgreement {
  readonly agreement: Agreement;
  /** All of the agreement, oldest first. */
  readonly events: readonly AuditEvent[];
  readonly organizationName: string;
  readonly now: Date;
}

/**
 * The certificate as a PDF; that of a completed agreement always has the same bytes while nothing is added to its trail.
 * Must not be called within a transaction. Rejects with SERVICE_UNAVAILABLE while nobody can render.
 */
export async function printCertificate(
  renderer: Client<typeof RendererService>,
  { agreement, events, organizationName, now }: PrintedAgreement,
  headers: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const at = agreement.completedAt ?? now;
  const request = {
    title: certificateTitle(agreement),
    html: certificateHtml(agreement, events, { organizationName, at }),
    page: { margins: { top: 20, right: 20, bottom: 22, left: 20 }, header: "", footer: certificateFooter(agreement) },
    locale: englishTexts.locale,
    profile: Profile.PDF_A_3A,
    createdAt: timestampFromDate(at),
  };
  try {
    return (await renderer.renderHtml(request, { headers, timeoutMs })).pdf;
  } catch (error) {
    throw asOutage(error);
  }
}

/** Less than the gateway waits. */
const timeoutMs = 15_000;

/** That there is no renderer for a while, in the words of this service. */
function asOutage(error: unknown): unknown {
  const code = fromConnectError(error)?.code;
  if (code === "GEN_BUSY") {
    return new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "5" }, cause: error });
  }
  // What is wrong with our own HTML is a defect of ours, and no answer for a caller.
  return code?.startsWith("GEN_") === true ? new Error("a certificate could not be typeset", { cause: error }) : error;
}
