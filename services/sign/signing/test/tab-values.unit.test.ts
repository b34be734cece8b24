import { describe, expect, test } from "@jest/globals";
import type { Recipient } from "../../agreement/agreement.ts";
import type { Tab, TabType } from "../../agreement/tab.ts";
import {
  sampleButton,
  sampleRecipient,
  sampleTab,
  sampleTime,
  signedWith,
} from "../../agreement/test/lifecycle-samples.ts";
import { fillTabs, keepValues } from "../tab-values.ts";

const item = (value: string) => ({ text: value.toUpperCase(), value, selected: false });

function fill(tabs: readonly Tab[], given: readonly (readonly [Tab, string])[], recipient: Partial<Recipient> = {}) {
  const { signature, initials } = signedWith();
  const person = sampleRecipient("1", { name: "Ann B. Example", signature, initials, ...recipient, tabs });
  const values = new Map(given.map(([tab, value]) => [tab.tabId, value]));
  const filled = fillTabs(person, { values, agreementId: "agreement-1", now: sampleTime });
  const labels = new Map(tabs.map(({ tabId, label }) => [tabId, label]));
  return {
    values: filled.tabs.map(({ value }) => value),
    problems: filled.problems.map(({ field, code }) => `${labels.get(field) ?? field} ${code}`),
    tabs: filled.tabs,
  };
}

/** What is said about a value in a tab, if anything. */
function faultOf(type: TabType, value: string, given: Partial<Tab> = {}): string {
  const tab = sampleTab(type, given);
  return fill([tab], [[tab, value]]).problems.join(", ");
}

