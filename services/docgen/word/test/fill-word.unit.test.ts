import { describe, expect, test } from "@jest/globals";
import { unzipSync } from "fflate";
import { onePixel } from "#api/kinds.ts";
import { defaultPage } from "../../domain/page.ts";
import { createRender } from "../../renderer/render.ts";
import { RenderError } from "../../renderer/render-job.ts";
import { checkTemplate } from "../../templating/check-job.ts";
import { pngOf } from "../../test/images.ts";
import { fillWord } from "../fill-word.ts";
import { readWord } from "../read-word.ts";
import { linesOf, p, partOf, picture, table, type WordFileParts, wordFile } from "./word-files.ts";

const check = (parts: WordFileParts) => checkTemplate({ format: "docx", content: "", file: wordFile(parts) });
const fill = (parts: WordFileParts, data: Readonly<Record<string, unknown>>): Uint8Array =>
  fillWord(wordFile(parts), { data, locale: "de", timeZone: "UTC", now: new Date(0) });
const lines = (body: string, data: Readonly<Record<string, unknown>> = {}): string[] => linesOf(fill({ body }, data));
const problems = (body: string): unknown[] =>
  check({ body }).findings.map(({ code, line, column }) => [code, line, column]);
const facts = {
  ...{ title: "A", page: defaultPage, locale: "en", profile: "pdf" as const, createdAt: new Date(0) },
  ...{ images: new Map(), attachments: [] },
} as const;
const items = [
  { name: "Desk", price: 1.5 },
  { name: "Lamp", price: 2 },
];

describe("filling a Word file", () => {
  test("puts values in place of outputs, however they are split into runs and quoted", () => {
    const body = p("Dear {", "{ customer", ".name }", "}, hello") + p("{{ price | money: ‘EUR’ }}", " net");
    expect(lines(body, { customer: { name: "Ada" }, price: 2 })).toEqual(["Dear Ada, hello", "2,00\u00a0€ net"]);
  });

  test("takes values as text and keeps their lines", () => {
    const name = "</w:t><w:t>&amp; {{ 1 }}\nsecond\tend\u0001";
    const filled = partOf(fill({ body: p("{{ name }}") }, { name }));
    expect(filled).toContain("&lt;/w:t&gt;&lt;w:t&gt;&amp;amp; {{ 1 }}</w:t><w:br/>");
    expect(filled).toContain("</w:t><w:tab/>");
    expect(filled).toContain("end\ufffd");
  });

  test("repeats rows by tags in their first and last cells, or in rows of their own", () => {
    const inCells = table(
      [p("Item"), p("Price")],
      [p("{% for item in items %}{{ item.name }}"), p("{{ item.price }}{% endfor %}")],
    );
    const inRows = table(
      [p("{% for item in items %}"), p("")],
      [p("{{ item.name }}"), p("x")],
      [p("{% endfor %}"), p("")],
    );
    expect(lines(inCells, { items })).toEqual(["Item | Price", "Desk | 1.5", "Lamp | 2"]);
    expect(lines(inRows, { items })).toEqual(["Desk | x", "Lamp | x"]);
    expect(lines(p("a") + inRows + p("b"), { items: [] })).toEqual(["a", "b"]);
  });

  test("repeats and leaves out paragraphs, and text within one", () => {
    const body = [
      ...[p("{% for item in items %}"), p("* {{ item.name }}"), p("{% endfor %}")],
      ...[p("{% if vip %}"), p("Thank you"), p("{% else %}"), p("Welcome"), p("{% endif %}")],
      p("A{% if vip %}, B", ", C{% endif %} {% for item in items %}{{ item.name }};{% endfor %}"),
      p("1 &lt; 2 {% if count &gt; 1 %}many{% endif %}"),
    ].join("");
    const expected = ["* Desk", "* Lamp", "Thank you", "A, B, C Desk;Lamp;", "1 &lt; 2 many"];
    expect(lines(body, { items, vip: true, count: 2 })).toEqual(expected);
    expect(lines(body, { items: [], vip: false, count: 1 })).toEqual(["Welcome", "A ", "1 &lt; 2 "]);
  });

  test("fills headers too, and leaves no cell without a paragraph", () => {
    const body = table([p("{% if a %}") + p("x") + p("{% endif %}")]);
    const filled = fill({ body, header: p("No. {{ num", "ber }}") }, { number: 17, a: false });
    expect(linesOf(filled, "word/header1.xml")).toEqual(["No. 17"]);
    expect(partOf(filled)).toContain("<w:tc><w:tcPr/><w:p/></w:tc>");
  });

  test("shows a picture in the place and the proportions that it has, or none", () => {
    const body = p(picture("{{ photo }}"));
    const filled = fill({ body }, { photo: `data:image/png;base64,${onePixel}` });
    const [, id] = /<a:blip r:embed="([^"]*)"/.exec(partOf(filled)) ?? [];
    expect(partOf(filled, "word/_rels/document.xml.rels")).toContain(`Id="${id}"`);
    expect(partOf(filled)).toContain('<wp:extent cx="457200" cy="457200"/>');
    expect(partOf(filled, "[Content_Types].xml")).toContain('Extension="png"');
    expect(partOf(fill({ body }, { photo: "" }))).not.toContain("w:drawing");
    const error = (photo: string) => {
      try {
        return fill({ body }, { photo });
      } catch (thrown) {
        return thrown instanceof RenderError && [thrown.code, thrown.details.path];
      }
    };
    expect(error("https://example.com/a.png")).toEqual(["GEN_INVALID_DATA", "/photo"]);
    expect(error("data:image/png;base64,AAAA")).toEqual(["GEN_INVALID_DATA", "/photo"]);
  });

  test("shows what templates of HTML show, and refuses other pictures with the same errors", () => {
    const render = createRender();
    const file = wordFile({ body: p(picture("{{ photo }}")) });
    const shown = (png: Buffer) => {
      const data = { photo: `data:image/png;base64,${png.toString("base64")}` };
      try {
        const content = { kind: "word", file, data, timeZone: "UTC" } as const;
        const { pdf } = render({ ...facts, content });
        return unzipSync(pdf)["word/document.xml"] !== undefined;
      } catch (thrown) {
        return thrown instanceof RenderError && [thrown.code, thrown.details.reason];
      }
    };
    const whole = Buffer.from(onePixel, "base64");
    expect(shown(whole)).toBe(true);
    expect(shown(whole.subarray(0, -20))).toEqual(["GEN_TEMPLATE_ERROR", "broken_image"]);
    expect(shown(Buffer.from("none"))).toEqual(["GEN_TEMPLATE_ERROR", "broken_image"]);
    expect(shown(pngOf(60_000, 60_000))).toEqual(["GEN_TEMPLATE_ERROR", "image_too_large"]);
    expect(shown(pngOf(100, 100, 50))).toEqual(["GEN_TEMPLATE_ERROR", "broken_image"]);
  });

  test("gives the same bytes for the same data", () => {
    const parts = { body: p("{{ name }}") + p(picture("{{ photo }}")) };
    const data = { name: "Ada", photo: `data:image/png;base64,${onePixel}` };
    expect(Buffer.from(fill(parts, data)).equals(fill(parts, data))).toBe(true);
  });

  test("is well formed for whatever data a checked template takes", () => {
    const body = p("{% for a in as %}{% if a.x %}{% continue %}", "{% endif %}{{ a.y }}{% endfor %}");
    expect(problems(body)).toEqual([]);
    const filled = partOf(
      fill(
        { body },
        {
          as: [
            { x: true, y: 1 },
            { x: false, y: 2 },
          ],
        },
      ),
    );
    expect((filled.match(/<w:t[ >]/g) ?? []).length).toBe((filled.match(/<\/w:t>/g) ?? []).length);
  });
});

