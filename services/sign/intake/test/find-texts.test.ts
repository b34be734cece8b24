import { afterAll, describe, expect, test } from "@jest/globals";
import { degrees, PDFDocument, StandardFonts } from "pdf-lib";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { WantedText } from "../intake.ts";
import { bombData, onePage, stream } from "./pdfs.ts";
import { startIntake } from "./start-intake.ts";

const intake = startIntake();
afterAll(() => intake.close());

const wanted = (text: string, changes: Partial<WantedText> = {}): WantedText => ({
  text,
  caseSensitive: false,
  wholeWord: false,
  ...changes,
});

async function find(bytes: Uint8Array, ...texts: readonly (WantedText | string)[]) {
  const asked = texts.map((text) => (typeof text === "string" ? wanted(text) : text));
  return intake.findTexts("org", [{ documentId: "7", bytes }], asked);
}

const withContent = (content: string, page = ""): Buffer => onePage({ content, page });

describe("tabs are proposed", () => {
  /** Lines of text, from the top of the page. */
  const lines = async (...texts: readonly (string | readonly string[])[]) => {
    const parts = texts.flatMap((line, index) =>
      [line]
        .flat()
        .map(
          (text, at) =>
            `BT /F 10 Tf ${50 + at * 250} ${700 - index * 40} Td (${text.replaceAll(/[()]/g, "\\$&")}) Tj ET`,
        ),
    );
    return intake.proposeTabs("org", withContent(parts.join(" ")));
  };

  test("at tags, for the signers, with the labels and marks that they say", async () => {
    const tabs = await lines(
      "{{signature:1}} and {{ text? : 2 : order number }}",
      "{{checkbox*:1:agree}} {{unknown:1}} {{dateSigned}} {{text:1",
    );
    expect(tabs).toMatchObject([
      {
        type: "signature",
        signer: 1,
        source: "tag",
        required: true,
        page: 1,
        x: 50,
        y: 68,
        height: 35,
        text: "{{signature:1}}",
      },
      { type: "text", signer: 2, label: "order number", required: false },
      { type: "checkbox", signer: 1, label: "agree", required: true, width: 12, height: 12 },
      { type: "date-signed", signer: 0, label: "" },
    ]);
    expect(tabs).toHaveLength(4);
  });

  test("at blanks, as what the words before or below them say", async () => {
    const tabs = await lines(
      "Name: ______________ Date: ________",
      "Order number ..............",
      ["__________________", "____________________"],
      ["Signature of the buyer", "Geburtsdatum"],
      "Snake_case and __init__ stay",
    );
    expect(tabs.map(({ type, label, source }) => [type, label, source])).toEqual([
      ["full-name", "", "blank"],
      ["date-signed", "", "blank"],
      ["text", "Order number", "blank"],
      ["text", "", "blank"],
      ["text", "", "blank"],
    ]);
    const close =
      "BT /F 10 Tf 50 700 Td (____________________) Tj 0 -12 Td (Signature of the buyer) Tj ET BT /F 10 Tf 300 700 Td (________) Tj 0 -12 Td (Geburtsdatum) Tj ET";
    const [signature, born] = await intake.proposeTabs("org", withContent(close));
    expect(signature).toMatchObject({ type: "signature", x: 50, y: 68 });
    expect(signature?.width).toBeCloseTo(111.2, 0);
    expect(born).toMatchObject({ type: "date", x: 300 });
  });

  test("behind words that ask for something, and at boxes to tick", async () => {
    const tabs = await lines(["Signature:", "Date:"], "Remarks:", "Signature: see above", "[ ] I agree [] I do not");
    expect(tabs.map(({ type, label, source, text }) => [type, label, source, text])).toEqual([
      ["signature", "", "word", "Signature:"],
      ["date-signed", "", "word", "Date:"],
      ["checkbox", "I agree", "blank", "[ ]"],
      ["checkbox", "I do not", "blank", "[]"],
    ]);
    expect(tabs[0]?.x).toBeGreaterThan(90);
  });

  test("without covering the lines above and below, and with what stands around them", async () => {
    const block = ["Landlord: Ada", "Name:", "Signature:", "Please sign before the first of the month"];
    const content = block.map((text, index) => `BT /F 10 Tf 50 ${700 - index * 15} Td (${text}) Tj ET`);
    const [name, signature] = await intake.proposeTabs("org", withContent(content.join(" ")));
    // The page is 800 points high: the word stands at 130, the line below it at 145.
    expect(signature).toMatchObject({ type: "signature", y: 118, height: 15 });
    expect([name?.type, (name?.y ?? 0) + (name?.height ?? 0) <= 118.1]).toEqual(["full-name", true]);
    expect(signature?.around.split("\n")).toEqual(["Signature:", "Name:", block[3], "Landlord: Ada"]);
  });

  test("where the page is seen, at most 1,000, and none in a file without text", async () => {
    const turned = onePage({
      content: "0 1 -1 0 600 0 cm BT /F 10 Tf 50 500 Td ({{signature:1}}) Tj ET",
      page: "/Rotate 90",
    });
    const [tab] = await intake.proposeTabs("org", turned);
    expect(tab).toMatchObject({ type: "signature", x: 50 });
    const many = Array.from({ length: 1_100 }, (_, index) => `BT /F 1 Tf 1 ${index % 790} Td ([ ]) Tj ET`).join(" ");
    expect((await intake.proposeTabs("org", withContent(many))).length).toBeLessThanOrEqual(1_000);
    expect(await intake.proposeTabs("org", onePage({}))).toEqual([]);
    await expectDomainError(intake.proposeTabs("org", Buffer.from("%PDF-1.7")), "CORRUPTED_DOCUMENT");
  });
});

