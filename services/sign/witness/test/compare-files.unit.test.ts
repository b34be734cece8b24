import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import {
  decodePDFRawStream,
  degrees,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFPage,
  PDFRawStream,
  PDFRef,
  PDFString,
} from "pdf-lib";
import { drawMarks } from "../../completion/draw-marks.ts";
import { createFontLibrary } from "../../completion/font-library.ts";
import type { Mark } from "../../completion/mark.ts";
import { prepareSeal } from "../../intake/prepare-seal.ts";
import { onePage, ordinaryPdf, packed, rawPdf, stream } from "../../intake/test/pdfs.ts";
import { signedPdf } from "../../intake/test/signed-pdf.ts";
import { addSignaturePlaceholder } from "../../seal/signature-placeholder.ts";
import { compareFiles } from "../compare-files.ts";
import { witnessedMark } from "../messages.ts";

const fonts = createFontLibrary();
const statement = { name: "Seal", reason: "Everybody has signed", sealedAt: new Date(0) };
const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: true },
  color: [0, 0, 0] as const,
};
const box = { page: 1, x: 20, y: 20, width: 150, height: 30 };
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";

/** One of each kind, with this text. */
const marksWith = (text: string): Mark[] => [
  { ...box, kind: "text", text, style },
  { ...box, y: 80, kind: "signature", text, font: "caveat", caption: `\u200e\u2068${text}\u2069, 2026-11-22` },
  { ...box, y: 130, kind: "image", png, text, font: "caveat", caption: `${text}, 2026-11-22` },
  { ...box, y: 170, kind: "image", png: "damaged", text, font: "caveat", caption: text },
  { ...box, y: 210, width: 12, height: 12, kind: "check", isRound: true },
  { ...box, y: 230, width: 12, height: 12, kind: "check", isRound: false },
];

async function prepared(bytes: Buffer, marks: readonly Mark[], isSigned = false): Promise<Uint8Array> {
  return (await prepareSeal({ bytes, isSigned, marks, statement }, fonts)).bytes;
}

const compare = (shown: Buffer, sealed: Uint8Array, marks: readonly Mark[]) =>
  compareFiles({ shown, sealed, marks: marks.map(witnessedMark) });

const compareCertificate = (shown: Buffer, sealed: Uint8Array) =>
  compareFiles({ shown, sealed, marks: [], isCertificate: true });

const names = [
  ...["Ann", "fi ffl Ａ① café", "王小明（北京）", "山田 太郎さん", "𠮷野 髙橋", "홍길동", "राजेश कुमार", "Łukasz 王"],
  ...["משה כהן (12)", "محمد عبد الله الأحمد", "Ann אבג 12", "สมชาย ที่นี่ น้ำ", "Łu 😀 x\u{1e8d0} 王", "Ж\u2069\u0e31 Ш"],
];

/** One signature and one with initials for each of the names, in this style. */
const signaturesIn = (font: string): Mark[] =>
  [...names, "Анна Каренина", "Ελένη Παπαδοπούλου", "דוד"].flatMap((text, row): Mark[] => {
    const place = { ...box, y: 20 + row * 46, kind: "signature" as const, font, caption: text };
    return [
      { ...place, text },
      { ...place, x: 200, width: 60, text: [...text].slice(0, 2).join("") },
      { ...place, x: 300, width: 40, kind: "image", png: "damaged", text },
    ];
  });