describe("what a Word file keeps", () => {
  test("a table in a cell whose own paragraphs have tags alone", () => {
    const around = table([p("{% if a %}") + table([p("inner {{ b }}")]) + p("{% endif %}")]);
    expect(check({ body: around }).findings).toEqual([]);
    expect(partOf(fill({ body: around }, { a: true, b: 1 }))).toContain("inner 1");
    expect(partOf(fill({ body: around }, { a: false, b: 1 }))).not.toContain("inner");
    const looped = table([
      p("{% if a %}") + table([p("{% for i in b %}")], [p("{{ i }}")], [p("{% endfor %}")]) + p("{% endif %}"),
    ]);
    expect(partOf(fill({ body: looped }, { a: true, b: ["x1", "x2"] }))).toMatch(/x1.*x2/s);
  });

  test.each([
    ["a symbol", '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'],
    ["a hyphen", "<w:r><w:noBreakHyphen/></w:r>"],
    ["a field", '<w:fldSimple w:instr=" PAGE "><w:r><w:rPr/></w:r></w:fldSimple>'],
    ["a formula", "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>"],
  ])("%s under a condition", (_name, shown) => {
    const body = p("{% if a %}", shown, "{% endif %}");
    expect(partOf(fill({ body }, { a: true }))).toContain(shown);
    expect(partOf(fill({ body }, { a: false }))).not.toContain(shown);
  });

  test("not the paragraph of a tag with properties, bookmarks and marks of the spelling", () => {
    const more =
      '<w:pPr><w:rPr><w:b/></w:rPr></w:pPr><w:bookmarkStart w:id="0" w:name="a"/><w:proofErr w:type="spellStart"/>';
    const body = p(more, "{% if a %}") + p("x") + p("{% endif %}");
    expect(lines(body, { a: true })).toEqual(["x"]);
  });

  test("no table without rows, whatever its attributes", () => {
    const rows = table([p("{% for i in a %}")], [p("{{ i }}")], [p("{% endfor %}")]);
    for (const body of [
      rows,
      rows.replace("<w:tbl>", '<w:tbl w:a="1">'),
      rows.replace(/<w:tblGrid>.*<\/w:tblGrid>/, "<w:tblGrid/>"),
    ]) {
      const filled = partOf(fill({ body: p("a") + body + p("b") }, { a: [] }));
      expect(filled).not.toContain("<w:tbl");
      expect(linesOf(fill({ body: p("a") + body + p("b") }, { a: [] }))).toEqual(["a", "b"]);
    }
  });
});

