import { randomInt } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { checkPdf, trySealing } from "../check-pdf.ts";
import { checkAdversarialFiles } from "./check-adversarial.ts";
import { onePage, stream, withStream } from "./pdfs.ts";
import { signedPdf } from "./signed-pdf.ts";
import { pdfFile, startIntake } from "./start-intake.ts";

test("files made to be read in several ways are refused, or everybody reads the same before and after the seal", async () => {
  const first = randomInt(1_000_000_000);
  const { taken, refused } = await checkAdversarialFiles(first, 200, 50).catch((error: unknown) => {
    throw new Error(`the first seed was ${first}`, { cause: error });
  });
  expect(taken).toBeGreaterThan(20);
  expect(refused).toBeGreaterThan(20);
});

test("what once went through does not any more", async () => {
  // An annotation with a base of addresses.
  expect(await checkAdversarialFiles(215_854_638, 1, 2)).toEqual({ taken: 1, refused: 0 });
});

const text = (words: string): string => `BT /F 12 Tf 20 200 Td (${words}) Tj ET`;
const paid = onePage({ content: text("I pay 100 EUR") });
const million = (number: number) =>
  Buffer.concat([Buffer.from(`${number} 0 obj\n`), stream("", text("1,000,000")), Buffer.from("\nendobj\n")]);
const documentOf = async (bytes: Buffer) => Buffer.from((await checkPdf(bytes)).rewritten ?? bytes).toString("latin1");

describe("of a file without signatures, what the cross-reference names is the document", () => {
  test.each<[string, Buffer]>([
    [
      "a second definition of its content",
      Buffer.concat([paid.subarray(0, paid.indexOf("xref")), million(4), paid.subarray(paid.indexOf("xref"))]),
    ],
    ["objects behind the last %%EOF", Buffer.concat([paid, million(4)])],
    [
      "a second catalog",
      Buffer.concat([
        paid,
        Buffer.from("1 0 obj\n<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(1)>>>>\nendobj\n"),
      ]),
    ],
  ])("whatever is in %s", async (_, bytes) => {
    // The table of the first still names its place: the offset of the table is what has moved.
    const moved = Buffer.from(
      bytes.toString("latin1").replace(/startxref\n\d+/, `startxref\n${bytes.indexOf("xref\n0")}`),
      "latin1",
    );
    const document = await documentOf(moved);
    expect(document).toContain("100 EUR");
    expect(document).not.toMatch(/1,000,000|JavaScript/);
  });

  test("scripts in packed objects with a predictor are found", async () => {
    const body = Buffer.from("9 0 <</S/JavaScript/JS(1)>>");
    const data = Buffer.concat([Buffer.from([0]), body]);
    const dictionary = `/Type/ObjStm/N 1/First 4/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns ${body.length}>>`;
    const { deflateSync } = await import("node:zlib");
    const file = withStream(onePage({ catalog: "/OpenAction 9 0 R", more: [stream(dictionary, deflateSync(data))] }), {
      9: { container: 6, index: 0 },
    });
    await expect(checkPdf(file)).rejects.toThrow(/JavaScript/);
  });

  test.each([
    ["opens a file of another machine", { catalog: "/OpenAction<</S/GoToR/F(\\\\\\\\host\\\\a)>>" }, /another file/],
    ["sends its form", { catalog: "/OpenAction<</S/SubmitForm/F(x)>>" }, /sends its form/],
    ["imports data", { page: "/AA<</O<</S/ImportData/F(x)>>>>" }, /reads another file/],
    ["has content elsewhere", { catalog: "/Metadata 6 0 R", more: [stream("/F(x)", "")] }, /another file/],
    ["has a page of another file", { catalog: "/Metadata 6 0 R", more: [stream("/Ref<</F(x)>>", "")] }, /another file/],
    ["plays a movie", { page: "/Annots[<</Subtype/Movie/Rect[0 0 1 1]>>]" }, /play/],
    ["has units of its own", { page: "/UserUnit 10" }, /UserUnit/],
    ["does not draw a value", { page: "/Annots[<</Subtype/Widget/FT/Tx/V(x)/Rect[0 0 9 9]>>]" }, /not drawn/],
  ])("a file that %s is refused by name", async (_, parts, message) => {
    await expect(checkPdf(onePage(parts))).rejects.toThrow(message);
  });
});

