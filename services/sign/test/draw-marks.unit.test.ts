import { describe, expect, test } from "@jest/globals";
import { degrees, PDFDocument, PDFName } from "pdf-lib";
import { drawMarks } from "../completion/draw-marks.ts";
import type { Mark } from "../completion/mark.ts";
import { createFontLibrary } from "../completion/mark-fonts.ts";
import { setText } from "../completion/text-lines.ts";
import { openToolbox } from "./completion-setup.ts";

const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: false },
  color: [0, 0, 0] as const,
};
const box = { x: 20, y: 20, width: 150, height: 30 };
const signature = { ...box, kind: "signature" as const, font: "great-vibes", caption: "signed by Ann" };

describe("marks", () => {
  test("stand where the page as it is shown has them, however it is turned and cut", async () => {
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
    await drawMarks(document, marks, createFontLibrary());
    const tools = await openToolbox("");
    try {
      for (const { text, x, y } of await tools.wordsOf(await document.save())) {
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

describe("setText", () => {
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
