import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { defaultPage } from "../../services/docgen/domain/page.ts";
import type { Renderer } from "../../services/docgen/renderer/render-job.ts";
import { createRenderer } from "../../services/docgen/renderer/renderer.ts";
import { htmlJob } from "../../services/docgen/renderer/test/jobs.ts";
import { describeWithPoppler, flatTextOf } from "../../services/docgen/typesetting/test/poppler.ts";
import type { Agreement, Recipient } from "../../services/sign/agreement/agreement.ts";
import { chain, emptyAudit } from "../../services/sign/agreement/audit-chain.ts";
import { commit } from "../../services/sign/agreement/audit-commitment.ts";
import type { AuditEntry } from "../../services/sign/agreement/change.ts";
import {
  sampleContext,
  sampleDocument,
  sampleDraft,
  sampleRecipient,
  sampleTime,
} from "../../services/sign/agreement/test/lifecycle-samples.ts";
import { englishTexts } from "../../services/sign/certificate/certificate-texts.ts";
import { arabicTexts, germanTexts } from "../../services/sign/certificate/certificate-translations.ts";
import { certificateFooter, certificateHtml } from "../../services/sign/certificate/print-certificate.ts";
import { unknownSender } from "../../services/sign/organization-reader.ts";

const at = "2026-11-02T10:00:00Z";
const hostile = '<b>bold</b> #panic("x") $1$ &amp; <script>alert(1)</script> \u202Ereversed';
const hostileShown = '<b>bold</b> #panic("x") $1$ &amp; <script>alert(1)</script> [U+202E]reversed';

let renderer: Renderer;
beforeAll(() => {
  renderer = createRenderer({ logger: createLogger("test", "silent"), size: 1 });
});
afterAll(() => renderer.close());

async function printed(
  agreement: Agreement,
  entries: readonly AuditEntry[] = entriesOf(agreement.recipients),
  { texts = englishTexts, sender = unknownSender } = {},
) {
  const { events, head } = chain(
    entries.map((entry) => ({ ...entry, committed: commit(entry, () => "somebody") })),
    {
      agreementId: agreement.id,
      head: emptyAudit,
      occurredAt: sampleTime,
      agreementStatus: agreement.status,
    },
  );
  const audited = { ...agreement, audit: head };
  const html = certificateHtml(audited, events, {
    ...{ organizationName: "Acme & Söhne", at: sampleTime, texts, sender },
  });
  const page = { ...defaultPage, footer: certificateFooter(agreement, texts) };
  const { pdf, pages, warnings } = await renderer.render(htmlJob(html, { page, locale: texts.locale }));
  expect(warnings).toEqual([]);
  return { text: flatTextOf(pdf), letters: flatTextOf(pdf).replaceAll(/[ \u00ad]/g, ""), pages, html, head, events };
}

const entriesOf = (recipients: readonly Recipient[]): readonly AuditEntry[] =>
  recipients.map(({ id, name, email }) => ({
    action: "recipient.signed",
    actor: { source: "signer", id, name, email, ip: "2001:db8::7348", userAgent: "Browser/1.0" },
  }));

const signed = (recipientId: string, given: Partial<Recipient> = {}): Recipient =>
  sampleRecipient(recipientId, {
    status: "completed",
    sentAt: sampleTime,
    deliveredAt: sampleTime,
    consentedAt: sampleTime,
    completedAt: sampleTime,
    signature: { typed: `Person ${recipientId}`, font: "cursive", drawnPng: "" },
    ...given,
  });

function ofTwoSigners() {
  const agreement = sampleDraft([signed("1", { clientUserId: "7" }), signed("2")], {
    ...{ status: "completed", documents: [sampleDocument("1")], sentAt: sampleTime, completedAt: sampleTime },
  });
  const { actor } = sampleContext();
  const steps = ["recipient.sent", "recipient.opened", "recipient.consented", "recipient.signed"] as const;
  const acted = agreement.recipients.flatMap(({ id, name, email }) =>
    steps.map((action) => ({ action, actor: { ...actor, source: "signer" as const, id, name, email } })),
  );
  const sender = { name: "Olivia Owner", email: "olivia@example.com", locale: "", timeZone: "Europe/Berlin" };
  return { agreement, actor, acted, sender };
}

