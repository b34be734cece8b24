import type { MessageInitShape } from "@bufbuild/protobuf";
import { type BatchItemBody, type NewBatchBody, newBatch } from "#api/generation-documents.ts";
import type { BatchItemSourceSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, type ErrorCode, type FieldProblem } from "#platform/errors.ts";
import { defined } from "#platform/json-object.ts";
import { parseJson } from "../http/body.ts";
import { schemaCompiler, type Validate } from "../http/validate.ts";
import { defaultsProblems, requestHash, sourceOf } from "../routes/generation/document-source.ts";

/** A batch for the service. Each item's data is kept as text, which is cheap to pass on. */
export interface BatchRequest {
  readonly items: readonly MessageInitShape<typeof BatchItemSourceSchema>[];
  /** The request hash behind the idempotency key. */
  readonly requestHash: Uint8Array<ArrayBuffer>;
}

/** A serializable refusal: a custom error class does not survive the transfer between threads. */
export interface BatchRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldProblem[];
}

export type ReadBatch = (bytes: Uint8Array) => BatchRequest | BatchRefusal;

/** Creates the parser for batch bodies. Parsing, validating and hashing large bodies takes a while. */
export function createBatchReader(): ReadBatch {
  const validate = schemaCompiler()(newBatch.schemas.create);
  return (bytes) => {
    try {
      return read(bytes, validate);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { code: error.code, message: error.message, details: error.details };
    }
  };
}

function read(bytes: Uint8Array, validate: Validate): BatchRequest {
  const { buffer, byteOffset, byteLength } = bytes;
  const parsed = parseJson(Buffer.from(buffer, byteOffset, byteLength), "GEN_INVALID_REQUEST");
  const details = validate(parsed);
  if (details.length > 0) throw new DomainError("GEN_INVALID_REQUEST", { details });
  const body = parsed as NewBatchBody;
  const problems = defaultsProblems(body.defaults ?? {});
  if (problems.length > 0) throw new DomainError("GEN_INVALID_REQUEST", { details: problems });
  return {
    items: body.items.map((item, index) => ({
      ref: item.ref ?? "",
      source: sourceOf(completed(item, body), `items[${index}].`),
    })),
    requestHash: requestHash("createBatch", body),
  };
}

/** The item with the batch's defaults applied. */
const completed = (item: BatchItemBody, { defaults = {}, ...batch }: NewBatchBody): BatchItemBody => ({
  ...defaults,
  ...defined(item),
  ...choiceOf(item, batch),
  output: { ...defaults.output, ...item.output },
});

type TemplateChoiceBody = Pick<BatchItemBody, "templateId" | "version" | "templateRef">;

/** An item's own template replaces the batch's, including its version. */
function choiceOf(item: TemplateChoiceBody, batch: TemplateChoiceBody): TemplateChoiceBody {
  const { templateId, version, templateRef } =
    (item.templateId ?? item.templateRef) ? item : { ...batch, ...versionOf(item) };
  return {
    ...(templateId === undefined ? {} : { templateId }),
    ...(version === undefined ? {} : { version }),
    ...(templateRef === undefined ? {} : { templateRef }),
  };
}

const versionOf = ({ version }: TemplateChoiceBody): TemplateChoiceBody => (version === undefined ? {} : { version });
