import type { GetEvidenceBundleResponse } from "#gen/assent/click/v1/click_pb.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import {
  type EvidenceQuery,
  evidenceQuery,
  evidenceSchema,
  type VerifyReceiptBody,
  verificationResultSchema,
  verifyReceiptSchema,
} from "./evidence-schemas.ts";
import { defineRoute, jsonBody, onBehalfOf, queryOf, type Route } from "./route.ts";

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
      "Everything that belongs to a session or an acceptance without one, with what proves it: one signed file that verify-bundle.mjs checks without a network. As PDF it is for people, and has that file attached.",
    notFound: { sessionId: "CLICK_EVIDENCE_NOT_FOUND" },
    query: queryOf<EvidenceQuery>(evidenceQuery),
    success: {
      status: 200,
      description: "The bundle.",
      schema: evidenceSchema,
      alsoTypes: [zipType, pdfType],
      headers: { "Content-Disposition": "Of a ZIP archive and a PDF: its file name." },
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
    description: "Checks a receipt or its JWS against our keys and your organization's log. Records nothing.",
    body: jsonBody<VerifyReceiptBody>({
      schema: verifyReceiptSchema,
      maxBytes: verifyBodyBytes,
      example: {
        jws: "eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiIsInR5cCI6ImNsaWNrLXJlY2VpcHQrandzIn0.eyJ2IjoxfQ.c2lnbmF0dXJl",
      },
    }),
    success: { status: 200, description: "What the checks came to.", schema: verificationResultSchema },
    errors: [],
    call: (request, { click }) => {
      const { receipt, jws, disclosures } = request.body;
      const receiptJson = Buffer.from(receipt === undefined ? "" : JSON.stringify(receipt));
      return click.verifyReceipt(
        { receiptJson, jws: jws ?? "", disclosures: [...(disclosures ?? [])] },
        onBehalfOf(request),
      );
    },
    respond: ({ valid, checks }) =>
      jsonReply(200, { valid, checks: checks.map(({ check, ok, message }) => ({ check, ok, message })) }),
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
