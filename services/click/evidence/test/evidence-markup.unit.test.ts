import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import type { HtmlNode } from "#platform/restricted-html/tree.ts";
import { exact, facts, list, markup, time } from "../pdf/markup.ts";

const textOf = (nodes: readonly HtmlNode[]): string =>
  nodes.map((node) => (node.kind === "text" ? node.text : textOf(node.children))).join("");
/** Of our own HTML, in which no text has angle brackets. */
const tagless = (html: string): string => html.replaceAll(/<[^>]*>/g, "");
const shown = (html: string): string => textOf(parseRestrictedHtml(html).tree ?? []);

describe("the markup of evidence", () => {
  test("shows any text as it is, and makes no elements of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const { html } = markup`<p>${text}</p>`;
        expect(html.match(/</g)).toHaveLength(2);
        expect(shown(html)).toBe(text);
      }),
    );
  });

  test("names characters that could show a text in another order, or are none", () => {
    expect(shown(markup`<p>${"a\u202eb\u0000c\ud800"}</p>`.html)).toBe("a[U+202E]b[U+0000]c[U+D800]");
  });

  test("has nothing between the letters of hashes, signatures and other long words", () => {
    for (const value of [`sha256:${"0123456789abcdef".repeat(4)}`, "x".repeat(400)]) {
      expect(shown(exact(value).html)).toBe(value);
      expect(tagless(facts([[value, value]]).html)).toBe(value + value);
    }
  });

  test("leaves out facts that are not known", () => {
    expect(
      facts([
        ["A", undefined],
        ["B", null],
      ]).html,
    ).toBe("");
    expect(
      tagless(
        facts([
          ["A", undefined],
          ["B", "b"],
          ["C", ""],
        ]).html,
      ),
    ).toBe("BbC");
  });

  test("says how many rows of a long table are left out", () => {
    const items = Array.from({ length: 302 }, (_, index) => String(index));
    const text = tagless(list(["N"], items, (item) => [item]).html);
    expect([text.includes("299"), text.includes("300"), text.includes("2 more")]).toEqual([true, false, true]);
  });

  test("writes times as people read them", () => {
    expect(time("2026-11-20T17:00:02.123Z")).toBe("2026-11-20 17:00:02.123 UTC");
    expect(time("2026-11-20T17:00:02+01:00")).toBe("2026-11-20T17:00:02+01:00");
    expect(time(null)).toBeUndefined();
  });
});
