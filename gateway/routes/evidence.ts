import { evidence } from "#api/evidence.ts";
import { receiptToVerify, verificationResult } from "#api/receipts.ts";
import type { GetEvidenceBundleResponse } from "#gen/assent/click/v1/click_pb.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, queryOf, type Route } from "./route.ts";
import { described, oneOf } from "./schema-parts.ts";

interface EvidenceQuery {
  readonly format?: "json" | "pdf" | "zip";
  readonly disclose?: "all" | "none";
}

const base = {
  tag: "Evidence",
  dialect: clickDialect,
  access: { scopes: ["click:read"], limitGroup: "other" },
} as const;

const zipType = "application/zip";
const pdfType = "application/pdf";
/** A PDF has to be rendered first. */
const pdfTimeoutMs = 20_000;

/** Receipts are small; the disclosures of an acceptance may be a third larger than its body was. */
const verifyBodyBytes = 524_288;

export const evidenceRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "getClickEvidenceBundle",
    method: "GET",
    path: "/v1/click/evidence/{sessionId}",
    tag: "Acceptances",
    summary: "Read the evidence bundle of a session",
    description:
      "Everything about a session, or an acceptance without one, with its proofs: one signed file that verify-bundle.mjs checks offline. As PDF it is for people to read, with that file attached.",
    notFound: { sessionId: "CLICK_EVIDENCE_NOT_FOUND" },
    query: queryOf<EvidenceQuery>({
      format: described(
        oneOf("json", "pdf", "zip"),
        "json when absent. zip: the bundle with its parts as files; pdf: for people, with the bundle attached.",
      ),
      disclose: described(oneOf("all", "none"), "none leaves out what is personal; all proofs still hold."),
    }),
    success: {
      status: 200,
      description: "The bundle.",
      schema: evidence.schemas.answer,
      alsoTypes: [zipType, pdfType],
      headers: { "Content-Disposition": "For a ZIP archive and a PDF: the file name." },
    },
    errors: [],
    call: (request, { click }) => {
      const { format, disclose } = request.query;
      const wanted = { archive: format === "zip", pdf: format === "pdf", undisclosed: disclose === "none" };
      const options = { ...onBehalfOf(request), ...(wanted.pdf ? { timeoutMs: pdfTimeoutMs } : {}) };
      return click.getEvidenceBundle({ ...request.params, ...wanted }, options);
    },
    respond: (bundle, { query, params }) => evidenceReply(bundle, query.format ?? "json", params.sessionId),
  }),
  defineRoute({
    ...base,
    operationId: "verifyReceipt",
    method: "POST",
    path: "/v1/click/receipts/verify",
    summary: "Verify a receipt",
    description: "Checks a receipt or its JWS against the published keys and your organization's log. Records nothing.",
    body: createBody(receiptToVerify, {
      maxBytes: verifyBodyBytes,
      example: {
        jws: "eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiIsInR5cCI6ImNsaWNrLXJlY2VpcHQrandzIn0.eyJ2IjoxfQ.c2lnbmF0dXJl",
      },
    }),
    success: { status: 200, description: "The results of the checks.", schema: verificationResult.schemas.answer },
    errors: [],
    call: (request, { click }) => click.verifyReceipt(receiptToVerify.create(request.body), onBehalfOf(request)),
    respond: (result) => jsonReply(200, verificationResult.answer(result)),
  }),
];

/** What the click service answers as JSON goes out as it is. */
function evidenceReply(
  bundle: GetEvidenceBundleResponse,
  form: NonNullable<EvidenceQuery["format"]>,
  sessionId: string,
): Reply {
  if (form === "json") return { status: 200, body: bundle.bundleJson };
  const headers = { "Content-Disposition": `attachment; filename="evidence-${sessionId.toLowerCase()}.${form}"` };
  if (form === "zip") return { status: 200, body: bundle.archive, contentType: zipType, headers };
  return { status: 200, body: bundle.pdf, contentType: pdfType, headers };
}