describe("a text is found", () => {
  test("where it stands, from the upper left corner", async () => {
    const [[match, ...others] = []] = await find(withContent("BT /F 20 Tf 100 700 Td (Sign) Tj ET"), "Sign");
    expect(others).toEqual([]);
    expect(match).toMatchObject({ documentId: "7", page: 1, left: 100, baseline: 100 });
    // Helvetica: 667 + 222 + 556 + 556 thousandths.
    expect(match?.right).toBeCloseTo(100 + 20 * 2.001, 1);
  });

  test("within a run, at about the place of its characters", async () => {
    const document = await PDFDocument.create();
    const font = await document.embedFont(StandardFonts.TimesRoman);
    document
      .addPage([600, 800])
      .drawText("Signature of the buyer: **signature_1** (here)", { x: 50, y: 300, size: 12, font });
    const [[match] = []] = await find(await document.save(), "**signature_1**");
    expect(match?.baseline).toBeCloseTo(500, 3);
    const left = 50 + font.widthOfTextAtSize("Signature of the buyer: ", 12);
    expect(Math.abs((match?.left ?? 0) - left)).toBeLessThan(4);
    expect(Math.abs((match?.right ?? 0) - left - font.widthOfTextAtSize("**signature_1**", 12))).toBeLessThan(4);
  });

  test("over several runs of a line, with or without blanks between them", async () => {
    const content = "BT /F 10 Tf 50 700 Td [(**sig) -20 (nat)] TJ (ure) Tj ET BT /F 10 Tf 99.5 700.5 Td (_1**) Tj ET";
    expect((await find(withContent(content), "**signature_1**"))[0]).toHaveLength(1);
    const apart = "BT /F 10 Tf 50 700 Td (Sign) Tj ET BT /F 10 Tf 75 700 Td (here) Tj ET";
    expect((await find(withContent(apart), "sign here", "signhere")).map(({ length }) => length)).toEqual([1, 0]);
  });

  test("not over lines and columns", async () => {
    const content = "BT /F 10 Tf 50 700 Td (Sign) Tj 0 -12 Td (here) Tj 250 0 Td (now) Tj ET";
    expect((await find(withContent(content), "sign here", "here now")).flat()).toEqual([]);
  });

  test.each([
    [90, { x: 540, y: 100 }],
    [180, { x: 540, y: 740 }],
    [270, { x: 60, y: 740 }],
  ])("on a page turned by %d degrees, within what is cropped", async (rotation, { x, y }) => {
    const document = await PDFDocument.create();
    const page = document.addPage([600, 800]);
    page.setCropBox(10, 20, 580, 760);
    page.setRotation(degrees(rotation));
    // So that it reads from left to right as the page is shown.
    page.drawText("Sign", { x, y, size: 20, rotate: degrees(rotation) });
    const [[match] = []] = await find(await document.save(), "Sign");
    const expected = {
      90: { left: 80, baseline: 530 },
      180: { left: 50, baseline: 720 },
      270: { left: 40, baseline: 530 },
    }[rotation as 90];
    expect(match?.left).toBeCloseTo(expected.left, 1);
    expect(match?.baseline).toBeCloseTo(expected.baseline, 1);
    expect((match?.right ?? 0) - (match?.left ?? 0)).toBeCloseTo(40, 0);
  });

  test("every time, in the order of reading, on all pages and documents", async () => {
    const document = await PDFDocument.create();
    for (const y of [100, 700]) {
      const page = document.addPage([600, 800]);
      page.drawText("Sign", { x: 300, y, size: 10 });
      page.drawText("Sign or sign", { x: 50, y, size: 10 });
      page.drawText("Sign", { x: 50, y: 750, size: 10 });
    }
    const bytes = await document.save();
    const files = ["a", "b"].map((documentId) => ({ documentId, bytes }));
    const [matches = []] = await intake.findTexts("org", files, [wanted("sign")]);
    expect(matches.map(({ documentId, page }) => `${documentId}${page}`).join(" ")).toBe(
      "a1 a1 a1 a1 a2 a2 a2 a2 b1 b1 b1 b1 b2 b2 b2 b2",
    );
    expect(matches.slice(0, 2).map(({ baseline }) => Math.round(baseline))).toEqual([50, 700]);
  });

  test("by its case and as a whole word when that is asked for", async () => {
    const content = "BT /F 10 Tf 50 700 Td (Sign sign signed _sign) Tj ET";
    const counts = await find(
      withContent(content),
      wanted("sign"),
      wanted("Sign", { caseSensitive: true }),
      wanted("SIGN", { wholeWord: true }),
      wanted("", {}),
    );
    expect(counts.map(({ length }) => length)).toEqual([4, 1, 2, 0]);
  });

  test("a thousand times at most", async () => {
    const content = `BT /F 1 Tf 10 700 Td ${`(${"x ".repeat(100)}) Tj 0 -2 Td `.repeat(12)} ET`;
    expect((await find(withContent(content), "x"))[0]).toHaveLength(1_000);
  });
});

