import { describe, expect, test } from "@jest/globals";
import type { Agreement } from "../../agreement/agreement.ts";
import type { Anchor, Tab, TextMatch } from "../../agreement/tab.ts";
import {
  refusalOf,
  sampleButton,
  sampleContext,
  sampleDocument,
  sampleDraft,
  sampleId,
  sampleRecipient,
  sampleTab,
} from "../../agreement/test/lifecycle-samples.ts";
import { sendAgreement, tabPlaceProblems } from "../../send/send.ts";
import { anchorMatches, placeTabs, wantedTexts } from "../place-tabs.ts";

const anchor = (text: string, given: Partial<Anchor> = {}): Anchor => ({
  text,
  xOffset: 0,
  yOffset: 0,
  unit: "pixels",
  ignoreIfAbsent: false,
  caseSensitive: false,
  wholeWord: false,
  alignment: "left",
  ...given,
});

const anchored = (given: Partial<Anchor> = {}): Tab =>
  sampleTab("signature", { documentId: null, isPlaced: false, anchor: anchor("/sn1/", given) });

const match = (documentId: string, given: Partial<TextMatch> = {}): TextMatch => ({
  documentId,
  page: 1,
  left: 100,
  right: 130,
  baseline: 400,
  ...given,
});

/** The tabs after placing, when the texts are found there. */
function place(tabs: readonly Tab[], found: Readonly<Record<string, readonly TextMatch[]>>): readonly Tab[] {
  const draft = sampleDraft([sampleRecipient("1", { tabs })], {
    documents: [sampleDocument("1"), sampleDocument("2")],
  });
  const wanted = wantedTexts(draft);
  const matches = anchorMatches(
    wanted,
    wanted.map(({ text }) => found[text] ?? []),
  );
  return placeTabs(draft, matches, sampleId).recipients[0]?.tabs ?? [];
}

const spots = (tabs: readonly Tab[]) => tabs.map(({ documentId, page, x, y }) => [documentId, page, x, y]);

describe("placeTabs", () => {
  test("puts a tab on every occurrence in every document; the first keeps its id", () => {
    const tab = anchored();
    const placed = place([tab], { "/sn1/": [match("1"), match("1", { page: 2 }), match("2", { left: 50 })] });
    expect(spots(placed)).toEqual([
      ["1", 1, 100, 365],
      ["1", 2, 100, 365],
      ["2", 1, 50, 365],
    ]);
    expect(placed.every(({ isPlaced }) => isPlaced)).toBe(true);
    expect(placed[0]?.tabId).toBe(tab.tabId);
    expect(new Set(placed.map(({ tabId }) => tabId)).size).toBe(3);
  });

  test.each([
    ["pixels", 20, 10, 120, 375],
    ["inches", 1, -0.5, 172, 329],
    ["millimeters", 25.4, 0, 172, 365],
    ["centimeters", 2.54, 2.54, 172, 437],
  ] as const)("moves it by offsets in %s", (unit, xOffset, yOffset, x, y) => {
    const [placed] = place([anchored({ unit, xOffset, yOffset })], { "/sn1/": [match("1")] });
    expect(placed?.x).toBeCloseTo(x);
    expect(placed?.y).toBeCloseTo(y);
  });

  test("begins at the right end of the text when asked to", () => {
    expect(spots(place([anchored({ alignment: "right" })], { "/sn1/": [match("1")] }))).toEqual([["1", 1, 130, 365]]);
  });

  test("drops what may be absent, and names everything else that is", () => {
    expect(place([anchored({ ignoreIfAbsent: true })], {})).toEqual([]);
    expect(refusalOf(() => place([anchored(), sampleTab("text"), anchored({ text: "/x/" })], {}))).toEqual({
      code: "ANCHOR_TAB_STRING_NOT_FOUND",
      fields: [
        "recipients[0].tabs[0].anchor ANCHOR_TAB_STRING_NOT_FOUND",
        "recipients[0].tabs[2].anchor ANCHOR_TAB_STRING_NOT_FOUND",
      ],
    });
  });

  test("puts radio buttons where their texts are, and makes a group for each document", () => {
    const buttons = [
      sampleButton("yes", { anchor: anchor("/yes/") }),
      sampleButton("no", { anchor: anchor("/no/") }),
      sampleButton("perhaps", { x: 7, y: 8 }),
    ];
    const group = sampleTab("radio-group", { documentId: null, isPlaced: false, buttons });
    const placed = place([group], { "/yes/": [match("1"), match("2")], "/no/": [match("2", { left: 20 })] });
    expect(
      placed.map(({ documentId, buttons }) => [documentId, buttons.map(({ value, x, y }) => [value, x, y])]),
    ).toEqual([
      [
        "1",
        [
          ["yes", 100, 388],
          ["perhaps", 7, 8],
        ],
      ],
      [
        "2",
        [
          ["yes", 100, 388],
          ["no", 20, 388],
        ],
      ],
    ]);
    expect(placed[0]?.tabId).toBe(group.tabId);
    expect(refusalOf(() => place([group], { "/yes/": [match("1")] })).fields).toEqual([
      "recipients[0].tabs[0].buttons[1].anchor ANCHOR_TAB_STRING_NOT_FOUND",
    ]);
  });
});

