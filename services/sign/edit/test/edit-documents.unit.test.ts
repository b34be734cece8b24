import { describe, expect, test } from "@jest/globals";
import { maxTotalBytes } from "#platform/document-bounds.ts";
import type { Agreement } from "../../agreement/agreement.ts";
import type { CheckedFile } from "../../agreement/definition.ts";
import {
  eventsOf,
  recipientOf,
  refusalOf,
  sampleContext,
  sampleDocument,
  sampleDraft,
  sampleId,
  sampleRecipient,
  sampleTab,
} from "../../agreement/test/lifecycle-samples.ts";
import { type DocumentAddition, putDocuments, removeDocuments } from "../edit-documents.ts";

const context = sampleContext();

const fileOf = (documentId: string, given: Partial<CheckedFile> = {}): CheckedFile => ({
  documentId,
  name: `New ${documentId}.pdf`,
  bytes: new Uint8Array(10),
  sha256: Buffer.alloc(32, 9),
  pages: [{ width: 100, height: 100 }],
  sentSha256: Buffer.alloc(32, 9),
  isSigned: false,
  warnings: [],
  ...given,
});

const addition = (documentId: string, given: Partial<DocumentAddition> = {}): DocumentAddition => ({
  id: sampleId(),
  originalId: sampleId(),
  file: fileOf(documentId),
  ...given,
});

const idsOf = ({ documents }: Agreement): string[] => documents.map(({ documentId }) => documentId);

const draft = () =>
  sampleDraft(
    [
      sampleRecipient("1", {
        tabs: [
          sampleTab("signature", { documentId: "1" }),
          sampleTab("text", { documentId: "2" }),
          sampleTab("initials", { documentId: null }),
        ],
      }),
    ],
    { documents: ["1", "2", "7"].map((id) => sampleDocument(id)) },
  );

describe("putting documents", () => {
  test("replaces in place with the tabs that are on it, and adds the others at the end", () => {
    const before = draft();
    const change = putDocuments(before, [addition("2"), addition("new")], context);
    expect(idsOf(change.agreement)).toEqual(["1", "2", "7", "new"]);
    expect(change.agreement.documents[1]).toMatchObject({ name: "New 2.pdf", bytes: 10, sealedSha256: null });
    expect(change.agreement.documents[1]?.id).not.toBe(before.documents[1]?.id);
    expect(change.agreement.recipients).toEqual(before.recipients);
    expect(eventsOf(change)).toEqual(["agreement.modified"]);
    const template = putDocuments({ ...before, status: "template" }, [addition("2")], context);
    expect(eventsOf(template)).toEqual(["template.modified"]);
  });

  test("gives the lowest free numbers, and the places that are asked for", () => {
    const added = [addition(""), addition("3"), addition(""), addition("first", { order: 1 })];
    expect(idsOf(putDocuments(draft(), added, context).agreement)).toEqual(["first", "1", "2", "7", "4", "3", "5"]);
  });

  test("refuses an id that is given twice, too many documents and too many bytes", () => {
    const twice = [addition("a"), addition("b"), addition("a")];
    expect(refusalOf(() => putDocuments(draft(), twice, context))).toEqual({
      code: "VALIDATION_FAILED",
      fields: ["documents[2].documentId DUPLICATE"],
    });
    const many = Array.from({ length: 98 }, () => addition(""));
    expect(putDocuments(draft(), many.slice(1), context).agreement.documents).toHaveLength(100);
    expect(refusalOf(() => putDocuments(draft(), many, context)).fields).toEqual(["documents TOO_MANY"]);
    const heavy = { ...draft(), documents: [{ ...sampleDocument("1"), bytes: maxTotalBytes - 10 }] };
    expect(putDocuments(heavy, [addition("2")], context).agreement.documents).toHaveLength(2);
    const eleven = (id: string) => addition(id, { file: fileOf(id, { bytes: new Uint8Array(11) }) });
    expect(refusalOf(() => putDocuments(heavy, [eleven("2")], context)).fields).toEqual(["documents TOO_LARGE"]);
    expect(putDocuments(heavy, [eleven("1")], context).agreement.documents).toHaveLength(1);
  });
});

describe("removing documents", () => {
  test("takes the tabs on them along and leaves those that stand nowhere yet", () => {
    const before = draft();
    const { agreement } = removeDocuments(before, ["1", before.documents[2]?.id ?? ""], context);
    expect(idsOf(agreement)).toEqual(["2"]);
    expect(recipientOf(agreement, "1").tabs.map(({ type }) => type)).toEqual(["text", "initials"]);
  });

  test("removes nothing when one of them is unknown", () => {
    expect(refusalOf(() => removeDocuments(draft(), ["1", "8"], context)).code).toBe("DOCUMENT_NOT_FOUND");
  });
});

test("documents of what has been sent stay as they are, whatever is asked", () => {
  for (const status of ["sent", "delivered", "completing", "completed", "declined", "voided", "expired"] as const) {
    const sent = { ...draft(), status };
    const attempts = [
      () => putDocuments(sent, [addition("a"), addition("a")], context),
      () => removeDocuments(sent, ["8"], context),
    ];
    for (const attempt of attempts) expect(refusalOf(attempt).code).toBe("ENVELOPE_CANNOT_BE_MODIFIED");
  }
});