test("a page that unpacks to gigabytes costs its own process only", async () => {
  const bomb = onePage({ more: [stream("/Filter/FlateDecode", bombData(2_000))] }).toString("latin1");
  const bytes = Buffer.from(bomb.replace("/Contents 4 0 R", "/Contents 6 0 R"), "latin1");
  const other = find(withContent("BT /F 20 Tf 100 700 Td (Sign) Tj ET"), "Sign");
  await expectDomainError(find(bytes, "Sign"), "CORRUPTED_DOCUMENT");
  expect((await other)[0]).toHaveLength(1);
});

describe("what a file says", () => {
  test("is read page by page, as paragraphs in the order of the file", async () => {
    const first = "BT /F 10 Tf 50 700 Td (Terms) Tj 0 -40 Td (You may use) Tj 0 -12 Td (the service.) Tj ET";
    expect(await intake.readTexts("org", withContent(first))).toEqual([["Terms", "You may use the service."]]);
    const document = await PDFDocument.create();
    const font = await document.embedFont(StandardFonts.Helvetica);
    for (const text of ["One", "", "Three"]) document.addPage([600, 800]).drawText(text, { x: 50, y: 700, font });
    expect(await intake.readTexts("org", await document.save())).toEqual([["One"], [], ["Three"]]);
  });

  test("of a page that is turned, too", async () => {
    const turned =
      "BT /F 10 Tf 0 1 -1 0 100 50 Tm (You may use) Tj 0 -12 Td (the service.) Tj 0 -60 Td (Be kind.) Tj ET";
    const pages = await intake.readTexts("org", withContent(turned, "/Rotate 90"));
    expect(pages).toEqual([["You may use the service.", "Be kind."]]);
  });

  test("is refused when it is too much, or has too many pages", async () => {
    const long = `BT /F 10 Tf ${`1 0 0 1 50 700 Tm (${"word ".repeat(18)}) Tj `.repeat(3_500)} ET`;
    await expectDomainError(intake.readTexts("org", withContent(long)), "CORRUPTED_DOCUMENT");
    const document = await PDFDocument.create();
    for (let page = 0; page < 201; page += 1) document.addPage([100, 100]);
    await expectDomainError(intake.readTexts("org", await document.save()), "CORRUPTED_DOCUMENT");
  });
});
