import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { blocksOf as verifiedBlocksOf } from "../../../web/verify/src/text-blocks.ts";
import { isDifferenceOf, readDifference } from "../../../web/verify/src/told-changes.ts";
import { type BlockChange, blockChanges, foldChanges } from "../block-changes.ts";
import { changesHtml } from "../changes-html.ts";
import { blocksOf, linesOf } from "../text-blocks.ts";

function textOf(html: string): string[] {
  const blocks = blocksOf(html, "html");
  // The verifier shares nothing with the service, and has to read the same.
  expect(verifiedBlocksOf(html)).toEqual(blocks);
  return blocks.map(({ kind, text }) => `${kind}: ${text}`);
}
const compare = (from: string, to: string) => blockChanges(blocksOf(from, "html"), blocksOf(to, "html"));
const sideOf = (changes: readonly BlockChange[], without: "added" | "removed"): string[] =>
  changes.flatMap((change) => {
    if (change.kind === without) return [];
    if (change.kind !== "changed") return [change.text];
    return [change.words.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join("")];
  });
const wordsOf = (from: string, to: string) => {
  const [change] = compare(`<p>${from}</p>`, `<p>${to}</p>`);
  return change?.kind === "changed" ? change.words.map(({ kind, text }) => `${kind[0]}:${text}`) : [];
};

