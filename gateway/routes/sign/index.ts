import { consentedText } from "#api/agreement-records.ts";
import { maxDocumentBytes, maxDocuments, maxTotalBytes } from "#platform/document-bounds.ts";
import { jsonReply } from "../../http/reply.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { answer, count, described, example, listOf } from "../schema-parts.ts";
import { signVerifyRoutes } from "../verify.ts";
import { actionRoutes, auditEventRoutes } from "./actions.ts";
import { agreementDeletionRoutes, agreementRoutes, agreementTag } from "./agreements.ts";
import { read, signBase } from "./base.ts";
import { brandRoutes, senderDomainRoutes } from "./brands.ts";
import { signDocumentRoutes, signDocumentTag } from "./documents.ts";
import { attachmentRoutes, signFileRoutes } from "./files.ts";
import { lockRoutes } from "./locks.ts";
import { pageHostRoutes } from "./page-hosts.ts";
import { recipientRoutes } from "./recipients.ts";
import { signTemplateRoutes } from "./templates.ts";

const consentTextRoutes: readonly Route[] = [
  defineRoute({
    ...signBase,
    tag: agreementTag,
    operationId: "listConsentTexts",
    method: "GET",
    path: "/v1/sign/agreements/{id}/consent-texts",
    summary: "List the texts that recipients have consented to",
    description:
      "The texts that were shown before recipients consented to electronic records, kept under their hash. Texts of consents recorded before version 0.2.0 aren't kept.",
    access: read,
    notFound: { id: "ENVELOPE_NOT_FOUND" },
    success: { status: 200, description: "The texts, each once.", schema: listOf(consentedText.schemas.answer) },
    errors: [],
    call: ({ params, ...request }, { sign }) => sign.listConsentTexts({ agreementId: params.id }, onBehalfOf(request)),
    respond: ({ texts }) =>
      jsonReply(
        200,
        texts.map((one) => consentedText.answer(one)),
      ),
  }),
];

const settingsRoutes: readonly Route[] = [
  defineRoute({
    ...signBase,
    tag: signDocumentTag,
    operationId: "getSignSettings",
    method: "GET",
    path: "/v1/sign/settings",
    summary: "Read what this installation accepts",
    description:
      "Office files and pictures are accepted where LibreOffice is set up. Any other format is refused with `INVALID_DOCUMENT_FORMAT`.",
    access: read,
    success: {
      status: 200,
      description: "The formats and limits of documents.",
      schema: answer({
        documentFormats: example(
          described(
            listOf({ type: "string" }),
            "File extensions, in alphabetical order. `pdf`, `html`, `htm` and `txt` are always there.",
          ),
          ["docx", "htm", "html", "jpeg", "jpg", "odt", "pdf", "png", "pptx", "rtf", "txt", "xlsx"],
        ),
        maxDocumentBytes: example(described(count, "Of a document, decoded."), maxDocumentBytes),
        maxDocuments: example(described(count, "Of an agreement or template."), maxDocuments),
        maxTotalBytes: example(described(count, "Of all documents of an agreement together."), maxTotalBytes),
      }),
    },
    errors: [],
    call: (request, { sign }) => sign.listDocumentFormats({}, onBehalfOf(request)),
    respond: ({ extensions }) =>
      jsonReply(200, { documentFormats: extensions, maxDocumentBytes, maxDocuments, maxTotalBytes }),
  }),
];

/** Agreements that people sign. */
export const signRoutes: readonly Route[] = [
  ...agreementRoutes,
  ...actionRoutes,
  ...lockRoutes,
  ...recipientRoutes,
  ...signDocumentRoutes,
  ...signFileRoutes,
  ...attachmentRoutes,
  ...auditEventRoutes,
  ...consentTextRoutes,
  ...settingsRoutes,
  ...agreementDeletionRoutes,
  ...signTemplateRoutes,
  ...brandRoutes,
  ...senderDomainRoutes,
  ...pageHostRoutes,
  ...signVerifyRoutes,
];
