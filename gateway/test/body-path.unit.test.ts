import { describe, expect, test } from "@jest/globals";
import { bodyPath } from "../http/errors.ts";

const native = {
  recipients: {
    carbonCopies: [{ name: "C" }],
    signers: [{ name: "A" }, { name: "B", tabs: [{}, {}, { type: "x" }] }],
  },
  metadata: { "order id": "1" },
};
const compat = {
  EmailSubject: "Hi",
  recipients: {
    signers: [{ tabs: { textTabs: [{ tabLabel: "a" }], signHereTabs: [null, {}, {}] } }],
    inPersonSigners: [{}],
  },
  compositeTemplates: [{ inlineTemplates: [{}] }],
};

describe("the path of a problem in the body that was sent", () => {
  test.each([
    ["definition.recipients[1].tabs[2].type", native, "recipients.signers[1].tabs[2].type"],
    ["recipients[2].email", native, "recipients.carbonCopies[0].email"],
    ["definition.emailSubject", native, "emailSubject"],
    ["changes.button_text", {}, "buttonText"],
    ["content:3:12", {}, "content:3:12"],
    ['metadata["order id"]', native, 'metadata["order id"]'],
    ["recipients[1].name", native.recipients, "signers[1].name"],
    ["recipients[0].name", { email: "a" }, "name"],
    ["definition.emailSubject", compat, "EmailSubject"],
    ["definition.recipients[0].tabs[2].label", compat, "recipients.signers[0].tabs.textTabs[0].tabLabel"],
    ["definition.recipients[0].tabs[0].label", compat, "recipients.signers[0].tabs.signHereTabs[1].label"],
    ["definition.recipients[1].tabs[0].label", compat, "recipients.inPersonSigners[0]"],
    ["compositions[0].layers[0].definition.name", compat, "compositeTemplates[0]"],
    [
      "compositions[0].layers[2].definition.recipients[0].email",
      { compositions: [{ layers: [{ templateId: "t", name: "x" }, { recipients: { signers: [{}] } }] }] },
      "compositions[0].layers[1].recipients.signers[0].email",
    ],
    ["recipients[9].tabs[0].type", native, "recipients"],
    ["purposes[0].granted", Buffer.from("{}"), "purposes[0].granted"],
  ])("%s", (field, body, expected) => {
    expect(bodyPath(field, body)).toBe(expected);
  });
});
