import { expect, test } from "@jest/globals";
import { createFontLibrary } from "../../completion/font-library.ts";
import type { Mark } from "../../completion/mark.ts";
import { checkPdf } from "../check-pdf.ts";
import { prepareSeal } from "../prepare-seal.ts";
import { onePage } from "./pdfs.ts";

const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: false },
  color: [0, 0, 0] as const,
};
const marks: Mark[] = [{ kind: "text", text: "signed", style, page: 1, x: 10, y: 10, width: 100, height: 16 }];
const statement = { name: "Seal", reason: "Everybody has signed", sealedAt: new Date(0) };
const fonts = createFontLibrary();

test.each([
  ["the part shown has two corners too few", { page: "/CropBox[0 0]" }],
  ["the part shown is a name", { page: "/CropBox/Foo" }],
  ["the page is turned by a text", { page: "/Rotate(x)" }],
  ["the page is turned by 45 degrees", { page: "/Rotate 45" }],
  ["the fields of the form are a dictionary", { catalog: "/AcroForm<</Fields<<>>>>" }],
  ["the fields of the form are a text", { catalog: "/AcroForm<</Fields(x)>>" }],
  ["the fields of the form are none", { catalog: "/AcroForm<</Fields[99 0 R(x)null 7<</T 5>>]/DR 7>>" }],
  ["the form is missing", { catalog: "/AcroForm 99 0 R" }],
  ["the remarks on the page are none", { page: "/Annots[99 0 R 7(x)<<>>]" }],
])("a PDF that passes the check can be sealed though %s", async (_, parts) => {
  const bytes = onePage(parts);
  const { isSigned } = await checkPdf(bytes);
  const prepared = await prepareSeal({ bytes, isSigned, marks, statement }, fonts);
  expect(prepared.end).toBeGreaterThan(prepared.start);
});
