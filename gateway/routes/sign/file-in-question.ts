import type { MessageInitShape } from "@bufbuild/protobuf";
import { type FileBody, fileInQuestion } from "#api/agreement-records.ts";
import { closed } from "#api/resource.ts";
import type { FileInQuestionSchema } from "#gen/assent/sign/v1/verification_pb.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { documentBody, type RouteRequest } from "../route.ts";

/** A misspelt member would leave the question open. */
export const fileBody = documentBody<FileBody>({
  schema: { ...fileInQuestion.schemas.create, ...closed },
  raw: "pdf",
  example: { sha256: "0123456789abcdef".repeat(4) },
});

export const fileErrors: readonly ErrorCode[] = ["INVALID_BASE64", "DOCUMENT_TOO_LARGE", "SERVICE_UNAVAILABLE"];

/** The file that a request asks about: a body that is one, or what its JSON says. */
export function fileInQuestionOf({
  body: { sha256 = null },
  files: [file],
}: Pick<RouteRequest<string, unknown, FileBody>, "body" | "files">): MessageInitShape<typeof FileInQuestionSchema> {
  if ((file === undefined) === (sha256 === null) || file?.content === "missing") throw notOne();
  if (file?.content === "invalid-base64") throw new DomainError("INVALID_BASE64");
  return file === undefined
    ? { file: { case: "sha256", value: new Uint8Array(Buffer.from(sha256 ?? "", "hex")) } }
    : { file: { case: "content", value: file.content } };
}

const notOne = (): DomainError =>
  new DomainError("VALIDATION_FAILED", {
    details: [{ field: "", code: "ONE_REQUIRED", message: "must have either documentBase64 or sha256" }],
  });
