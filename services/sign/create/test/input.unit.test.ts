import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { AgreementDefinitionSchema, RecipientRole, TabSchema, TabType } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Tab } from "../../agreement/tab.ts";
import { refusalOf, sampleButton, sampleContext, sampleTab } from "../../agreement/test/lifecycle-samples.ts";
import { parseTabs, tabMessage } from "../../edit/tabs.ts";
import { parseDefinition } from "../input.ts";
import { newTabs } from "../new-tabs.ts";

const parse = (message: MessageInitShape<typeof AgreementDefinitionSchema>) =>
  parseDefinition(create(AgreementDefinitionSchema, message));

describe("parseDefinition", () => {
  test("leaves out what nobody has given", () => {
    expect(parse({})).toEqual({ documents: [], recipients: [], customFields: [] });
    expect(parse({ recipients: [{}] }).recipients).toEqual([{ recipientId: "", tabs: [] }]);
    expect(Object.keys(parse({ notification: { expireAfter: 3 } }).notification ?? {})).toEqual(["expireAfter"]);
  });

  test("tells an empty value from none", () => {
    const parsed = parse({ emailBlurb: "", metadataJson: "", recipients: [{ email: "", routingOrder: 0 }] });
    expect(parsed).toMatchObject({ emailBlurb: "", metadata: null, recipients: [{ email: "", routingOrder: 0 }] });
  });

  test("reads people, files and objects", () => {
    const content = new Uint8Array([1]);
    const role = RecipientRole.IN_PERSON_SIGNER;
    const parsed = parse({
      metadataJson: '{"a":[1]}',
      recipients: [{ role, name: " Ann ", email: " ann@example.com ", hostEmail: "host@example.com" }],
      documents: [{ documentId: "1", name: "a.pdf", source: { case: "content", value: content }, order: 2 }, {}],
    });
    expect(parsed).toMatchObject({
      metadata: { a: [1] },
      recipients: [{ role: "in-person-signer", name: "Ann", email: "ann@example.com", hostEmail: "host@example.com" }],
      documents: [
        { documentId: "1", name: "a.pdf", order: 2, source: { kind: "file", fileExtension: "", content } },
        { source: { kind: "file", content: "missing" } },
      ],
    });
  });

  test.each([
    ["[]", "metadata INVALID_JSON"],
    ["{", "metadata INVALID_JSON"],
    ["null", "metadata INVALID_JSON"],
    ['{"a":"\\u0000"}', "metadata NOT_ALLOWED"],
    [`{"a":${"[".repeat(200)}${"]".repeat(200)}}`, "metadata TOO_DEEP"],
    [`{"a":"${"ä".repeat(8_192)}"}`, "metadata TOO_LARGE"],
  ])("refuses metadata that is no object to keep: %#", (metadataJson, problem) => {
    expect(refusalOf(() => parse({ metadataJson }))).toEqual({ code: "VALIDATION_FAILED", fields: [problem] });
  });

  test("names the place of a role or type that nobody knows", () => {
    const role = 77 as RecipientRole;
    expect(refusalOf(() => parse({ recipients: [{}, { role }] })).fields).toEqual(["recipients[1].role ENUM"]);
    const tabs = [{ type: 77 as TabType }];
    expect(refusalOf(() => parse({ recipients: [{ tabs }] })).fields).toEqual(["recipients[0].tabs[0].type ENUM"]);
  });
});

describe("parseTabs", () => {
  const anchor: Tab["anchor"] = {
    ...{ text: "/sn1/", xOffset: 1.5, yOffset: -2, unit: "millimeters", alignment: "right" },
    ...{ ignoreIfAbsent: true, caseSensitive: true, wholeWord: true },
  };
  const style = { font: "helvetica", size: 12, color: "black", bold: true, italic: false, underline: true };

  test.each<[string, Tab]>([
    ["a signature by anchor", sampleTab("signature", { anchor, documentId: null, isPlaced: false })],
    ["a styled text", sampleTab("text", { style, value: "x", originalValue: "x", maxLength: 5, tabOrder: 3, x: 1.25 })],
    ["a list", sampleTab("list", { items: [{ text: "A", value: "a", selected: false }] })],
    ["a radio group", sampleTab("radio-group", { buttons: [sampleButton("a", { page: 2, x: 7 })] })],
  ])("gives back what the answers show: %s", (_name, tab) => {
    const made = newTabs(parseTabs([create(TabSchema, tabMessage(tab))], "tabs"), "tabs", sampleContext());
    expect(made.map(withoutIds)).toEqual([withoutIds(tab)]);
  });

  test("takes an anchor without a text for none, and leaves out what is not there", () => {
    const message = create(TabSchema, { type: TabType.TEXT, anchor: {}, tabId: "ABC", documentId: "" });
    expect(parseTabs([message], "tabs")).toEqual([{ type: "text", anchor: null, tabId: "abc" }]);
  });
});

const withoutIds = ({ tabId, buttons, ...tab }: Tab) => ({
  ...tab,
  buttons: buttons.map(({ tabId: _, ...button }) => button),
});
