import { describe, expect, test } from "@jest/globals";
import type { Agreement, Recipient, RecipientStatus } from "../../agreement/agreement.ts";
import type { Change } from "../../agreement/change.ts";
import {
  actionsOf,
  eventsOf,
  jobsOf,
  refusalOf,
  sampleContext,
  sampleDraft,
  sampleRecipient,
  sampleTab,
  sampleTime,
} from "../../agreement/test/lifecycle-samples.ts";
import { sendAgreement } from "../../send/send.ts";
import { createDraft } from "../make-agreement.ts";
import { noMatches } from "../place-tabs.ts";

const context = sampleContext();
const days = (count: number): Date => new Date(sampleTime.getTime() + count * 86_400_000);

const send = (draft: Agreement): Change => sendAgreement(draft, noMatches, context);
const sent = (recipients: readonly Recipient[], given: Partial<Agreement> = {}): Agreement =>
  send(sampleDraft(recipients, given)).agreement;

const statuses = ({ recipients }: Agreement): RecipientStatus[] => recipients.map(({ status }) => status);

const one = sampleRecipient("1");
const second = sampleRecipient("2", { routingOrder: 2 });

describe("createDraft", () => {
  const definition = { documents: [], recipients: [], customFields: [] };
  const sender = { id: "client", name: "Client", email: "" };

  test("makes a draft of nothing at all, and a template", () => {
    const draft = createDraft(definition, [], { isTemplate: false, sender }, context);
    expect(draft).toMatchObject({ agreement: { status: "created", sender }, events: [{ kind: "agreement.created" }] });
    const template = createDraft({ ...definition, name: "NDA" }, [], { isTemplate: true, sender }, context);
    expect(template).toMatchObject({
      agreement: { status: "template", name: "NDA" },
      events: [{ kind: "template.created" }],
    });
  });

  test("refuses recipients that break the rules", () => {
    const recipients = [{ recipientId: "", email: "nobody", tabs: [] }];
    const create = () => createDraft({ ...definition, recipients }, [], { isTemplate: false, sender }, context);
    expect(refusalOf(create).code).toBe("INVALID_EMAIL");
  });
});

