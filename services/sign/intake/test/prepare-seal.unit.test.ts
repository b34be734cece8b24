import { expect, test } from "@jest/globals";
import { PDFDocument, PDFName } from "pdf-lib";
import { createFontLibrary } from "../../completion/font-library.ts";
import type { Mark } from "../../completion/mark.ts";
import { insertSignature } from "../../seal/byte-range.ts";
import { createPemSigner } from "../../seal/seal-signer.ts";
import { seal } from "../../seal/sealer.ts";
import { makeTestCertificate } from "../../seal/test-certificate.ts";
import { checkPdf } from "../check-pdf.ts";
import { prepareSeal } from "../prepare-seal.ts";
import { onePage, ordinaryPdf } from "./pdfs.ts";
import { emptySignature, signedPdf } from "./signed-pdf.ts";

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

/** With metadata that say of which part of PDF/A it is. */
async function pdfA(part: number, useObjectStreams: boolean, isSigned = false): Promise<Buffer> {
  const document = await PDFDocument.load(await ordinaryPdf(3), { updateMetadata: false });
  const { context, catalog } = document;
  const xmp = "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>";
  catalog.set(PDFName.of("Metadata"), context.register(context.stream(xmp, { Type: "Metadata", Subtype: "XML" })));
  const saved = Buffer.from(await document.save({ useObjectStreams, updateFieldAppearances: false }));
  return claiming(part, isSigned ? await withSeal(saved) : saved);
}

/** With a seal behind it that nobody has signed. */
async function withSeal(bytes: Buffer): Promise<Buffer> {
  const prepared = await prepareSeal({ bytes, isSigned: false, marks: [], statement }, fonts);
  insertSignature(prepared, emptySignature);
  return Buffer.from(prepared.bytes);
}

function claiming(part: number, pdf: Buffer): Buffer {
  // The library writes none of part 1 with packed objects, though others do.
  return Buffer.from(pdf.toString("latin1").replace("part>2<", `part>${part}<`), "latin1");
}

/** Without the table of contents, which points elsewhere. */
const withBrokenTable = (pdf: Buffer): Buffer =>
  Buffer.from(pdf.toString("latin1").replace(/startxref\n\d+/, "startxref\n7"), "latin1");

test.each([
  ["has a table of its objects", () => ordinaryPdf(3, false)],
  ["has packed objects", () => ordinaryPdf(3, true)],
  ["has a table that is broken", async () => withBrokenTable(await ordinaryPdf(3, false))],
  ["is PDF/A-1", () => pdfA(1, false)],
  ["claims to be PDF/A-1 in spite of packed objects", () => pdfA(1, true)],
  ["is PDF/A-2", () => pdfA(2, true)],
  ["is signed", () => signedPdf()],
])("a PDF that passes the check can be sealed when it %s", async (_, make) => {
  const bytes = await make();
  const { isSigned } = await checkPdf(bytes);
  const prepared = await prepareSeal({ bytes, isSigned, marks, statement }, fonts);
  expect(prepared.end).toBeGreaterThan(prepared.start);
});

test("a signed PDF that could not be extended when it is sealed does not pass the check", async () => {
  const bytes = await pdfA(1, true, true);
  await expect(prepareSeal({ bytes, isSigned: true, marks, statement }, fonts)).rejects.toThrow("PDF/A-1");
  await expect(checkPdf(bytes)).rejects.toThrow("PDF/A-1");
  expect(await checkPdf(await pdfA(2, true, true))).toMatchObject({ isSigned: true });
});

test.each([
  ["a table of its objects", false],
  ["packed objects", true],
])("what was sealed with %s can be sent again, and again", async (_, useObjectStreams) => {
  const now = new Date("2026-01-01T00:00:00Z");
  const signer = createPemSigner(await makeTestCertificate({ name: "Test seal", now, years: 10 }));
  let bytes = await ordinaryPdf(2, useObjectStreams);
  for (const isSigned of [false, true, true]) {
    const checked = await checkPdf(bytes);
    expect(checked.isSigned).toBe(isSigned);
    if (isSigned) expect(checked.rewritten).toBeUndefined();
    const prepared = await prepareSeal({ bytes, isSigned, marks, statement }, fonts);
    await seal(prepared, signer);
    bytes = Buffer.from(prepared.bytes);
  }
});