const withTool = (pdf: Buffer, command: string, ...given: readonly string[]): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), "witness-"));
  try {
    writeFileSync(join(folder, "in.pdf"), pdf);
    execFileSync(command, [...given, join(folder, "in.pdf"), join(folder, "out.pdf")], { stdio: "ignore" });
    return readFileSync(join(folder, "out.pdf"));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const onOnePage = async (change: (page: PDFPage, document: PDFDocument) => unknown): Promise<Buffer> => {
  const document = await PDFDocument.load(await ordinaryPdf(2, false), { updateMetadata: false });
  await change(document.getPage(0), document);
  return Buffer.from(await document.save({ useObjectStreams: false, updateFieldAppearances: true }));
};

const addForm = async (page: PDFPage, document: PDFDocument): Promise<void> => {
  const form = document.getForm();
  const field = form.createTextField("amount");
  field.setText("100 EUR");
  field.addToPage(page, { x: 300, y: 300, width: 100, height: 20 });
  form.createCheckBox("agreed").addToPage(page, { x: 300, y: 260, width: 12, height: 12 });
};

const picture = stream(
  "/Type/XObject/Subtype/Image/Width 20/Height 20/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode",
  packed("a".repeat(400)),
);
const paintedPdf = (): Buffer =>
  rawPdf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]/Resources<</XObject<</I 5 0 R>>>>>>",
    "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
    stream("", "q 50 0 0 50 9 9 cm /I Do Q"),
    picture,
  ]);

/** As one that was written by hand; what it says of where its objects are points elsewhere. */
const withBrokenTable = (pdf: Buffer): Buffer =>
  Buffer.from(pdf.toString("latin1").replace(/startxref\n\d+/, "startxref\n7"), "latin1");

describe("files of all kinds with marks of all kinds are found the same", () => {
  test.each(names)("with marks that say %s", async (name) => {
    const [bytes, marks] = [await ordinaryPdf(1), marksWith(name)];
    expect(await compare(bytes, await prepared(bytes, marks), marks)).toBeUndefined();
  });

  test.each(["dancing-script", "caveat", "great-vibes", "", "of another kind"])(
    "with signatures and initials of every script in the style '%s'",
    async (font) => {
      const marks = signaturesIn(font);
      for (const bytes of [
        await ordinaryPdf(1),
        await signedPdf(),
        await onOnePage((page) => page.setRotation(degrees(90))),
      ])
        expect(await compare(bytes, await prepared(bytes, marks, bytes.includes("/ByteRange")), marks)).toBeUndefined();
    },
  );

  test.each<[string, () => Promise<Buffer> | Buffer]>([
    ["a table of its objects", () => ordinaryPdf(3, false)],
    ["packed objects", () => ordinaryPdf(3, true)],
    ["a signature", () => signedPdf()],
    ["pages that are turned", () => onOnePage((page) => page.setRotation(degrees(90)))],
    ["a part of the page shown", () => onOnePage((page) => page.setCropBox(50, 40, 300, 500))],
    ["a turned part", () => onePage({ page: "/Rotate 270/CropBox[50 40 300 500]" })],
    ["larger units", () => onePage({ page: "/UserUnit 2" })],
    ["a form that is filled", () => onOnePage(addForm)],
    ["attachments", () => onOnePage((_, document) => document.attach(Buffer.from("{}"), "data.json"))],
    ["a picture", paintedPdf],
    ["no content", () => onePage({})],
    ["a state that is not taken back", () => onePage({ content: "q q 2 0 0 2 0 0 cm BT /F 12 Tf (hi) Tj ET Q" })],
    ["resources that pages share", async () => withTool(await ordinaryPdf(3), "qpdf", "--object-streams=generate")],
    ["been made ready for the web", async () => withTool(await ordinaryPdf(3), "qpdf", "--linearize")],
    ["been joined by poppler", async () => withTool(await ordinaryPdf(2), "pdfunite")],
  ])("where the file has %s", async (_, make) => {
    const [bytes, marks] = [Buffer.from(await make()), marksWith("Zoë")];
    const isSigned = bytes.includes("/ByteRange");
    expect(await compare(bytes, await prepared(bytes, marks, isSigned), marks)).toBeUndefined();
    expect(await compare(bytes, await prepared(bytes, [], isSigned), [])).toBeUndefined();
  });

  test("where its cross-reference is broken, and it is written anew", async () => {
    const bytes = withBrokenTable(paintedPdf());
    const marks = marksWith("Ann");
    expect(await compare(bytes, await prepared(bytes, marks), marks)).toBeUndefined();
  });

  test("as a certificate, to which nothing but the seal was added", async () => {
    const bytes = await ordinaryPdf(2);
    expect(await compareCertificate(bytes, await prepared(bytes, []))).toBeUndefined();
    expect(await compareCertificate(bytes, await prepared(bytes, marksWith("Ann")))).toContain("page 1");
    const broken = withBrokenTable(paintedPdf());
    expect(await compareCertificate(broken, await prepared(broken, []))).toBeUndefined();
  });
});

