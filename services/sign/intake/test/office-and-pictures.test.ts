import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { OfficeConverter } from "../convert-document.ts";
import type { Intake } from "../intake.ts";
import { pictureToPdf } from "../picture-to-pdf.ts";
import { onePage } from "./pdfs.ts";
import { jpegOf, pngOf } from "./pictures.ts";
import { pdfFile, startIntake } from "./start-intake.ts";

const intakes: Intake[] = [];
afterEach(async () => {
  await Promise.all(intakes.splice(0).map((intake) => intake.close()));
});

/** An office that makes this of each file, and the files that it was given. */
function officeThat(convert: (format: string) => Promise<Uint8Array>) {
  const given: string[] = [];
  const office: OfficeConverter = {
    formats: async () => new Set(["docx", "xlsx", "png", "jpeg"]),
    convert: (orgId, format, content) => {
      given.push(`${orgId} ${format} ${Buffer.from(content).toString()}`);
      return convert(format);
    },
  };
  return { given, office };
}

function start(office?: OfficeConverter): Intake {
  const intake = startIntake({ office });
  intakes.push(intake);
  return intake;
}

const file = (content: string | Uint8Array, name = "NDA.docx") =>
  pdfFile(typeof content === "string" ? Buffer.from(content) : content, { name, fileExtension: "" });

describe("an Office file", () => {
  test("is converted once for an organization, also when it is sent at the same time or under another name", async () => {
    const { given, office } = officeThat(async () => onePage({}));
    const intake = start(office);
    const both = await Promise.all([
      intake.check("org", [file("one"), { ...file("one", "Copy.DOCX"), documentId: "2" }]),
      intake.check("org", [file("one")]),
    ]);
    const [first] = await intake.check("org", [file("one")]);
    expect(first?.original).toEqual({ format: "docx", bytes: Buffer.from("one") });
    expect(given).toEqual(["org docx one"]);
    expect(both.flat().map(({ sha256 }) => sha256.equals(first?.sha256 ?? Buffer.alloc(0)))).toEqual([
      true,
      true,
      true,
    ]);
    await intake.check("other", [file("one")]);
    expect(given).toEqual(["org docx one", "other docx one"]);
  });

  test("of a phone or a scanner that is not converted is refused with what to do about it", async () => {
    const { office } = officeThat(async () => onePage({}));
    for (const intake of [start(office), start()]) {
      for (const [name, advice] of [
        ["IMG_0001.HEIC", "Save it as JPEG or PDF"],
        ["scan.tiff", "Save all pages as one PDF"],
        ["a.webp", "Save it as PNG, JPEG or PDF"],
      ] as const) {
        const refused = await expectDomainError(intake.check("org", [file("x", name)]), "INVALID_DOCUMENT_FORMAT");
        expect(refused.message).toContain(advice);
      }
    }
  });

  test("that was not converted may be sent again", async () => {
    const answers = [
      async () => Promise.reject(new DomainError("SERVICE_UNAVAILABLE")),
      async () => Promise.reject(new DomainError("CORRUPTED_DOCUMENT", { message: "The file is damaged." })),
      async () => onePage({}),
    ];
    const { office } = officeThat(() => (answers.shift() ?? fail)());
    const fail = () => Promise.reject(new Error("it was converted once more"));
    const intake = start(office);
    await expectDomainError(intake.check("org", [file("one")]), "SERVICE_UNAVAILABLE");
    const error = await expectDomainError(intake.check("org", [file("one")]), "CORRUPTED_DOCUMENT");
    expect(error.message).toBe("The file is damaged.");
    expect(error.details[0]?.field).toBe("documents[0]");
    await intake.check("org", [file("one")]);
    await intake.check("org", [file("one")]);
  });

  test("whose PDF cannot be used is refused", async () => {
    const { office } = officeThat(async () => Buffer.from("%PDF-1.7 and nothing more"));
    await expectDomainError(start(office).check("org", [file("one")]), "INVALID_DOCUMENT_FORMAT");
  });

  test("is refused without an office, which says what is missing, and when the office does not know it", async () => {
    const refused = await expectDomainError(start().check("org", [file("one")]), "INVALID_DOCUMENT_FORMAT");
    expect(refused.message).toContain("LibreOffice is not set up");
    const { office } = officeThat(async () => onePage({}));
    await expectDomainError(start(office).check("org", [file("one", "a.pptx")]), "INVALID_DOCUMENT_FORMAT");
    await expectDomainError(start().check("org", [file(pngOf(2, 2), "a.png")]), "INVALID_DOCUMENT_FORMAT");
  });
});

