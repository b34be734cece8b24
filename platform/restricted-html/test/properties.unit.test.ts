import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "#platform/test/code-points.ts";
import { parseRestrictedHtml } from "../parse.ts";
import { contentToHtml, UnsafeContentError } from "../read-content.ts";
import { escapeHtml, renderSafeHtml } from "../serialize.ts";
import type { HtmlNode } from "../tree.ts";
import { dangersOf } from "./shown-page.ts";

const elementName = fc.constantFrom(
  ..."p b i a em div span ul ol li table tbody tr td th h1 h2 pre br hr section dl dt dd blockquote ruby rt col".split(
    " ",
  ),
  ..."script style svg math mglyph template noscript form input textarea select title nobr plaintext x".split(" "),
);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: anyCharacter, maxLength: 4 }),
  fc.constantFrom(
    " ",
    "\n",
    "\r\n",
    "&amp;",
    "&lt",
    "&#60;",
    "&#x202e;",
    "--",
    "]]>",
    "{{a}}",
    "'",
    '"',
    "<",
    "</",
    ">",
    "\u00a0",
  ),
);
const attribute = fc
  .tuple(
    fc.constantFrom(" title", " id", " class", " lang", " href", " onclick", " style", "/dir", " colspan", " x"),
    fc.oneof(
      fc.constantFrom("", "=a", "='#a'", '="https://a.b"', "=javascript:a", "='", '="', "=rtl", '="<b>"', "=2"),
      text.map((value) => `="${value}"`),
    ),
  )
  .map(([name, value]) => name + value);
const startTag = fc
  .tuple(elementName, fc.array(attribute, { maxLength: 2 }), fc.constantFrom(">", ">", ">", "/>", "", " >"))
  .map(([name, attributes, end]) => `<${name}${attributes.join("")}${end}`);
const endTag = elementName.map((name) => `</${name}>`);
const oddity = fc.constantFrom("<!--a-->", "<!--", "<![CDATA[", "<?a>", "<!doctype html>", "</>", "<a", "</a b>");
const soup = fc
  .array(
    fc.oneof(
      { arbitrary: text, weight: 4 },
      { arbitrary: startTag, weight: 4 },
      { arbitrary: endTag, weight: 3 },
      { arbitrary: oddity, weight: 1 },
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

const tidyText = fc.oneof(fc.constantFrom("a", " ", "\n", "&amp;"), fc.string({ maxLength: 5 }).map(escapeHtml));

/** HTML that is often what it should be. */
const tidy = fc.letrec<{ nodes: string; node: string }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 3 }).map((nodes) => nodes.join("")),
  node: fc.oneof(
    { depthSize: "small" },
    tidyText,
    fc
      .tuple(fc.constantFrom(..."b i em span div ul ol li pre dd section blockquote p h1 a".split(" ")), tie("nodes"))
      .map(([name, inside]) => `<${name}>${inside}</${name}>`),
    fc.tuple(fc.constantFrom("li", "p"), tie("nodes")).map(([name, inside]) => `<${name}>${inside}`),
    fc.array(tie("nodes"), { maxLength: 3 }).map((cells) => `<table><tr><td>${cells.join("<td>")}</table>`),
    fc.tuple(tidyText, tie("nodes")).map(([title, inside]) => `<div title="${title}">${inside}</div>`),
  ),
})).nodes;

const withoutPlaces = (nodes: readonly HtmlNode[]): unknown[] =>
  nodes.map((node) =>
    node.kind === "text"
      ? node.text
      : { name: node.name, attributes: node.attributes, children: withoutPlaces(node.children) },
  );

