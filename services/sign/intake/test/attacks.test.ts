import { afterAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { bombData, onePage, ordinaryPdf, packed, rawPdf, revised, stream, withStream } from "./pdfs.ts";
import { pdfFile, startIntake } from "./start-intake.ts";

const intake = startIntake({ kept: 2 });
afterAll(() => intake.close());

const refusalOf = async (bytes: Uint8Array): Promise<string> =>
  (await expectDomainError(intake.check("org", [pdfFile(bytes)]), "CORRUPTED_DOCUMENT")).message;

/** A file whose catalog refers to object 9, which is packed in the stream 6. */
const objectStream = (filter: string, data: Buffer | string, type = "/ObjStm", count = 1): Buffer =>
  withStream(onePage({ catalog: "/X 9 0 R", more: [stream(`/Type${type}/N ${count}/First 4${filter}`, data)] }), {
    9: { container: 6, index: 0 },
  });

const pageTree = (pages: string, kids: readonly string[]): Buffer =>
  rawPdf(["<</Type/Catalog/Pages 2 0 R>>", pages, ...kids]);

const leaf = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>";
const references = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 3} 0 R`).join(" ");
const manyPages = (count: number): Buffer =>
  pageTree(
    `<</Type/Pages/Count ${count}/Kids[${references(count)}]>>`,
    Array.from({ length: count }, () => leaf),
  );
const nestedTree = (depth: number): Buffer =>
  pageTree("<</Type/Pages/Count 1/Kids[3 0 R]>>", [
    ...Array.from(
      { length: depth },
      (_, index) => `<</Type/Pages/Count 1/Kids[${index + 4} 0 R]/Parent ${index + 2} 0 R>>`,
    ),
    leaf,
  ]);
/** With a form of these fields, of which the first is numbered 7. */
const formOf = (fields: readonly string[]): Buffer =>
  onePage({ catalog: "/AcroForm 6 0 R", more: ["<</Fields[7 0 R]>>", ...fields] });
const fieldList = (count: number): string[] => [
  `<</T(all)/Kids[${Array.from({ length: count - 1 }, (_, index) => `${index + 8} 0 R`).join(" ")}]>>`,
  ...Array.from({ length: count - 1 }, (_, index) => `<</T(f${index})/FT/Tx/Parent 7 0 R>>`),
];
const nestedFields = (depth: number): string[] =>
  Array.from({ length: depth }, (_, index) => `<</T(f${index})${index + 1 < depth ? `/Kids[${index + 8} 0 R]` : ""}>>`);
/** The last one is shown: it has so many above it. */
const parents = (depth: number): string[] =>
  Array.from({ length: depth }, (_, index) =>
    index + 1 < depth
      ? `<</T(f)${index > 0 ? `/Parent ${index + 5} 0 R` : ""}>>`
      : `<</Subtype/Widget/Rect[0 0 9 9]/Parent ${index + 5} 0 R>>`,
  );
const annotated = (count: number): Buffer =>
  onePage({ page: `/Annots[${"<</Subtype/Link/Rect[0 0 9 9]>>".repeat(count)}]` });

describe("a PDF is refused that", () => {
  test.each<[what: string, bytes: () => Buffer | Promise<Buffer>, message: RegExp]>([
    [
      "unpacks from half a megabyte to 500",
      () => objectStream("/Filter/FlateDecode", bombData(500)),
      /unreasonably large/,
    ],
    [
      "hides that its objects are packed",
      () => objectStream("/Filter[/FlateDecode]", bombData(500), "/Obj#53tm"),
      /unreasonably large/,
    ],
    ["packs its objects twice", () => objectStream("/Filter[/FlateDecode/FlateDecode]", packed("1")), /unusual way/],
    [
      "says that it has objects without number",
      () => objectStream("", "9 0 1", "/ObjStm", 99_999_999),
      /more than 300,000 objects/,
    ],
    ["has a revision that comes before itself", () => revised(onePage({}), (own) => own), /circle/],
    [
      "has revisions that come before each other",
      () => {
        const first = onePage({});
        const second = (offset: number) => revised(first, () => offset);
        // As many digits, so that it is as long.
        return revised(second(second(first.length).length), () => first.length);
      },
      /circle/,
    ],
    [
      "has a page tree that contains itself",
      () => pageTree("<</Type/Pages/Count 1/Kids[2 0 R]>>", []),
      /contains itself/,
    ],
    ["has a page twice", () => pageTree("<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>", [leaf]), /twice/],
    ["has 10,000 pages", () => manyPages(10_000), /more than 2,000 pages/],
    ["has no pages", () => pageTree("<</Type/Pages/Count 0/Kids[]>>", []), /no pages/],
    ["nests its pages deeply", () => nestedTree(1_000), /nested too deeply/],
    ["has 5,001 form fields", () => formOf(fieldList(5_001)), /more than 5,000 form fields/],
    [
      "shows one form field in 20,001 places",
      () => formOf(["<</T(a)/Kids 8 0 R>>", `[${"4 0 R ".repeat(20_001)}]`]),
      /more than 20,000 annotations/,
    ],
    ["nests its form fields 33 deep", () => formOf(nestedFields(33)), /nested more than 32 deep/],
    ["has a form field that contains itself", () => formOf(["<</T(a)/Kids[7 0 R]>>"]), /nested more than 32 deep/],
    [
      "has form fields in each other that contain each other many times",
      () => formOf(Array.from({ length: 30 }, (_, index) => `<</T(a)/Kids[${`${index + 8} 0 R `.repeat(30)}]>>`)),
      /more than (5,000 form fields|20,000 annotations)/,
    ],
    [
      "shows a form field that stands 33 deep and that its form does not name",
      () => onePage({ page: "/Annots[38 0 R]", more: parents(33) }),
      /nested more than 32 deep/,
    ],
    ["has 20,001 annotations", () => annotated(20_001), /more than 20,000 annotations/],
    [
      "is encrypted",
      () => onePage({ trailer: "/Encrypt 6 0 R/ID[<00><00>]", more: ["<</Filter/Standard/V 2/R 3/O(x)/U(y)/P -1>>"] }),
      /encrypted/,
    ],
    [
      "runs JavaScript when it is opened",
      () => onePage({ catalog: "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>" }),
      /JavaScript/,
    ],
    [
      "has JavaScript in a field",
      () => onePage({ catalog: "/X 6 0 R", more: ["<</FT/Tx/AA<</K<</S /Java#53cript>>>>>>"] }),
      /JavaScript/,
    ],
    [
      "has JavaScript in packed objects",
      () => objectStream("/Filter/FlateDecode", packed("9 0 <</S/JavaScript>>")),
      /JavaScript/,
    ],
    ["starts programs", () => onePage({ page: "/AA<</O<</S/Launch/F(cmd.exe)>>>>" }), /starts a program/],
    ["has an XFA form", () => onePage({ catalog: "/AcroForm<</Fields[]/XFA(x)>>" }), /XFA/],
    [
      "has a program attached",
      () => onePage({ catalog: "/X 6 0 R", more: ["<</Type/Filespec/F(bill.xml)/UF(bill.exe)/EF<</F 4 0 R>>>>"] }),
      /attached file/,
    ],
    ["has a huge page", () => onePage({ page: "/MediaBox[0 0 99999999 800]" }), /200 inches/],
    ["has a page without extent", () => onePage({ page: "/MediaBox[0 0 600 800]/CropBox[10 10 11 11]" }), /too small/],
    [
      "packs a stream by a filter that there is not",
      () => onePage({ catalog: "/X 6 0 R", more: [stream("/Filter/Shrink#20it", "x")] }),
      /filter that PDF does not have \(Shrink\?it\)/,
    ],
    [
      "packs a stream by a filter that there is not, among those that there are",
      () =>
        onePage({
          catalog: "/X 7 0 R",
          more: ["[/FlateDecode 8 0 R]", stream("/Filter 6 0 R", packed("1")), "/BrotliDecode"],
        }),
      /filter that PDF does not have \(BrotliDecode\)/,
    ],
    [
      "packs a stream by a filter that needs a key",
      () => onePage({ catalog: "/X 6 0 R", more: [stream("/Filter[/Crypt]", "x")] }),
      /filter that PDF does not have \(Crypt\)/,
    ],
    [
      "names a filter that is no name",
      () => onePage({ catalog: "/X 6 0 R", more: [stream("/Filter(FlateDecode)", "x")] }),
      /filter that PDF does not have \(no name\)/,
    ],
    ["has nothing in it", () => Buffer.from("%PDF-1.7\n"), /damaged/],
    ["has resources that are none", () => onePage({ page: "/Resources 7" }).subarray(), /damaged/],
    ["is half a file", async () => (await ordinaryPdf()).subarray(0, 3_000), /damaged/],
    ["is no PDF", () => Buffer.from("<html>"), /not a PDF/],
  ])("%s", async (_what, bytes, message) => {
    expect(await refusalOf(await bytes())).toMatch(message);
  });

  test("nests arrays and dictionaries without end", async () => {
    for (const [open, close] of [
      ["[", "]"],
      ["<</A", ">>"],
    ] as const) {
      const nested = onePage({ page: `/X ${open.repeat(200_000)}${close.repeat(200_000)}` });
      expect(await refusalOf(nested)).toMatch(/nested too deeply/);
    }
  });

  test("takes the reader too long", async () => {
    // Nothing says where its objects are, and each of them has no end.
    const slow = Buffer.from(`%PDF-1.7\n${"1 0 obj (".repeat(500_000)}`);
    expect(await refusalOf(slow)).toMatch(/too long/);
  });
});

describe("a PDF is taken that", () => {
  test.each<[what: string, bytes: () => Buffer | Promise<Buffer>]>([
    ["has packed objects", () => ordinaryPdf(3, true)],
    ["has a cross-reference table", () => ordinaryPdf(3, false)],
    [
      "packs its streams in every way that there is",
      () =>
        onePage({
          catalog: "/X[6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R 12 0 R 13 0 R 14 0 R]",
          more: "Flate LZW RunLength ASCII85 ASCIIHex DCT JPX CCITTFax JBIG2"
            .split(" ")
            .map((name) => stream(`/Filter[/${name}Decode]`, "x")),
        }),
    ],
    ["has 2,000 pages", () => manyPages(2_000)],
    ["has 5,000 form fields", () => formOf(fieldList(5_000))],
    ["nests its form fields 32 deep", () => formOf(nestedFields(32))],
    ["has 20,000 annotations", () => annotated(20_000)],
    [
      "has an invoice attached",
      () =>
        onePage({ catalog: "/X 6 0 R", more: ["<</Type/Filespec/F(factur-x.xml)/UF(factur-x.xml)/EF<</F 4 0 R>>>>"] }),
    ],
    [
      "has pages that come from each other",
      () => pageTree("<</Type/Pages/Count 1/Kids[3 0 R]/Parent 3 0 R>>", ["<</Type/Page/Parent 2 0 R>>"]),
    ],
    ["begins later", async () => Buffer.concat([Buffer.from("mail\r\n"), await ordinaryPdf()])],
    ["names no resources and no contents", () => pageTree("<</Type/Pages/Count 1/Kids[3 0 R]>>", [leaf])],
    ["has been revised", () => revised(onePage({}), (own) => own - 300)],
  ])("%s", async (_what, bytes) => {
    const [document] = await intake.check("org", [pdfFile(await bytes())]);
    expect(document?.isSigned).toBe(false);
  });
});