/** A pixel of a page, in parts of its width and height: red, green and blue. */
function pixelAt(pdf: Uint8Array, x: number, y: number): number[] {
  const image = execFileSync("pdftoppm", ["-r", "72", "-"], { input: pdf, maxBuffer: 2 ** 26 });
  const [, width = "", height = ""] =
    /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(image.subarray(0, 30).toString("latin1")) ?? [];
  const start = image.length - Number(width) * Number(height) * 3;
  const at = start + (Math.floor(y * Number(height)) * Number(width) + Math.floor(x * Number(width))) * 3;
  return [...image.subarray(at, at + 3)].map((value) => Math.round(value / 255));
}

const [red, blue, white] = [
  [1, 0, 0],
  [0, 0, 1],
  [1, 1, 1],
];

describe("a picture", () => {
  test("becomes a page of an agreement, and is not changed by where it came from", async () => {
    const { office } = officeThat(async () => onePage({}));
    const intake = start(office);
    const [wide] = await intake.check("org", [file(pngOf(3_000, 1_000), "scan.png")]);
    expect(wide?.pages).toEqual([{ width: 841.89, height: 595.28 }]);
    const [tall] = await intake.check("org", [file(jpegOf(6), "photo.JPG")]);
    expect(tall?.pages).toEqual([{ width: 595.28, height: 841.89 }]);
  });

  // Where the red quarter is, and where the blue one is, when the picture is upright: left or right, above or below.
  test.each([
    [1, "left above", "left below"],
    [2, "right above", "right below"],
    [3, "right below", "right above"],
    [4, "left below", "left above"],
    [5, "left above", "right above"],
    [6, "right above", "left above"],
    [7, "right below", "left below"],
    [8, "left below", "right below"],
  ])("with the orientation %d stands upright", async (orientation, redAt, blueAt) => {
    for (const isLittle of [true, false]) {
      const pdf = await pictureToPdf(jpegOf(orientation, isLittle));
      const isTurned = orientation >= 5;
      // It is 24 by 12 points in the middle of an A4 page, which lies on its side when the picture is wide.
      const [across, down] = isTurned ? [3 / 595, 6 / 842] : [6 / 842, 3 / 595];
      const colorAt = (place: string) =>
        pixelAt(
          pdf,
          0.5 + (place.startsWith("left") ? -across : across),
          0.5 + (place.endsWith("above") ? -down : down),
        );
      expect([colorAt(redAt), colorAt(blueAt)]).toEqual([red, blue]);
      const rest = ["left above", "left below", "right above", "right below"].filter(
        (one) => one !== redAt && one !== blueAt,
      );
      expect(rest.map(colorAt)).toEqual([white, white]);
    }
  });

  test("loses what says where it was taken, and what stands behind it", async () => {
    const pdf = Buffer.from(await pictureToPdf(jpegOf(3)));
    expect(pdf.includes("Exif")).toBe(false);
    expect(pdf.includes("a place")).toBe(false);
    expect(await pictureToPdf(jpegOf(3))).toEqual(await pictureToPdf(jpegOf(3)));
  });

  test.each([
    ["that is cut off", jpegOf(1).subarray(0, 300), "damaged JPEG"],
    ["with a header alone", Buffer.from([0xff, 0xd8, 0xff, 0xe1]), "damaged JPEG"],
    ["that is none", Buffer.from("Hello, I am a picture"), "must be a PNG or JPEG"],
    ["of more pixels than it has", pngOf(4_000, 4_000, false), "damaged PNG"],
    ["of too many pixels", pngOf(30_000, 30_000, false), "at most 25 million pixels"],
  ])("%s is refused", async (_what, bytes, problem) => {
    await expect(pictureToPdf(bytes)).rejects.toThrow(problem);
  });
});
