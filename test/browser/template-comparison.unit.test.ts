import { describe, expect, test } from "@jest/globals";
import { type BlockChange, blockChanges } from "../../web/dashboard/src/pages/templates/compare/block-changes.ts";
import { blocksOf } from "../../web/dashboard/src/pages/templates/compare/text-blocks.ts";

const textOf = (html: string): string[] => blocksOf(html, "html").map(({ kind, text }) => `${kind}: ${text}`);
const compare = (from: string, to: string) => blockChanges(blocksOf(from, "html"), blocksOf(to, "html"));
const sideOf = (changes: readonly BlockChange[], without: "added" | "removed"): string[] =>
  changes.flatMap((change) => {
    if (change.kind === without) return [];
    if (change.kind !== "changed") return [change.text];
    return [change.words.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join("")];
  });

describe("the blocks of a text", () => {
  test("are its paragraphs, headings and entries as they are read, with where links lead", () => {
    expect(
      textOf(
        '<h2>Terms</h2><p>Be <b>kind</b>,\n&amp; don&#39;t&nbsp;<a href="https://example.com/">shout</a>.</p>' +
          "<ul><li>One</li><li>T&uml;wo 1 < 2</li></ul><!-- not read --><br>Tail",
      ),
    ).toEqual([
      "h2: Terms",
      "p: Be kind, & don't [https://example.com/] shout.",
      "li: One",
      "li: T&uml;wo 1 < 2",
      "p: Tail",
    ]);
  });

  test.each(["", "<", "<p", "<!--", "&#99999999;", '<a href="x', "< p>", "<p>&#x110000;</p>"])(
    "end for what is no markup: %j",
    (html) => {
      expect(blocksOf(html, "html").length).toBeLessThanOrEqual(1);
    },
  );

  test("are the lines of what is no HTML", () => {
    expect(blocksOf("# One\n\n<p>two</p>  \n", "markdown").map(({ text }) => text)).toEqual(["# One", "<p>two</p>"]);
  });
});

describe("the changes between two texts", () => {
  test("name what was added, removed, changed by words, and only formed otherwise", () => {
    const changes = compare(
      "<h2>Terms</h2><p>You may use the service for one year.</p><p>Gone entirely today.</p><p>Title</p><p>End</p>",
      "<h2>Terms</h2><p>You may use the service for two years.</p><h3>Title</h3><p>End</p><p>New at last</p>",
    );
    expect(changes.map(({ kind }) => kind)).toEqual(["same", "changed", "removed", "markup", "same", "added"]);
    expect(changes[1]).toMatchObject({
      words: expect.arrayContaining([
        { kind: "removed", text: "one year" },
        { kind: "added", text: "two years" },
      ]),
    });
  });

  test("lead from the one to the other, whatever they are", () => {
    const seed = Date.now() % 100_000;
    let state = seed;
    const next = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const words = ["you", "may", "not", "agree", "the", "service", "terms"];
    const paragraph = () => Array.from({ length: 1 + next(6) }, () => words[next(words.length)]).join(" ");
    for (let round = 0; round < 200; round += 1) {
      const from = Array.from({ length: next(8) }, paragraph);
      const to = from.flatMap((text) => [[text], [], [text, paragraph()], [paragraph()]][next(4)] ?? []);
      const htmlOf = (texts: string[]) => texts.map((text) => `<p>${text}</p>`).join("");
      const changes = compare(htmlOf(from), htmlOf(to));
      expect({ seed, texts: sideOf(changes, "added") }).toEqual({ seed, texts: from });
      expect({ seed, texts: sideOf(changes, "removed") }).toEqual({ seed, texts: to });
    }
  });
});
