import { documentVerification } from "#api/agreement-records.ts";
import { jsonReply } from "../../http/reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { read, signBase, withDocuments } from "./base.ts";
import { signDocumentTag } from "./documents.ts";
import { fileBody, fileErrors, fileInQuestionOf } from "./file-in-question.ts";

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
    success: { status: 200, description: "What is known of it.", schema: documentVerification.schemas.answer },
    errors: fileErrors,
    call: (request, { sign }) => sign.verifyDocument({ file: fileInQuestionOf(request) }, withDocuments(request)),
    respond: (found) => jsonReply(200, documentVerification.answer(found)),
  }),
];
