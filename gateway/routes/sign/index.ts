import { consentedText } from "#api/agreement-records.ts";
import { jsonReply } from "../../http/reply.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { listOf } from "../schema-parts.ts";
import { signVerifyRoutes } from "../verify.ts";
import { actionRoutes, auditEventRoutes } from "./actions.ts";
import { agreementDeletionRoutes, agreementRoutes, agreementTag } from "./agreements.ts";
import { read, signBase } from "./base.ts";
import { brandRoutes, senderDomainRoutes } from "./brands.ts";
import { signDocumentRoutes } from "./documents.ts";
import { attachmentRoutes, signFileRoutes } from "./files.ts";
import { lockRoutes } from "./locks.ts";
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
  ...agreementDeletionRoutes,
  ...signTemplateRoutes,
  ...brandRoutes,
  ...senderDomainRoutes,
  ...signVerifyRoutes,
];