describe("parseRestrictedHtml", () => {
  test("what it takes does nothing but to be read, wherever it is shown", () => {
    fc.assert(
      fc.property(fc.oneof(soup, tidy), (source) => {
        if (parseRestrictedHtml(source).tree !== undefined) expect(dangersOf(source)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  test("takes a fair part of what is written tidily, so that the other properties say something", () => {
    const taken = fc.sample(tidy, { numRuns: 500, seed: 1 }).filter((source) => parseRestrictedHtml(source).tree);
    expect(taken.filter((source) => source.includes("<")).length).toBeGreaterThan(100);
  });

  test("tells the place of every finding", () => {
    fc.assert(
      fc.property(soup, (source) => {
        const lines = source.split(/\r\n|\r|\n/);
        for (const { offset, length, line, column, snippet } of parseRestrictedHtml(source).findings) {
          expect(offset + length).toBeLessThanOrEqual(source.length);
          expect(column - 1).toBeLessThanOrEqual((lines[line - 1]?.length ?? -1) + 1);
          if (/^[ -~]*$/.test(source.slice(offset, offset + length))) {
            expect(source.slice(offset, offset + length).slice(0, 80)).toBe(snippet);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("renderSafeHtml", () => {
  test("writes what is read as the same tree again", () => {
    fc.assert(
      fc.property(fc.oneof(soup, tidy), (source) => {
        const { tree } = parseRestrictedHtml(source);
        if (tree === undefined) return;
        const written = renderSafeHtml(tree);
        const again = parseRestrictedHtml(written);
        expect(again.findings).toEqual([]);
        expect(withoutPlaces(again.tree ?? [])).toEqual(withoutPlaces(tree));
        expect(renderSafeHtml(again.tree ?? [])).toBe(written);
        expect(dangersOf(written)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  test("writes any safe text so that it is that text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.string(), (text, title) => {
        const none = { offset: 0, length: 0 };
        const children = [{ kind: "text", text, source: none }] as const;
        const tree = [
          { kind: "element", name: "p", attributes: [{ name: "title", value: title }], children, source: none },
        ] as const;
        const again = parseRestrictedHtml(renderSafeHtml(tree));
        expect(withoutPlaces(again.tree ?? [])).toEqual(withoutPlaces(tree));
      }),
    );
  });
});

describe("contentToHtml", () => {
  test("shows HTML as its own bytes or not at all", () => {
    fc.assert(
      fc.property(soup, (source) => {
        expect([source, undefined]).toContain(shown("HTML", source));
      }),
    );
  });

  test("shows any Markdown and any plain text safely or not at all", () => {
    fc.assert(
      fc.property(fc.constantFrom("MARKDOWN", "TEXT"), fc.oneof(soup, markdown), (format, source) => {
        const html = shown(format, source);
        if (html !== undefined) expect(dangersOf(html)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("plain text shows every character that is not blank, in its order", () => {
    fc.assert(
      fc.property(soup, (source) => {
        const html = shown("TEXT", source);
        if (html === undefined) return;
        // A no-break space is blank too; where one stands alone in a line it is left out.
        const visible = (escaped: string) => escaped.replaceAll(/<\/?p>|<br>|\s|&#13;|&nbsp;/g, "");
        expect(visible(html)).toBe(visible(escapeHtml(source)));
      }),
    );
  });
});

const markdown = fc
  .array(
    fc.oneof(
      text,
      fc.constantFrom(
        "*",
        "_",
        "**",
        "`",
        "```\n",
        "# ",
        "> ",
        "- ",
        "1. ",
        "\n\n",
        "    ",
        "|",
        "|-|-|\n",
        "\\",
        "![",
        "[",
        "]",
        "(",
        ")",
      ),
      fc.constantFrom(
        "[a]: javascript:b\n",
        "[a](javascript:b)",
        "<javascript:a>",
        "<https://a.b>",
        "[a](https://b.c '\"onclick=d')",
        "[a]",
        "<a@b.c>",
      ),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(""));

function shown(format: "HTML" | "MARKDOWN" | "TEXT", source: string): string | undefined {
  try {
    return contentToHtml(format, source);
  } catch (error) {
    if (error instanceof UnsafeContentError) return undefined;
    throw error;
  }
}
