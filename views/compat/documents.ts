import type { Agreement, Document } from "#gen/assent/sign/v1/agreement_pb.ts";
import { flagText, numberText, type Written } from "./scalars.ts";

/** The documents of an envelope, and at the end what stands for its certificate of completion. */
export const envelopeDocumentsView = ({ id, documents }: Pick<Agreement, "id" | "documents">): readonly Written[] => [
  ...documents.map((document) => documentView(document, `/envelopes/${id}`)),
  summaryView(`/envelopes/${id}`),
];

/** One document; root is the address of the envelope or the template that it belongs to. */
export const documentView = (document: Document, root: string): { readonly [name: string]: Written } => ({
  documentId: document.documentId,
  documentIdGuid: document.id,
  name: document.name,
  type: "content",
  uri: `${root}/documents/${encodeURIComponent(document.documentId)}`,
  order: numberText(document.order),
  pages: pagesView(document),
  sizeBytes: numberText(document.bytes),
  hasDigitalSignature: flagText(document.isSigned),
  ...shared,
});

/** A document as the definition of a template has it: its pages are counted there, not listed. */
export const definedDocumentView = (document: Document, root: string): Written => {
  const { authoritativeCopy: _, availableDocumentTypes: __, ...facts } = documentView(document, root);
  return { ...facts, pages: numberText(document.pages.length), fileExtension: "pdf" };
};

/** The pages of a document, in whole points. Their ids are made of that of the document. */
export const pagesView = ({ id, pages }: Document): readonly Written[] =>
  pages.map(({ width, height }, index) => ({
    pageId: pageIdOf(id, index),
    sequence: numberText(index + 1),
    height: numberText(Math.round(height)),
    width: numberText(Math.round(width)),
    dpi: "72",
  }));

export const summaryView = (root: string): Written => ({
  documentId: "certificate",
  name: "Summary",
  type: "summary",
  uri: `${root}/documents/certificate`,
  order: "999",
  pages: [],
  ...shared,
});

const shared = {
  availableDocumentTypes: [{ type: "electronic", isDefault: "true" }],
  display: "inline",
  includeInDownload: "true",
  signerMustAcknowledge: "no_interaction",
  templateRequired: "false",
  authoritativeCopy: "false",
} as const;

/** A GUID of its own: the document's, with the number of the page in its last digits (at most 2,000 pages). */
const pageIdOf = (documentId: string, index: number): string => {
  const number = (Number.parseInt(documentId.slice(-4), 16) ^ (index + 1)) & 0xffff;
  return documentId.slice(0, -4) + number.toString(16).padStart(4, "0");
};