describe("the blocks of a text", () => {
  test("are its paragraphs, headings and entries as they are read, with where links lead", () => {
    expect(
      textOf(
        '<h2>Terms</h2><p>Be <b>kind</b>,\n&amp; don&#39;t&nbsp;<a href="https://example.com/">shout</a>.</p>' +
          "<ul><li>One</li><li>T&other;wo 1 < 2</li></ul><!-- not read --><br>Tail",
      ),
    ).toEqual([
      "h2: Terms",
      "p: Be kind, & don't [https://example.com/] shout.",
      "li: One",
      "li: T&other;wo 1 < 2",
      "p: Tail",
    ]);
  });

  test("say how deep an entry of a list in lists is, whatever is closed too often", () => {
    const list = (depth: number): string =>
      depth === 0 ? "" : `<ul><li>${depth}${list(depth - 1)}</li><li>x</li></ul>`;
    expect(textOf(list(6)).map((one) => one.split(":")[0])).toEqual(
      "li li2 li3 li4 li4 li4 li4 li4 li4 li3 li2 li".split(" "),
    );
    expect(textOf("</ul></ul><ol><li>One</li></ol>")).toEqual(["li: One"]);
    const changes = compare(list(2), list(2).replace("2", "2 more"));
    expect(changes.map((change) => change.as)).toEqual(["li", "li2", "li2", "li"]);
  });

  test("are read as browsers read them: attributes, letters by name, pictures by their words", () => {
    expect(
      textOf(
        `<p title="a > b" class='x>y'>&Uuml;ber&nbsp;uns &ndash; 5&nbsp;&euro; &amp;lt;</p>` +
          `<p>See <A target=_blank HREF='https://example.com/?a=1&amp;b'>there</A> <img src="data:," alt="a &gt; seal"></p>`,
      ),
    ).toEqual(["p: Über uns – 5 € &lt;", "p: See [https://example.com/?a=1&b] there [a > seal]"]);
  });

  test.each(["", "<", "<p", "<!--", "&#99999999;", '<a href="x', "< p>", "<p>&#x110000;</p>", "</>", "<p title='>"])(
    "end for what is no markup: %j",
    (html) => {
      expect(textOf(html).length).toBeLessThanOrEqual(1);
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

  test("are those of entries and cells where a list or a table changed", () => {
    const table = (price: string, ...more: string[]) =>
      `<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Small plan</td><td>${price}</td></tr></table>` +
      `<ul>${["Be kind to others", ...more].map((text) => `<li>${text}</li>`).join("")}</ul>`;
    const changes = compare(table("5 euros a month"), table("7 euros a month", "Do not shout"));
    expect(changes.map(({ kind }) => kind)).toEqual(["same", "same", "same", "changed", "same", "added"]);
  });

  test.each([
    ["numbers whole", "pay 1,000.50 now", "pay 1,500.50 now", ["s:pay ", "r:1,000.50", "a:1,500.50", "s: now"]],
    ["letters with marks as one", "das können wir", "das müssen wir", ["s:das ", "r:können", "a:müssen", "s: wir"]],
    [
      "merge fields whole",
      "Dear {{fullName}}, hi",
      "Dear {{name}}, hi",
      ["s:Dear ", "r:{{fullName}}", "a:{{name}}", "s:, hi"],
    ],
    ["words of other alphabets", "договор на год", "договор на месяц", ["s:договор на ", "r:год", "a:месяц"]],
    ["words from right to left", "مدة العقد سنة واحدة", "مدة العقد سنتان", ["s:مدة العقد ", "r:سنة واحدة", "a:سنتان"]],
    ["letters where words have no spaces", "合同一年有效", "合同两年有效", ["s:合同", "r:一", "a:两", "s:年有效"]],
  ])("compare %s", (_, from, to, expected) => {
    expect(wordsOf(from, to)).toEqual(expected);
  });

  test("lead from the one to the other, whatever they are", () => {
    const word = fc.constantFrom("you", "may", "not", "agree", "1.5", "{{x}}", "é", "سنة", "年", "😀", ".", "-", "  ");
    const text = fc.array(
      fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")),
      { maxLength: 12 },
    );
    const anything = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.oneof(text, anything), fc.oneof(text, anything), (older, newer) => {
        const [from, to] = [linesOf(older.join("\n")), linesOf(newer.join("\n"))];
        const changes = blockChanges(from, to);
        expect(sideOf(changes, "added")).toEqual(from.map((block) => block.text));
        expect(sideOf(changes, "removed")).toEqual(to.map((block) => block.text));
        const told = { label: "1.0", changeSummary: newer.join("\n"), locale: "ar" };
        const html = changesHtml({ ...told, difference: foldChanges(changes) });
        const read = readDifference(html, told);
        if (read === undefined || read === "too long") throw new Error("the difference cannot be read back");
        expect(isDifferenceOf(read, from, to)).toBe(true);
        expect(parseRestrictedHtml(html).findings.filter(({ code }) => code !== "CONTROL_CHARACTER")).toEqual([]);
        const isSame = from.map(({ text }) => text).join("\n") === to.map(({ text }) => text).join("\n");
        expect(isDifferenceOf(read, to, from)).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["many small blocks", "a\nb\n".repeat(40_000), "b\nc\na\n".repeat(30_000)],
    ["one long block", "a b ".repeat(100_000), "b a a ".repeat(80_000)],
    ["many long blocks", `${"a b ".repeat(250)}\n`.repeat(300), `${"b a a ".repeat(180)}c\n`.repeat(300)],
  ])("are found in bounded time and still lead from the one to the other: %s", (_, older, newer) => {
    const [from, to] = [linesOf(older), linesOf(newer)];
    const startedAt = performance.now();
    const changes = blockChanges(from, to);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(sideOf(changes, "added").join("\n") === from.map(({ text }) => text).join("\n")).toBe(true);
    expect(sideOf(changes, "removed").join("\n") === to.map(({ text }) => text).join("\n")).toBe(true);
  });
});

describe("changes as a person is shown them", () => {
  const named = { label: "1.0", changeSummary: null };
  const of = (from: string, to: string, told: Partial<Parameters<typeof changesHtml>[0]> = {}) =>
    changesHtml({
      difference: foldChanges(compare(from, to)),
      label: "1.0",
      changeSummary: null,
      locale: "en",
      ...told,
    });
  const paragraphs = (...texts: string[]) => texts.map((text) => `<p>${text}</p>`).join("");

  test("leave out what is far from them, and say how much", () => {
    const same = ["one", "two", "three", "four"];
    const html = of(paragraphs(...same, "five"), paragraphs(...same, "six"));
    expect(html).toContain('<p class="assent-unchanged assent-count-3">Unchanged paragraphs: 3</p>');
    expect(html).toContain('<p class="assent-same assent-as-p">four</p>');
    expect(html).not.toContain("three");
  });

  test("make no markup of the text, and no text of our words", () => {
    const html = of("<p>a &lt;script&gt; b</p>", "<p>a &lt;img onerror=x&gt; &amp;lt; b</p>", {
      ...{ changeSummary: "<script>\n</p>", label: '"><script>' },
    });
    expect(parseRestrictedHtml(html).findings).toEqual([]);
    expect(html).not.toMatch(/<script|<img/);
  });

  test("say that the wording is the same, that only the form is another, or that it is too much", () => {
    expect(of("<p>One</p>", "<p><b>One</b></p>")).toContain("The wording is the same.");
    expect(of("<p>One</p>", "<h2>One</h2>")).toContain("only its form has changed: </span>One");
    const tooLong = of("", "", { difference: undefined, locale: "pt-BR" });
    expect(tooLong).toContain("O texto foi reescrito em grande parte.");
    expect(readDifference(tooLong, named)).toBe("too long");
  });

  test("mark our words as English where the text is in a language that we do not speak", () => {
    expect(of("<p>سنة</p>", "<p>سنتان</p>", { locale: "ar" })).toContain(
      '<ins><span class="assent-unseen" lang="en" dir="ltr"> inserted: </span>سنتان',
    );
  });

  const shown = of("<h2>Terms</h2><p>One year</p><p>Two</p>", "<h2>Terms</h2><p>One day</p><h3>Two</h3>", {
    changeSummary: "Not <b>for</b> a year.\nFor a day.",
    label: "1.0 & more",
  });
  const shownNamed = { label: "1.0 & more", changeSummary: "Not <b>for</b> a year.\nFor a day." };
  const forged = (part: string | RegExp, by: string): string => {
    const html = shown.replace(part, by);
    if (html === shown) throw new Error(`nothing is forged of ${shown}`);
    return html;
  };

  test.each(["en", "de-AT", "fr", "es", "it", "pt-BR", "ar", "zh"])("are read back in %s", (locale) => {
    const [from, to] = ["<p>One year</p><p>2</p><h2>T</h2>", "<p>One day</p><h2>2</h2><h2>T</h2>"];
    const read = readDifference(of(from, to, { locale }), named);
    expect(typeof read === "object" && isDifferenceOf(read, blocksOf(from, "html"), blocksOf(to, "html"))).toBe(true);
    expect(readDifference(of(from, from, { locale }), named)).toMatchObject({ blocks: [{ kind: "unchanged" }] });
    expect(readDifference(of(from, to, { locale, difference: undefined }), named)).toBe("too long");
  });

  test.each([
    ["another title", forged("What has changed", "Nothing has changed")],
    ["a title with more", forged("</strong></p>", "</strong></p><p>Nothing</p>")],
    ["another version", forged("version 1.0", "version 2.0")],
    ["paragraphs in what it is compared with", forged("before.", "before.</p><p>Nothing has changed.")],
    ["another summary", forged("For a day", "For two days")],
    ["an element in the summary", forged("For a day.", "For a day.<br>Or so.")],
    ["markup of the summary", forged("&lt;b&gt;for&lt;/b&gt;", "<b>for</b>")],
    ["no summary", forged(/\n<p class="assent-summary.*/, "")],
    ["another unseen word", forged(" deleted: ", " deleted, by mistake: ")],
    ["insertions said to be deletions", forged(" inserted: ", " deleted: ")],
    ["an unseen word elsewhere", forged("Terms", 'Terms<span class="assent-unseen"> deleted: </span>')],
    ["an unseen word without its end", forged(" (end of change) </span>", " (end of change) ")],
    ["no unseen word", forged('<span class="assent-unseen"> inserted: </span>', "")],
    ["another span", forged("Terms", "<span hidden>Terms</span>")],
    ["a span that is not closed", forged("Terms", "<span Terms")],
    ["a paragraph in a paragraph", forged("Terms", "Terms</p><p>More")],
    ["an entity that browsers read otherwise", forged("Terms", "Terms&lt")],
    ["words of two languages", forged("only its form has changed:", "nur die Form hat sich geändert:")],
    ["another language of our words", forged('<span class="assent-unseen">', '<span class="assent-unseen" lang="en">')],
    ["that the wording is the same", forged(/$/, '\n<p class="assent-same-wording">The wording is the same.</p>')],
    ["that it is too long", forged(/$/, `\n${of("", "", { difference: undefined }).split("\n")[2]}`)],
    ["more after its end", forged(/$/, "\n<p>More</p>")],
  ])("are not read back with %s", (_, html) => {
    expect(readDifference(shown, shownNamed)).toMatchObject({ blocks: expect.any(Array) });
    expect(readDifference(html, shownNamed)).toBeUndefined();
  });

  const introduced = (...lines: string[]) => [...of("", "").split("\n").slice(0, 2), ...lines].join("\n");
  const sameWording = '<p class="assent-same-wording">The wording is the same.</p>';

  test.each([
    "",
    "<p>One</p>",
    sameWording,
    ...[
      ['<p class="assent-same assent-as-p">One'],
      ['<p class="assent-same assent-as-p">One</p><p>Two</p>'],
      ['<p class="assent-same assent-as-p"><b>One</b></p>'],
      ['<p class="assent-same assent-as-p"></p>'],
      ['<p class="assent-added assent-as-p">One</p>'],
      ['<p class="assent-added assent-as-p"><ins>One</p>'],
      ['<p class="assent-other assent-as-p">One</p>'],
      [sameWording, '<p class="assent-unchanged assent-count-0">Unchanged paragraphs: 0</p>'],
      [sameWording, '<p class="assent-unchanged assent-count-2">Unchanged paragraphs: 1</p>'],
      [sameWording, '<p class="assent-unchanged assent-count-2">Unchanged paragraphs: 2</p><p>More</p>'],
      ['<p class="assent-unchanged assent-count-2">Unchanged paragraphs: 2</p>'],
      [sameWording, '<p class="assent-same assent-as-p">One</p>'],
    ].map((lines) => introduced(...lines)),
  ])("are read back from nothing else: %j", (html) => {
    expect(readDifference(html, named)).toBeUndefined();
  });

  test("with an endless count are no difference of two texts, and nobody waits to learn it", () => {
    const line = '<p class="assent-unchanged assent-count-999999999">Unchanged paragraphs: 999999999</p>';
    const read = readDifference(introduced(sameWording, line), named);
    const block = { kind: "p", text: "One" };
    expect(read).toMatchObject({ blocks: [{ count: 999_999_999 }] });
    expect(typeof read === "object" && isDifferenceOf(read, [block], [block])).toBe(false);
  });
});
