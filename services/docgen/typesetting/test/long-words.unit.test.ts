import { expect, test } from "@jest/globals";
import { defaultPage } from "../../domain/page.ts";
import { createTypesetter } from "../typesetter.ts";
import { describeWithPoppler, textOf } from "./poppler.ts";
import { inputOf } from "./support.ts";

const typesetter = createTypesetter();
const hash = "0123456789abcdef".repeat(4);
const long = `${"X".repeat(300)}TAIL`;

/** pdftotext leaves out what is beyond the page, and shows what is printed over something else out of its order. */
const lettersOf = (...input: Parameters<typeof inputOf>): string =>
  textOf(typesetter.typeset(inputOf(...input)).pdf).replaceAll(/[\n\f]/g, "");

describeWithPoppler("words that are wider than their room", () => {
  test.each([
    ["a paragraph", `<p>See ${long} there</p>`, long],
    ["a heading", `<h1>${long}</h1>`, long],
    ["a list", `<ul><li><ol><li>${long}</li></ol></li></ul>`, long],
    ["preformatted text", `<pre>a\n${long}\nb</pre>`, long],
    ["a quotation in a frame", `<div class="box"><blockquote>${long}</blockquote></div>`, long],
    ["columns", `<div class="columns"><p>${long}</p><p>${hash}</p></div>`, long],
    ["a link", `<p><a href="https://example.com/">https://example.com/${long}</a> and</p>`, long],
    ["elements", `<p><b>${"X".repeat(150)}</b><i>${"Y".repeat(150)}</i>TAIL</p>`, `${"Y".repeat(150)}TAIL`],
    ["one justified word", `<p class="justify">${"x".repeat(300)}TAIL</p>`, "xxxTAIL"],
    ["words held together", `<p>${"a\u00a0".repeat(200)}TAIL</p>`, "a TAIL"],
  ])("are divided in %s, and copies have nothing in between", (_, html, expected) => {
    expect(lettersOf(html, { profile: "pdf/ua-1" }).replaceAll("\u00a0", " ")).toContain(expected);
  });

  test("stay in their cells", () => {
    const cells = [hash, `<code>${hash}</code>`, `<strong>x:</strong>${hash}`, `<ul><li>${hash}</li></ul>`];
    const nested = `<table><tbody><tr><td>${hash}</td><td>${hash}</td></tr></tbody></table>`;
    const html = `<table><tbody><tr>${[...cells, nested].map((cell) => `<td>${cell}</td>`).join("")}</tr></tbody></table>`;
    expect(lettersOf(html).split(hash)).toHaveLength(7);
  });

  test("are divided in headers and footers", () => {
    const page = { ...defaultPage, header: `${"W".repeat(190)}HEAD`, footer: `${"Q".repeat(150)}FOOT {page}` };
    const text = lettersOf("<p>a</p>", { page });
    expect(text).toContain("WWWHEAD");
    expect(text).toContain("QQQFOOT 1");
  });

  test("are hyphenated as ever when that is enough", () => {
    const html =
      "<table><tbody><tr><td>Donaudampfschifffahrtsgesellschaft</td><td>a</td><td>b</td></tr></tbody></table>";
    const narrow = html.replace("<td>", '<td style="width: 35mm">');
    expect(textOf(typesetter.typeset(inputOf(narrow, { locale: "de" })).pdf)).toMatch(/[-\u00ad]\n/);
  });

  test("without end, and letters with marks without end, are set all the same", () => {
    expect(lettersOf(`<p>${"x".repeat(200_000)}TAIL</p>`)).toContain("xTAIL");
    const { warnings } = typesetter.typeset(inputOf(`<p>a${"\u0301".repeat(200_000)}</p>`));
    expect(warnings).toMatchObject([{ code: "too_many_marks" }]);
  });
});