describe("checking a Word file", () => {
  test("infers the schema of the data from all parts", () => {
    const { schema, findings } = check({ body: p("{{ price | number }}"), header: p("{{ name }}") });
    expect(findings).toEqual([]);
    expect(schema).toMatchObject({ properties: { price: { type: "number" }, name: {} }, required: ["price", "name"] });
  });

  test("finds the paragraph and the character of what is wrong", () => {
    expect(problems(p("x") + p("Hi {{ name | nofilter }}"))).toEqual([["unknown_filter", 2, 14]]);
    expect(problems(p("x") + p("ab {{ name"))).toEqual([["syntax_error", 2, 4]]);
    expect(problems(p("x") + p(picture("{{ logo }")))).toEqual([["syntax_error", 2, 1]]);
    expect(problems(p("x") + p("{% if a %}"))).toEqual([["unclosed_tag", 2, 1]]);
    expect(problems(p("a {{ b.c }}") + p("{{ b }}"))).toEqual([["conflicting_use", 2, 4]]);
  });

  test("refuses tags that do not hold whole parts of the page", () => {
    const torn = [
      p("{% for a in as %}x") + table([p("{% endfor %}y")]),
      table([p("{% if a %}x"), p("b{% else %}c"), p("d{% endif %}")]),
      table([p("{% if a %}x"), p("b")], [p("c{% endif %}"), p("d")]),
      p("{% for a in as %}") + p("x{% if a %}{% break %}{% endif %}") + p("{% endfor %}"),
    ];
    for (const body of torn)
      expect(problems(body).map((problem) => (problem as unknown[])[0])).toContain("misplaced_tag");
  });

  test("refuses by name what names its elements or its main part in another way", () => {
    const messages = (parts: WordFileParts) => check(parts).findings.map(({ message }) => message);
    const main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    const other = `<ns0:document xmlns:ns0="${main}"><ns0:body><ns0:p><ns0:r><ns0:t>{{ a }}</ns0:t></ns0:r></ns0:p></ns0:body></ns0:document>`;
    expect(messages({ body: "", document: other })).toEqual([expect.stringContaining("another prefix than w")]);
    expect(messages({ body: `<w:p xmlns='${main}'/>` })).toEqual([expect.stringContaining("another prefix than w")]);
    const relations = (target: string) =>
      `<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${target}"/></Relationships>`;
    const to = (target: string) => messages({ body: p("{{ a }}"), more: { "_rels/.rels": relations(target) } });
    expect([to("/word/document.xml"), to("word/document.xml")]).toEqual([[], []]);
    expect(to("word/document2.xml")).toEqual([expect.stringContaining("not in word/document.xml")]);
  });

  test("refuses what is no Word file, is damaged, or is made to do harm", () => {
    const file = (bytes: Uint8Array) =>
      checkTemplate({ format: "docx", content: "", file: bytes }).findings.map(({ code, line }) => [code, line]);
    const invalid = [["invalid_file", 0]];
    expect(file(new Uint8Array(50))).toEqual(invalid);
    expect(file(wordFile({ body: "" }).subarray(0, 200))).toEqual(invalid);
    expect(file(wordFile({ body: "<w:p>" }))).toEqual(invalid);
    expect(file(wordFile({ body: "", document: '<!DOCTYPE a [<!ENTITY b "c">]><w:document/>' }))).toEqual(invalid);
    expect(file(wordFile({ body: "", more: { "word/bomb.xml": "<a/>".repeat(3_000_000) } }))).toEqual(invalid);
    expect(file(wordFile({ body: p("<w:r>".repeat(500) + "</w:r>".repeat(500)) }))).toEqual(invalid);
  });

  test("takes time linear in the file", () => {
    const invalid = [expect.objectContaining({ code: "invalid_file" })];
    expect(check({ body: `<w:p ${"x".repeat(15_000_000)}/>` }).findings).toEqual(invalid);
    expect(check({ body: `<w:p ${'x="" '.repeat(3_000_000)}/>` }).findings).toEqual(invalid);
    for (const opening of ["<!--", "<![CDATA[", "<?x"])
      expect(check({ body: opening.repeat(950_000) }).findings).toEqual(invalid);
    const body = p("{{ a }}".repeat(2_000)) + p("{{ ").repeat(20_000) + p("text").repeat(50_000);
    const start = performance.now();
    expect(readWord(wordFile({ body: p("{% if a %}".repeat(100_000)) })).source).toContain("{% if a %}{% if a %}");
    expect(check({ body }).findings.length).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