describe("fillTabs", () => {
  test("writes what the service knows, whatever the person sends", () => {
    const types = ["date-signed", "full-name", "first-name", "last-name", "email", "agreement-id"] as const;
    const tabs = types.map((type) => sampleTab(type));
    const given = tabs.slice(0, 5).map((tab) => [tab, "forged"] as const);
    expect(fill(tabs, given).values).toEqual([
      "2026-11-02",
      "Ann B. Example",
      "Ann B.",
      "Example",
      "person1@example.com",
      "agreement-1",
    ]);
  });

  test("takes no more in all than can be drawn when everybody has signed", () => {
    const tabs = Array.from({ length: 11 }, () => sampleTab("text", { label: "address" }));
    const long = (characters: number) => fill(tabs, [[tabs[0] as Tab, "x".repeat(characters)]]).problems;
    expect(long(9_000)).toEqual([]);
    expect(long(10_000)).toEqual(["address TOO_LONG"]);
  });

  test("tries no more patterns than the loop has time for", () => {
    const [worst, usual] = ["(.?){500}b", "[\\p{L}\\p{M}' -]{1,500}"].map((validationPattern) =>
      Array.from({ length: 24 }, (_, n) => sampleTab("text", { label: `t${n}`, validationPattern })),
    ) as [Tab[], Tab[]];
    const filled = (tabs: Tab[], value: string) => () =>
      fill(
        tabs,
        tabs.map((tab) => [tab, value] as const),
      ).problems;
    expect(new Set(filled(worst, "a".repeat(500))().map((problem) => problem.replace(/^\S+ /, "")))).toEqual(
      new Set(["PATTERN_MISMATCH", "TOO_LONG"]),
    );
    expect(filled(usual, "Änne Müller")()).toEqual([]);
    // With patterns that are tried in full it takes half a second. Of the processor: the machine may be busy.
    const times = Array.from({ length: 7 }, () => {
      const from = process.cpuUsage();
      filled(worst, "a".repeat(500))();
      return process.cpuUsage(from).user / 1_000;
    });
    expect(Math.min(...times)).toBeLessThan(200);
  });

  test("reports all problems at once, with the tabIds as fields", () => {
    const [name, age] = [sampleTab("text", { label: "name" }), sampleTab("number", { label: "age" })];
    const filled = fill([name, age, sampleTab("initials")], [[age, "old"]], { signature: null, initials: null });
    expect(filled.problems).toEqual(["signature REQUIRED", "initials REQUIRED", "name REQUIRED", "age INVALID_NUMBER"]);
  });

  test.each([
    ["text", "", {}, "text REQUIRED"],
    ["text", "  ", {}, "text REQUIRED"],
    ["text", "", { required: false }, ""],
    ["text", "abcd", { maxLength: 3 }, "text TOO_LONG"],
    ["text", "😀😀😀", { maxLength: 3 }, ""],
    ["text", "a\0b", {}, "text NOT_ALLOWED"],
    ["text", "12345", { validationPattern: "^[0-9]{5}$" }, ""],
    ["text", "1234x", { validationPattern: "^[0-9]{5}$" }, "text PATTERN_MISMATCH"],
    ["company", "", {}, "company REQUIRED"],
    ["number", "-12.50", {}, ""],
    ["number", "1,5", {}, ""],
    ["number", "1e5", {}, "number INVALID_NUMBER"],
    ["number", "9".repeat(51), {}, "number INVALID_NUMBER"],
    ["date", "2028-02-29", {}, ""],
    ["date", "2027-02-29", {}, "date INVALID_DATE"],
    ["date", "12/31/2026", {}, ""],
    ["date", "31.12.2026", {}, ""],
    ["date", "tomorrow", {}, "date INVALID_DATE"],
    ["date", "31 Dec", { validationPattern: "[0-9]+ [A-Z][a-z]+" }, ""],
    ["checkbox", "true", {}, ""],
    ["checkbox", "yes", {}, "checkbox NOT_ALLOWED"],
    ["checkbox", "false", { required: true }, "checkbox REQUIRED"],
    ["list", "a", { items: [item("a")] }, ""],
    ["list", "b", { items: [item("a")] }, "list NOT_ALLOWED"],
    ["list", "", { items: [item("a")] }, "list REQUIRED"],
    ["radio-group", "a", { buttons: [sampleButton("a")] }, ""],
    ["radio-group", "b", { buttons: [sampleButton("a")] }, "radio-group NOT_ALLOWED"],
    ["note", "mine", { value: "Read this" }, "note NOT_ALLOWED"],
    ["agreement-id", "mine", {}, "agreement-id NOT_ALLOWED"],
    ["text", "changed", { locked: true, value: "kept" }, "text LOCKED"],
    ["text", "kept", { locked: true, value: "kept" }, ""],
  ] as const)("judges %s with %j and %j: %j", (type, value, given, expected) => {
    expect(faultOf(type, value, given)).toBe(expected);
  });

  test("takes no longer for a pattern that is made to take long", () => {
    const started = performance.now();
    expect(faultOf("text", "a".repeat(4_000), { validationPattern: "(a+)+b" })).toBe("text PATTERN_MISMATCH");
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test("checks no more text against patterns than can be done at once", () => {
    const pattern = { validationPattern: "[a-z]+" };
    const tabs = Array.from({ length: 20 }, (_, index) => sampleTab("text", { label: `t${index}`, ...pattern }));
    const given = tabs.map((tab) => [tab, "a".repeat(4_000)] as const);
    expect(fill(tabs.slice(0, 19), given.slice(0, 19)).problems).toEqual([]);
    expect(fill(tabs, given).problems).toEqual(tabs.slice(19).map(({ label }) => `${label} TOO_LONG`));
  });

  test("refuses values of tabs that are somebody else's", () => {
    const [mine, other] = [sampleTab("text", { required: false }), sampleTab("text")];
    expect(fill([mine], [[other, "x"]]).problems).toEqual([`${other.tabId} UNKNOWN_TAB`]);
  });

  test("gives tabs with one label one value, and refuses two", () => {
    const tabs = [sampleTab("text", { label: "city" }), sampleTab("text", { label: "city" })] as const;
    expect(fill(tabs, [[tabs[1], "Rome"]]).values).toEqual(["Rome", "Rome"]);
    expect(
      fill(tabs, [
        [tabs[0], "Rome"],
        [tabs[1], "Oslo"],
      ]).problems,
    ).toEqual(["city CONFLICT"]);
  });

  test("lets tabs that nobody has labelled differ", () => {
    const tabs = [sampleTab("checkbox"), sampleTab("checkbox")] as const;
    expect(fill(tabs, [[tabs[1], "true"]]).values).toEqual(["false", "true"]);
  });

  test("wants a conditional tab only while its condition holds, and empties it otherwise", () => {
    const box = sampleTab("checkbox", { label: "company?" });
    const name = sampleTab("text", { label: "company", conditionLabel: "company?", conditionValue: "on" });
    const vat = sampleTab("text", { label: "vat", conditionLabel: "company", conditionValue: "Acme", value: "old" });
    const tabs = [box, name, vat];
    expect(fill(tabs, []).problems).toEqual([]);
    expect(fill(tabs, []).values).toEqual(["false", "", ""]);
    expect(fill(tabs, [[box, "true"]]).problems).toEqual(["company REQUIRED"]);
    expect(
      fill(tabs, [
        [box, "true"],
        [name, "Acme"],
      ]).values,
    ).toEqual(["true", "Acme", "old"]);
  });

  test("hides tabs whose conditions go round in a circle", () => {
    const tabs = [
      sampleTab("text", { label: "a", conditionLabel: "b", conditionValue: "" }),
      sampleTab("text", { label: "b", conditionLabel: "a", conditionValue: "" }),
    ];
    expect(fill(tabs, []).problems).toEqual([]);
  });

  test("signs required tabs and the optional ones that the person chose", () => {
    const tabs = [
      sampleTab("signature"),
      sampleTab("signature", { required: false }),
      sampleTab("initials", { required: false }),
    ] as const;
    const filled = fill(tabs, [[tabs[2], "signed"]]);
    expect(filled.values).toEqual(["signed", "", "signed"]);
    expect(filled.tabs.map(({ status }) => status)).toEqual(["signed", "signed", "signed"]);
  });

  test("does not want a signature of somebody who only approves", () => {
    const approver = { role: "approver", signature: null, initials: null } as const;
    expect(fill([sampleTab("approve"), sampleTab("signature")], [], approver).problems).toEqual([]);
  });

  test.each([
    ["a file that is no PNG", { typed: "", font: "", drawnPng: "R0lGODlh" }, "signature NOT_ALLOWED"],
    ["nothing but spaces", { typed: "  ", font: "", drawnPng: "" }, "signature REQUIRED"],
    ["a novel", { typed: "x".repeat(201), font: "", drawnPng: "" }, "signature TOO_LONG"],
  ])("refuses %s as a signature", (_what, signature, expected) => {
    expect(fill([], [], { signature }).problems).toEqual([expected]);
  });

  test("marks what was chosen", () => {
    const list = sampleTab("list", { items: [item("a"), item("b")] });
    const group = sampleTab("radio-group", { buttons: [sampleButton("x"), sampleButton("y")] });
    const [filledList, filledGroup] = fill(
      [list, group],
      [
        [list, "b"],
        [group, "x"],
      ],
    ).tabs;
    expect(filledList?.items.map(({ selected }) => selected)).toEqual([false, true]);
    expect(filledGroup?.buttons.map(({ selected }) => selected)).toEqual([true, false]);
  });
});

describe("keepValues", () => {
  test("keeps what would not do yet, and leaves alone what the person may not change", () => {
    const zip = sampleTab("text", { validationPattern: "[0-9]{5}" });
    const locked = sampleTab("text", { locked: true, value: "kept" });
    const broken = sampleTab("text", { label: "broken", value: "before" });
    const signature = sampleTab("signature");
    const given = new Map([
      [zip.tabId, "12"],
      [locked.tabId, "x"],
      [broken.tabId, "\0"],
      ["unknown", "x"],
      [signature.tabId, "x"],
    ]);
    const kept = keepValues([zip, locked, broken, signature], given);
    expect(kept.map(({ value }) => value)).toEqual(["12", "kept", "before", ""]);
  });
});
