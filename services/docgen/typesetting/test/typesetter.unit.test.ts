import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { defaultPage, type RenderProfile } from "../../domain/page.ts";
import { createTypesetter } from "../typesetter.ts";
import { describeWithPoppler, drawPages, flatTextOf, fontsOf, infoOf, structureOf, textOf } from "./poppler.ts";
import { dataUrl, inputOf, pngOf } from "./support.ts";

const typesetter = createTypesetter();
const pdfOf = (...input: Parameters<typeof inputOf>) => typesetter.typeset(inputOf(...input)).pdf;
const sample = (name: string) => readFileSync(new URL(`samples/${name}.html`, import.meta.url), "utf8");
const assetId = "00000000-0000-4000-8000-000000000001";
const attachment = {
  fileName: "evidence ü.json",
  mediaType: "application/json",
  description: "What was recorded",
  bytes: Buffer.from("{}"),
};

describeWithPoppler("PDFs", () => {
  test("text that looks like a program stays text exactly", () => {
    const hostile = String.raw`#panic() $x^2$ *b* _c_ \ \u{41} @ref <label> // "quotes" 'it' -- --- ... ~ = h - i + j ${"`"}code${"`"} #eval("1") /* x */ {page} [a](b) https://example.com/`;
    const html = `<h1>#h *1*</h1><p>${hostile.replaceAll("<", "&lt;")}</p><table><tbody><tr><td>#[cell] $y$</td></tr></tbody></table><pre>#let a = 1\n= b</pre><p><code>#raw ${"```"}</code></p>`;
    const text = flatTextOf(pdfOf(html, { title: "#t *x*", page: { ...defaultPage, header: "#head $z$" } }));
    for (const part of [hostile, "#h *1*", "#[cell] $y$", "#let a = 1 = b", "#raw ```", "#head $z$"]) {
      expect(text).toContain(part);
    }
    expect(infoOf(pdfOf(html, { title: "#t *x*" })).get("Title")).toBe("#t *x*");
  });

  test.each(["pdf", "pdf/a-2a", "pdf/ua-1", "pdf/a-3a"] satisfies RenderProfile[])(
    "%s has everything that its standard demands, and viewers draw it",
    (profile) => {
      for (const name of ["agreement", "invoice", "consent", "scripts"]) {
        const attachments = profile === "pdf/a-3a" ? [attachment] : [];
        const { pdf, pages } = typesetter.typeset(inputOf(sample(name), { profile, title: "", attachments }));
        const info = infoOf(pdf);
        expect([info.get("Tagged"), info.get("PDF version"), info.get("Pages")]).toEqual(["yes", "1.7", String(pages)]);
        expect(info.get("Title")).not.toBe("");
        expect(fontsOf(pdf).filter((font) => !font.startsWith("Noto"))).toEqual([]);
        drawPages(pdf);
      }
    },
  );

  test("each standard is named in the file", () => {
    const metadata = (profile: RenderProfile) => Buffer.from(pdfOf("<p>a</p>", { profile })).toString("latin1");
    expect(metadata("pdf/a-2a")).toMatch(/pdfaid:part>2<.*pdfaid:conformance>A</s);
    expect(metadata("pdf/a-3a")).toMatch(/pdfaid:part>3<.*pdfaid:conformance>A</s);
    expect(metadata("pdf/ua-1")).toMatch(/pdfuaid:part>1</);
  });

  test("the tags say what is a heading, a list and a table", () => {
    const html =
      "<h2>One</h2><p>Two</p><ul><li>Three</li></ul><table><thead><tr><th>Four</th></tr></thead><tbody><tr><td>Five</td></tr></tbody></table>";
    const structure = structureOf(pdfOf(html, { profile: "pdf/ua-1" }));
    expect(structure).toMatch(
      /H1[\s\S]*"One"[\s\S]*P[\s\S]*"Two"[\s\S]*LBody[\s\S]*"Three"[\s\S]*TH[\s\S]*"Four"[\s\S]*TD[\s\S]*"Five"/,
    );
  });

  test("the header of a table is on each page, and so are the page numbers", () => {
    const rows = Array.from({ length: 90 }, (_, row) => `<tr><td>row ${row}</td></tr>`).join("");
    const html = `<table><thead><tr><th>Heading</th></tr></thead><tbody>${rows}</tbody></table>`;
    const page = { ...defaultPage, footer: "{page} of {pages}" };
    const { pdf, pages } = typesetter.typeset(inputOf(html, { page }));
    expect(pages).toBeGreaterThan(1);
    const sheets = textOf(pdf).split("\f").slice(0, pages);
    sheets.forEach((text, index) => {
      expect(text).toContain("Heading");
      expect(text).toContain(`${index + 1} of ${pages}`);
    });
  });

  test("what is to be kept on one page is shown completely when no page has room for it", () => {
    const lines = Array.from({ length: 200 }, (_, line) => `<p>line ${line}.</p>`).join("");
    expect(flatTextOf(pdfOf(`<div class="no-break">${lines}</div>`))).toContain("line 199.");
  });

  test("a character that no font has is a warning, and its code stands in the text", () => {
    const { pdf, warnings } = typesetter.typeset(inputOf("<p>Name: 😀</p>", { profile: "pdf/a-2a" }));
    expect(flatTextOf(pdf)).toContain("Name: [U+1F600]");
    expect(warnings).toMatchObject([{ code: "missing_glyph", char: "U+1F600" }]);
  });

  test("names are written in the scripts of those who have them, in every profile and always alike", () => {
    const names = ["王小明", "山田太郎", "さくら", "홍길동", "משה כהן", "محمد پرویز", "สมชาย กำลัง", "राजेश"];
    const html = `<h1>契約</h1>${names.map((name) => `<p>${name}</p>`).join("")}`;
    const { pdf, warnings } = typesetter.typeset(inputOf(html, { profile: "pdf/a-2a" }));
    expect(warnings).toEqual([]);
    const text = withoutDirections(flatTextOf(pdf));
    for (const word of ["契約", ...names.flatMap((name) => name.split(" "))]) expect(text).toContain(word);
    expect(fontsOf(pdf)).toEqual(expect.arrayContaining(["NotoSansEastAsian-Regular", "NotoSansEastAsian-Bold"]));
    // What was set before makes no difference.
    typesetter.typeset(inputOf("<p>別の文書</p>"));
    expect(typesetter.typeset(inputOf(html, { profile: "pdf/a-2a" })).pdf).toEqual(pdf);
  });

  test("boxes to tick can be found and copied", () => {
    expect(flatTextOf(pdfOf("<p>☐ no</p><p>☑ yes</p>", { profile: "pdf/ua-1" }))).toMatch(/\[ ?\] no \[x\] yes/);
  });

  test("images come from assets and data URLs", () => {
    const html = `<p><img src="asset:${assetId}" alt="A logo"></p><p>in <img src="${dataUrl(pngOf(9, 9))}" alt=""> line</p>`;
    const images = new Map([[assetId, { contentType: "image/png", bytes: pngOf(300, 9000) }] as const]);
    const { pdf, pages } = typesetter.typeset(inputOf(html, { profile: "pdf/ua-1", images }));
    expect(pages).toBeLessThanOrEqual(2);
    drawPages(pdf);
  });

  test("the time of creation is the one that is given", () => {
    expect(infoOf(pdfOf("<p>a</p>"), "-isodates").get("CreationDate")).toBe("2026-11-21T04:00:00Z");
  });
});

