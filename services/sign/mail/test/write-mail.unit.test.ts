import { describe, expect, test } from "@jest/globals";
import { plainLook } from "#platform/mail/mail-layout.ts";
import type { MailKind } from "../../send/mails.ts";
import { type MailContent, writeMail } from "../mail-to.ts";

const content: MailContent = {
  kind: "invitation",
  task: "sign",
  signerName: "",
  locale: "en",
  recipientName: "Ann",
  address: "ann@example.com",
  documents: ["NDA.pdf"],
  look: plainLook("Example AG"),
  senderName: "Example AG",
  subject: "NDA",
  blurb: "As discussed.",
  link: "https://sign.example.com/signing/abc",
  expiresAt: new Date("2026-12-01T00:00:00Z"),
  actorName: "Ben",
  declinedToApprove: false,
  reason: "",
};

const asking = ["invitation", "reminder", "expiring", "corrected"] as const;
const kinds: readonly MailKind[] = [...asking, "completed", "declined", "voided", "expired", "changed", "removed"];
const tasks = ["sign", "approve", "receive", "read", "host"] as const;
const locales = ["en", "de-CH", "fr", "es", "pt-BR", "ja"];

describe("writeMail", () => {
  test("says what a brand has it say, and all the same who asks and for what", () => {
    const look = { ...plainLook("Acme"), accent: "#0b5d3b", footer: "Acme AG\nBerlin", fromName: "Acme" };
    const words = { subject: "{sender} sends {subject}", intro: "Welcome, {name}.\nUntil {date}. {unknown}" };
    const mail = writeMail({ ...content, look, words });
    expect(mail).toMatchObject({ subject: "Example AG sends NDA", fromName: "Acme" });
    for (const part of [
      "Hello Ann,\n\nWelcome, Ann.\nUntil December 1",
      "Example AG asks you",
      "{unknown}",
      "Berlin",
    ]) {
      expect(mail.text).toContain(part);
    }
    expect(mail.html).toContain("background:#0b5d3b");
    // The reader, also where somebody else is named.
    const declined = writeMail({ ...content, kind: "declined", words: { subject: "", intro: "Dear {name}" } });
    expect([declined.subject, declined.text]).toEqual([
      "Declined: NDA",
      expect.stringMatching(/Dear Ann\n\nBen declined/),
    ]);
  });

  test("says what a correction has changed", () => {
    const changes = ["until", "people"] as const;
    expect(writeMail({ ...content, kind: "corrected", changes }).text).toContain(
      "What changed: End date\nWho takes part",
    );
    const { text, html } = writeMail({ ...content, kind: "changed", changes: ["people"], locale: "de" });
    expect(text).toContain("Geändert wurde: Wer beteiligt ist");
    expect(html).toContain("Wer beteiligt ist");
    expect(text).not.toContain("NDA.pdf");
    expect(writeMail({ ...content, kind: "corrected" }).text).not.toContain("What changed");
  });

  test("says where to report abuse, whatever its brand", () => {
    const reportUrl = "https://abuse.example/form?reference=a&b";
    const { text, html } = writeMail({ ...content, locale: "de", reportUrl, words: { subject: "", intro: "Hi" } });
    expect(text).toContain(`Missbrauch melden:\n${reportUrl}`);
    expect(html).toMatch(
      /<a [^>]*href="https:\/\/abuse\.example\/form\?reference=a&amp;b"[^>]*>Missbrauch melden<\/a>/,
    );
    expect(writeMail(content).text).not.toContain("Report abuse");
  });

  test("says who asks, for what, until when, and gives the link", () => {
    const { subject, text, html } = writeMail(content);
    expect(subject).toBe("Please sign: NDA");
    for (const part of ["Hello Ann,", "Example AG asks you", "As discussed.", "December 1, 2026", content.link]) {
      expect(text).toContain(part);
    }
    expect(html).toContain(`href="${content.link}"`);
  });

  test("does not ask in a subject for what the sender asks in it already", () => {
    const asked = (subject: string, more: Partial<MailContent> = {}) =>
      writeMail({ ...content, subject, ...more }).subject;
    expect(asked("Please sign the NDA")).toBe("Please sign the NDA");
    expect(asked("please sign: NDA")).toBe("Please sign: NDA");
    expect(asked("Please sign: Please sign: NDA")).toBe("Please sign: NDA");
    expect(asked("À signer : NDA", { locale: "de" })).toBe("Bitte unterschreiben: NDA");
    expect(asked("Please sign: NDA", { kind: "completed" })).toBe("Completed: NDA");
    expect(asked("Please sign: NDA", { kind: "reminder" })).toBe("Reminder: please sign NDA");
    expect(asked("Please sign:")).toBe("Please sign:");
    expect(asked("Bitte unterschreiben Sie", { locale: "de" })).toBe("Bitte unterschreiben Sie");
    expect(asked("Please sign the NDA", { kind: "reminder" })).toBe("Reminder: Please sign the NDA");
    expect(asked("NDA. Please sign")).toBe("Please sign: NDA. Please sign");
  });

  test.each(locales)("says in %s that an approver has declined to approve", (locale) => {
    const declined = { ...content, kind: "declined", locale } as const;
    const [signer, approver] = [declined, { ...declined, declinedToApprove: true }].map((one) => writeMail(one));
    expect(approver?.subject).toBe(signer?.subject);
    expect(approver?.text).not.toBe(signer?.text);
    for (const part of ["Ben", "NDA"]) expect(approver?.text).toContain(part);
    expect(approver?.text).not.toMatch(/\{\w+\}|undefined/);
  });

  test.each(locales)("leaves no blank unfilled in %s", (locale) => {
    for (const kind of kinds) {
      for (const task of tasks) {
        const { subject, text, html } = writeMail({ ...content, kind, task, locale, reason: "Too late" });
        for (const part of [subject, text, html]) expect(part).not.toMatch(/\{\w+\}|undefined/);
      }
    }
  });

  test.each(locales)("asks each reader for what they are to do, and for nothing else, in %s", (locale) => {
    const asked = asking.flatMap((kind) =>
      tasks.map((task) => writeMail({ ...content, kind, task, locale, blurb: "", link: "" }).text),
    );
    // Copies are not waited for: they are told the same each time, but for the time that is left.
    expect(new Set(asked).size).toBe(asked.length - 1);
    const toSign = /\bsign|unterschr|unterschreib|\bfirm|assin|署名/i;
    for (const kind of asking) {
      for (const task of ["approve", "receive", "read"] as const) {
        const { subject, text } = writeMail({ ...content, kind, task, locale, blurb: "", senderName: "Acme" });
        expect(`${subject} ${text.replaceAll(content.link, "")}`).not.toMatch(toSign);
      }
    }
  });

  test("an approver is asked to approve, and who receives to read, again and again", () => {
    const written = (task: MailContent["task"], kind: MailKind) => writeMail({ ...content, task, kind });
    expect(written("approve", "invitation").subject).toBe("Please approve: NDA");
    expect(written("approve", "reminder").subject).toBe("Reminder: please approve NDA");
    expect(written("approve", "reminder").text).toContain("Read and approve:");
    expect(written("receive", "invitation").subject).toBe("Please open and read: NDA");
    expect(written("receive", "reminder").text).toContain("waiting for you to open and read");
    expect(written("host", "reminder").subject).toBe("Reminder: in-person signing of NDA");
    const { subject, text } = written("approve", "expiring");
    expect(subject).toBe("Ending soon: NDA");
    expect(text).toContain("waiting for you to approve “NDA”.\nIt ends on December 1, 2026 at 12:00 AM UTC;");
    expect(text).not.toContain("can be used until");
  });

  test("who only reads is not asked to sign, and a host is told who does", () => {
    const toRead = writeMail({ ...content, task: "read" });
    expect(toRead.subject).toBe("To read: NDA");
    expect(toRead.text).not.toMatch(/sign (in|")/i);
    expect(writeMail({ ...content, task: "host", signerName: "Cid" }).text).toContain("let Cid sign");
  });

  test("what callers gave is text, in headers and in HTML", () => {
    const evil = '<img src=x onerror=alert(1)>"\r\nBcc: all@example.com {reason}';
    const { subject, html } = writeMail({ ...content, subject: evil, recipientName: evil, blurb: evil });
    expect(subject).not.toMatch(/[\r\n]/);
    expect(html).not.toContain("<img");
    expect(html).toContain("{reason}");
  });

  test("the one who declined is named, and the reader is greeted", () => {
    const { text } = writeMail({ ...content, kind: "declined", reason: "Wrong price" });
    expect(text).toContain("Hello Ann,");
    expect(text).toContain("Ben declined");
    expect(text).toContain("Reason: Wrong price");
  });
});
