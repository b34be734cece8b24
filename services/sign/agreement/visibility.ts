import type { FieldProblem } from "#platform/errors.ts";
import { problem } from "#platform/problems.ts";
import type { Agreement, AgreementDocument, Recipient } from "./agreement.ts";

type Person = Pick<Recipient, "excludedDocuments">;

/** Whether the document is shown to the recipient: on pages, in mails and as a file. */
export const isShownTo = (
  { excludedDocuments }: Person,
  { documentId }: Pick<AgreementDocument, "documentId">,
): boolean => excludedDocuments?.includes(documentId) !== true;

/** The documents that the recipient sees, in their order. */
export const shownTo = ({ documents }: Pick<Agreement, "documents">, recipient: Person): readonly AgreementDocument[] =>
  documents.filter((document) => isShownTo(recipient, document));

/** Whether nothing is hidden from the recipient: what tells of all documents at once is for these alone. */
export const seesAll = (agreement: Pick<Agreement, "documents">, recipient: Person): boolean =>
  shownTo(agreement, recipient).length === agreement.documents.length;

/** What cannot be when the agreement is sent: ids of no document, nothing to see, and fields on what is not seen. */
export const visibilityProblems = (agreement: Pick<Agreement, "documents" | "recipients">): readonly FieldProblem[] =>
  agreement.recipients.flatMap((recipient, index) => {
    const field = `recipients[${index}]`;
    const { excludedDocuments, tabs } = recipient;
    const known = new Set(agreement.documents.map(({ documentId }) => documentId));
    return [
      ...(excludedDocuments ?? []).flatMap((id, at) =>
        known.has(id)
          ? []
          : [problem(`${field}.excludedDocuments[${at}]`, "UNKNOWN_DOCUMENT", "must be the documentId of a document")],
      ),
      ...(shownTo(agreement, recipient).length > 0
        ? []
        : [problem(`${field}.excludedDocuments`, "TOO_MANY", "must leave at least one document to see")]),
      ...tabs.flatMap(({ documentId, isPlaced }, at) =>
        !isPlaced || documentId === null || isShownTo(recipient, { documentId })
          ? []
          : [problem(`${field}.tabs[${at}].documentId`, "NOT_SHOWN", "must be a document that the recipient sees")],
      ),
    ];
  });
