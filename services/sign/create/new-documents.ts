import type { FieldProblem } from "#platform/errors.ts";
import type { AgreementDocument } from "../agreement/agreement.ts";
import type { DecisionContext } from "../agreement/change.ts";
import type { CheckedFile, DocumentDefinition } from "../agreement/definition.ts";
import { problem, refuse, textProblems } from "../agreement/problems.ts";
import { fillIds } from "./given-members.ts";

/**
 * The same documents in the same order, each with its documentId. Throws VALIDATION_FAILED for ids that are given twice
 * or are in use.
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

/** What is wrong with the names and ids of files. Problems are named after their places: `documents[0].name`. */
export const documentTextProblems = (
  documents: readonly Pick<DocumentDefinition, "documentId" | "name">[],
): readonly FieldProblem[] =>
  documents.flatMap(({ documentId, name }, index) => [
    ...textProblems(name, maxNameLength, `documents[${index}].name`),
    ...textProblems(documentId, maxIdLength, `documents[${index}].documentId`),
  ]);

/** In their places: those with an order first, by it; the others as they were given. */
export const inOrder = (documents: readonly DocumentDefinition[]): readonly DocumentDefinition[] =>
  documents.toSorted((a, b) => placeOf(a) - placeOf(b));

/** A finite number, so that two without an order compare as equal. */
const placeOf = ({ order }: DocumentDefinition): number => order ?? Number.MAX_SAFE_INTEGER;

/** The documents of numbered definitions, in their places. Files are found among those that were checked. */
export function newDocuments(
  documents: readonly DocumentDefinition[],
  checked: readonly CheckedFile[],
  { newId }: Pick<DecisionContext, "newId">,
): readonly AgreementDocument[] {
  const files = new Map(checked.map((file) => [file.documentId, file]));
  return inOrder(documents).map(({ documentId, name, source }) => {
    // The id names bytes, and each document answers for its own.
    if (source.kind === "stored")
      return { ...source.document, id: newId(), documentId, name, sealedId: null, sealedSha256: null };
    const file = files.get(documentId);
    if (file === undefined) throw new Error("a document was not checked");
    return newDocument(file, newId());
  });
}

/** A document with the bytes of a checked file. */
export const newDocument = (file: CheckedFile, id: string): AgreementDocument => ({
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
});

/** The bytes of those documents that were files of the request, by the ids of the documents. */
export function bytesOf(
  documents: readonly AgreementDocument[],
  checked: readonly CheckedFile[],
): ReadonlyMap<string, Uint8Array> {
  const files = new Map(checked.map((file) => [file.documentId, file.bytes]));
  return new Map(
    documents.flatMap(({ id, documentId }) => {
      const bytes = files.get(documentId);
      return bytes === undefined ? [] : [[id, bytes] as const];
    }),
  );
}

/** What the trail says of files that have come: what was sent, and what is the document from then on. */
export const filesIn = (documents: readonly AgreementDocument[]) =>
  documents.map(({ documentId, sha256, sentSha256 }) => ({
    documentId,
    sha256: sha256.toString("hex"),
    ...(sentSha256 === null ? {} : { sentSha256: sentSha256.toString("hex") }),
  }));
