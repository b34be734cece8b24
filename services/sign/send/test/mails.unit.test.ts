import { describe, expect, test } from "@jest/globals";
import { ConfigError } from "#platform/config.ts";
import { mailServerOf } from "#platform/mail/mail-settings.ts";
import {
  recipientOf,
  sampleContext,
  sampleDraft,
  sampleRecipient,
  sampleTime,
} from "../../agreement/test/lifecycle-samples.ts";
import { type Corrections, correctAgreement } from "../../edit/corrections.ts";
import { mailTo } from "../../mail/mail-to.ts";
import { declineAgreement } from "../../signing/ceremony.ts";
import { isReadable, linkExpiry, type View } from "../../signing/view.ts";
import { expireWhenDue, voidAgreement } from "../end-agreement.ts";
import { completedMails, isWorthSending, mailWishOf } from "../mails.ts";
import { sendAgreement } from "../send.ts";
import { remindAgreement } from "../send-agreement.ts";

const context = sampleContext();
const [ann, bob, cid, dan] = [
  sampleRecipient("1"),
  sampleRecipient("2", { clientUserId: "2" }),
  sampleRecipient("3", { role: "carbon-copy" }),
  sampleRecipient("4", { routingOrder: 2 }),
];
const sentChange = sendAgreement(sampleDraft([ann, bob, cid, dan]), () => [], context);
const sent = sentChange.agreement;

const wishes = ({ jobs }: { readonly jobs: typeof sentChange.jobs }): string[] =>
  jobs.flatMap(({ kind, key, payload }) => {
    const wish = mailWishOf(payload);
    if (kind !== "mail" || wish === undefined) return [];
    expect(key).toBe(`${sent.id}:${wish.recipientId}:${wish.mail}`);
    // Nothing but ids.
    expect(Object.keys(payload).sort()).toEqual(["agreementId", "mail", "recipientId"]);
    const { recipientId } = sent.recipients.find(({ id }) => id === wish.recipientId) ?? {};
    return [`${wish.mail} ${recipientId}`];
  });

describe("who gets a mail", () => {
  test("those whose turn begins and who are not embedded", () => {
    expect(wishes(sentChange)).toEqual(["invitation 1", "invitation 3"]);
    expect(wishes(remindAgreement(sent, context))).toEqual(["reminder 1"]);
  });

  test("those who were asked, when it ends; but not the one who ended it", () => {
    expect(wishes(voidAgreement(sent, { reason: "Mistake" }, context))).toEqual(["voided 1", "voided 3"]);
    const late = sampleContext(new Date(sampleTime.getTime() + 200 * 86_400_000));
    expect(wishes(expireWhenDue(sent, late))).toEqual(["expired 1", "expired 3"]);
    expect(wishes(declineAgreement(sent, ann.id, { reason: "" }, context))).toEqual(["declined 3"]);
    expect(wishes(declineAgreement(sent, bob.id, { reason: "" }, context))).toEqual(["declined 1", "declined 3"]);
  });

  test("those whom a correction concerns: who takes part, who did, and who has to look again", () => {
    const nothing = { reason: "", texts: {}, notification: {}, removeRecipientIds: [], recipients: [], tabs: [] };
    const correct = (given: Partial<Corrections>) => {
      const { jobs, agreement } = correctAgreement(sent, { ...nothing, ...given }, () => [], context).change;
      return jobs.flatMap(({ kind, payload }) => {
        const wish = mailWishOf(payload);
        if (kind !== "mail" || wish === undefined) return [];
        const { email } = wish.former ?? agreement.recipients.find(({ id }) => id === wish.recipientId) ?? {};
        return [[wish.mail, email, ...(wish.changes ?? [])].join(" ")];
      });
    };
    const eve = { recipientId: "1", name: "Eve", email: "eve@example.com", tabs: [] };
    expect(correct({ recipients: [eve] })).toEqual([
      "removed person1@example.com",
      "changed person3@example.com people",
      "invitation eve@example.com",
    ]);
    // The same address is asked again, which says it all.
    expect(correct({ recipients: [{ recipientId: "1", name: "Anna", tabs: [] }] })).toEqual([
      "changed person3@example.com people",
      "invitation person1@example.com",
    ]);
    expect(correct({ texts: { emailSubject: "Lease" } })).toEqual(["corrected person1@example.com subject"]);
    expect(correct({ notification: { reminderEnabled: true, reminderDelay: 2 } })).toEqual([]);
    expect(correct({ removeRecipientIds: ["4"] })).toEqual([
      "corrected person1@example.com people",
      "changed person3@example.com people",
    ]);
    // What only somebody else sees concerns nobody else.
    expect(correct({ recipients: [{ recipientId: "2", note: "Hurry.", tabs: [] }] })).toEqual([]);
    expect(correct({ recipients: [{ recipientId: "1", note: "Hurry.", locale: "de", tabs: [] }] })).toEqual([
      "corrected person1@example.com message language",
    ]);
    expect(correct({ notification: { expireAfter: 9 }, texts: { emailBlurb: "Soon." } })).toEqual([
      "corrected person1@example.com message until",
    ]);
  });

  test("each correction has mails of its own", () => {
    const nothing = { reason: "", texts: {}, notification: {}, removeRecipientIds: [], recipients: [], tabs: [] };
    const correct = (agreement: typeof sent, emailSubject: string) =>
      correctAgreement(agreement, { ...nothing, texts: { emailSubject } }, () => [], context).change;
    const first = correct(sent, "Lease");
    const second = correct({ ...first.agreement, version: first.agreement.version + 1 }, "Lease 2");
    const keys = [...first.jobs, ...second.jobs].flatMap(({ kind, key }) => (kind === "mail" ? [key] : []));
    expect(new Set(keys).size).toBe(2);
  });

  test("everybody, when it is completed", () => {
    expect(wishes({ jobs: completedMails(sent) })).toEqual([1, 2, 3, 4].map((who) => `completed ${who}`));
  });
});

