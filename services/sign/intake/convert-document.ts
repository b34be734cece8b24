import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { Profile, type RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, type FieldProblem, fromConnectError } from "#platform/errors.ts";

export interface ConvertDeps {
  readonly renderer: Client<typeof RendererService>;
  readonly now: () => Date;
}

/** Renders restricted HTML to PDF. Throws INVALID_DOCUMENT_FORMAT, or an outage error. */
export async function convertHtml(
  { renderer, now }: ConvertDeps,
  orgId: string,
  document: { readonly html: string; readonly name: string; readonly field: string },
): Promise<Uint8Array> {
  const { html, name, field } = document;
  const request = {
    title: titleOf(name),
    html,
    page: { header: "", footer: "" },
    locale: "en",
    profile: Profile.PDF,
    createdAt: timestampFromDate(now()),
  };
  try {
    const headers = { "x-org-id": orgId, "x-client-id": "sign" };
    const { pdf } = await renderer.renderHtml(request, { headers, timeoutMs: renderTimeoutMs });
    return pdf;
  } catch (error) {
    throw asAnswer(error, field);
  }
}

/** The gateway does not wait longer. */
const renderTimeoutMs = 20_000;

/** The file name in one line, as the title that a PDF needs. */
const titleOf = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Surrogate}\u2028\u2029]/gu, " ")
    .trim()
    .slice(0, maxTitle)
    .toWellFormed() || "Document";

const maxTitle = 200;

/** The error for a file that cannot be converted to PDF. */
export function notConvertible(field: string, reason: string, cause?: unknown): DomainError {
  const details: FieldProblem[] = [{ field, code: "INVALID_DOCUMENT_FORMAT", message: reason }];
  const message = `The file cannot be converted to a PDF: ${reason} Send a PDF instead.`;
  return new DomainError("INVALID_DOCUMENT_FORMAT", { message, details, cause });
}

function asAnswer(error: unknown, field: string): unknown {
  const known = fromConnectError(error);
  const reason = known?.metadata.reason;
  if (known?.code === "GEN_RENDER_FAILED" && reason !== "aborted" && reason !== "crashed") {
    return notConvertible(field, "it is too long or takes too much time and memory.", error);
  }
  if (known?.code === "GEN_TEMPLATE_ERROR" || known?.code === "GEN_INVALID_REQUEST") {
    return notConvertible(field, "it has what cannot be printed.", error);
  }
  if (known?.code.startsWith("GEN_")) {
    return new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "5" }, cause: error });
  }
  return error;
}
