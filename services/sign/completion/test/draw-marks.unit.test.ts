import { execFileSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { decodePDFRawStream, degrees, PDFDocument, PDFName, PDFRawStream } from "pdf-lib";
import { fieldNamesOf } from "../../seal/signature-placeholder.ts";
import { drawMarks } from "../draw-marks.ts";
import { createFontLibrary } from "../font-library.ts";
import type { Mark } from "../mark.ts";
import { setText, visualOrder } from "../text-lines.ts";
import { openToolbox } from "./completion-setup.ts";

const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: false },
  color: [0, 0, 0] as const,
};
const box = { x: 20, y: 20, width: 150, height: 30 };
const signature = { ...box, kind: "signature" as const, font: "great-vibes", caption: "signed by Ann" };

describe("marks", () => {
  test.each([
    ["in the content of pages", false],
    ["in fields, where the pages are signed", true],
  ])("stand where the page as it is shown has them, however it is turned and cut, %s", async (_name, isSigned) => {
    const angles = [0, 90, 180, 270];
    const document = await PDFDocument.create();
    for (const angle of angles) {
      const page = document.addPage([400, 300]);
      page.setRotation(degrees(angle));
      page.setCropBox(50, 40, 300, 200);
    }
    const marks = angles.map(
      (angle, index): Mark => ({ ...box, page: index + 1, kind: "text", text: `turned${angle}`, style }),
    );
    const names = isSigned ? fieldNamesOf(document, { isLocked: () => false }) : undefined;
    await drawMarks(document, marks, createFontLibrary(), names);
    const tools = await openToolbox("");
    try {
      const words = await tools.wordsOf(await document.save({ updateFieldAppearances: false }));
      expect(words).toHaveLength(angles.length);
      for (const { text, x, y } of words) {
        expect(text).toMatch(/^turned/);
        expect([x > 15 && x < 30, y > 15 && y < 50]).toEqual([true, true]);
      }
    } finally {
      await tools.close();
    }
  });

  test("stand there too when the boxes are written in another order, or the part shown is larger than the page", async () => {
    const document = await PDFDocument.create();
    for (const [name, corners] of [
      ["MediaBox", [400, 300, 0, 0]],
      ["CropBox", [-50, -50, 500, 400]],
    ] as const) {
      document.addPage([400, 300]).node.set(PDFName.of(name), document.context.obj([...corners]));
    }
    const marks = [1, 2].map((page): Mark => ({ ...box, page, kind: "text", text: `page${page}`, style }));
    await drawMarks(document, marks, createFontLibrary());
    const tools = await openToolbox("");
    try {
      const words = await tools.wordsOf(await document.save());
      expect(words.map(({ text }) => text)).toEqual(["page1", "page2"]);
      for (const { x, y } of words) expect([x > 15 && x < 30, y > 15 && y < 50]).toEqual([true, true]);
    } finally {
      await tools.close();
    }
  });

  test("are written with letters of every language that a font has, and a damaged drawing with the name", async () => {
    const document = await PDFDocument.create();
    document.addPage([400, 300]);
    const marks: Mark[] = [
      { ...signature, page: 1, text: "Zoë" },
      { ...signature, page: 1, y: 80, kind: "image", png: "iVBORw0KGgo=", text: "Łukasz" },
      { ...box, page: 1, y: 140, kind: "text", text: "Ελλάδα Киев", style },
      { ...box, page: 9, kind: "text", text: "nowhere", style },
    ];
    await drawMarks(document, marks, createFontLibrary());
    const tools = await openToolbox("");
    try {
      const text = await tools.textOf(await document.save());
      for (const wanted of ["Zoë", "Łukasz", "signed by Ann", "Ελλάδα Киев"]) expect(text).toContain(wanted);
      expect(text).not.toContain("nowhere");
    } finally {
      await tools.close();
    }
  });
});