describe("a mail", () => {
  test("is worth sending while what it says is true", () => {
    const [asked, waiting] = [recipientOf(sent, "1"), recipientOf(sent, "4")];
    expect(isWorthSending("invitation", sent, asked)).toBe(true);
    expect(isWorthSending("invitation", sent, waiting)).toBe(false);
    expect(isWorthSending("invitation", sent, recipientOf(sent, "3"))).toBe(true);
    expect(isWorthSending("reminder", sent, { ...asked, status: "completed" })).toBe(false);
    const { agreement: voided } = voidAgreement(sent, { reason: "Mistake" }, context);
    expect(isWorthSending("invitation", voided, asked)).toBe(false);
    expect(isWorthSending("voided", voided, asked)).toBe(true);
    expect(isWorthSending("voided", sent, asked)).toBe(false);
  });

  test("to who signs in person goes to the host, and about the end to an own address if there is one", () => {
    const given = { role: "in-person-signer", hostName: "Hal", hostEmail: "hal@example.com", email: "" } as const;
    const guest = sampleRecipient("1", given);
    const written = (recipient: typeof guest, kind: "reminder" | "completed") =>
      mailTo(recipient, sent, { kind, link: "https://sign.example.com/signing/t", messageId: "<1@example.com>" }).to;
    expect(written(guest, "reminder")).toEqual({ name: "Hal", address: "hal@example.com" });
    expect(written(guest, "completed")).toEqual({ name: "Hal", address: "hal@example.com" });
    const own = { ...guest, email: "guest@example.com" };
    expect(written(own, "reminder").address).toBe("hal@example.com");
    expect(written(own, "completed")).toEqual({ name: "Person 1", address: "guest@example.com" });
  });

  test("carries the sender's words to all and those to the recipient alone", () => {
    const agreement = { ...sent, emailBlurb: "To all." };
    const noted = { ...ann, note: "To you." };
    const { text } = mailTo(noted, agreement, { kind: "invitation", link: "", messageId: "" });
    expect(text).toContain("To all.\n\nTo you.");
  });

  test("tells that an approver has declined to approve", () => {
    const approving = {
      ...sent,
      recipients: sent.recipients.map((one) => (one.id === bob.id ? { ...one, role: "approver" as const } : one)),
    };
    const { agreement } = declineAgreement(approving, bob.id, { reason: "" }, context);
    const { text } = mailTo(ann, agreement, { kind: "declined", link: "", messageId: "" });
    expect(text).toContain(`${bob.name} declined to approve`);
  });

  test("has a subject and a message of its own for whom they were given, while it asks", () => {
    const agreement = { ...sent, emailBlurb: "To all." };
    const own = { ...ann, emailSubject: "Your lease {name}", emailBlurb: "<b>Page 2</b>", note: "Soon.", locale: "de" };
    const written = (kind: "invitation" | "reminder" | "expiring" | "declined") =>
      mailTo(own, agreement, { kind, link: "https://sign.example.com/signing/t", messageId: "" });
    const invitation = written("invitation");
    expect(invitation.subject).toBe("Bitte unterschreiben: Your lease {name}");
    expect(invitation.text).toContain("<b>Page 2</b>\n\nSoon.");
    expect(invitation.html).toContain("&lt;b&gt;Page 2&lt;/b&gt;");
    expect(invitation.text).not.toContain("To all.");
    for (const kind of ["reminder", "expiring"] as const) expect(written(kind).subject).toContain("Your lease");
    expect(written("declined").subject).toBe(`Abgelehnt: ${agreement.emailSubject}`);
  });

  test("has a link that outlives the agreement by thirty days", () => {
    const view = { isReusable: true } as View;
    const completed = { ...sent, completedAt: sampleTime };
    const daysLater = (days: number): Date => new Date(sampleTime.getTime() + days * 86_400_000);
    expect(isReadable(view, sent, daysLater(1_000))).toBe(true);
    expect([29.9, 30].map((days) => isReadable(view, completed, daysLater(days)))).toEqual([true, false]);
    expect(isReadable({ ...view, isReusable: false }, completed, daysLater(40))).toBe(true);
    expect(linkExpiry(sampleTime, true) > daysLater(999)).toBe(true);
  });
});

describe("the mail server's settings", () => {
  const values = {
    ...{ SMTP_URL: "smtp://mail", MAIL_FROM: "sign@example.com", PUBLIC_URL: "https://sign.example.com" },
    ...{ EGRESS_PROXY: "", EGRESS_DIRECT: [] },
  };

  test("belong together", () => {
    expect(mailServerOf({ ...values, SMTP_URL: "" })).toBeUndefined();
    expect(mailServerOf(values)).toEqual({ url: "smtp://mail", from: values.MAIL_FROM, publicUrl: values.PUBLIC_URL });
    expect(() => mailServerOf({ ...values, MAIL_FROM: "", PUBLIC_URL: "" })).toThrow(ConfigError);
    expect(() => mailServerOf({ ...values, PUBLIC_URL: "" })).toThrow("PUBLIC_URL is required when SMTP_URL is set");
  });
});