describe("placeTabs of texts that are everywhere", () => {
  test("refuses to make more tabs than a recipient may have", () => {
    const everywhere = { "/sn1/": Array.from({ length: 1_000 }, () => match("1")) };
    expect(place([anchored(), anchored()], everywhere)).toHaveLength(2_000);
    expect(refusalOf(() => place([anchored(), anchored(), anchored()], everywhere))).toEqual({
      code: "VALIDATION_FAILED",
      fields: ["recipients TOO_MANY"],
    });
  });
});

describe("wantedTexts", () => {
  test("names each text once, and none of tabs that are placed", () => {
    const tabs = [anchored(), anchored(), anchored({ caseSensitive: true }), { ...anchored(), isPlaced: true }];
    expect(wantedTexts(sampleDraft([sampleRecipient("1", { tabs })]))).toEqual([
      { text: "/sn1/", caseSensitive: false, wholeWord: false },
      { text: "/sn1/", caseSensitive: true, wholeWord: false },
    ]);
  });
});

describe("tabPlaceProblems", () => {
  test("finds tabs beside every page there is", () => {
    const tabs = [
      sampleTab("text", { x: 612, y: 792 }),
      sampleTab("text", { documentId: "3" }),
      sampleTab("text", { documentId: null }),
      sampleTab("text", { page: 3 }),
      sampleTab("text", { x: 613 }),
      sampleTab("text", { y: -1 }),
      sampleTab("radio-group", { buttons: [sampleButton("a", { x: 1 }), sampleButton("b", { y: 793 })] }),
      sampleTab("text", { x: Number.NaN }),
    ];
    const problems = tabPlaceProblems(sampleDraft([sampleRecipient("1", { tabs })]));
    expect(problems.map(({ field, code }) => `${field} ${code}`)).toEqual([
      "recipients[0].tabs[1].documentId UNKNOWN_DOCUMENT",
      "recipients[0].tabs[2].documentId UNKNOWN_DOCUMENT",
      "recipients[0].tabs[3].page UNKNOWN_PAGE",
      "recipients[0].tabs[4] TAB_OUT_OF_BOUNDS",
      "recipients[0].tabs[5] TAB_OUT_OF_BOUNDS",
      "recipients[0].tabs[6].buttons[1] TAB_OUT_OF_BOUNDS",
      "recipients[0].tabs[7] TAB_OUT_OF_BOUNDS",
    ]);
  });
});

describe("a document that is certified", () => {
  const certified = [sampleDocument("1"), { ...sampleDocument("2"), warnings: ["CERTIFIED_P2" as const] }];
  const draftWith = (...tabs: Tab[]) => sampleDraft([sampleRecipient("1", { tabs })], { documents: certified });
  const send = (draft: Agreement) => sendAgreement(draft, () => [], sampleContext());

  test("is not sent with tabs that would show something on it: 422, which names the lock and the tabs", () => {
    const draft = draftWith(sampleTab("signature"), sampleTab("text", { documentId: "2" }));
    expect(refusalOf(() => send(draft))).toEqual({
      code: "CORRUPTED_DOCUMENT",
      fields: ["recipients[0].tabs[1] DOCUMENT_CERTIFIED"],
    });
    expect(() => send(draft)).toThrow("Document 2 is certified and locked (DocMDP, P: 2)");
  });

  test("is sent with tabs that show nothing on it", () => {
    const shownNowhere = [sampleTab("approve", { documentId: "2" }), sampleTab("note", { documentId: "2" })];
    const { agreement } = send(draftWith(sampleTab("signature"), ...shownNowhere));
    expect(agreement.status).toBe("sent");
  });
});