describe("whatever the content of a page leaves in force, marks stand where people place them", () => {
  test.each([
    ["leaves a turned and larger state in force", "q 2 0 0 2 0 0 cm", ""],
    ["sets aside more than it takes back", "q 3 0 0 3 9 9 cm q q", ""],
    ["leaves marked content open", "/N BMC q", ""],
    ["leaves a text open", "", "BT"],
    ["moves everything at its top level", "", "0 1 -1 0 300 0 cm"],
    ["takes back at its end what it has not set aside", "", "Q Q"],
    ["takes back more, and moves what follows", "Q", "2 0 0 2 0 0 cm"],
  ])("a page that %s", async (_, before, after) => {
    const sent = onePage({ content: `${before} ${text("I pay 100 EUR")} ${after}` });
    const { rewritten = new Uint8Array() } = await checkPdf(sent);
    const shown = Buffer.from(rewritten);
    await expect(trySealing(shown, { isSigned: false, mayBeMarked: true, pages: [1] })).resolves.toBeUndefined();
    // Once is enough.
    expect(Buffer.from((await checkPdf(shown)).rewritten ?? [])).toEqual(shown);
  });

  const form = (content: string) => stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", content);
  const drawing = (content: string) => ({
    content: "/X Do",
    page: "/Resources<</XObject<</X 6 0 R>>>>",
    more: [form(content)],
  });
  test.each([
    ["draws on after it took back too much", { content: `2 0 0 2 0 0 cm Q ${text("x")}` }, /has not set aside/],
    ["has a text without end", { content: `${text("x")} (` }, /cannot be sealed/],
    ["has a picture without end", { content: `${text("x")} BI /W 1` }, /cannot be sealed/],
    ["has a form that takes back what its page set aside", drawing("Q 2 0 0 2 0 0 cm"), /has not set aside/],
  ])("a page that %s is refused by name", async (_, parts, message) => {
    await expect(checkPdf(onePage(parts))).rejects.toThrow(message);
  });

  test("a page that takes pdf.js for ever is refused when it comes", async () => {
    const all = (number: number) =>
      stream(
        `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${number + 1} 0 R>>>>`,
        number < 14 ? "/X Do ".repeat(30) : "0 0 1 1 re f",
      );
    const more = Array.from({ length: 9 }, (_, index) => all(index + 6));
    const bomb = onePage({ content: "/X Do", page: "/Resources<</XObject<</X 6 0 R>>>>", more });
    const intake = startIntake({ kept: 0 });
    try {
      const { message } = await expectDomainError(intake.check("org", [pdfFile(bomb)]), "CORRUPTED_DOCUMENT");
      expect(message).toMatch(/too long|too much memory/);
    } finally {
      await intake.close();
    }
  });
});

