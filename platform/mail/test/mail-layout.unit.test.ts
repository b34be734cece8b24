import { describe, expect, test } from "@jest/globals";
import { formMail, type MailParts, plainLook } from "../mail-layout.ts";

const parts: MailParts = {
  tag: "en",
  look: plainLook("Example AG"),
  values: { name: "Ann", sender: "Example AG", said: "Two\nlines" },
  subject: "News for {name}",
  paragraphs: ["Hello {name},", "{sender} has news.", "That is all."],
  quote: { label: "Message from {sender}:", text: "{said}" },
  facts: [["From", "{sender}"]],
  action: "Open",
  link: "https://sign.example.com/x?a=1&b=2",
  notes: ["You get this mail because you asked."],
};

describe("formMail", () => {
  test("says the same as text and as HTML, in the same order", () => {
    const { subject, text, html } = formMail(parts);
    expect(subject).toBe("News for Ann");
    const expected = [
      ...["Hello Ann,", "Example AG has news.", "Message from Example AG:\nTwo\nlines", "From: Example AG"],
      ...[`Open:\n${parts.link}`, "That is all.", "--", "You get this mail because you asked."],
    ];
    expect(text).toBe(`${expected.join("\n\n")}\n`);
    const shown = html
      .slice(html.indexOf("<td"))
      .replaceAll("<br>", "\n")
      .replaceAll(/<[^>]*>/g, "");
    const inOrder = ["Hello Ann,", "has news.", "Two\nlines", "From", "Open", "That is all.", "because you asked"];
    const places = inOrder.map((one) => shown.indexOf(one));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(html).toContain('href="https://sign.example.com/x?a=1&amp;b=2"');
  });

  test("loads nothing, and runs nothing", () => {
    const evil = '<img src="https://evil.example/x">{sender}';
    const { html, subject } = formMail({ ...parts, values: { ...parts.values, name: `${evil}\r\nBcc: a@b.c` } });
    expect(html).not.toMatch(/<img|<script|url\(|@import|src=(?!&quot;)/i);
    expect(html).toContain("{sender}");
    expect(subject).not.toMatch(/[\r\n]/);
  });

  test("follows the direction of its language, and isolates values of the other one", () => {
    const arabic = formMail({ ...parts, tag: "ar" });
    expect(arabic.html).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.html).not.toMatch(/text-align:(?:left|right)|(?:padding|margin)-(?:left|right)/);
    expect(arabic.text).toContain("Hello \u2068Ann\u2069,");
    const mixed = formMail({ ...parts, values: { ...parts.values, name: "\u05d0\u05e0\u05d4" } });
    expect(mixed.text).toContain("Hello \u2068\u05d0\u05e0\u05d4\u2069,");
    expect(mixed.html).toContain("<bdi>\u05d0\u05e0\u05d4</bdi>");
    // What somebody gave cannot turn the text around.
    expect(formMail({ ...parts, values: { ...parts.values, name: "\u202eevil" } }).text).toContain("[U+202E]evil");
  });

  test("has the look of whom it is from", () => {
    const logo = { mediaType: "image/png", content: Buffer.from("png"), width: 120, height: 40 } as const;
    const replyTo = { name: "Legal", address: "legal@example.com" };
    const look = {
      ...plainLook("Shop & Co"),
      logo,
      accent: "#006644",
      onAccent: "#fefefe",
      footer: "Shop & Co\nBerlin",
    };
    const mail = formMail({ ...parts, look: { ...look, fromName: "Shop", replyTo } });
    expect(mail).toMatchObject({ fromName: "Shop", replyTo, attachments: [{ contentId: "logo@assent" }] });
    for (const part of ['src="cid:logo@assent" alt="Shop &amp; Co"', "#006644", "#fefefe", "Shop &amp; Co<br>Berlin"]) {
      expect(mail.html).toContain(part);
    }
    expect(mail.text).toContain("Shop & Co\nBerlin");
    expect(formMail(parts)).not.toHaveProperty("attachments");
  });

  test("is legible on a dark screen as well", () => {
    const { html } = formMail(parts);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain("@media (prefers-color-scheme:dark)");
    for (const name of ["m-page", "m-card", "m-quiet", "m-quote"]) {
      expect(html).toContain(`class="${name}"`);
      expect(html).toContain(`.${name}{`);
    }
  });
});
