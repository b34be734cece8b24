import type { JsonSchema } from "#api/kinds.ts";
import { statuses } from "../../../views/sign/names.ts";
import { verificationView } from "../../../views/sign/verification.ts";
import { jsonReply } from "../../http/reply.ts";
import { defineRoute, type Route } from "../route.ts";
import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  example,
  flag,
  hash,
  listOf,
  oneOf,
  orNull,
  uuid,
} from "../schema-parts.ts";
import { read, signBase, withDocuments } from "./base.ts";
import { signDocumentTag } from "./documents.ts";
import { fileBody, fileErrors, fileInQuestion, partySchema, questionSchema } from "./file-in-question.ts";

const evidenceSchema: JsonSchema = orNull(
  described(
    answer({ logId: uuid, leafIndex: example(count, 1234), leafHash: hash }),
    "Where the evidence log has the head of the audit trail; null until it has. See /v1/click/log/proofs/inclusion.",
  ),
);

const matchSchema = answer({
  kind: example(
    described(
      oneOf("original", "sealed", "certificate"),
      "As it was sent or shown, as it was sealed, or what tells of it.",
    ),
    "sealed",
  ),
  agreementId: uuid,
  documentId: orNull(example(described(anyText, "Null for certificates, like the name."), "1")),
  documentName: orNull(example(anyText, "NDA.pdf")),
  status: example(described(oneOf(...statuses.names), "Of the agreement."), "completed"),
  emailSubject: orNull(example(anyText, "Please sign the NDA")),
  completedAt: orNull(dateTime),
  signers: described(listOf(partySchema), "Everybody who has to act, or had to."),
  auditTrailIntact: described(flag, "Whether the audit trail is all that has happened, as it was written."),
  evidence: evidenceSchema,
});

export const signVerifyRoutes: readonly Route[] = [
  defineRoute({
    ...signBase,
    tag: signDocumentTag,
    operationId: "verifyDocument",
    method: "POST",
    path: "/v1/sign/verify",
    summary: "Check a document",
    description:
      "Tells which signatures a PDF has, and where your organization has exactly this file. Send the PDF alone, in JSON, or only its SHA-256.",
    access: read,
    body: fileBody,
    success: {
      status: 200,
      description: "What is known of it.",
      schema: answer({
        ...questionSchema,
        matches: described(listOf(matchSchema), "At most 10, newest agreement first; an original may be in several."),
      }),
    },
    errors: fileErrors,
    call: (request, { sign }) => sign.verifyDocument({ file: fileInQuestion(request) }, withDocuments(request)),
    respond: (found) => jsonReply(200, verificationView(found)),
  }),
];
