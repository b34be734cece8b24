import { describe, expect, test } from "@jest/globals";
import { noMatches } from "../../create/place-tabs.ts";
import { noteUndelivered } from "../../mail/undelivered.ts";
import { expireWhenDue, voidAgreement } from "../../send/end-agreement.ts";
import { openAgreement } from "../../send/open.ts";
import { sendAgreement } from "../../send/send.ts";
import { remindAgreement, remindWhenDue } from "../../send/send-agreement.ts";
import { declineAgreement, giveConsent, leaveAgreement } from "../../signing/ceremony.ts";
import { finishAgreement } from "../../signing/finish.ts";
import type { Agreement, AgreementStatus, Recipient, RecipientStatus } from "../agreement.ts";
import type { Change } from "../change.ts";
import { agreementTransitions, withStatus } from "../transitions.ts";
import {
  actionsOf,
  eventsOf,
  jobsOf,
  recipientOf,
  refusalOf,
  sampleContext,
  sampleDraft,
  sampleRecipient,
  sampleTab,
  sampleTime,
  signedWith,
} from "./lifecycle-samples.ts";

const context = sampleContext();
const days = (count: number): Date => new Date(sampleTime.getTime() + count * 86_400_000);

const send = (draft: Agreement): Change => sendAgreement(draft, noMatches, context);
const sent = (recipients: readonly Recipient[], given: Partial<Agreement> = {}): Agreement =>
  send(sampleDraft(recipients, given)).agreement;

const idOf = (agreement: Agreement, recipientId: string): string => recipientOf(agreement, recipientId).id;
const open = (agreement: Agreement, who: string): Change => openAgreement(agreement, idOf(agreement, who), context);
const finish = (agreement: Agreement, who: string): Change => {
  const id = idOf(agreement, who);
  const consented = giveConsent(agreement, id, shown, context).agreement;
  const opened =
    consented.recipients.find((one) => one.id === id)?.status === "sent" ? open(consented, who) : undefined;
  return finishAgreement(opened?.agreement ?? consented, id, signedWith(), context);
};
const decline = (agreement: Agreement, who: string): Change =>
  declineAgreement(agreement, idOf(agreement, who), { reason: "Too dear" }, context);

const shown = { sha256: Buffer.alloc(32), locale: "en" };

const statuses = ({ recipients }: Agreement): RecipientStatus[] => recipients.map(({ status }) => status);

const one = sampleRecipient("1");
const two = sampleRecipient("2");
const second = sampleRecipient("2", { routingOrder: 2 });

describe("withStatus", () => {
  test("refuses what the table does not have", () => {
    const draft = sampleDraft([one]);
    const all = Object.keys(agreementTransitions) as AgreementStatus[];
    for (const from of all) {
      for (const to of all.filter((status) => !agreementTransitions[from].includes(status))) {
        const refused = refusalOf(() => withStatus({ ...draft, status: from }, to, sampleTime));
        expect([from, to, refused.code]).toEqual([from, to, "INVALID_ENVELOPE_STATUS"]);
      }
    }
  });
});

describe("openAgreement", () => {
  test("delivers to the recipient, and the agreement when all who act now have opened it", () => {
    const first = open(sent([one, two]), "1");
    expect(first.agreement.status).toBe("sent");
    expect(eventsOf(first)).toEqual(["recipient.delivered"]);
    const last = open(first.agreement, "2");
    expect(last.agreement).toMatchObject({ status: "delivered", deliveredAt: sampleTime });
    expect(eventsOf(last)).toEqual(["recipient.delivered", "agreement.delivered"]);
    const again = open(last.agreement, "2");
    expect([actionsOf(again), again.agreement]).toEqual([["recipient.opened"], last.agreement]);
  });

  test("takes the mark of a mail that came back, at the first time and whenever one came back since", () => {
    const unreach = (agreement: Agreement): Agreement => {
      const failed = { recipientId: idOf(agreement, "1"), mail: "reminder" as const, reason: "the mail came back" };
      const marked = noteUndelivered(agreement, failed, context, { again: false }).agreement;
      expect(recipientOf(marked, "1").deliveryFailedAt).toEqual(sampleTime);
      return marked;
    };
    const first = open(unreach(sent([one, two])), "1").agreement;
    expect(recipientOf(first, "1").deliveryFailedAt).toBeNull();
    const again = open(unreach(first), "1");
    expect(recipientOf(again.agreement, "1")).toMatchObject({ deliveryFailedAt: null, deliveryFailedReason: "" });
    expect([actionsOf(again), eventsOf(again)]).toEqual([["recipient.opened"], []]);
  });

  test("is all that a certified delivery needs", () => {
    const change = open(sent([sampleRecipient("1", { role: "certified-delivery" })]), "1");
    expect(change.agreement.status).toBe("completing");
    expect(actionsOf(change)).toEqual([
      "recipient.opened",
      "agreement.delivered",
      "recipient.viewed",
      "agreement.completing",
    ]);
    expect(jobsOf(change)).toEqual(["completion"]);
  });

  test("refuses those whose turn has not come, and what has ended without being completed", () => {
    const agreement = sent([one, second]);
    expect(refusalOf(() => open(agreement, "2")).code).toBe("RECIPIENT_NOT_IN_SEQUENCE");
    expect(refusalOf(() => open(decline(agreement, "1").agreement, "1")).code).toBe("INVALID_ENVELOPE_STATUS");
    expect(refusalOf(() => openAgreement(agreement, "nobody", context)).code).toBe("RECIPIENT_NOT_FOUND");
  });
});

