import { describe, expect, test } from "@jest/globals";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { convertText } from "../prepare/convert-text.ts";
import { printRules } from "../templating/print-style.ts";

const html = (content: string): string => {
  const converted = convertText({ format: "HTML", content, values: null });
  if (converted.kind !== "html") throw new Error(JSON.stringify(converted));
  return converted.html;
};

describe("a text for readers", () => {
  test("has on paper what it shows on a screen", () => {
    expect(html('<article id="a" class="x"><p lang="de">Eins <mark>zwei</mark></p></article>')).toBe(
      "<div><p>Eins <span>zwei</span></p></div>",
    );
    expect(html("<p><del>old</del> <ins>new</ins> <q>said</q> <kbd>F1</kbd> <cite>Book</cite></p>")).toBe(
      "<p><s>old</s> <u>new</u> <span>“said”</span> <code>F1</code> <em>Book</em></p>",
    );
    expect(html("<dl><dt>Term</dt><dd>Meaning</dd></dl>")).toBe("<div><div>Term</div><div>Meaning</div></div>");
  });

  test("keeps the links that lead somewhere", () => {
    expect(
      html('<p><a href="https://a.example" target="_blank">a</a> <a href="#b">b</a> <a href="tel:1">c</a></p>'),
    ).toBe('<p><a href="https://a.example">a</a> <span>b</span> <span>c</span></p>');
  });

  test("has a caption before its table, and of a table what paper can show", () => {
    const table = `<table><caption>Prices</caption><colgroup><col span="2"></colgroup><thead><tr><th scope="col">A</th>
      <th scope="colgroup">B</th></tr></thead><tbody><tr><td rowspan="0" align="justify">1</td><td colspan="2">2</td></tr>
      </tbody><tfoot><tr><td>3</td></tr></tfoot></table>`;
    const printed = html(table);
    expect(printed.startsWith("<div>Prices</div><table>")).toBe(true);
    expect(printed).toContain('<th scope="col">A</th>');
    expect(printed).not.toMatch(/colgroup|tfoot|rowspan|justify|caption/);
  });

  test("is within the rules of documents", () => {
    const content = `<main><header><h1 title="t">T</h1></header><section><address>A<br>B</address><figure><figcaption>F
      </figcaption></figure><ol start="3" type="a" reversed><li value="7">L</li></ol><pre>\n code</pre><hr>
      <blockquote cite="https://a.example"><p>Q <abbr title="x">Y</abbr> <small>s</small><wbr>t <time>now</time></p>
      </blockquote></section><aside dir="rtl"><p>R</p></aside></main>`;
    expect(parseRestrictedHtml(html(content), printRules).findings).toEqual([]);
  });

  test("is refused when it must not be shown", () => {
    expect(convertText({ format: "HTML", content: "<script>1</script>", values: null }).kind).toBe("unsafe");
    const misplaced = convertText({ format: "HTML", content: '<p title="{{a}}">x</p>', values: [["a", "b"]] });
    expect(misplaced.kind).toBe("unsafe");
    const long = { format: "TEXT", content: "{{a}}".repeat(300), values: [["a", "x".repeat(10_000)]] } as const;
    expect(convertText(long).kind).toBe("too_long");
  });
});
