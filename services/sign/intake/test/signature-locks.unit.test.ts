import { describe, expect, test } from "@jest/globals";
import { checkPdf } from "../check-pdf.ts";
import { onePage } from "./pdfs.ts";
import { emptySignatureEntries, withTrueRange } from "./signed-pdf.ts";

/** A filled signature field: what the signature refers to, and what the field and the catalog have besides. */
const signedWith = ({ reference = "", field = "", catalog = "", value = "/V 7 0 R" }): Buffer =>
  withTrueRange(
    onePage({
      catalog: `/AcroForm<</Fields[6 0 R]/SigFlags 3>>${catalog}`,
      page: "/Annots[6 0 R]",
      more: [
        `<</Type/Annot/Subtype/Widget/FT/Sig/T(Before)/Rect[0 0 0 0]/F 132/P 3 0 R${value}${field}>>`,
        `<</Type/Sig/Filter/Adobe.PPKLite${emptySignatureEntries}${reference && `/Reference[${reference}]`}>>`,
      ],
    }),
  );

const transform = (method: string, rules: string): string =>
  `<</Type/SigRef/TransformMethod/${method}/TransformParams<<${rules}>>>>`;

describe("of a file that was signed before", () => {
  test.each([
    ["a certification without changes", { reference: transform("DocMDP", "/P 1") }, "DocMDP, P: 1, no changes"],
    ["a certification of a rule that nobody knows", { reference: transform("DocMDP", "/P 7") }, "DocMDP, P: unknown"],
    [
      "a certification that only the catalog names",
      { reference: transform("DocMDP", "/P 1"), value: "", catalog: "/Perms<</DocMDP 7 0 R>>" },
      "DocMDP, P: 1",
    ],
    ["a lock of all fields", { reference: transform("FieldMDP", "/Action/All") }, "FieldMDP) locks all fields"],
    [
      "a lock of all fields but some",
      { reference: transform("FieldMDP", "/Action/Exclude/Fields[(Other)]") },
      "(Action: Exclude)",
    ],
    ["a lock without an action", { reference: transform("FieldMDP", "") }, "(Action: unknown)"],
    ["the lock of its field", { field: "/Lock<</Type/SigFieldLock/Action/All>>" }, "signature field (Lock) locks all"],
    [
      "the lock of its field for the whole document",
      { field: "/Lock<</Type/SigFieldLock/Action/Include/Fields[(A)]/P 1>>" },
      "DocMDP, P: 1",
    ],
  ])("%s is refused by name", async (_name, parts, lock) => {
    await expect(checkPdf(signedWith(parts))).rejects.toThrow(lock);
  });

  test.each([
    ["nothing is said where nothing is locked", {}, []],
    ["a certification that permits filling in is told", { reference: transform("DocMDP", "/P 2") }, ["CERTIFIED_P2"]],
    ["filling in is the rule where none is named", { reference: transform("DocMDP", "") }, ["CERTIFIED_P2"]],
    ["a certification that permits remarks is told", { reference: transform("DocMDP", "/P 3") }, ["CERTIFIED_P3"]],
    [
      "the stricter of two rules is told",
      { reference: transform("DocMDP", "/P 3"), field: "/Lock<</Action/Include/Fields[]/P 2>>" },
      ["CERTIFIED_P2"],
    ],
    ["a lock of other fields is none of ours", { field: "/Lock<</Action/Include/Fields[(A)]>>" }, []],
    ["the lock of a field that is not filled is none yet", { field: "/Lock<</Action/All>>", value: "" }, []],
  ])("%s", async (_name, parts, warnings) => {
    expect((await checkPdf(signedWith(parts))).warnings).toEqual(warnings);
  });
});
