import type { FieldProblem } from "#platform/errors.ts";
import type { AgreementDocument } from "../agreement/agreement.ts";
import type { DecisionContext } from "../agreement/change.ts";
import type { CheckedFile, DocumentDefinition } from "../agreement/definition.ts";
import { problem, refuse, textProblems } from "../agreement/problems.ts";
import { fillIds } from "./given-members.ts";

/**
 * Gives every document a documentId and keeps the order. Throws VALIDATION_FAILED for ids that are duplicated
 * or in use.
 */
export function numberDocuments(
  documents: readonly DocumentDefinition[],
  inUse: Iterable<string> = [],
): readonly DocumentDefinition[] {
  const problems = [...documentTextProblems(documents)];
  const ids = fillIds(
    documents.map(({ documentId }) => documentId),
    inUse,
    (index) => problems.push(problem(`documents[${index}].documentId`, "DUPLICATE", "must be unique")),
  );
  refuse(problems);
  return documents.map((document, index) => ({ ...document, documentId: ids[index] ?? "" }));
}

const maxNameLength = 255;
const maxIdLength = 50;

/** Validates the names and ids of files. Problems name their field by its position: `documents[0].name`. */
export const documentTextProblems = (
  documents: readonly Pick<DocumentDefinition, "documentId" | "name">[],
): readonly FieldProblem[] =>
  documents.flatMap(({ documentId, name }, index) => [
    ...textProblems(name, maxNameLength, `documents[${index}].name`),
    ...textProblems(documentId, maxIdLength, `documents[${index}].documentId`),
  ]);

/** Sorted: documents with an order first, the rest in the order given. */
export const inOrder = (documents: readonly DocumentDefinition[]): readonly DocumentDefinition[] =>
  documents.toSorted((a, b) => placeOf(a) - placeOf(b));

/** A finite number, so that two documents without an order compare as equal. */
const placeOf = ({ order }: DocumentDefinition): number => order ?? Number.MAX_SAFE_INTEGER;

/** Creates the documents of numbered definitions, in order. Files must be among those that were checked. */
export function newDocuments(
  documents: readonly DocumentDefinition[],
  checked: readonly CheckedFile[],
  { newId }: Pick<DecisionContext, "newId">,
): readonly AgreementDocument[] {
  const files = new Map(checked.map((file) => [file.documentId, file]));
  return inOrder(documents).map(({ documentId, name, source }) => {
    // Each document gets a new id of its own, because the id is the key of the stored bytes.
    if (source.kind === "stored") {
      const originalId = source.document.originalId === null ? null : newId();
      return { ...source.document, id: newId(), documentId, name, sealedId: null, sealedSha256: null, originalId };
    }
    const file = files.get(documentId);
    if (file === undefined) throw new Error("a document was not checked");
    return newDocument(file, newId(), newId());
  });
}

/** Creates a document from a checked file, with an id for the file that it was made of. */
export const newDocument = (file: CheckedFile, id: string, originalId: string): AgreementDocument => ({
  id,
  documentId: file.documentId,
  name: file.name.trim() === "" ? `Document ${file.documentId}` : file.name,
  bytes: file.bytes.byteLength,
  sha256: file.sha256,
  sentSha256: file.sentSha256,
  pages: file.pages,
  isSigned: file.isSigned,
  warnings: file.warnings,
  sealedId: null,
  sealedSha256: null,
  originalId: file.original === undefined ? null : originalId,
  originalFormat: file.original?.format ?? null,
});

/** The bytes of documents and of what they were made of, by their ids; files are by what the integration calls them. */
export function bytesOf(
  documents: readonly AgreementDocument[],
  checked: readonly Pick<CheckedFile, "documentId" | "bytes" | "original">[],
): ReadonlyMap<string, Uint8Array> {
  const files = new Map(checked.map((file) => [file.documentId, file]));
  return new Map(
    documents.flatMap(({ id, documentId, originalId }) => {
      const { bytes, original } = files.get(documentId) ?? {};
      return [
        ...(bytes === undefined ? [] : [[id, bytes] as const]),
        ...(originalId === null || original === undefined ? [] : [[originalId, original.bytes] as const]),
      ];
    }),
  );
}

/** Audit details about received files: the hash of what was sent, and of the document made from it. */
export const filesIn = (documents: readonly AgreementDocument[]) =>
  documents.map(({ documentId, sha256, sentSha256 }) => ({
    documentId,
    sha256: sha256.toString("hex"),
    ...(sentSha256 === null ? {} : { sentSha256: sentSha256.toString("hex") }),
  }));