/** Does to a prepared file what a faulty writer would: another revision with these changes. */
async function changed(bytes: Uint8Array, change: (document: PDFDocument) => unknown): Promise<Uint8Array> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false, forIncrementalUpdate: true });
  await change(document);
  return document.commit({ useObjectStreams: false });
}

const setContent = (page: PDFPage, content: string): void =>
  page.node.set(PDFName.of("Contents"), page.doc.context.register(page.doc.context.stream(content)));

describe("a file that a faulty writer has changed", () => {
  test.each<[string, (document: PDFDocument) => unknown, string]>([
    ["swaps the content of a page", (document) => setContent(document.getPage(1), "BT ET"), "contents"],
    ["swaps the stream of a page", replaceStream, "written anew"],
    ["drops a page", (document) => document.removePage(1), "list of pages"],
    ["adds a page", (document) => document.addPage(), "list of pages"],
    ["changes a box", (document) => document.getPage(1).setMediaBox(0, 0, 595, 800), "property of a page"],
    ["turns a page", (document) => document.getPage(1).setRotation(degrees(90)), "property of a page"],
    ["changes the value of a field", setAmount, "written anew"],
    ["adds a remark", addNote, "neither the seal nor a mark"],
    ["writes on a page without marks", (document) => document.getPage(1).drawText("and more"), "page 2"],
    ["swaps a font", swapFont, "resource"],
    ["lets the file act", act, "catalog"],
  ])("that %s is stopped", async (_, change, difference) => {
    const marks = marksWith("Ann");
    const bytes = await onOnePage(addForm);
    const sealed = await changed(await prepared(bytes, marks), change);
    expect(await compare(bytes, sealed, marks)).toContain(difference);
    expect(await compareCertificate(bytes, await changed(await prepared(bytes, []), change))).toContain(difference);
  });

  test.each<[string, (document: PDFDocument) => unknown, string]>([
    ["covers a page", (document) => document.getPage(0).drawRectangle({ width: 500, height: 800 }), "beside the marks"],
    ["writes more than the marks", (document) => document.getPage(0).drawText("1", { x: 300, y: 10 }), "marks say"],
    ["brings a picture", drawImage, "picture"],
    ["makes the marks pale", (document) => document.getPage(0).drawText("", { opacity: 0.1 }), "no mark"],
    ["draws what was there once more", drawAgain, "among the resources"],
  ])("that %s besides the marks is stopped", async (_, change, difference) => {
    const [marks, bytes] = [marksWith("Ann"), await ordinaryPdf(2, false)];
    const document = await PDFDocument.load(bytes, { updateMetadata: false, forIncrementalUpdate: true });
    await drawMarks(document, marks, fonts);
    await change(document);
    addSignaturePlaceholder(document, statement);
    expect(await compare(bytes, await document.commit({ useObjectStreams: false }), marks)).toContain(difference);
    const certificate = await changed(await prepared(bytes, []), change);
    expect(await compareCertificate(bytes, certificate)).toMatch(/^page 1: |^something that was there/);
  });

  test("that writes something else into the marks, or puts them elsewhere, is stopped", async () => {
    const bytes = await ordinaryPdf(1);
    const sealed = await prepared(bytes, marksWith("Ann"));
    expect(await compare(bytes, sealed, marksWith("Bob"))).toContain("not what the marks say");
    expect(await compare(bytes, sealed, [])).toContain("page 1");
    const elsewhere = marksWith("Ann").map((mark) => ({ ...mark, x: mark.x + 100 }));
    expect(await compare(bytes, sealed, elsewhere)).toContain("does not stand in its place");
    const other = await prepared(bytes, [...marksWith("Ann"), { ...box, y: 300, kind: "text", text: "100", style }]);
    expect(await compare(bytes, other, marksWith("Ann"))).toContain("not what the marks say");
  });

  const leaning = { ...box, kind: "signature", text: "Ελένη", font: "dancing-script", caption: "Ann" } as const;

  test.each<[string, (x: number) => readonly number[], string | undefined]>([
    ["as it is drawn", (x) => [1, 0, 0.22, 1, x], undefined],
    ["upright", (x) => [1, 0, 0, 1, x], undefined],
    ["as in another style", (x) => [1, 0, 0.3, 1, x], "in its place"],
    ["a little more", (x) => [1, 0, 0.225, 1, x], "in its place"],
    ["far", (x) => [1, 0, 0.5, 1, x], "in its place"],
    ["to the left", (x) => [1, 0, -0.22, 1, x], "in its place"],
    ["upwards", (x) => [1, 0.22, 0, 1, x], "in its place"],
    ["upwards and to the right", (x) => [1, 0.22, 0.22, 1, x], "in its place"],
    ["as turned", (x) => [0.976, 0.218, -0.218, 0.976, x], "in its place"],
    ["as upside down", (x) => [-1, 0, -0.22, -1, x], "in its place"],
    ["in a mirror", (x) => [-1, 0, 0.22, 1, x], "in its place"],
    ["in a mirror below", (x) => [1, 0, 0.22, -1, x], "in its place"],
    ["right of its place", (x) => [1, 0, 0.22, 1, x + 160], "in its place"],
    ["left of its place", (x) => [1, 0, 0.22, 1, x - 10], "in its place"],
  ])("and lets a name lean %s", async (_, matrixAt, difference) => {
    const bytes = await ordinaryPdf(1, false);
    const document = await PDFDocument.load(bytes, { updateMetadata: false, forIncrementalUpdate: true });
    await drawMarks(document, [leaning], fonts);
    expect(lean(document, matrixAt)).toBe(1);
    addSignaturePlaceholder(document, statement);
    const found = await compare(bytes, await document.commit({ useObjectStreams: false }), [leaning]);
    if (difference === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(difference);
  });

  test("and lets a text lean that is no signature is stopped", async () => {
    const bytes = await ordinaryPdf(1, false);
    const document = await PDFDocument.load(bytes, { updateMetadata: false, forIncrementalUpdate: true });
    await drawMarks(document, [leaning], fonts);
    addSignaturePlaceholder(document, statement);
    const sealed = await document.commit({ useObjectStreams: false });
    const text: Mark = { ...box, kind: "text", text: `${leaning.caption}${leaning.text}`, style };
    expect(await compare(bytes, sealed, [text])).toContain("in its place");
    expect(await compare(bytes, sealed, [{ ...leaning, font: "caveat" }])).toContain("in its place");
  });

  test("that writes it anew, and another picture, text or page into it, is stopped", async () => {
    const broken = withBrokenTable(paintedPdf());
    for (const [from, to] of [
      [packed("a".repeat(400)).toString("latin1"), packed("b".repeat(400)).toString("latin1")],
      ["q 50 0 0 50 9 9", "q 50 0 0 50 8 8"],
      ["/MediaBox[0 0 600 800]", "/MediaBox[0 0 600 700]"],
    ] as const) {
      const other = Buffer.from(broken.toString("latin1").replace(from, to), "latin1");
      expect(other.equals(broken)).toBe(false);
      expect(await compare(broken, await prepared(other, []), [])).toContain("page 1");
    }
  });

  test("in which two definitions of a page stand is read as people have seen it", async () => {
    const honest = onePage({ content: "BT /F 12 Tf 50 700 Td (I pay 100 EUR) Tj ET", more: [stream("", lie)] });
    // Nothing refers to it; the one who reads in the order of the objects takes it for the page.
    const [head = "", tail = ""] = honest.toString("latin1").split("xref\n0 ", 2);
    const second = `3 0 obj\n<</Type/Page/Parent 2 0 R/Contents 6 0 R/Resources<</Font<</F 5 0 R>>>>/MediaBox[0 0 600 800]>>\nendobj\n`;
    const table = tail.replace(/startxref\n\d+/, `startxref\n${head.length + second.length}`);
    const bytes = Buffer.from(`${head}${second}xref\n0 ${table}`, "latin1");
    const lying = await PDFDocument.load(bytes, { updateMetadata: false, forIncrementalUpdate: true });
    // What a library does that took the second one, and marks the page.
    const page = lying.getPage(0);
    page.node.set(PDFName.of("Contents"), PDFRef.of(6));
    expect(await compare(bytes, await lying.commit({ useObjectStreams: false }), [])).toContain("contents");
  });
});

/** Draws the leaning texts of marks otherwise; answers how many there are. */
function lean({ context }: PDFDocument, matrixAt: (x: number) => readonly number[]): number {
  let count = 0;
  for (const [ref, form] of context.enumerateIndirectObjects()) {
    if (!(form instanceof PDFRawStream) || form.dict.get(PDFName.of("Subtype")) !== PDFName.of("Form")) continue;
    const content = Buffer.from(decodePDFRawStream(form).decode()).toString("latin1");
    const changed = content.replaceAll(/^1 0 0\.22 1 (\S+) (\S+) Tm$/gm, (_, x: string, y: string) => {
      count += 1;
      return `${matrixAt(Number(x)).join(" ")} ${y} Tm`;
    });
    context.assign(ref, PDFRawStream.of(form.dict, deflateSync(Buffer.from(changed, "latin1"))));
  }
  return count;
}

const lie = "BT /F 12 Tf 50 700 Td (I pay 1,000,000 EUR) Tj ET";

function replaceStream(document: PDFDocument): void {
  const contents = document.getPage(1).node.get(PDFName.of("Contents"));
  const ref = contents instanceof PDFArray ? contents.get(0) : contents;
  document.context.assign(ref as PDFRef, document.context.stream("BT ET"));
  document.context.snapshot?.markRefForSave(ref as PDFRef);
}

function setAmount(document: PDFDocument): void {
  const fields = document.catalog.lookup(PDFName.of("AcroForm"), PDFDict).lookup(PDFName.of("Fields"), PDFArray);
  fields.lookup(0, PDFDict).set(PDFName.of("V"), PDFString.of("1,000,000 EUR"));
}

function addNote(document: PDFDocument): void {
  const { context } = document;
  const note = { Type: "Annot", Subtype: "FreeText", Rect: [10, 10, 100, 100], Contents: PDFString.of("more") };
  document.getPage(1).node.addAnnot(context.register(context.obj(note)));
}

function swapFont(document: PDFDocument): void {
  const resources = document.getPage(1).node.lookup(PDFName.of("Resources"), PDFDict);
  const kinds = resources.lookup(PDFName.of("Font"), PDFDict);
  const { context } = document;
  const other = context.obj({ Type: "Font", Subtype: "Type1", BaseFont: "Symbol" });
  for (const name of kinds.keys()) kinds.set(name, context.register(other));
}

function act(document: PDFDocument): void {
  const { catalog, context } = document;
  catalog.set(PDFName.of("OpenAction"), context.obj({ S: "URI", URI: PDFString.of("https://example.com") }));
}

function drawAgain(document: PDFDocument): void {
  const { node } = document.getPage(0);
  const [ref] = node.lookup(PDFName.of("Resources"), PDFDict).lookup(PDFName.of("Font"), PDFDict).values();
  node.newXObject("Again", ref as PDFRef);
}

async function drawImage(document: PDFDocument): Promise<void> {
  document.getPage(0).drawImage(await document.embedPng(png), { x: 0, y: 0, width: 595, height: 842 });
}