describe("a file with signatures is refused when it is", () => {
  const changed = async (change: (pdf: string) => string) =>
    Buffer.from(change((await signedPdf()).toString("latin1")), "latin1");
  test.each<[string, () => Promise<Buffer>]>([
    [
      "an incremental saving attack without a cross-reference",
      () => changed((pdf) => `${pdf}4 0 obj\n<</Length 0>>\nstream\n\nendstream\nendobj\n`),
    ],
    [
      "a shadow attack that replaces: two definitions of one object",
      () =>
        changed((pdf) =>
          pdf
            .replace("\nxref\n", "\n4 0 obj\nnull\nendobj\nxref\n")
            .replace(/startxref\n(\d+)/, (_, at: string) => `startxref\n${Number(at) + 21}`),
        ),
    ],
    [
      "a shadow attack that hides and replaces: objects that nothing names",
      () =>
        changed((pdf) =>
          pdf
            .replace("\nxref\n", "\n77 0 obj\nnull\nendobj\nxref\n")
            .replace(/startxref\n(\d+)/, (_, at: string) => `startxref\n${Number(at) + 22}`),
        ),
    ],
    ["signature wrapping: another beginning before its own", () => changed((pdf) => `%PDF-1.7\n${pdf}`)],
    [
      "a last cross-reference that is an older one",
      () => changed((pdf) => `${pdf}xref\n0 0\ntrailer\n<</Root 1 0 R>>\n${pdf.slice(pdf.lastIndexOf("startxref"))}`),
    ],
  ])("%s", async (_, make) => {
    await expect(checkPdf(await make())).rejects.toThrow(/more than one way/);
  });

  /** As long as before, so that the cross-reference stays true. */
  const padded = (pdf: string, wanted: RegExp, change: (found: string) => string) =>
    pdf.replace(wanted, (found) => change(found).padEnd(found.length));
  const range = /\/ByteRange \[[\d ]+\] */;
  const contents = /\/Contents <[0-9a-f]+>/;
  const ranged = (change: (numbers: number[]) => readonly unknown[]) => (pdf: string) =>
    padded(pdf, range, (all) => `/ByteRange [${change((all.match(/\d+/g) ?? []).map(Number)).join(" ")}]`);
  const filled = (hex: string) => (pdf: string) =>
    pdf.replace(contents, (all) => `/Contents <${hex.padEnd(all.length - "/Contents <>".length, "0")}>`);
  test.each<[string, RegExp, (pdf: string) => string]>([
    ["without a range", /four whole numbers/, (pdf) => padded(pdf, range, () => "")],
    ["with a range that is null", /four whole numbers/, (pdf) => padded(pdf, range, () => "/ByteRange null")],
    ["with an empty range", /four whole numbers/, ranged(() => [])],
    ["with a range of three numbers", /four whole numbers/, ranged((all) => all.slice(0, 3))],
    ["with a range of two gaps", /four whole numbers/, ranged(([a, b, c]) => [a, 9, 10, 9, 20, b, c])],
    ["with a range below zero", /four whole numbers/, ranged(([, b, c, d]) => [-1, b, c, d])],
    ["with a range of broken numbers", /four whole numbers/, ranged(([a, b = 0, c, d]) => [a, b + 0.5, c, d])],
    ["with a range of zeros", /two parts of the file/, ranged(() => [0, 0, 0, 0])],
    ["with a range that ends behind the file", /two parts/, ranged(([a, b, c, d = 0]) => [a, b, c, d + 1])],
    ["with a range that goes back", /two parts/, ranged(([a, b, c, d]) => [a, c, b, d])],
    ["with a range that begins later", /where the file begins/, ranged(([, b, c, d]) => [1, b, c, d])],
    ["with a range that leaves out more", /something else/, ranged(([a, b, c = 0, d = 0]) => [a, b, c + 1, d - 1])],
    ["with a range that leaves out the page", /something else/, ranged(([, , c = 0, d = 0]) => [0, 9, c, d])],
    ["with a range that leaves out the end", /no revision/, ranged(([a, b, c, d = 0]) => [a, b, c, d - 20])],
    ["without contents", /Contents are missing/, (pdf) => padded(pdf, contents, () => "")],
    ["with contents that are null", /Contents are missing/, (pdf) => padded(pdf, contents, () => "/Contents null")],
    ["with contents that are a text", /not hexadecimal/, (pdf) => padded(pdf, contents, () => "/Contents (00)")],
    ["with contents of nothing", /something else/, (pdf) => padded(pdf, contents, () => "/Contents <>")],
    ["with contents of zeros", /no signature/, filled("")],
    ["with contents of an empty sequence", /no signature/, filled("3000")],
    ["with contents of another kind", /no signature/, filled("300f06092a864886f70d010701a0023000")],
    ["with contents that are cut off", /no signature/, filled("3082ffff06092a864886f70d010702a0")],
    ["with contents and something behind them", /no signature/, filled("300f06092a864886f70d010702a002300001")],
    [
      "with contents elsewhere, and a text of the same digits in its place",
      /something else/,
      (pdf) => {
        const moved = padded(pdf, contents, (all) => all.replace("/Contents ", "/Reason   "));
        return padded(moved, /\/Filter \/Adobe.PPKLite/, () => "/Contents <3000>");
      },
    ],
  ])("universal forgery: a signature %s", async (_, message, change) => {
    const pdf = await signedPdf();
    const forged = Buffer.from(change(pdf.toString("latin1")), "latin1");
    expect(forged.equals(pdf)).toBe(false);
    await expect(checkPdf(forged)).rejects.toThrow("it cannot be told what it covers");
    await expect(checkPdf(forged)).rejects.toThrow(message);
  });

  const extended = (pdf: string, objects: Readonly<Record<number, string>>): string => {
    let [body, rows] = ["", ""];
    for (const [number, object] of Object.entries(objects)) {
      rows += `${number} 1\n${String(pdf.length + body.length).padStart(10, "0")} 00000 n \n`;
      body += `${number} 0 obj\n${object}\nendobj\n`;
    }
    const previous = pdf
      .match(/startxref\n\d+/g)
      ?.at(-1)
      ?.slice(10);
    return `${pdf}${body}xref\n${rows}trailer\n<</Size 99/Root 1 0 R/Prev ${previous}>>\nstartxref\n${pdf.length + body.length}\n%%EOF\n`;
  };
  /** The first signature, written again. */
  const copied = (pdf: string): string => /<<\s*\/Type \/Sig\s[\s\S]*?\n>>/.exec(pdf)?.[0] ?? "";
  const form = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[90 0 R]/SigFlags 3>>>>";
  test.each<[string, RegExp, (pdf: string) => string]>([
    [
      "a sneaky signature: a field that has the signature of another one beside it",
      /four whole numbers/,
      (pdf) => extended(pdf, { 1: form, 90: "<</FT/Sig/T(Other)/V<</Filter/Adobe.PPKLite/Reference 7 0 R>>>>" }),
    ],
    [
      "a sneaky signature: a field with a copy of a signature, range and all",
      /something else/,
      (pdf) => extended(pdf, { 1: form, 90: `<</FT/Sig/T(Other)/V ${copied(pdf)}>>` }),
    ],
    [
      "a later revision that takes the range away from the signature",
      /four whole numbers/,
      (pdf) => extended(pdf, { [Number(/\/V (\d+) 0 R/.exec(pdf)?.[1])]: copied(pdf).replace(range, "") }),
    ],
    [
      "a forged signature that a later revision has replaced",
      /four whole numbers/,
      (pdf) => extended(extended(pdf, { 90: "<</Type/Sig/Contents<00>>>" }), { 90: "null" }),
    ],
  ])("%s", async (_, message, change) => {
    expect(copied(await signedPdf().then(String))).toContain("ByteRange");
    await expect(checkPdf(await changed(change))).rejects.toThrow(message);
  });

  test("a revision whose links begin at another address than https", async () => {
    const based = (base: string) => (pdf: string) => extended(pdf, { 90: `<</URI<</Base(${base})>>>>` });
    await expect(checkPdf(await changed(based("http://example.com")))).rejects.toThrow(/https and mailto/);
    await expect(checkPdf(await changed(based("https://example.com")))).resolves.toMatchObject({ isSigned: true });
  });

  test("incremental saving: what a later revision shows is what is shown, and stays as it is", async () => {
    const saved = await changed((pdf) => {
      const at = pdf.length;
      const one = `4 0 obj\n<</Length 41>>\nstream\nBT /F 12 Tf 20 200 Td (1,000,000) Tj ET   \nendstream\nendobj\n`;
      const table = `xref\n4 1\n${String(at).padStart(10, "0")} 00000 n \ntrailer\n<</Size 9/Root 1 0 R/Prev ${/startxref\n(\d+)/.exec(pdf)?.[1]}>>\n`;
      return `${pdf}${one}${table}startxref\n${at + one.length}\n%%EOF\n`;
    });
    await expect(checkPdf(saved)).resolves.toMatchObject({ isSigned: true });
    expect((await checkPdf(saved)).rewritten).toBeUndefined();
  });

  test("a shadow attack that hides: a comment on the screen only", async () => {
    const pdf = await signedPdf();
    await expect(checkPdf(pdf)).resolves.toMatchObject({ isSigned: true });
    const evil = (flags: number) => {
      const offset = pdf.length;
      const text = pdf.toString("latin1");
      const number = Number(/\/Size (\d+)/.exec(text)?.[1]);
      const page =
        /3 0 obj\n([\s\S]*?)\nendobj/.exec(text)?.[1]?.replace(/\/Annots \[/, `/Annots [ ${number} 0 R`) ?? "";
      const one = `3 0 obj\n${page}\nendobj\n`;
      const two = `${number} 0 obj\n<</Type/Annot/Subtype/Square/Rect[0 0 90 90]/F ${flags}>>\nendobj\n`;
      const row = (at: number) => `${String(at).padStart(10, "0")} 00000 n \n`;
      const table = `xref\n3 1\n${row(offset)}${number} 1\n${row(offset + one.length)}trailer\n<</Size ${number + 1}/Root 1 0 R/Prev ${/startxref\n(\d+)/.exec(text)?.[1]}>>\n`;
      const start = offset + one.length + two.length;
      return Buffer.from(`${text}${one}${two}${table}startxref\n${start}\n%%EOF\n`, "latin1");
    };
    await expect(checkPdf(evil(0))).rejects.toThrow(/on the screen and not on paper/);
    await expect(checkPdf(evil(4))).resolves.toMatchObject({ isSigned: true });
  });
});