describe("sendAgreement", () => {
  test("asks everybody of the lowest routing order and hands out the copies of it", () => {
    const copy = sampleRecipient("3", { role: "carbon-copy", routingOrder: 2 });
    const late = sampleRecipient("4", { routingOrder: 3 });
    const change = send(sampleDraft([second, copy, late]));
    expect(statuses(change.agreement)).toEqual(["sent", "completed", "created"]);
    expect(change.agreement).toMatchObject({ status: "sent", currentRoutingOrder: 2, sentAt: sampleTime });
    expect(actionsOf(change)).toEqual(["agreement.sent", "recipient.sent", "recipient.copied"]);
    expect(eventsOf(change)).toEqual(["agreement.sent", "recipient.sent", "recipient.sent", "recipient.completed"]);
  });

  test("goes past an order of copies", () => {
    const copy = sampleRecipient("1", { role: "carbon-copy" });
    expect(sent([copy, second])).toMatchObject({ status: "sent", currentRoutingOrder: 2 });
  });

  test("plans its end and the first reminder", () => {
    const reminders = { reminderEnabled: true, reminderDelay: 2, reminderFrequency: 3 };
    const notification = { ...reminders, expireEnabled: true, expireAfter: 30, expireWarn: 0 };
    const draft = sampleDraft([one], { notification });
    const { agreement, jobs } = send(draft);
    expect(agreement).toMatchObject({ expiresAt: days(30), remindAt: days(2) });
    const payload = { agreementId: draft.id };
    expect(jobs).toEqual([
      { kind: "expiry", key: draft.id, runAt: days(30), payload },
      { kind: "reminder", key: draft.id, runAt: days(2), payload },
      expect.objectContaining({ kind: "mail" }),
    ]);
    expect(
      jobsOf(
        send(sampleDraft([one], { notification: { ...notification, reminderEnabled: false, expireEnabled: false } })),
      ),
    ).toEqual([]);
  });

  test("plans a warning before its end, unless that would be no news", () => {
    const warningOf = (expireAfter: number, expireWarn: number, expireEnabled = true) => {
      const notification = { ...sampleDraft([one]).notification, expireEnabled, expireAfter, expireWarn };
      return send(sampleDraft([one], { notification })).jobs.find(({ kind }) => kind === "expiry-warning")?.runAt;
    };
    expect(warningOf(30, 5)).toEqual(days(25));
    expect(warningOf(30, 29)).toEqual(days(1));
    expect([warningOf(30, 0), warningOf(30, 30), warningOf(3, 30), warningOf(30, 5, false)]).toEqual(
      Array(4).fill(undefined),
    );
  });

  test("leaves out roles for which nobody was named", () => {
    const role = sampleRecipient("2", { name: "", email: "", roleName: "Witness" });
    expect(sent([one, role]).recipients.map(({ recipientId }) => recipientId)).toEqual(["1"]);
    expect(refusalOf(() => sent([role])).code).toBe("RECIPIENTS_REQUIRED");
  });

  test.each([
    ["no documents", { documents: [] }, {}, "DOCUMENTS_REQUIRED", []],
    ["copies only", {}, { role: "carbon-copy" }, "RECIPIENTS_REQUIRED", []],
    ["no address", {}, { email: "" }, "INVALID_EMAIL", ["recipients[0].email INVALID_EMAIL"]],
    ["no host", {}, { role: "in-person-signer" }, "INVALID_EMAIL", ["recipients[0].hostEmail INVALID_EMAIL"]],
    ["no name", {}, { name: " " }, "VALIDATION_FAILED", ["recipients[0].name REQUIRED"]],
    ["no subject", { emailSubject: " " }, {}, "VALIDATION_FAILED", ["emailSubject REQUIRED"]],
    [
      "a tab beside the page",
      {},
      { tabs: [sampleTab("text", { x: 700 })] },
      "VALIDATION_FAILED",
      ["recipients[0].tabs[0] TAB_OUT_OF_BOUNDS"],
    ],
  ] as const)("refuses %s", (_what, agreement, recipient, code, fields) => {
    const draft = sampleDraft([{ ...one, ...(recipient as Partial<Recipient>) }], agreement);
    expect(refusalOf(() => send(draft))).toEqual({ code, fields });
  });

  test("refuses required custom fields without a value", () => {
    const field = {
      fieldId: "1",
      name: "order",
      value: "",
      kind: "text",
      items: [],
      show: true,
      required: true,
    } as const;
    expect(refusalOf(() => sent([one], { customFields: [field] })).fields).toEqual(["customFields[0].value REQUIRED"]);
  });

  test("asks people in the order of the rules: addresses, documents, recipients, the rest", () => {
    const nothing = { documents: [], emailSubject: "" };
    expect(refusalOf(() => sent([{ ...one, email: "" }], nothing)).code).toBe("INVALID_EMAIL");
    expect(refusalOf(() => sent([], nothing)).code).toBe("DOCUMENTS_REQUIRED");
    expect(refusalOf(() => sent([], { emailSubject: "" })).code).toBe("RECIPIENTS_REQUIRED");
  });

  test.each([
    ["sent", "ENVELOPE_ALREADY_SENT"],
    ["delivered", "ENVELOPE_ALREADY_SENT"],
    ["completing", "ENVELOPE_ALREADY_SENT"],
    ["completed", "ENVELOPE_ALREADY_SENT"],
    ["declined", "INVALID_ENVELOPE_STATUS"],
    ["voided", "INVALID_ENVELOPE_STATUS"],
    ["expired", "INVALID_ENVELOPE_STATUS"],
  ] as const)("refuses what is %s with %s", (status, code) => {
    expect(refusalOf(() => send(sampleDraft([one], { status }))).code).toBe(code);
  });
});