describe("marks in other scripts", () => {
  const names = [
    ...["王小明（北京）", "山田 太郎さん", "𠮷野 髙橋", "홍길동", "राजेश कुमार"],
    ...["משה כהן (12)", "محمد عبد الله الأحمد", "Ann אבג 12", "สมชาย ที่นี่ น้ำ", "Łukasz 王"],
  ];

  test("break names that are too long for one legible line, and never cut them", async () => {
    const long = "Maximiliane Wilhelmina Konstantina von Hohenstaufen-Lichtenberg und zu Guttenberg-Rosenthal";
    const endless = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch".repeat(2);
    const document = await PDFDocument.create();
    document.addPage([400, 300]);
    const marks: Mark[] = [
      { ...signature, page: 1, width: 90, height: 36, text: long, caption: `${long}, 2026-11-20 10:00 UTC` },
      { ...signature, page: 1, width: 90, height: 36, y: 150, text: endless, caption: endless },
    ];
    await drawMarks(document, marks, createFontLibrary());
    const tools = await openToolbox("");
    try {
      const file = await document.save();
      const words = await tools.wordsOf(file);
      const drawn = words.map(({ text }) => text).join("");
      for (const word of long.split(" ")) expect(drawn.split(word).length - 1).toBe(2);
      expect(drawn.split("Llanfair").length - 1).toBe(4);
      // Inside of the box as far as its width goes.
      for (const { x } of words) expect(x).toBeLessThan(20 + 90);
      const sizes = contentsOf(document).flatMap((content) =>
        Array.from(content.matchAll(/\/F\d+ ([\d.]+) Tf/g), ([, size]) => Number(size)),
      );
      expect(sizes.length).toBeGreaterThan(4);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(5);
    } finally {
      await tools.close();
    }
  });

  test.each([
    ["Arabic", "محمد بن عبد الله"],
    ["Hebrew", "דוד לוי"],
    ["Greek", "Ελένη Παπαδοπούλου"],
    ["Cyrillic", "Анна Каренина"],
    ["Chinese", "王小明"],
    ["Japanese", "さくら 花子"],
    ["Korean", "홍길동"],
    ["rare characters", "髙橋 𠮷野"],
    ["Thai", "สมชาย ใจดี"],
    ["Latin", "Ann Example"],
  ])("have three styles for names in %s that do not look alike", async (_script, name) => {
    const looks = await Promise.all(
      ["dancing-script", "caveat", "great-vibes"].map(async (font) => {
        const document = await PDFDocument.create();
        document.addPage([400, 300]);
        await drawMarks(document, [{ ...signature, page: 1, font, text: name }], createFontLibrary());
        const names = contentsOf(document).join("\n");
        await document.flush();
        const [, slant = ""] = / ([\d.]+) 1 [\d.-]+ [\d.-]+ Tm/.exec(names) ?? [];
        const fonts = document.context
          .enumerateIndirectObjects()
          .flatMap(([, object]) => /\/FontName \/[A-Z]*\+?(\S+)/.exec(String(object))?.[1] ?? []);
        return JSON.stringify([slant, fonts.sort(), names.length]);
      }),
    );
    expect(new Set(looks).size).toBe(3);
  });

  test.each(["dancing-script", "great-vibes"])("lean within their box in the style %s", async (font) => {
    for (const text of ["山田太郎國國", "Анна 王 КЛМП", "محمد لأأأآ", "Ann 王ĤĤĤĤ", "ĤП國".repeat(20)]) {
      const document = await PDFDocument.create();
      document.addPage([400, 300]);
      await drawMarks(document, [{ ...signature, page: 1, font, width: 90, caption: "", text }], createFontLibrary());
      // The line above the caption is as wide as the box; the last stroke of a handwriting may leave it a little.
      const [left, right] = inkOf(await document.save());
      expect([text, left >= 17, right > 100, right <= 20 + 90]).toEqual([text, true, true, true]);
    }
  });

  test("are found again as they were written, and drawn with glyphs of their own, in few bytes", async () => {
    const document = await PDFDocument.create();
    const library = createFontLibrary();
    const marks = names.flatMap((text, index): Mark[] => {
      document.addPage([400, 300]);
      const caption = `\u200e\u2068${text}\u2069, 2026-11-21`;
      return [
        { ...box, page: index + 1, kind: "text", text, style: { ...style, bold: index % 2 === 1 } },
        { ...signature, y: 100, page: index + 1, text, caption },
      ];
    });
    await drawMarks(document, marks, library);
    const bytes = await document.save();
    expect(bytes.length).toBeLessThan(150_000);
    const tools = await openToolbox("");
    try {
      const pages = (await tools.textOf(bytes)).split("\f");
      for (const [index, name] of names.entries()) {
        const text = (pages[index] ?? "").replaceAll(/[\u200e\u200f\u202a-\u202e]/g, "");
        // Two marks, and the line below the signature. The tool begins lines at their left, so word for word.
        for (const word of name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
          expect([word, text.split(word).length]).toEqual([word, 4]);
        expect(text).toContain("2026-11-21");
      }
    } finally {
      await tools.close();
    }
    const codes = await codesShown(bytes);
    expect(codes.length).toBeGreaterThan(100);
    // Glyph 0 is the box of what a font has not.
    expect(codes).not.toContain("0000");
  });

  test.each([
    ["that no font has are shown as boxes, beside what can be written", "Łu 😀 x\u{1e8d0} 王", /^Łu □ x□ 王$/],
    ["that get a mark of another script where a direction ends are not lost", "Ж\u2069\u0e31 Ш", /^Ж.* Ш$/],
  ])("%s", async (_name, text, expected) => {
    const document = await PDFDocument.create();
    document.addPage([400, 300]);
    await drawMarks(document, [{ ...box, page: 1, kind: "text", text, style }], createFontLibrary());
    const tools = await openToolbox("");
    try {
      expect((await tools.textOf(await document.save())).trim()).toMatch(expected);
    } finally {
      await tools.close();
    }
  });
});

describe("visualOrder", () => {
  const bidi = createFontLibrary().bidi();
  const order = (line: string, base: "ltr" | "rtl" = "ltr") => visualOrder(bidi, line, base).map(({ text }) => text);

  test("puts what runs to the left into its place, numbers within it forwards", () => {
    expect(order("Ann אבג 12")).toEqual(["Ann ", "12", "אבג "]);
    expect(order("אבג (12)", "rtl")).toEqual(["(", "12", "אבג )"]);
    expect(order("\u2068אבג\u2069, 2026").join("|")).toContain(", 2026");
    expect(order("Ann (UK)")).toEqual(["Ann (UK)"]);
  });
});

describe("setText", () => {
  test("breaks lines between words that no blanks divide, and begins none with what closes", () => {
    const set = (text: string, width: number) =>
      setText(text, { width, height: 200 }, 10, (piece, size) => piece.length * size).lines;
    expect(set("双方应当，遵守", 50)).toEqual(["双方应当，", "遵守"]);
    expect(set("ข้อตกลงนี้", 80)).toEqual(["ข้อตกลง", "นี้"]);
  });

  const narrow = (text: string, size: number): number => text.length * size * 0.5;

  test("breaks lines between words, smaller where that lets them fit", () => {
    expect(setText("one two", { width: 100, height: 16 }, 10, narrow)).toEqual({ lines: ["one two"], size: 10 });
    expect(setText("one two", { width: 20, height: 40 }, 10, narrow)).toEqual({ lines: ["one", "two"], size: 10 });
    expect(setText("one two", { width: 20, height: 20 }, 10, narrow)).toEqual({ lines: ["one", "two"], size: 8 });
    expect(setText("a\n\nb", { width: 20, height: 99 }, 10, narrow).lines).toEqual(["a", "", "b"]);
    expect(setText("endless word", { width: 1, height: 1 }, 10, narrow)).toEqual({
      lines: ["endless", "word"],
      size: 5,
    });
  });

  test("measures no word twice, since that takes long for some scripts", () => {
    const measured: string[] = [];
    setText("and on and on and on ".repeat(400), { width: 100, height: 16 }, 10, (text, size) => {
      measured.push(text);
      return narrow(text, size);
    });
    expect(measured.toSorted()).toEqual(["", " ", "and", "on"]);
  });
});

/** Where what is drawn begins and ends, in points from the left. */
function inkOf(file: Uint8Array): readonly [number, number] {
  const picture = execFileSync("pdftoppm", ["-r", "288", "-gray", "-singlefile", "-"], {
    input: file,
    maxBuffer: 2 ** 24,
  });
  const [head = "", width = ""] = /^P5\s+(\d+)\s+\d+\s+255\s/.exec(picture.toString("latin1", 0, 40)) ?? [];
  const dark = Array.from(picture.subarray(head.length)).flatMap((value, at) =>
    value < 200 ? [at % Number(width)] : [],
  );
  const [left, right] = dark.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [1e9, 0]);
  // Four columns are a point.
  return [left / 4, (right + 1) / 4];
}

/** The codes of all glyphs that marks are drawn with from fonts in the file. */
async function codesShown(file: Uint8Array): Promise<string[]> {
  const document = await PDFDocument.load(file);
  return document.context.enumerateIndirectObjects().flatMap(([, object]) => {
    if (!(object instanceof PDFRawStream) || object.dict.lookup(PDFName.of("Subtype")) !== PDFName.of("Form"))
      return [];
    const content = Buffer.from(decodePDFRawStream(object).decode()).toString("latin1");
    const shown = content.match(/\[[^\]]*\] TJ/g) ?? [];
    return shown.flatMap((operator) => operator.match(/(?<=<)[0-9A-Fa-f]{4}(?=>)/g) ?? []);
  });
}

/** What is drawn by each mark. */
const contentsOf = (document: PDFDocument): string[] =>
  document.context.enumerateIndirectObjects().flatMap(([, object]) => {
    const isForm = object instanceof PDFRawStream && object.dict.get(PDFName.of("Subtype")) === PDFName.of("Form");
    return isForm ? [Buffer.from(decodePDFRawStream(object).decode()).toString("latin1")] : [];
  });
