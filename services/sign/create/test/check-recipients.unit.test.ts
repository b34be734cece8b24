import { describe, expect, test } from "@jest/globals";
import type { Recipient } from "../../agreement/agreement.ts";
import { refusalOf, sampleRecipient } from "../../agreement/test/lifecycle-samples.ts";
import { checkRecipients } from "../new-recipients.ts";

const pair = (first: Partial<Recipient>, second: Partial<Recipient>) => [
  sampleRecipient("1", { email: "ann@example.com", ...first }),
  sampleRecipient("2", { email: "Ann@Example.com", ...second }),
];

describe("checkRecipients", () => {
  test("lets drafts have recipients without names and addresses", () => {
    checkRecipients([sampleRecipient("1", { name: "", email: "" }), sampleRecipient("2", { name: "", email: "" })]);
  });

  test("names every address that is wrong", () => {
    const recipients = [sampleRecipient("1", { email: "nobody" }), sampleRecipient("2", { hostEmail: "@" })];
    expect(refusalOf(() => checkRecipients(recipients))).toEqual({
      code: "INVALID_EMAIL",
      fields: ["recipients[0].email INVALID_EMAIL", "recipients[1].hostEmail INVALID_EMAIL"],
    });
  });

  test("refuses what is too long or no text", () => {
    const recipients = [
      sampleRecipient("1", { name: "😀".repeat(100), clientUserId: "x".repeat(101), roleName: "\0" }),
    ];
    expect(refusalOf(() => checkRecipients(recipients))).toEqual({
      code: "VALIDATION_FAILED",
      fields: ["recipients[0].clientUserId TOO_LONG", "recipients[0].roleName NOT_ALLOWED"],
    });
  });

  test.each([
    ["two signers", {}, {}],
    ["a signer and an approver", {}, { role: "approver" }],
    ["a signer and one in person", {}, { role: "in-person-signer" }],
    ["two with one clientUserId", { clientUserId: "1" }, { clientUserId: "1" }],
  ] as const)("refuses one address for %s", (_who, first, second) => {
    expect(refusalOf(() => checkRecipients(pair(first, second)))).toEqual({
      code: "DUPLICATE_RECIPIENT",
      fields: ["recipients[1].email DUPLICATE_RECIPIENT"],
    });
  });

  test.each([
    ["signers with different clientUserIds", { clientUserId: "1" }, { clientUserId: "2" }],
    ["signers of whom one is embedded", { clientUserId: "1" }, {}],
    ["a signer and a copy", {}, { role: "carbon-copy" }],
    ["a signer and a certified delivery", {}, { role: "certified-delivery" }],
  ] as const)("accepts one address for %s", (_who, first, second) => {
    checkRecipients(pair(first, second));
  });
});
