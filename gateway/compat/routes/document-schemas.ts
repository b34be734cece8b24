import { listOf } from "../../routes/schema-parts.ts";
import { looseBody, sampleId, textsAnswer } from "../schema-parts.ts";

const page = textsAnswer({ pageId: sampleId, sequence: "1", height: "792", width: "612", dpi: "72" }, {}, [
  "pageId",
  "sequence",
  "height",
  "width",
  "dpi",
]);

const definedTexts = {
  documentId: "1",
  name: "NDA.pdf",
  type: "content",
  uri: `/envelopes/${sampleId}/documents/1`,
  order: "1",
  display: "inline",
  includeInDownload: "true",
  signerMustAcknowledge: "no_interaction",
  templateRequired: "false",
};
const documentTexts = { ...definedTexts, authoritativeCopy: "false" };
const optionalTexts = { documentIdGuid: sampleId, sizeBytes: "37920", hasDigitalSignature: "false" };

export const compatDocumentSchema = textsAnswer(
  { ...optionalTexts, ...documentTexts },
  {
    pages: listOf(page),
    availableDocumentTypes: listOf(textsAnswer({ type: "electronic", isDefault: "true" }, {}, ["type", "isDefault"])),
  },
  [...Object.keys(documentTexts), "pages", "availableDocumentTypes"],
);

/** A document in the definition of a template. */
export const definedDocumentSchema = textsAnswer(
  { ...optionalTexts, ...definedTexts, pages: "3", fileExtension: "pdf" },
  {},
  [...Object.keys(definedTexts), "pages", "fileExtension"],
);

export const envelopeDocumentsSchema = textsAnswer(
  { envelopeId: sampleId },
  { envelopeDocuments: listOf(compatDocumentSchema) },
  ["envelopeId", "envelopeDocuments"],
);

export const templateDocumentsSchema = textsAnswer(
  { templateId: sampleId },
  { templateDocuments: listOf(compatDocumentSchema) },
  ["templateId", "templateDocuments"],
);

const documentProperties = {
  documentId: "Your ID for it. Default: the lowest free number.",
  name: "With its extension.",
  fileExtension: "pdf, html, htm or txt; that of the name when absent.",
  documentBase64: "The bytes in Base64; 25 MB at most.",
  transformPdfFields: "true: the form fields of a PDF become tabs.",
  assignTabsToRecipientId: "The recipientId of the signer whose tabs they become; the first signer when absent.",
};

export const documentsBody = looseBody({
  documents:
    "Documents with documentId, name, fileExtension and documentBase64. A single document may stand bare instead.",
  ...documentProperties,
});

/** The smallest PDF with a page. */
const smallPdf =
  "JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqIDIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PmVuZG9iaiAzIDAgb2JqPDwvVHlwZS9QYWdlL1BhcmVudCAyIDAgUi9NZWRpYUJveFswIDAgNjEyIDc5Ml0+PmVuZG9iagp0cmFpbGVyPDwvUm9vdCAxIDAgUj4+Cg==";

export const documentsExample = {
  documents: [{ documentId: "1", name: "NDA.pdf", fileExtension: "pdf", documentBase64: smallPdf }],
};

export const removeDocumentsBody = looseBody({ documents: "The documents to remove, each with its documentId." });
export const removeDocumentsExample = { documents: [{ documentId: "1" }] };

export const pagesSchema = textsAnswer(
  { resultSetSize: "1", startPosition: "0", endPosition: "0", totalSetSize: "1" },
  { pages: listOf(page) },
  ["pages"],
);
