import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { RenderHtmlResponseSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import type { JsonObject } from "../../agreement/agreement.ts";
import type { AuditEvent } from "../../agreement/audit-chain.ts";
import { sampleContext, sampleDraft, sampleRecipient, sampleTime } from "../../agreement/test/lifecycle-samples.ts";
import { type Branded, noSettings } from "../../brands/brand.ts";
import { unknownSender } from "../../organization-reader.ts";
import { consentTexts } from "../../signing/consent-text.ts";
import { markup } from "../markup.ts";
import { certificateHtml, printCertificate } from "../print-certificate.ts";

test.each(["a\rb", "a\r\nb", "a\u202eb", "a\u0007b", "<script>&#13;</script>", "a\u00a0b\tc\nd"])(
  "%j in a name does not keep a certificate from being typeset",
  (name) => {
    const { html } = markup`<p>${name}</p>`;
    const { findings } = parseRestrictedHtml(html);
    expect([html.includes("\r"), findings]).toEqual([false, []]);
  },
);

test.each([1, 51])("a certificate of %i parties names the text that was consented to beside the time", (count) => {
  const [, german] = consentTexts("Acme");
  const hash = german?.sha256.toString("hex") ?? "";
  const html = certificateOf(count, { textSha256: hash, locale: "de" });
  expect(html).toContain("2026-");
  expect(html).toContain("To the text in the language de");
  expect(html).toContain(hash);
});

test("what a browser calls itself is shortened in a certificate, and marked as its own account", () => {
  const html = certificateOf(1, {}, "Mozilla/5.0 ".repeat(80));
  const [, said = ""] = /Browser, by its own account<[^>]+><[^>]+><[^>]+>([^<]+)/.exec(html) ?? [];
  expect(said.startsWith("Mozilla/5.0 Mozilla/5.0")).toBe(true);
  expect([said.endsWith("…"), said.length < 125]).toEqual([true, true]);
  expect(html).toContain("what this service saw itself");
});

test("a sender whom the auth service does not know is named by the organization, never by an id", () => {
  const [, said] = />Sender<[^>]+>\s*<[^>]+>([^<]*)</.exec(certificateOf(1, {})) ?? [];
  expect(said).toBe("Acme");
});

test("a certificate says who was replaced by whom, and why, with what is left of the names", () => {
  const person = (name: string) => ({ recipientGuid: name, name, email: `${name.toLowerCase()}@example.com` });
  const details = {
    reason: "Ann has left",
    changed: ["emailSubject", "notification"],
    recipientsReplaced: [{ former: person("Ann"), by: person("Eve") }],
    recipientsRemoved: [{ recipientGuid: "x", name: "ERASED", email: "ERASED" }],
    tabs: [person("Bob")],
  };
  const html = certificateOf(1, details, "", "agreement.corrected");
  for (const part of [
    "<h2>Corrections after sending</h2>",
    "Ann (ann@example.com) was replaced by Eve (eve@example.com)",
    "ERASED (ERASED) was removed",
    "Fields of Bob (bob@example.com) that were not filled were changed",
    "The subject was changed",
    "Reminders or the time to sign were changed",
    "Ann has left",
  ]) {
    expect(html).toContain(part);
  }
  expect(certificateOf(1, {})).not.toContain("Corrections after sending");
});

describe("the head of a certificate", () => {
  const brand = {
    ...{ ...noSettings, id: "", name: "Green", senderName: 'Green & "Co"', favicon: null },
    ...{ createdAt: sampleTime, modifiedAt: sampleTime },
  };
  const logo = { sha256: Buffer.alloc(32), contentType: "image/png" as const, width: 400, height: 100, bytes: 3 };
  const printed = async (branded: Branded | undefined, refuses = (_html: string) => false) => {
    const seen: string[] = [];
    const renderHtml = async ({ html = "" }: { readonly html?: string }) => {
      seen.push(html);
      if (refuses(html)) throw toConnectError(new DomainError("GEN_TEMPLATE_ERROR"));
      return create(RenderHtmlResponseSchema, { pdf: Buffer.from("%PDF") });
    };
    const agreement = sampleDraft([sampleRecipient("1")]);
    const shown = { ...{ agreement, events: [], organizationName: "Acme" }, sender: unknownSender, now: sampleTime };
    await printCertificate({ renderHtml }, { ...shown, branded }, {});
    return seen.map((html) => html.split("<h1>")[0]);
  };

  test("has the logo, or else the name of the sender, and nothing without a brand", async () => {
    const content = Buffer.from([1, 2, 3]);
    expect(await printed({ brand: { ...brand, logo }, logo: content })).toEqual([
      '<p><img src="data:image/png;base64,AQID" alt="Green &amp; &quot;Co&quot;" style="width: 60.0mm"></p>',
    ]);
    expect(await printed({ brand: { ...brand, logo: null }, logo: undefined })).toEqual([
      '<p class="lead"><strong>Green &amp; &quot;Co&quot;</strong></p>',
    ]);
    expect(await printed({ brand: { ...brand, senderName: "", logo: null }, logo: undefined })).toEqual([""]);
    expect(await printed(undefined)).toEqual([""]);
  });

  test("goes without a picture that cannot be typeset", async () => {
    const heads = await printed({ brand: { ...brand, logo }, logo: Buffer.from([1]) }, (html) => html.includes("<img"));
    expect(heads).toEqual([expect.stringContaining("<img"), ""]);
  });
});

/** Of an agreement whose first party has consented. */
function certificateOf(
  parties: number,
  details: JsonObject,
  userAgent = "Browser/1.0",
  action: AuditEvent["action"] = "recipient.consented",
): string {
  const recipients = Array.from({ length: parties }, (_, index) =>
    sampleRecipient(String(index + 1), index === 0 ? { consentedAt: sampleTime } : {}),
  );
  const agreement = sampleDraft(recipients);
  const consented: AuditEvent = {
    ...{ sequence: 1, occurredAt: sampleTime, action, details, agreementStatus: "sent" },
    actor: { ...sampleContext().actor, source: "signer", id: recipients[0]?.id ?? "", userAgent },
    ...{ previousHash: Buffer.alloc(32), hash: Buffer.alloc(32) },
  };
  return certificateHtml(agreement, [consented], { organizationName: "Acme", at: sampleTime });
}
