import { createHash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type NewDocumentBody, newDocument } from "#api/generation-documents.ts";
import type { DocumentSourceSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";

type Source = MessageInitShape<typeof DocumentSourceSchema>;

const maxDataBytes = 1_048_576;
const maxMetadataBytes = 16_384;

/** Throws for what the schema cannot say; `at` is where the body stands in the request, with a dot at its end. */
export function sourceOf(body: NewDocumentBody, at = ""): Source {
  const source = { dataJson: "{}", ...newDocument.create(body) };
  const problems = [
    ...choiceProblems(body, at),
    ...sealProblems(body.output, at),
    ...(Buffer.byteLength(source.metadataJson ?? "") > maxMetadataBytes
      ? [{ field: `${at}metadata`, code: "TOO_LONG", message: "must have at most 16 KB" }]
      : []),
  ];
  if (problems.length > 0) throw new DomainError("GEN_INVALID_REQUEST", { details: problems });
  if (Buffer.byteLength(source.dataJson) > maxDataBytes) {
    throw new DomainError("GEN_PAYLOAD_TOO_LARGE", { message: `${at}data is larger than 1 MB.` });
  }
  return source;
}

/** The problems that the defaults of a batch have by themselves. */
export const defaultsProblems = ({ output }: Pick<NewDocumentBody, "output">): FieldProblem[] =>
  sealProblems(output, "defaults.");

/** What an idempotency key stands for: the operation and its body, whatever the order of its fields. */
export const requestHash = (operation: "createDocument" | "createBatch", body: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash("sha256").update(canonicalJson({ operation, body })).digest());

function choiceProblems({ templateId, templateRef, version }: NewDocumentBody, at: string): FieldProblem[] {
  if (templateId === undefined && templateRef === undefined) {
    return [{ field: `${at}templateId`, code: "REQUIRED", message: "is required unless templateRef is given" }];
  }
  if (templateRef === undefined) return [];
  if (templateId !== undefined) {
    return [{ field: `${at}templateRef`, code: "NOT_ALLOWED", message: "must not be sent together with templateId" }];
  }
  return version === undefined
    ? []
    : [{ field: `${at}version`, code: "NOT_ALLOWED", message: "belongs to templateId; name templateRef.versionId" }];
}

const sealProblems = (output: NewDocumentBody["output"], at: string): FieldProblem[] =>
  output?.seal === true
    ? [
        {
          field: `${at}output.seal`,
          code: "NOT_AVAILABLE",
          message: "must be false: sealing is not available in this version",
        },
      ]
    : [];