describe("finishAgreement", () => {
  test("goes on with the next order, and completes when nobody is left", () => {
    const copy = sampleRecipient("3", { role: "carbon-copy", routingOrder: 3 });
    const first = finish(open(sent([one, second, copy]), "1").agreement, "1");
    expect(first.agreement).toMatchObject({ status: "delivered", currentRoutingOrder: 2 });
    expect(actionsOf(first)).toEqual(["recipient.signed", "recipient.sent"]);
    const last = finish(first.agreement, "2");
    expect(last.agreement).toMatchObject({ status: "completing", currentRoutingOrder: 0 });
    expect(statuses(last.agreement)).toEqual(["completed", "completed", "completed"]);
    expect(actionsOf(last)).toEqual(["recipient.signed", "recipient.copied", "agreement.completing"]);
    const { id } = last.agreement;
    expect(last.jobs.filter(({ kind }) => kind !== "mail")).toEqual([
      { kind: "completion", key: id, runAt: sampleTime, payload: { agreementId: id } },
    ]);
  });

  test("waits for those who sign at the same time", () => {
    const change = finish(sent([one, two]), "1");
    expect(change.agreement).toMatchObject({ status: "sent", currentRoutingOrder: 1 });
    expect(jobsOf(change)).toEqual([]);
  });

  test("records nothing when a value will not do", () => {
    const tabs = [sampleTab("text", { label: "city" }), sampleTab("number", { label: "age" })];
    const agreement = sent([{ ...one, tabs }]);
    const refused = refusalOf(() => finish(agreement, "1"));
    expect(refused.code).toBe("VALIDATION_FAILED");
    expect(refused.fields).toEqual(tabs.map(({ tabId }) => `${tabId} REQUIRED`));
  });

  test("lets approvers finish without a signature", () => {
    const agreement = sent([{ ...one, role: "approver" }]);
    const { id } = recipientOf(agreement, "1");
    const consented = giveConsent(open(agreement, "1").agreement, id, shown, context).agreement;
    const change = finishAgreement(consented, id, { values: new Map(), signature: null, initials: null }, context);
    expect(actionsOf(change)).toContain("recipient.approved");
  });

  test("refuses those who have finished, whose turn has not come, or who have not consented", () => {
    const agreement = sent([one, two, { ...second, id: "late", recipientId: "3", email: "late@example.com" }]);
    expect(refusalOf(() => finish(finish(agreement, "1").agreement, "1")).code).toBe("RECIPIENT_ALREADY_SIGNED");
    expect(refusalOf(() => finish(agreement, "3")).code).toBe("RECIPIENT_NOT_IN_SEQUENCE");
    const early = () => finishAgreement(agreement, one.id, signedWith(), context);
    expect(refusalOf(early).code).toBe("CONSENT_REQUIRED");
    const unread = giveConsent(agreement, one.id, shown, context);
    expect([unread.agreement.status, statuses(unread.agreement)[0], eventsOf(unread)]).toEqual(["sent", "sent", []]);
    const blind = () => finishAgreement(unread.agreement, one.id, signedWith(), context);
    expect(refusalOf(blind).code).toBe("DOCUMENTS_NOT_OPENED");
    const ended = voidAgreement(agreement, { reason: "Mistake" }, context).agreement;
    expect(refusalOf(() => finish(ended, "1")).code).toBe("INVALID_ENVELOPE_STATUS");
  });
});

