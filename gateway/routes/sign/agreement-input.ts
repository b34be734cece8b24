import { createHash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type CompositionBody,
  type ContentBody,
  type DocumentBody,
  documentInput,
  type NewAgreementBody,
  signTemplateChanges,
} from "#api/agreement-bodies.ts";
import type { AgreementDefinitionSchema, DocumentInputSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { CompositionSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { documentSource } from "../../document-bodies/document-bodies.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";

type Files = readonly DocumentFile[];
type Definition = MessageInitShape<typeof AgreementDefinitionSchema>;
type Composition = MessageInitShape<typeof CompositionSchema>;

/** What a body says an agreement or a template is made of. */
export const definitionOf = (body: ContentBody, files: Files): Definition => ({
  ...signTemplateChanges.create(body),
  documents: (body.documents ?? []).map((document) => documentOf(document, files)),
});

export const documentOf = (body: DocumentBody, files: Files): MessageInitShape<typeof DocumentInputSchema> => ({
  ...documentInput.create(body),
  source: documentSource(files, body.documentBase64),
});

/** What an agreement is put together from; a template alone is a composition of one layer. */
export function compositionsOf({ templateId, compositions }: NewAgreementBody, files: Files): Composition[] {
  if (typeof templateId === "string") return [{ layers: [templateLayer(templateId)] }];
  return (compositions ?? []).map((composition) => compositionOf(composition, files));
}

const compositionOf = ({ layers, document }: CompositionBody, files: Files): Composition => ({
  layers: layers.flatMap(({ templateId, ...content }) => [
    ...(typeof templateId === "string" ? [templateLayer(templateId)] : []),
    ...(Object.keys(content).length === 0
      ? []
      : [{ source: { case: "definition" as const, value: definitionOf(content, files) } }]),
  ]),
  ...(document ? { document: documentOf(document, files) } : {}),
});

const templateLayer = (templateId: string) =>
  ({ source: { case: "templateId", value: templateId.toLowerCase() } }) as const;

/** What an idempotency key stands for: the operation, its body whatever the order of its fields, and its documents. */
export const requestHash = (operation: string, body: unknown, files: Files): Uint8Array<ArrayBuffer> => {
  const documents = files.map(({ sha256 }) => Buffer.from(sha256).toString("hex"));
  return new Uint8Array(createHash("sha256").update(canonicalJson({ operation, body, documents })).digest());
};