describe("refusals", () => {
  const refusal = (code: string, details: object) =>
    expect.objectContaining({ code, details: expect.objectContaining(details) });

  test("HTML that is not allowed is refused with its place", () => {
    expect(() => pdfOf("<p>a</p>\n<script>x</script>")).toThrow(
      refusal("GEN_TEMPLATE_ERROR", { reason: "html_not_allowed", line: "2", column: "1" }),
    );
  });

  test("an unknown asset is refused", () => {
    expect(() => pdfOf(`<img src="asset:${assetId}" alt="">`)).toThrow(refusal("GEN_ASSET_NOT_FOUND", { assetId }));
  });

  test.each([
    ["no image at all", Buffer.from("hello")],
    ["a header and nothing else", pngOf(9, 9).subarray(0, 40)],
    ["a body that is cut off", pngOf(90, 90).subarray(0, 60)],
  ])("%s is a broken image", (_, bytes) => {
    const images = new Map([[assetId, { contentType: "image/png", bytes }] as const]);
    const html = `<img src="${dataUrl(pngOf(9, 9))}" alt=""><img src="asset:${assetId}" alt="">`;
    expect(() => pdfOf(html, { images })).toThrow(
      refusal("GEN_TEMPLATE_ERROR", { reason: "broken_image", image: `asset:${assetId}` }),
    );
  });

  test("an image of too many pixels is refused before anything decodes it", () => {
    const images = new Map([[assetId, { contentType: "image/png", bytes: pngOf(4001, 4000) }] as const]);
    expect(() => pdfOf(`<img src="asset:${assetId}" alt="">`, { images })).toThrow(
      refusal("GEN_TEMPLATE_ERROR", { reason: "image_too_large" }),
    );
  });

  test("more than 200 pages are refused", () => {
    const html = '<p class="page-break">a</p>'.repeat(201);
    expect(() => pdfOf(html)).toThrow(refusal("GEN_RENDER_FAILED", { reason: "too_many_pages" }));
    expect(typesetter.typeset(inputOf(html.slice(27))).pages).toBe(200);
  });

  test("attachments in another profile than PDF/A-3 are a defect of the caller", () => {
    expect(() => pdfOf("<p>a</p>", { attachments: [attachment] })).toThrow(TypeError);
  });
});

describe("reproducible", () => {
  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

  test("the same input gives the same bytes, whatever was made before it", () => {
    const first = pdfOf(sample("consent"), { profile: "pdf/a-2a" });
    pdfOf(sample("invoice"));
    expect(digest(pdfOf(sample("consent"), { profile: "pdf/a-2a" }))).toBe(digest(first));
    expect(digest(createTypesetter().typeset(inputOf(sample("consent"), { profile: "pdf/a-2a" })).pdf)).toBe(
      digest(first),
    );
  });

  test("another process gives the same bytes", () => {
    const program = fileURLToPath(new URL("typeset-program.ts", import.meta.url));
    const printed = execFileSync(process.execPath, [program, "agreement", "invoice"], {
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "", TZ: "Asia/Tokyo", LANG: "tr_TR.UTF-8" },
    });
    expect(printed.trim().split("\n")).toEqual(["agreement", "invoice"].map((name) => digest(pdfOf(sample(name)))));
  });
});

/** The tool marks the direction of what runs to the left. */
function withoutDirections(text: string): string {
  return text.replaceAll(/[\u200e\u200f\u202a-\u202e]/g, "");
}
