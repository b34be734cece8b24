import { jsonReply } from "../../http/reply.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { answer, anyText, described, example, listOf } from "../schema-parts.ts";
import { agreementTag } from "./agreements.ts";
import { read, signBase } from "./base.ts";

const consentTextSchema = answer({
  textSha256: described(
    example(anyText, "0123456789abcdef".repeat(4)),
    "SHA-256 of text in UTF-8, in hex: as the event recipient.consented and the certificate name it.",
  ),
  locale: example(anyText, "en"),
  text: described(anyText, "As it was shown, a line for each part."),
});

export const consentTextRoutes: readonly Route[] = [
  defineRoute({
    ...signBase,
    tag: agreementTag,
    operationId: "listConsentTexts",
    method: "GET",
    path: "/v1/sign/agreements/{id}/consent-texts",
    summary: "List the texts that recipients have consented to",
    description:
      "What was shown before a recipient agreed to electronic records, kept under its hash since then. Texts of consents that were recorded before version 0.2.0 are not kept.",
    access: read,
    notFound: { id: "ENVELOPE_NOT_FOUND" },
    success: { status: 200, description: "The texts, each once.", schema: listOf(consentTextSchema) },
    errors: [],
    call: ({ params, ...request }, { sign }) => sign.listConsentTexts({ agreementId: params.id }, onBehalfOf(request)),
    respond: ({ texts }) =>
      jsonReply(
        200,
        texts.map(({ sha256, locale, content }) => ({
          textSha256: Buffer.from(sha256).toString("hex"),
          locale,
          text: content,
        })),
      ),
  }),
];
