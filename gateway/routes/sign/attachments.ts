import { attachment } from "#api/agreement-records.ts";
import { fileReply } from "../../http/file-reply.ts";
import { jsonReply } from "../../http/reply.ts";
import { fileAnswer } from "../generation/file-answer.ts";
import { required } from "../required.ts";
import { defineRoute, onBehalfOf, type Route } from "../route.ts";
import { listOf } from "../schema-parts.ts";
import { fileErrors, read, signBase, withDocuments } from "./base.ts";
import { signDocumentTag } from "./documents.ts";

const base = { ...signBase, tag: signDocumentTag, method: "GET", access: read } as const;

/** What recipients have attached to tabs. */
export const attachmentRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listAttachments",
    path: "/v1/sign/agreements/{id}/attachments",
    summary: "List the files that recipients have attached",
    description: "In the order in which they did. Files that a person has replaced by another stay in the list.",
    notFound: { id: "ENVELOPE_NOT_FOUND" },
    success: { status: 200, description: "The attachments.", schema: listOf(attachment.schemas.answer) },
    errors: [],
    call: ({ params, ...request }, { sign }) => sign.listAttachments({ agreementId: params.id }, onBehalfOf(request)),
    respond: ({ attachments }) =>
      jsonReply(
        200,
        attachments.map((one) => attachment.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "getAttachmentContent",
    path: "/v1/sign/agreements/{id}/attachments/{attachmentId}/content",
    summary: "Download a file that a recipient has attached",
    description: "As the person gave it: nobody has looked into it. Its SHA-256 is in the audit trail.",
    notFound: { id: "ENVELOPE_NOT_FOUND", attachmentId: "ATTACHMENT_NOT_FOUND" },
    ...fileAnswer({
      description: "The file.",
      contentType: "application/pdf",
      alsoTypes: ["image/png", "image/jpeg"],
    }),
    errors: ["RANGE_NOT_SATISFIABLE", ...fileErrors],
    call: (request, { sign }) => {
      const { id: agreementId, attachmentId } = request.params;
      return sign.getAttachmentContent({ agreementId, attachmentId }, withDocuments(request));
    },
    respond: ({ attachment: found, content }, request) => {
      const { contentType, fileName, sha256 } = required(found);
      const file = { bytes: content, contentType, fileName, sha256: Buffer.from(sha256).toString("hex") };
      return fileReply({ ...file, rangeCode: "RANGE_NOT_SATISFIABLE" }, request);
    },
  }),
];
