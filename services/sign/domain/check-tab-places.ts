import type { FieldProblem } from "#platform/errors.ts";
import type { Agreement, AgreementDocument } from "./agreement.ts";
import { lockOf } from "./document-warnings.ts";
import { problem } from "./problems.ts";
import type { Tab } from "./tab.ts";

/** What is wrong with the places of tabs: each lies on a page of a document that the agreement has. */
export function tabPlaceProblems(agreement: Agreement): readonly FieldProblem[] {
  const documents = new Map(agreement.documents.map((document) => [document.documentId, document]));
  return agreement.recipients.flatMap(({ tabs }, index) =>
    tabs.flatMap((tab, at) => placeProblems(tab, `recipients[${index}].tabs[${at}]`, documents)),
  );
}

function placeProblems(
  tab: Tab,
  field: string,
  documents: ReadonlyMap<string, AgreementDocument>,
): readonly FieldProblem[] {
  const document = documents.get(tab.documentId ?? "");
  if (document === undefined) {
    return [
      problem(`${field}.documentId`, "UNKNOWN_DOCUMENT", "must be the documentId of a document of the agreement"),
    ];
  }
  if (tab.type !== "radio-group") return spotProblems(tab, field, document);
  return tab.buttons.flatMap((button, index) => spotProblems(button, `${field}.buttons[${index}]`, document));
}

/**
 * Tabs that would show something on a certified document, which breaks the signature that certifies it. Named are the
 * tabs, the document and the lock.
 */
export function certifiedProblems({ documents, recipients }: Agreement): readonly FieldProblem[] {
  const locks = new Map(documents.map(({ documentId, warnings }) => [documentId, lockOf(warnings)]));
  return recipients.flatMap(({ tabs }, index) =>
    tabs.flatMap((tab, at) => {
      const lock = locks.get(tab.documentId ?? "");
      if (lock === undefined || tab.conceal || shownNever.has(tab.type)) return [];
      const message = `Document ${tab.documentId} is certified and locked (${lock}): what a tab shows would break the signature`;
      return [problem(`recipients[${index}].tabs[${at}]`, "DOCUMENT_CERTIFIED", message)];
    }),
  );
}

/** They are there to act, and nothing is drawn of them. */
const shownNever: ReadonlySet<Tab["type"]> = new Set(["approve", "decline", "note", "attachment"]);

type Spot = Pick<Tab, "page" | "x" | "y">;

function spotProblems({ page, x, y }: Spot, field: string, { pages }: AgreementDocument): readonly FieldProblem[] {
  const size = pages[page - 1];
  if (size === undefined) return [problem(`${field}.page`, "UNKNOWN_PAGE", `must be 1 to ${pages.length}`)];
  if (x >= 0 && y >= 0 && x <= size.width && y <= size.height) return [];
  return [
    problem(field, "TAB_OUT_OF_BOUNDS", `must be on page ${page}, which is ${size.width} by ${size.height} points`),
  ];
}
