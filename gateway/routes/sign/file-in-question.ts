import type { MessageInitShape } from "@bufbuild/protobuf";
import { exampleBase64 } from "#api/agreement-bodies.ts";
import type { JsonSchema } from "#api/kinds.ts";
import type { FileInQuestionSchema } from "#gen/assent/sign/v1/verification_pb.ts";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { recipientStatuses, roles } from "../../../views/sign/names.ts";
import { documentBody, type RouteRequest } from "../route.ts";
import { answer, anyText, count, dateTime, described, example, flag, listOf, object, orNull } from "../schema-parts.ts";

/** Exactly one of them. */
export interface FileBody {
  readonly documentBase64?: string | null;
  readonly sha256?: string | null;
}

const exampleHash = "0123456789abcdef".repeat(4);

const fileMembers = object(
  {
    documentBase64: orNull(
      example({ type: "string", description: "The PDF, in Base64 without line breaks." }, exampleBase64),
    ),
    sha256: orNull(
      example(
        {
          type: "string",
          pattern: "^[0-9a-fA-F]{64}$",
          description: "Of the whole file, when its bytes are not sent.",
        },
        exampleHash,
      ),
    ),
  },
  [],
);

/** A misspelt member would leave the question open. */
const fileSchema: JsonSchema = { ...fileMembers, additionalProperties: false };

export const fileBody = documentBody<FileBody>({
  schema: fileSchema,
  raw: "pdf",
  example: { sha256: exampleHash },
});

export const fileErrors: readonly ErrorCode[] = ["INVALID_BASE64", "DOCUMENT_TOO_LARGE", "SERVICE_UNAVAILABLE"];

/** The file that a request asks about: a body that is one, or what its JSON says. */
export function fileInQuestion({
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

const hexText = (description: string) => described(example(anyText, exampleHash), description);

const sealSchema: JsonSchema = answer({
  intact: described(
    flag,
    "Whether what it covers is what was signed, by the certificate that it carries. False too for signatures of other forms than ours, of which nothing can be said.",
  ),
  coversWholeFile: described(flag, "Whether nothing was added to the file afterwards."),
  addedBytes: described(example(count, 0), "How many bytes follow what it covers."),
  addition: orNull(
    described(
      example(anyText, "a revision was added: the contents of a page have changed."),
      "What they are. Null for all but the last signature that is intact and has something after it.",
    ),
  ),
  signedPartSha256: orNull(
    hexText("Of the file as it was when it was signed. Null unless the signature is intact and something was added."),
  ),
  ours: described(flag, "Whether this installation seals, or has sealed, with the certificate."),
  subject: orNull(example(described(anyText, "Of the certificate, one part a line."), "CN=Example AG")),
  certificateSha256: orNull(hexText("Of the certificate.")),
  claimedAt: orNull(described(dateTime, "As the signature says.")),
});

export const partySchema: JsonSchema = answer({
  recipientId: example(anyText, "1"),
  name: example(anyText, "Ann Example"),
  role: example(described(anyText, roles.names.join(", ")), "signer"),
  status: example(described(anyText, recipientStatuses.names.join(", ")), "completed"),
  endedAt: orNull(described(dateTime, "When the party signed, approved or declined.")),
});

export const questionSchema = {
  sha256: hexText("Of the file."),
  seals: described(listOf(sealSchema), "The signatures of the file; none when only its hash was sent."),
};
