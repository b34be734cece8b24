import { createHash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { fromGroups } from "#api/agreements.ts";
import type {
  AgreementDefinitionSchema,
  CustomFieldSchema,
  DocumentInputSchema,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import type { CompositionSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { documentSource } from "../../document-bodies/document-bodies.ts";
import type { DocumentFile } from "../../document-bodies/document-file.ts";
import type {
  CompositionBody,
  ContentBody,
  CreateAgreementBody,
  CustomFieldBody,
  DocumentBody,
  SignTemplateBody,
} from "./agreement-schemas.ts";
import { given } from "./base.ts";

type Files = readonly DocumentFile[];
type Definition = MessageInitShape<typeof AgreementDefinitionSchema>;
type Composition = MessageInitShape<typeof CompositionSchema>;

/** What a body says an agreement or a template is made of. */
export function definitionOf(body: ContentBody & SignTemplateBody, files: Files): Definition {
  const { emailSubject, emailBlurb, name, description, shared, metadata } = body;
  return {
    ...given({ emailSubject, emailBlurb, name, description, shared }),
    ...given({ metadataJson: metadata && JSON.stringify(metadata), notification: notificationOf(body) }),
    documents: (body.documents ?? []).map((document) => documentOf(document, files)),
    recipients: fromGroups(body.recipients ?? {}),
    customFields: (body.customFields ?? []).map(customFieldOf),
  };
}

function notificationOf({ reminders, expiration }: ContentBody): Definition["notification"] {
  if (!reminders && !expiration) return undefined;
  return given({
    reminderEnabled: reminders?.enabled,
    reminderDelay: reminders?.delayDays,
    reminderFrequency: reminders?.frequencyDays,
    expireEnabled: expiration?.enabled,
    expireAfter: expiration?.afterDays,
    expireWarn: expiration?.warnDays,
  });
}

export const documentOf = (
  { documentId, name, fileExtension, order, documentBase64 }: DocumentBody,
  files: Files,
): MessageInitShape<typeof DocumentInputSchema> => ({
  name,
  ...given({ documentId, fileExtension, order }),
  source: documentSource(files, documentBase64),
});

const customFieldOf = ({
  name,
  value,
  items,
  show,
  required,
}: CustomFieldBody): MessageInitShape<typeof CustomFieldSchema> => ({
  name,
  ...given({ value, show, required }),
  isList: Array.isArray(items),
  items: [...(items ?? [])],
});

/** What an agreement is put together from; a template alone is a composition of one layer. */
export function compositionsOf({ templateId, compositions }: CreateAgreementBody, files: Files): Composition[] {
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
