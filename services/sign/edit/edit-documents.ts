import { maxDocuments, maxTotalBytes } from "#platform/document-bounds.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { Agreement, AgreementDocument } from "../agreement/agreement.ts";
import type { Change, DecisionContext } from "../agreement/change.ts";
import type { CheckedFile } from "../agreement/definition.ts";
import { draftModified, problem, refuse, requireModifiable } from "../agreement/problems.ts";
import { withFieldTabs } from "../create/field-tabs.ts";
import { fillIds } from "../create/given-members.ts";
import { documentTextProblems, filesIn, newDocument } from "../create/new-documents.ts";
import { withoutTabsOf } from "../create/place-tabs.ts";

/** A document to add. */
export interface DocumentAddition {
  /** The UUID under which its bytes are stored. */
  readonly id: string;
  /** The UUID for the file that it was made of, if that is kept. */
  readonly originalId: string;
  /** An empty documentId gets the lowest free number. */
  readonly file: CheckedFile;
  /** The wanted position, from 1; undefined for the end. */
  readonly order?: number | undefined;
}

/**
 * Adds documents. One with an existing documentId replaces that document and keeps the tabs on it. Form fields that
 * became tabs are added to them.
 */
export function putDocuments(
  agreement: Agreement,
  additions: readonly DocumentAddition[],
  context: DecisionContext,
): Change {
  requireModifiable(agreement);
  const numbered = numberAdditions(agreement, additions);
  const documents = placed(agreement.documents, numbered);
  refuse(documentLimitProblems(documents));
  const put = numbered.map(({ file }) => file.documentId);
  const files = filesIn(documents.filter(({ documentId }) => put.includes(documentId)));
  const made = numbered.map(({ file }) => file);
  const recipients = withFieldTabs(agreement.recipients, made, context);
  return draftModified({ ...agreement, documents, recipients }, context, { documents: put, files });
}

/** Removes documents by documentId or UUID, with the tabs on them. Throws DOCUMENT_NOT_FOUND. */
export function removeDocuments(agreement: Agreement, ids: readonly string[], context: DecisionContext): Change {
  requireModifiable(agreement);
  const removed = new Set(ids.map((id) => requireDocument(agreement, id).documentId));
  const documents = agreement.documents.filter(({ documentId }) => !removed.has(documentId));
  const recipients = withoutTabsOf(agreement.recipients, removed);
  return draftModified({ ...agreement, documents, recipients }, context, { removedDocuments: [...removed] });
}

/** Finds a document by the integration's documentId, or else by its UUID. Throws DOCUMENT_NOT_FOUND. */
export function requireDocument({ documents }: Pick<Agreement, "documents">, id: string): AgreementDocument {
  const uuid = id.toLowerCase();
  const found = documents.find(({ documentId }) => documentId === id) ?? documents.find((one) => one.id === uuid);
  if (found === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
  return found;
}

/** Checks the number and total size of an agreement's documents. */
export function documentLimitProblems(documents: readonly Pick<AgreementDocument, "bytes">[]): readonly FieldProblem[] {
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0);
  const tooMany = problem("documents", "TOO_MANY", `must be at most ${maxDocuments} in an agreement`);
  const tooLarge = problem("documents", "TOO_LARGE", "must have at most 100 MB together in an agreement");
  return [...(documents.length > maxDocuments ? [tooMany] : []), ...(bytes > maxTotalBytes ? [tooLarge] : [])];
}

/** Assigns missing documentIds. Refuses duplicates. */
function numberAdditions(
  { documents }: Agreement,
  additions: readonly DocumentAddition[],
): readonly DocumentAddition[] {
  const given = additions.map(({ file }) => file.documentId);
  // An id that is already in use marks a replacement.
  const others = documents.map(({ documentId }) => documentId).filter((documentId) => !given.includes(documentId));
  const problems = [...documentTextProblems(additions.map(({ file }) => file))];
  const ids = fillIds(given, others, (index) =>
    problems.push(problem(`documents[${index}].documentId`, "DUPLICATE", "must be unique")),
  );
  refuse(problems);
  return additions.map((one, index) => ({ ...one, file: { ...one.file, documentId: ids[index] ?? "" } }));
}

function placed(
  existing: readonly AgreementDocument[],
  additions: readonly DocumentAddition[],
): readonly AgreementDocument[] {
  const documents = [...existing];
  for (const { id, originalId, file, order } of additions) {
    const document = newDocument(file, id, originalId);
    const at = documents.findIndex(({ documentId }) => documentId === file.documentId);
    if (at >= 0) documents[at] = document;
    else documents.splice(order === undefined || order === 0 ? documents.length : order - 1, 0, document);
  }
  return documents;
}