describe("the other ends of an agreement", () => {
  test("a recipient who declines ends it for everybody", () => {
    const change = decline(sent([one, two]), "2");
    expect(change.agreement).toMatchObject({ status: "declined", declinedAt: sampleTime, currentRoutingOrder: 0 });
    expect(recipientOf(change.agreement, "2")).toMatchObject({ status: "declined", declineReason: "Too dear" });
    expect(change.events).toEqual([
      { kind: "recipient.declined", recipientId: two.id },
      { kind: "agreement.declined", recipientId: two.id },
    ]);
    expect(refusalOf(() => decline(sent([one, second]), "2")).code).toBe("RECIPIENT_NOT_IN_SEQUENCE");
  });

  test("a sender who voids it says why, in 200 characters", () => {
    const agreement = sent([one]);
    const { agreement: ended } = voidAgreement(agreement, { reason: "😀".repeat(300) }, context);
    expect(ended).toMatchObject({ status: "voided", voidedAt: sampleTime, voidedReason: "😀".repeat(200) });
    expect(refusalOf(() => voidAgreement(agreement, { reason: " " }, context)).fields).toEqual([
      "voidedReason REQUIRED",
    ]);
    for (const status of ["created", "completing", "completed", "voided"] as const) {
      const refused = refusalOf(() => voidAgreement({ ...agreement, status }, { reason: "" }, context));
      expect([status, refused.code]).toEqual([status, "INVALID_ENVELOPE_STATUS"]);
    }
  });

  test("nobody finishes it after its time, also while nobody has written down that it has expired", () => {
    const agreement = sent([one]);
    const id = idOf(agreement, "1");
    const consented = giveConsent(open(agreement, "1").agreement, id, shown, context).agreement;
    const finishAt = (now: Date) => finishAgreement(consented, id, signedWith(), sampleContext(now));
    expect(refusalOf(() => finishAt(days(120))).code).toBe("VIEW_URL_EXPIRED");
    expect(finishAt(days(119)).agreement.status).toBe("completing");
  });

  test("it expires when its time has come, and only then", () => {
    const agreement = sent([one]);
    expect(expireWhenDue(agreement, sampleContext(days(119))).agreement).toBe(agreement);
    const change = expireWhenDue(agreement, sampleContext(days(120)));
    expect(change.agreement).toMatchObject({ status: "expired", voidedAt: days(120) });
    expect(change.agreement.voidedReason).toContain(days(120).toISOString());
    expect(expireWhenDue(change.agreement, sampleContext(days(121)))).toMatchObject({ audit: [], events: [] });
  });
});

describe("remindAgreement", () => {
  test("asks those again whose turn it is", () => {
    const agreement = finish(sent([one, two, sampleRecipient("3", { routingOrder: 2 })]), "1").agreement;
    const change = remindAgreement(agreement, context);
    expect(eventsOf(change)).toEqual(["agreement.resent"]);
    expect(change.audit[0]?.details).toMatchObject({ recipients: [{ recipientId: "2" }] });
    expect(refusalOf(() => remindAgreement(sampleDraft([one]), context)).code).toBe("INVALID_ENVELOPE_STATUS");
  });

  test("comes back as often as the sender said", () => {
    const notification = {
      reminderEnabled: true,
      reminderDelay: 2,
      reminderFrequency: 3,
      expireEnabled: false,
      expireAfter: 0,
      expireWarn: 0,
    };
    const agreement = sent([one], { notification });
    expect(remindWhenDue(agreement, sampleContext(days(1))).agreement).toBe(agreement);
    const change = remindWhenDue(agreement, sampleContext(days(2)));
    expect(change.agreement.remindAt).toEqual(days(5));
    expect(change.jobs).toMatchObject([{ kind: "reminder", runAt: days(5) }, { kind: "mail" }]);
    const once = { ...agreement, notification: { ...notification, reminderFrequency: 0 } };
    expect(jobsOf(remindWhenDue(once, sampleContext(days(2))))).toEqual([]);
  });
});

describe("leaveAgreement and giveConsent", () => {
  test("leaving changes nothing of the agreement", () => {
    const agreement = sent([one]);
    const change = leaveAgreement(agreement, one.id, context);
    expect(change.agreement).toBe(agreement);
    expect(eventsOf(change)).toEqual(["recipient.left"]);
  });

  test("consent is recorded once, with what was shown", () => {
    const first = giveConsent(sent([one]), one.id, shown, context);
    expect(first.audit[0]?.details).toMatchObject({ textSha256: "00".repeat(32), locale: "en" });
    expect(giveConsent(first.agreement, one.id, shown, sampleContext(days(1))).agreement).toBe(first.agreement);
  });
});