describeWithPoppler("a certificate in print", () => {
  test("says who signed what, when and from where, with the hashes and the head of the trail", async () => {
    const documents = [{ ...sampleDocument("1"), sealedSha256: Buffer.alloc(32, 2) }];
    const drawn = { typed: "", font: "", drawnPng: "iVBORw0KGgo=" };
    const agreement = sampleDraft([signed("1", { clientUserId: "7" }), signed("2", { signature: drawn })], {
      status: "completed",
      documents,
      sentAt: sampleTime,
      completedAt: sampleTime,
    });
    const { text, letters, head } = await printed(agreement);
    expect(text).toContain("Certificate of completion");
    expect(text).not.toContain("not a certificate");
    for (const part of [
      ...[agreement.id, "Acme & Söhne", "Person 1", "person1@example.com", "Signer", "2001:db8::7348", at],
      ...["Typed: Person 1 (style cursive)", "Drawn by hand", "Identified by the sender’s application", "Browser/1.0"],
      ...["1 document, 2 pages", "Document 1.pdf", "Completed", "page 1 of"],
    ]) {
      expect(letters).toContain(part.replaceAll(" ", ""));
    }
    for (const hash of [Buffer.alloc(32, 1), Buffer.alloc(32, 2), head.hash]) {
      expect(letters).toContain(hash.toString("hex"));
    }
  });

  test.each([
    [englishTexts, "Olivia Owner (olivia@example.com)", "Agreement changed, 40 times"],
    [germanTexts, "Olivia Owner (olivia@example.com)", "Vereinbarung geändert, 40-mal"],
    [arabicTexts, "olivia@example.com", "Europe/Berlin"],
  ])(
    "of two signers takes two pages, with the sender’s name and time, and one line for all edits (%#)",
    async (texts, ...parts) => {
      const { agreement, actor, acted, sender } = ofTwoSigners();
      const edited = Array.from({ length: 40 }, () => ({ action: "agreement.modified", actor }) as const);
      const entries = [{ action: "agreement.created", actor } as const, ...edited, ...acted];
      const { letters, pages } = await printed(agreement, entries, { texts, sender });
      expect(pages).toBe(2);
      for (const part of [...parts, "2026-11-02 11:00:00 GMT+1", at, "2–41"]) {
        expect(letters).toContain(part.replaceAll(" ", ""));
      }
    },
  );

  test.each([
    [englishTexts, "Corrections after sending", "was replaced by"],
    [germanTexts, "Berichtigungen nach dem Senden", "an die Stelle von"],
    [arabicTexts, "carl@example.com", "Europe/Berlin"],
  ])(
    "of an agreement that was corrected takes two pages, too, and says who was replaced by whom (%#)",
    async (texts, ...parts) => {
      const { agreement, actor, acted, sender } = ofTwoSigners();
      const person = (name: string) => ({ recipientGuid: name, name, email: `${name.toLowerCase()}@example.com` });
      const details = {
        reason: "Ann has left the company",
        changed: ["emailSubject", "notification"],
        recipientsReplaced: [{ former: person("Ann"), by: person("Eve") }],
        recipientsRemoved: [person("Carl")],
        tabs: [person("Eve")],
      };
      const entries = [
        ...[{ action: "agreement.created", actor } as const, { action: "agreement.sent", actor } as const],
        ...[{ action: "agreement.corrected", actor, details } as const, ...acted],
      ];
      const { letters, pages } = await printed(agreement, entries, { texts, sender });
      for (const part of [...parts, "ann@example.com", "eve@example.com", "Ann has left the company"]) {
        expect(letters).toContain(part.replaceAll(" ", ""));
      }
      expect(pages).toBe(2);
    },
  );

  test("says clearly that it is a summary while the agreement is not finished", async () => {
    for (const status of ["created", "sent", "delivered", "completing", "declined", "voided", "expired"] as const) {
      const agreement = sampleDraft([], { status, documents: [], voidedReason: "Wrong version" });
      const { text } = await printed(agreement);
      expect(text).toContain("This is a summary, not a certificate.");
      expect(text).not.toContain("Certificate of completion");
    }
  });

  test("shows every value letter by letter, however hostile or long", async () => {
    const long = { name: "N".repeat(100), email: `${"e".repeat(64)}@${"d".repeat(27)}.example` };
    const recipients = [
      signed("1", { name: hostile, declineReason: hostile, hostName: hostile }),
      signed("2", { ...long, signature: { typed: hostile, font: hostile, drawnPng: "" } }),
    ];
    const documents = [{ ...sampleDocument("1"), name: `${hostile}${"L".repeat(300)}` }];
    const changes = { status: "declined", emailSubject: hostile, voidedReason: hostile, documents } as const;
    const { letters, html } = await printed(sampleDraft(recipients, changes));
    expect(letters.split(hostileShown.replaceAll(" ", "")).length).toBeGreaterThan(6);
    for (const part of [long.name, long.email, "L".repeat(300)]) expect(letters).toContain(part);
    expect(html).not.toContain("<script>");
  });

  test("warns when the trail is not the one that was recorded", async () => {
    const agreement = sampleDraft([signed("1")], { status: "sent" });
    const { events, head, html } = await printed(agreement);
    expect(html).not.toContain("WARNING");
    const options = { organizationName: "Acme", at: sampleTime };
    const changed = events.map((event) => ({ ...event, actor: { ...event.actor, ip: "192.0.2.9" } }));
    expect(certificateHtml({ ...agreement, audit: head }, changed, options)).toContain("WARNING");
    expect(certificateHtml({ ...agreement, audit: head }, [], options)).toContain("WARNING");
  });

  test("prints the largest agreement there can be in time", async () => {
    const recipients = Array.from({ length: 500 }, (_, index) => signed(String(index), { name: "N".repeat(100) }));
    const documents = Array.from({ length: 100 }, (_, index) => sampleDocument(String(index)));
    const { actor } = sampleContext();
    const entries = Array.from({ length: 2_000 }, () => ({ action: "recipient.opened", actor }) as const);
    const { text, pages } = await printed(sampleDraft(recipients, { status: "sent", documents }), entries);
    expect(pages).toBeGreaterThan(20);
    expect(text).toContain("1700 more events are not printed here");
  });
});
