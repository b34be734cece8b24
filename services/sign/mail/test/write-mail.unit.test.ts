import { describe, expect, test } from "@jest/globals";
import type { MailKind } from "../../domain/mails.ts";
import { type MailContent, writeMail } from "../write-mail.ts";

const content: MailContent = {
  kind: "invitation",
  task: "sign",
  signerName: "",
  locale: "en",
  recipientName: "Ann",
  senderName: "Example AG",
  subject: "NDA",
  blurb: "As discussed.",
  link: "https://sign.example.com/signing/abc",
  expiresAt: new Date("2026-12-01T00:00:00Z"),
  actorName: "Ben",
  reason: "",
};

const kinds: readonly MailKind[] = ["invitation", "reminder", "completed", "declined", "voided", "expired"];

describe("writeMail", () => {
  test("says who asks, for what, until when, and gives the link", () => {
    const { subject, text, html } = writeMail(content);
    expect(subject).toBe("Please sign: NDA");
    for (const part of ["Hello Ann,", "Example AG asks you", "As discussed.", "December 1, 2026", content.link]) {
      expect(text).toContain(part);
    }
    expect(html).toContain(`href="${content.link}"`);
  });

  test.each(["en", "de-CH", "fr", "es", "pt-BR", "ja"])("leaves no blank unfilled in %s", (locale) => {
    for (const kind of kinds) {
      for (const task of ["sign", "read", "host"] as const) {
        const { subject, text, html } = writeMail({ ...content, kind, task, locale, reason: "Too late" });
        for (const part of [subject, text, html]) expect(part).not.toMatch(/\{\w+\}|undefined/);
      }
    }
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
    expect(text).toContain("Ben has declined");
    expect(text).toContain("Reason: Wrong price");
  });
});
