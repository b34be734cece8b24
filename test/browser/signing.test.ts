import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { onePixel } from "#api/kinds.ts";
import type { Mail } from "#platform/mail/mail.ts";
import { wordType } from "#platform/office-package.ts";
import { until } from "#platform/testing/until.ts";
import { findOffice } from "../../services/convert/office.ts";
import { flatTextOf } from "../../services/docgen/typesetting/test/poppler.ts";
import { p, wordFile } from "../../services/docgen/word/test/word-files.ts";
import { jpegOf } from "../../services/sign/intake/test/pictures.ts";
import { consentTexts } from "../../services/sign/signing/consent-text.ts";
import { fill, loadLanguage, plural } from "../../web/signing/src/languages.ts";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { type System, startSystem } from "../support/system.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import { newEmail, newPassword, openAs } from "./support/dashboard.ts";
import { broughtBy, follow, tabTo } from "./support/keyboard.ts";
import { createAgreement, giveConsent, linkFor, openLink, phone, returnUrl, screenshot } from "./support/signing.ts";

/** Where LibreOffice is; CI has it. */
const office = findOffice(process.env.PATH ?? "") ?? "";
const testWithOffice = office === "" && process.env.CI !== "true" ? test.skip : test;
if (office === "") process.stderr.write("LibreOffice is not there: no Word contract is signed\n");

describeInBrowser("the signing page", (pages) => {
  let system: System;
  let api: Api;
  const mails: Mail[] = [];
  const reportsSecret = "secret-of-the-reports-on-mails-1";
  let baseUrl = "";
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    system = await startSystem("single process", {
      mail: {
        mailer: { send: async (mail) => void mails.push(mail), close: async () => undefined },
        publicUrl: () => baseUrl,
      },
      environment: { MAIL_REPORTS_SECRET: reportsSecret, OFFICE_PROGRAM: office },
    });
    baseUrl = system.baseUrls[0] ?? "";
    api = await system.newOrganization();
  });
  afterAll(() => system?.stop());
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  const expectAccessible = async (page: Page): Promise<void> => expect(await accessibilityProblems(page)).toEqual([]);
  const statusOf = async (id: string): Promise<string> => (await api.get(`/v1/sign/agreements/${id}`)).body.status;
  const focused = (page: Page) => page.evaluate("document.activeElement.getAttribute('aria-label')");
  const field = (page: Page, name: string) => page.getByLabel(new RegExp(`^${name}, `));
  const drawn = (page: Page) => page.locator(".page .text-layer span").first().waitFor({ state: "attached" });

  /**
   * What can be hit and has less than 24 by 24 pixels (WCAG 2.2, 2.5.8): a box counts with its label, and links within a
   * sentence are excepted.
   */
  const smallTargets = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll("a[href], button, input, select, textarea, summary")].flatMap((one) => {
      const shown = one.checkVisibility({ visibilityProperty: true }) && one.type !== "file";
      const label = one.closest("label");
      const { width, height } = (label ?? one).getBoundingClientRect();
      return shown && (width < 23.99 || height < 23.99) ? [one.outerHTML.slice(0, 120) + " " + width + "x" + height] : [];
    })`);

  async function fillEverything(page: Page): Promise<void> {
    await field(page, "Company").fill("Example GmbH");
    await field(page, "Title").fill("Director");
    await field(page, "Address").fill("1 Example Street\n12345 Example");
    await field(page, "Amount").fill("1250.50");
    await field(page, "Start").fill("2026-12-01");
    await field(page, "Terms").check();
    await field(page, "Because").fill("I have read them");
    await field(page, "Plan").selectOption("l");
    await page.getByLabel("Colour, required: blue").check();
    const chooser = await broughtBy(page, "filechooser", () => page.getByRole("button", { name: /^Passport/ }).click());
    // As a telephone takes it: on its side, and with where it was taken.
    await chooser.setFiles({ name: "passport.jpg", mimeType: "image/jpeg", buffer: jpegOf(6) });
    await page.getByRole("button", { name: /passport\.jpg$/ }).waitFor();
  }

  test("it has the face of the brand, legible on light and dark screens, and says who asks all the same", async () => {
    const settings = {
      ...{ name: "Acme", senderName: "Acme Legal", footer: "Acme AG\n1 Example Street, Berlin", font: "serif" },
      // Yellow can be read on no light page: links have another shade of it.
      colors: { button: "#ffdd00", header: "#0b3d2e" },
    };
    const { id: brandId } = bodyOf(201, await api.post("/v1/sign/brands", settings));
    for (const picture of ["logo", "favicon"]) {
      bodyOf(200, await api.call("PUT", `/v1/sign/brands/${brandId}/${picture}`, { content: onePixel }));
    }
    for (const [name, options] of [
      ["brand-desk", {}],
      ["brand-phone", { ...phone, colorScheme: "dark" }],
    ] as const) {
      const id = await createAgreement(api, { brandId });
      const page = await openLink(pages, await linkFor(api, id, "1"), wrong, options);
      await page.getByRole("heading", { name: "Before you sign" }).waitFor();
      await page.getByText("From ").first().waitFor();
      await page.getByText("1 Example Street, Berlin").waitFor();
      await page.getByRole("img", { name: "Acme Legal" }).waitFor();
      await until(() => page.evaluate<boolean>("document.querySelector('.brand-head img').naturalWidth > 0"));
      const painted = await page.evaluate<string[]>(
        "(({ backgroundColor, color, fontFamily }) => [backgroundColor, color, fontFamily])(getComputedStyle(document.querySelector('.button.primary')))",
      );
      expect(painted).toEqual(["rgb(255, 221, 0)", "rgb(0, 0, 0)", expect.stringContaining("Georgia")]);
      await expectAccessible(page);
      await screenshot(page, `${name}-consent`);
      await giveConsent(page);
      await drawn(page);
      await expectAccessible(page);
      await screenshot(page, name);
    }
    bodyOf(204, await api.call("DELETE", `/v1/sign/brands/${brandId}`));
  });

  test("an access code and a code by email are asked for before anything is shown, and before the person finishes", async () => {
    const signer = {
      ...{ recipientId: "1", name: "Ann Example", email: "ann.proof@example.com", clientUserId: "1" },
      verification: [
        { method: "access_code", accessCode: "Lighthouse 42" },
        { method: "email_code", before: "signing" },
      ],
      tabs: [{ type: "signature", anchor: { text: "/sig1/" } }],
    };
    const id = await createAgreement(api, { recipients: { signers: [signer] } });
    for (const [name, options] of [
      ["proof-desk", {}],
      ["proof-phone", { ...phone, colorScheme: "dark", locale: "ar" }],
    ] as const) {
      const page = await openLink(pages, await linkFor(api, id, "1"), wrong, options);
      await page.locator("#proof").waitFor();
      await expectAccessible(page);
      await screenshot(page, name);
      expect(await page.content()).not.toMatch(/Master Services|Agreement\.pdf|Ann Example/);
    }
    const page = await openLink(pages, await linkFor(api, id, "1"), wrong);
    await page.getByRole("heading", { name: "Confirm that it’s you" }).waitFor();
    // By keyboard alone: the field has the focus.
    await page.keyboard.press("Enter");
    await page.getByText("Enter the code.").waitFor();
    await page.keyboard.type("lighthouse");
    await page.keyboard.press("Enter");
    await page.getByText("That code isn’t right. Tries left: 4.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "proof-wrong");
    await page.keyboard.type("Lighthouse 42");
    await page.keyboard.press("Enter");
    await giveConsent(page);
    await drawn(page);
    await page.getByRole("button", { name: /^Sign here/ }).click();
    await page.getByRole("button", { name: "Adopt and sign" }).click();
    await page.getByRole("button", { name: "Finish", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/We’ll email a 6-digit code to a•••@example\.com/).waitFor();
    await expectAccessible(page);
    await screenshot(page, "proof-dialog");
    await dialog.getByRole("button", { name: "Send the code" }).click();
    await dialog.getByText("We sent a code to").waitFor();
    await dialog.getByRole("button", { name: "Send another code" }).click();
    await dialog.getByText("You can’t get another code yet.").waitFor();
    const mail = await until(() =>
      mails.find(({ to, subject }) => to.address === signer.email && subject.includes("code")),
    );
    await dialog.getByLabel("6-digit code").fill(/\b\d{6}\b/.exec(mail.text)?.[0] ?? "");
    await page.keyboard.press("Enter");
    await page.waitForURL(/^https:\/\/integration\.example\//);
    const { recipients } = bodyOf(200, await api.get(`/v1/sign/agreements/${id}`));
    expect(recipients.signers[0]).toMatchObject({
      assurance: "combined",
      verification: [
        { state: "passed", failures: 1 },
        { state: "passed", failures: 0 },
      ],
    });
  });

  test("two people sign, one typing on a desk, one drawing on a telephone", async () => {
    const id = await createAgreement(api);
    const link = await linkFor(api, id, "1");
    const page = await openLink(pages, link, wrong);
    await page.getByRole("heading", { name: "Before you sign" }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/signing\/s\/[\w-]{22}\/$/);
    await expectAccessible(page);
    await screenshot(page, "consent-desk");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Agree to continue, or decline.").waitFor();
    await giveConsent(page);
    await drawn(page);
    await screenshot(page, "document-desk");
    await expectAccessible(page);
    // One button says what is next; whoever presses it gets from field to field.
    await page.getByText(/^0 of \d+ required fields done$/).waitFor();
    expect(await page.getByRole("button", { name: "Finish", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Start" }).click();
    expect(await focused(page)).toBe("Company, required");
    await page.getByRole("button", { name: "Next" }).click();
    expect(await focused(page)).toBe("Title, required");
    await screenshot(page, "next-desk");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Finish later" }).waitFor();
    await screenshot(page, "menu-desk");
    expect(await smallTargets(page)).toEqual([]);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Who sent this?" }).click();
    await page.getByRole("dialog").getByText("Please sign until Friday.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await fillEverything(page);
    await page.getByRole("button", { name: /^Initial here/ }).click();
    await page.getByRole("dialog").waitFor();
    await screenshot(page, "adopt-desk");
    expect(await smallTargets(page)).toEqual([]);
    await expectAccessible(page);
    await page.getByLabel("Style 3").check();
    await page.getByRole("button", { name: "Adopt and sign" }).click();
    await page.getByRole("button", { name: /^Sign here/ }).click();
    await page.getByText("All required fields are done").waitFor();
    await screenshot(page, "filled-desk");
    await page.evaluate("window.scrollTo(0, 0)");
    await screenshot(page, "filled-top-desk");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".field.list").scrollIntoViewIfNeeded();
    await screenshot(page, "filled-narrow");
    await page.setViewportSize({ width: 375, height: 700 });
    await page.locator(".field.attachment").scrollIntoViewIfNeeded();
    await screenshot(page, "attached-narrow");
    await page.setViewportSize({ width: 1280, height: 900 });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Finish", exact: true }).click();
    await page.getByText("Back at the integration.").waitFor();
    expect(page.url()).toBe(`${returnUrl}&event=signing_complete`);

    const [kept] = bodyOf(200, await api.get(`/v1/sign/agreements/${id}/attachments`));
    expect(kept).toMatchObject({ fileName: "passport.pdf", contentType: "application/pdf" });

    const other = await openLink(pages, await linkFor(api, id, "2"), wrong, { ...phone, colorScheme: "dark" });
    await other.getByRole("heading", { name: "Before you sign" }).waitFor();
    await screenshot(other, "consent-phone");
    await expectAccessible(other);
    await giveConsent(other);
    await drawn(other);
    const colourOf = (selector: string) =>
      other.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).backgroundColor`);
    // The page is dark; what is signed is paper, as it is sealed.
    expect(await colourOf("html")).toBe("rgb(16, 19, 25)");
    expect(await colourOf(".page")).toBe("rgb(255, 255, 255)");
    await screenshot(other, "document-phone");
    await other.getByRole("button", { name: "Start" }).tap();
    await screenshot(other, "next-phone");
    await other.getByRole("button", { name: /^Sign here/ }).tap();
    await other.getByLabel("Draw", { exact: true }).check();
    await screenshot(other, "draw-empty-phone");
    const box = await other.locator("canvas.drawing").boundingBox();
    if (box === null) throw new Error("there is nothing to draw on");
    await other.mouse.move(box.x + 20, box.y + 80);
    await other.mouse.down();
    for (let step = 1; step <= 20; step += 1)
      await other.mouse.move(box.x + 20 + step * 11, box.y + 80 + (step % 2 === 0 ? -35 : 25));
    await other.mouse.up();
    await screenshot(other, "draw-phone");
    await expectAccessible(other);
    await other.getByRole("button", { name: "Adopt and sign" }).tap();
    await other.getByText("All required fields are done").waitFor();
    await screenshot(other, "signed-phone");
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await other.evaluate(overflow)).toBe(0);
    await other.getByRole("button", { name: "Finish", exact: true }).tap();
    await other.getByText("Back at the integration.").waitFor();
    expect(other.url()).toBe(`${returnUrl}&event=signing_complete`);
    expect(["completing", "completed"]).toContain(await statusOf(id));

    const again = await fetch(link, { redirect: "manual", headers: { accept: "text/html" } });
    expect([again.status, again.headers.get("location")]).toEqual([303, `${returnUrl}&event=ttl_expired`]);
  }, 90_000);

  const shortTabs = [
    { type: "text", label: "city", tooltip: "City", documentId: "1", page: 1, x: 140, y: 402, required: true },
    { type: "signature", anchor: { text: "/sig1/", yOffset: 45 } },
  ];
  const ann = { recipientId: "1", name: "Ann Example", email: "ann.1@example.com", clientUserId: "1" };
  const short = { recipients: { signers: [{ ...ann, tabs: shortTabs }] } };

  test.each(["en-GB", "de-DE", "ar-EG", "he-IL"])("the keyboard is enough in %s", async (locale) => {
    const language = await loadLanguage([locale]);
    const { tag, texts } = language;
    const consent = consentTexts("").find((one) => one.locale === tag)?.agreement ?? "";
    const stateOf = (name: string, state: string): string => fill(texts.fieldState, { name, state });
    const id = await createAgreement(api, short);
    const page = await openLink(pages, await linkFor(api, id, "1"), wrong, { locale });
    await page.getByRole("heading", { name: texts.consentHeading }).waitFor();
    await tabTo(page, consent);
    await page.keyboard.press("Space");
    await follow(page, texts.continue);
    await page.getByText(fill(plural(texts.progress, language, 2), { done: 0, total: 2 })).waitFor();
    // The menu opens, its entries are reached, and Escape leads back.
    await follow(page, texts.more);
    await follow(page, texts.help);
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await follow(page, texts.start);
    expect(await focused(page)).toBe(stateOf("City", texts.required));
    await page.keyboard.type("Lisbon");
    await follow(page, texts.next);
    expect(await focused(page)).toBe(stateOf(texts.signHere, texts.required));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await expectAccessible(page);
    await tabTo(page, fill(texts.styleNumber, { number: 1 }));
    await page.keyboard.press("ArrowDown");
    expect(await page.getByLabel(fill(texts.styleNumber, { number: 2 })).isChecked()).toBe(true);
    await follow(page, texts.adopt);
    await page.getByText(texts.allDone).waitFor();
    expect(await focused(page)).toBe(stateOf(`${texts.signHere}: Ann Example`, texts.signed));
    await screenshot(page, `keyboard-${tag}`);
    await follow(page, texts.finish);
    await page.getByText("Back at the integration.").waitFor();
    expect(page.url()).toBe(`${returnUrl}&event=signing_complete`);
    expect(["completing", "completed"]).toContain(await statusOf(id));
  });

  test("nothing is lost when the page is reloaded, or opened in another tab or on another device", async () => {
    const id = await createAgreement(api, short);
    const page = await openLink(pages, await linkFor(api, id, "1"), wrong);
    await giveConsent(page);
    await field(page, "City").fill("Lisbon");
    await page.getByRole("button", { name: /^Sign here/ }).click();
    await page.getByLabel("Style 2").check();
    await page.getByRole("button", { name: "Adopt and sign" }).click();
    await page.getByText("All required fields are done").waitFor();
    await page.getByText("Everything you enter is saved").waitFor();
    await page.reload();
    await page.getByText("All required fields are done").waitFor();
    expect(await field(page, "City").inputValue()).toBe("Lisbon");
    await page.getByRole("button", { name: "Sign here: Ann Example, signed" }).waitFor();

    const device = await openLink(pages, await linkFor(api, id, "1"), wrong, phone);
    await device.getByText("All required fields are done").waitFor();
    await field(device, "City").fill("Porto");
    await device.getByText("Everything you enter is saved").waitFor();
    const shown = page.waitForResponse((response) => response.url().endsWith("/ceremony"));
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await shown;
    await page.waitForFunction("[...document.querySelectorAll('input')].some(({ value }) => value === 'Porto')");

    await device.getByRole("button", { name: "Finish", exact: true }).tap();
    await device.getByText("Back at the integration.").waitFor();
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole("heading", { name: /^(Done|Completed)$/ }).waitFor();
  });

  test("of two tabs with two signatures, the last one that was adopted is shown in both, and sealed", async () => {
    const id = await createAgreement(api, short);
    const first = await openLink(pages, await linkFor(api, id, "1"), wrong);
    await giveConsent(first);
    await field(first, "City").fill("Lisbon");
    const second = await openLink(pages, await linkFor(api, id, "1"), wrong);
    const adopt = async (page: Page, name: string): Promise<void> => {
      await page.getByRole("button", { name: /^Sign here/ }).click();
      await page.getByLabel("Full name").fill(name);
      await page.getByRole("button", { name: "Adopt and sign" }).click();
      await page.getByRole("button", { name: `Sign here: ${name}, signed` }).waitFor();
      await page.getByText("Everything you enter is saved").waitFor();
    };
    await adopt(first, "Ann First");
    await adopt(second, "Ann Second");
    // Whoever comes back to the first tab sees what will be sealed.
    await first.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await first.getByRole("button", { name: "Sign here: Ann Second, signed" }).waitFor();
    await first.getByRole("button", { name: "Finish", exact: true }).click();
    await first.getByText("Back at the integration.").waitFor();
    await until(async () => (await statusOf(id)) === "completed");
    const certificate = await fetch(`${api.baseUrl}/v1/sign/agreements/${id}/certificate`, {
      headers: { authorization: `Bearer ${api.token}` },
    });
    const printed = flatTextOf(new Uint8Array(await certificate.arrayBuffer()));
    expect(printed).toContain("Typed: Ann Second");
    expect(printed).not.toContain("Ann First");
  });

  test("who finishes later finds what was filled in, and may decline then", async () => {
    const id = await createAgreement(api, short);
    const page = await openLink(pages, await linkFor(api, id, "1"), wrong);
    await giveConsent(page);
    await field(page, "City").fill("Lisbon");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Finish later" }).click();
    await page.getByText("Back at the integration.").waitFor();
    expect(page.url()).toBe(`${returnUrl}&event=cancel`);

    const again = await openLink(pages, await linkFor(api, id, "1"), wrong, phone);
    expect(await field(again, "City").inputValue()).toBe("Lisbon");
    await again.getByRole("button", { name: "More" }).tap();
    await screenshot(again, "menu-phone");
    await again.getByRole("button", { name: "Decline to sign" }).tap();
    await again.getByLabel("Reason").fill("The price is wrong.");
    await screenshot(again, "decline-phone");
    await expectAccessible(again);
    await again.getByRole("dialog").getByRole("button", { name: "Decline to sign" }).tap();
    await again.getByText("Back at the integration.").waitFor();
    expect(again.url()).toBe(`${returnUrl}&event=decline`);
    expect(await statusOf(id)).toBe("declined");
  });

  test("a telephone has room for the field that somebody is at, and the text can be read in lines of its width", async () => {
    const id = await createAgreement(api);
    const small = { ...phone, viewport: { width: 375, height: 667 } };
    const page = await openLink(pages, await linkFor(api, id, "1"), wrong, small);
    await giveConsent(page);
    await drawn(page);
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(overflow)).toBe(0);
    const sizeOf = async (name: string) => {
      await field(page, name).focus();
      const font = Number(await page.evaluate("parseFloat(getComputedStyle(document.activeElement).fontSize)"));
      return { box: await field(page, name).boundingBox(), font };
    };
    await page.getByRole("button", { name: "Start" }).tap();
    const zoomed = await sizeOf("Company");
    expect(zoomed.font).toBeGreaterThanOrEqual(16);
    expect(zoomed.box?.x).toBeGreaterThanOrEqual(0);
    expect((zoomed.box?.x ?? 0) + (zoomed.box?.width ?? 0)).toBeLessThanOrEqual(375);
    expect(await page.evaluate(overflow)).toBe(0);
    await screenshot(page, "zoomed-phone");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    const isZoomed = "document.querySelector('.documents').classList.contains('zoomed')";
    expect(await page.evaluate(isZoomed)).toBe(false);
    await page.getByText("Read as text").tap();
    await page
      .getByRole("region", { name: "Text of Agreement.pdf" })
      .getByText("The parties agree to the terms")
      .waitFor();
    await page.getByText("Schedule 1: signatures").first().waitFor();
    await page.evaluate("window.scrollTo(0, 0)");
    await screenshot(page, "reading-phone");
    await expectAccessible(page);

    // A quarter of 1280 by 1024 pixels, as somebody has them who needs everything four times as large.
    await page.setViewportSize({ width: 320, height: 256 });
    expect(await page.evaluate(overflow)).toBe(0);
    await page.getByRole("button", { name: "Next" }).tap();
    expect(await focused(page)).toBe("Title, required");
    expect(await page.evaluate(overflow)).toBe(0);
    await screenshot(page, "magnified");
    await page.getByRole("button", { name: /^Initial here/ }).tap();
    expect(await page.evaluate(overflow)).toBe(0);
    await page.setViewportSize({ width: 667, height: 375 });
    await page.getByLabel("Draw", { exact: true }).check();
    const canvas = await page.locator("canvas.drawing").boundingBox();
    expect(canvas?.width).toBeGreaterThan(600);
    await screenshot(page, "draw-landscape");
    await expectAccessible(page);
  });

  test("a signature can be a picture, is remembered if the person wants it, and a long name stays legible", async () => {
    const long = "Maximiliane Wilhelmina Konstantina von Hohenstaufen-Lichtenberg und zu Guttenberg";
    const people = { recipients: { signers: [{ ...ann, name: long, tabs: shortTabs }] } };
    const page = await openLink(pages, await linkFor(api, await createAgreement(api, people), "1"), wrong);
    await giveConsent(page);
    await page.getByRole("button", { name: /^Sign here/ }).click();
    await page.getByLabel("Upload").check();
    const choose = async (name: string, mimeType: string, buffer: Buffer): Promise<void> => {
      await page.getByLabel("PNG or JPEG", { exact: false }).setInputFiles({ name, mimeType, buffer });
    };
    await choose("signature.svg", "image/svg+xml", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"));
    await page.getByText("This file cannot be used.", { exact: false }).waitFor();
    await choose("signature.png", "image/png", Buffer.from("no picture"));
    await page.getByText("This file cannot be used.", { exact: false }).waitFor();
    // A picture of 20,000 by 20,000 pixels in a few bytes is refused before it is decoded.
    const vast = Buffer.from(await photograph(page), "base64");
    vast.writeUInt32BE(20_000, 16);
    vast.writeUInt32BE(20_000, 20);
    await choose("signature.png", "image/png", vast);
    await page.getByText("This file cannot be used.", { exact: false }).waitFor();
    await choose("signature.png", "image/png", Buffer.from(await photograph(page), "base64"));
    await page.locator(".preview canvas").waitFor();
    await screenshot(page, "upload-desk");
    await expectAccessible(page);
    // The paper is gone, which was darker on one side, and the ink is not; around it nothing is left.
    const seen = await page.evaluate(`(() => {
      const canvas = document.querySelector(".preview canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const alphas = [...data].filter((_, index) => index % 4 === 3);
      return { ratio: canvas.width / canvas.height, clear: alphas.filter((one) => one < 16).length / alphas.length,
        ink: alphas.filter((one) => one > 200).length };
    })()`);
    expect(seen).toMatchObject({ ink: expect.any(Number) });
    const { ratio, clear, ink } = seen as { ratio: number; clear: number; ink: number };
    expect(ratio).toBeGreaterThan(2);
    expect(clear).toBeGreaterThan(0.5);
    expect(ink).toBeGreaterThan(100);
    await page.getByLabel("Remember my signature on this device").check();
    await page.getByRole("button", { name: "Adopt and sign" }).click();
    await page.locator(".field.signature img.drawn").waitFor();
    await page.getByText("Everything you enter is saved").waitFor();

    // Somebody else on this device is not offered it, the same person is.
    const other = await createAgreement(api, short);
    await page.goto(await linkFor(api, other, "1"));
    await giveConsent(page);
    await page.getByRole("button", { name: /^Sign here/ }).click();
    expect(await page.getByLabel("From last time").count()).toBe(0);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.goto(await linkFor(api, await createAgreement(api, people), "1"));
    await giveConsent(page);
    await page.getByRole("button", { name: /^Sign here/ }).click();
    expect(await page.getByLabel("From last time").isChecked()).toBe(true);
    await screenshot(page, "last-desk");
    await expectAccessible(page);
    await page.getByLabel("Type", { exact: true }).check();
    await screenshot(page, "long-name-desk");
    await page.getByLabel("Remember my signature on this device").uncheck();
    await page.getByRole("button", { name: "Adopt and sign" }).click();
    const typed = "getComputedStyle(document.querySelector('.field.signature .typed'))";
    expect(Number(await page.evaluate(`parseFloat(${typed}.fontSize)`))).toBeGreaterThanOrEqual(9);
    await screenshot(page, "long-name-signed");
    expect(await page.evaluate("localStorage.length")).toBe(0);
  });

  test("names of many scripts are handwritten in styles of their own, and bring their own letters alone", async () => {
    const page = await openLink(pages, await linkFor(api, await createAgreement(api, short), "1"), wrong);
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
    await giveConsent(page);
    await page.getByRole("button", { name: /^Sign here/ }).click();
    const hands: readonly (readonly [name: string, ...families: string[]])[] = [
      ["Анна Каренина", "Hand A", "Caveat", "Great Vibes"],
      ["דוד לוי", "Hand A", "Hand B", "Hand C"],
      ["محمد بن عبد الله", "Hand A", "Hand B", "Hand C"],
      ["สมชาย ใจดี", "Hand A", "Hand B", "Hand C"],
      ["王小明", "Ma Shan Zheng", "Zhi Mang Xing"],
      ["さくら 花子", "Yomogi", "Yuji Boku"],
      ["홍길동", "Nanum Pen Script", "Nanum Brush Script"],
    ];
    for (const [name, ...families] of hands) {
      await page.getByLabel("Full name").fill(name);
      expect(await page.getByLabel("Initials").inputValue()).toBe(
        name
          .split(" ")
          .map(([first]) => first)
          .join(""),
      );
      // Of each family there is a file that has come for this name.
      const isThere = `((name, families) => families.every((family) =>
        [...document.fonts].some((one) => one.family.replaceAll('"', "") === family && one.status === "loaded") &&
        document.fonts.check("20px '" + family + "'", name)))(${JSON.stringify(name.replaceAll(" ", ""))}, ${JSON.stringify(families)})`;
      await until(() => page.evaluate<boolean>(isThere));
      await screenshot(page, `hand-${families[0]?.replaceAll(" ", "-")}-${name.length}`);
    }
    // A name that no hand has whole is in print, one style by its slant, one by its serifs, one by its weight.
    await page.getByLabel("Full name").fill("髙橋 𠮷野");
    await until(() => page.evaluate<boolean>("document.querySelectorAll('.sample .typed.plain').length === 3"));
    const letters = loaded.filter((path) => path.endsWith(".woff2"));
    expect(letters.length).toBeGreaterThan(6);
    expect(letters.length).toBeLessThan(40);
    expect(new Set(letters).size).toBe(letters.length);
  });

  /** Ink on paper that lies half in the shade. */
  const photograph = async (page: Page): Promise<string> =>
    String(
      await page.evaluate(`(() => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [900, 600];
        const pen = canvas.getContext("2d");
        const paper = pen.createLinearGradient(0, 0, 900, 0);
        paper.addColorStop(0, "#f4f1e8");
        paper.addColorStop(1, "#bdb8ab");
        pen.fillStyle = paper;
        pen.fillRect(0, 0, 900, 600);
        pen.strokeStyle = "#101a50";
        pen.lineWidth = 6;
        pen.beginPath();
        pen.moveTo(200, 320);
        pen.bezierCurveTo(300, 200, 380, 420, 470, 300);
        pen.bezierCurveTo(540, 210, 600, 400, 700, 290);
        pen.stroke();
        return canvas.toDataURL("image/png").split(",")[1];
      })()`),
    );

  test("the language that somebody chooses stays, and what they entered too", async () => {
    const id = await createAgreement(api, short);
    const page = await openLink(pages, await linkFor(api, id, "1"), wrong);
    await giveConsent(page);
    await field(page, "City").fill("Lisbon");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByLabel("Language").selectOption("de");
    await page.getByText("1 von 2 Pflichtfeldern erledigt").waitFor();
    expect(await page.getByLabel(/^City, /).inputValue()).toBe("Lisbon");
    await page.reload();
    await page.getByRole("button", { name: "Mehr" }).waitFor();
  });

  test("in Arabic the page runs from right to left, and loads no other language", async () => {
    const id = await createAgreement(api, short);
    const page = await pages.open({ viewport: { width: 375, height: 740 }, locale: "ar-EG" });
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
    await page.goto(await linkFor(api, id, "1"));
    await page.getByRole("heading", { name: "قبل التوقيع" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("checkbox").check();
    await page.getByRole("button", { name: "متابعة" }).click();
    await drawn(page);
    expect(await page.evaluate("[document.documentElement.lang, getComputedStyle(document.body).direction]")).toEqual([
      ...["ar", "rtl"],
    ]);
    await page.getByText("اكتمل 0 من 2").waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await page.getByRole("button", { name: "ابدأ" }).click();
    await screenshot(page, "arabic-phone");
    await expectAccessible(page);
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(overflow)).toBe(0);
    const spoken = loaded.filter((path) => /\/code\/([a-z]{2}|pt-br)-[\w-]+\.js$/.test(path));
    expect(spoken).toEqual([expect.stringMatching(/\/ar-[\w-]+\.js$/)]);
  });

  test("whoever signs from a mail stays at the page, comes back to it, and gets the sealed file", async () => {
    const asked = (...names: string[]) => ({
      recipients: {
        signers: names.map((name, index) => ({
          ...{ recipientId: String(index + 1), name: `${name} Mail`, email: `${name.toLowerCase()}.mail@example.com` },
          tabs: [{ type: "signature", anchor: { text: `/sig${index + 1}/`, yOffset: 45 } }],
        })),
      },
    });
    await createAgreement(api, asked("Ann", "Bob"));
    const linkTo = (name: string): Promise<string> =>
      until(async () => {
        const mail = mails.find(({ to }) => to.address === `${name}.mail@example.com`);
        return /https?:\/\/\S+\/signing\/[\w-]{64}/.exec(mail?.text ?? "")?.[0];
      });
    const links = [await linkTo("ann"), await linkTo("bob")] as const;
    const signBy = async (url: string, options = {}): Promise<Page> => {
      const page = await openLink(pages, url, wrong, options);
      await giveConsent(page);
      await page.getByRole("button", { name: /^Sign here/ }).click();
      await page.getByRole("button", { name: "Adopt and sign" }).click();
      await page.getByRole("button", { name: "Finish", exact: true }).click();
      await page.locator("main.card").getByText("Master Services Agreement").waitFor();
      return page;
    };
    const first = await signBy(links[0]);
    await first.getByRole("heading", { name: "Done", exact: true }).waitFor();
    await first.getByText("You’re done. Nothing else is needed from you.").waitFor();
    await first.getByText("Waiting for Bob Mail.").waitFor();
    await first.getByRole("link", { name: "Download Agreement.pdf (without signatures)" }).waitFor();
    await first
      .getByText("When everyone is done, we’ll send a link to the signed documents to ann.mail@example.com.")
      .waitFor();
    await screenshot(first, "done-desk");
    await expectAccessible(first);
    const last = await signBy(links[1], { ...phone, viewport: { width: 375, height: 667 } });
    await last.getByRole("heading", { name: "Completed", exact: true }).waitFor();
    await last.getByText("Everyone has signed, and the agreement is complete.", { exact: false }).waitFor();
    await screenshot(last, "complete-phone");
    await expectAccessible(last);
    const file = await broughtBy(last, "download", () =>
      last.getByRole("link", { name: "Download Agreement.pdf (signed and sealed)" }).tap(),
    );
    expect(file.suggestedFilename()).toBe("Agreement.pdf");
    const certificate = await broughtBy(last, "download", () =>
      last.getByRole("link", { name: "Download the certificate of completion" }).tap(),
    );
    expect(certificate.suggestedFilename()).toMatch(/^certificate-.*\.pdf$/);
    // The first one comes back, by the page that is still open and by the old link.
    await first.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await first.getByRole("heading", { name: "Completed", exact: true }).waitFor();
    await first.reload();
    await first.getByText("Everyone has signed, and the agreement is complete.", { exact: false }).waitFor();
    await first.goto(links[0]);
    await first.getByText("Everyone has signed, and the agreement is complete.", { exact: false }).waitFor();
    await first.getByRole("button", { name: "Read the documents" }).click();
    await drawn(first);

    await createAgreement(api, asked("Cleo", "Dan"));
    const [other, old] = [await linkTo("cleo"), await linkTo("dan")];
    const declining = await openLink(pages, other, wrong);
    await declining.getByRole("button", { name: "Decline to sign" }).click();
    await declining.getByRole("dialog").getByRole("button", { name: "Decline to sign" }).click();
    await declining.getByText("You declined to sign “Master Services Agreement”.", { exact: false }).waitFor();
    await declining.reload();
    await declining.getByRole("heading", { name: "You declined" }).waitFor();
    await declining.goto(old);
    await declining.getByRole("heading", { name: "Declined", exact: true }).waitFor();
    await screenshot(declining, "declined-link");
    await expectAccessible(declining);
    await declining.goto(`${old}x`).catch(() => undefined);
    await declining.getByRole("heading", { name: "This link doesn’t work" }).waitFor();
    // A page that is an answer to a wrong address is an error to the console.
    for (const line of wrong.splice(0)) expect(line).toContain("Failed to load resource");
  });

  const mailTo = (address: string): Promise<Mail> => until(async () => mails.find(({ to }) => to.address === address));
  /** As Postmark reports a mail that came back. */
  const reportBounce = (secret: string, { reportToken = "" }: Mail) =>
    fetch(`${baseUrl}/mail/reports/${secret}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ RecordType: "Bounce", Type: "HardBounce", Metadata: { assent: reportToken } }),
    });
  const openMail = async (mail: Mail): Promise<Page> => {
    const page = await openLink(pages, /https?:\/\/\S+\/signing\/[\w-]{64}/.exec(mail.text)?.[0] ?? "", wrong);
    await giveConsent(page);
    await drawn(page);
    return page;
  };

  test("a mail that is reported to have come back marks its signer on both faces, and opening takes the mark away", async () => {
    const signer = { recipientId: "1", name: "Una Reached", email: "una.reached@example.com", tabs: [shortTabs[1]] };
    const id = await createAgreement(api, { recipients: { signers: [signer] } });
    const mail = await mailTo(signer.email);
    const recipientsPath = `/restapi/v2.1/accounts/${api.organizationId}/envelopes/${id}/recipients`;
    const statesOf = async () => {
      const [native] = (await api.get(`/v1/sign/agreements/${id}`)).body.recipients.signers;
      const [compatible] = (await api.get(recipientsPath)).body.signers;
      return [native.deliveryFailedAt !== null, native.status, compatible.status, compatible.autoRespondedReason ?? ""];
    };
    expect((await reportBounce(`${reportsSecret}-not`, mail)).status).toBe(404);
    expect(await statesOf()).toEqual([false, "sent", "sent", ""]);
    expect((await reportBounce(reportsSecret, mail)).status).toBe(202);
    expect(await statesOf()).toEqual([true, "sent", "autoresponded", expect.stringContaining("the mail came back")]);
    await openMail(mail);
    await until(async () => (await statesOf())[0] === false);
    expect(await statesOf()).toEqual([false, "delivered", "delivered", ""]);
  });

  test("whoever did not get the mail is asked at another address, which the sender enters in the dashboard", async () => {
    const signer = { recipientId: "1", name: "Gus Gone", email: "gus.gone@example.com", tabs: [shortTabs[1]] };
    const id = await createAgreement(api, { recipients: { signers: [signer] } });
    const lost = await mailTo(signer.email);
    expect((await reportBounce(reportsSecret, lost)).status).toBe(202);
    const owner = { email: newEmail(), password: newPassword(), baseUrl };
    await system.admin.createOwner({ organizationId: api.organizationId, name: "Olga Owner", ...owner });
    const dashboard = await openAs(pages, owner, `/agreements/${id}`, wrong);
    await dashboard.getByText("Email not delivered").waitFor();
    await dashboard.getByRole("button", { name: "Change address" }).click();
    const dialog = dashboard.getByRole("dialog");
    await dialog.getByLabel("Email").fill("gus@new.example.com");
    await screenshot(dashboard, "other-address");
    await expectAccessible(dashboard);
    await dialog.getByRole("button", { name: "Change and send" }).click();
    await dialog.waitFor({ state: "detached" });
    await dashboard.getByText("gus@new.example.com").waitFor();
    expect(await dashboard.getByText("Email not delivered").count()).toBe(0);
    await openMail(await mailTo("gus@new.example.com"));
    const old = /https?:\/\/\S+\/signing\/[\w-]{64}/.exec(lost.text)?.[0] ?? "";
    expect((await fetch(old, { redirect: "manual", headers: { accept: "application/json" } })).status).not.toBe(303);
  });

  test("what was sent is corrected in the dashboard, and everybody concerned reads what is otherwise", async () => {
    const [left, stays] = [`left-${newEmail()}`, `stays-${newEmail()}`];
    const signers = [
      { recipientId: "1", name: "Lea Left", email: left, tabs: [shortTabs[1]] },
      { recipientId: "2", name: "Sam Stays", email: stays, tabs: [{ ...shortTabs[1], x: 300 }] },
    ];
    const id = await createAgreement(api, { recipients: { signers } });
    const lost = await mailTo(left);
    await mailTo(stays);
    const owner = { email: newEmail(), password: newPassword(), baseUrl };
    await system.admin.createOwner({ organizationId: api.organizationId, name: "Olga Owner", ...owner });
    const dashboard = await openAs(pages, owner, `/agreements/${id}`, wrong);
    await dashboard.getByRole("link", { name: "Correct…" }).click();
    const first = dashboard.getByRole("group", { name: "Recipient 1" });
    const newcomer = `new-${newEmail()}`;
    await first.getByLabel("Name").fill("Nora New");
    await first.getByRole("textbox", { name: "Email" }).fill(newcomer);
    await dashboard.getByLabel("Subject").fill("Master Services Agreement, as agreed");
    await dashboard.getByLabel("Days from sending").fill("30");
    await dashboard.getByRole("button", { name: "Change fields" }).click();
    await dashboard.getByRole("button", { name: "Text", exact: true }).waitFor();
    await dashboard.locator('.pdf-page[data-page="1"] canvas').first().waitFor();
    await dashboard.getByRole("button", { name: "Text", exact: true }).click();
    await screenshot(dashboard, "correct");
    await expectAccessible(dashboard);
    await dashboard.setViewportSize({ width: 375, height: 740 });
    await screenshot(dashboard, "correct-phone");
    await expectAccessible(dashboard);
    await dashboard.getByRole("button", { name: "Review changes" }).click();
    const review = dashboard.getByRole("dialog");
    expect(await review.getByRole("listitem").allTextContents()).toEqual([
      `Nora New, ${newcomer} takes the place of Lea Left, ${left}`,
      "Fields of Nora New: 1 added, 0 changed, 0 removed",
      "Subject: Master Services Agreement, as agreed",
      "Expires 30 days after sending",
    ]);
    await screenshot(dashboard, "correct-review");
    await expectAccessible(dashboard);
    await review.getByLabel("Reason").fill("Lea has left.");
    await review.getByRole("button", { name: "Send correction" }).click();
    await review.waitFor({ state: "detached" });
    await dashboard.getByText("Nora New", { exact: true }).waitFor();

    const now = (await api.get(`/v1/sign/agreements/${id}`)).body;
    expect(now).toMatchObject({ emailSubject: "Master Services Agreement, as agreed", expiration: { afterDays: 30 } });
    expect(now.recipients.signers[0]).toMatchObject({ name: "Nora New", status: "sent", tabs: [{}, { type: "text" }] });
    await openMail(await mailTo(newcomer));
    const told = await until(async () =>
      mails.find(({ to, subject }) => to.address === stays && /^Changed/.test(subject)),
    );
    expect(told.text).toContain("What changed: Subject\nEnd date\nWho takes part\nFields");
    const old = /https?:\/\/\S+\/signing\/[\w-]{64}/.exec(lost.text)?.[0] ?? "";
    expect((await fetch(old, { redirect: "manual", headers: { accept: "application/json" } })).status).not.toBe(303);
  });

  test("a sender looks at a draft and sends it, and whoever only looks is told when all is done", async () => {
    const id = await createAgreement(api, { ...short, status: "created" });
    const envelope = `/restapi/v2.1/accounts/${api.organizationId}`;
    const sending = bodyOf(201, await api.post(`${envelope}/envelopes/${id}/views/sender`, { returnUrl }));
    const page = await openLink(pages, sending.url, wrong);
    await page.getByText("Ann Example").waitFor();
    await drawn(page);
    await screenshot(page, "sender-desk");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Back at the integration.").waitFor();
    expect(page.url().toLowerCase()).toBe(`${returnUrl}&event=send&envelopeId=${id}`.toLowerCase());
    expect(await statusOf(id)).toBe("sent");

    const looking = bodyOf(201, await api.post(`${envelope}/views/console`, { envelopeId: id }));
    const other = await openLink(pages, looking.url, wrong, phone);
    await drawn(other);
    await other.getByRole("button", { name: "Close" }).tap();
    await other.getByRole("heading", { name: "Done" }).waitFor();
    await screenshot(other, "closing-phone");
    await expectAccessible(other);
  });

  testWithOffice("a Word contract that is sent in the dashboard is signed on a phone and verified", async () => {
    const { organizationId, baseUrl: at } = api;
    const owner = { email: newEmail(), password: newPassword(), baseUrl: at };
    await system.admin.createOwner({ organizationId, name: "Olga Owner", ...owner });
    const page = await openAs(pages, owner, "/agreements/new", wrong);
    const body = p("Lease of a shelf") + p("The tenant keeps it clean.") + p("Tenant: {{signature:1}}");
    const buffer = Buffer.from(wordFile({ body }));
    await page.locator("input[type=file]").setInputFiles({ name: "Lease.docx", mimeType: wordType, buffer });
    const first = page.getByRole("group", { name: "Recipient 1" });
    await first.getByLabel("Name").fill("Wanda Word");
    await first.getByRole("textbox", { name: "Email" }).fill("wanda@example.com");
    await page.getByLabel("Subject").fill("Lease of a shelf");
    await page.getByRole("button", { name: "Continue to fields", exact: true }).click();
    await page.getByRole("button", { name: "Suggest fields", exact: true }).click();
    await page.getByText("Added 1 field.").waitFor();
    await page.getByText("All changes saved.").waitFor();
    await screenshot(page, "word-fields");
    await page.getByRole("link", { name: "Review and send", exact: true }).click();
    await page.getByRole("button", { name: "Send now", exact: true }).click();
    await page.getByText(/Waiting for .*\./).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const link = await until(async () => {
      const mail = mails.find(({ to }) => to.address === "wanda@example.com");
      return /https?:\/\/\S+\/signing\/[\w-]{64}/.exec(mail?.text ?? "")?.[0];
    });
    const signing = await openLink(pages, link, wrong, { ...phone, viewport: { width: 375, height: 667 } });
    await signing.getByLabel("I have read this and agree").check();
    await signing.getByRole("button", { name: "Continue", exact: true }).click();
    await drawn(signing);
    await screenshot(signing, "word-phone");
    await signing.getByRole("button", { name: /^Sign here/ }).click();
    await signing.getByRole("button", { name: "Adopt and sign", exact: true }).click();
    await signing.getByText("All required fields are done").waitFor();
    await screenshot(signing, "word-phone-signed");
    await expectAccessible(signing);
    await signing.getByRole("button", { name: "Finish", exact: true }).click();
    await signing.getByRole("heading", { name: "Done" }).waitFor();
    await until(async () => (await statusOf(id)) === "completed");
    await page.getByText("Everyone has signed, and the documents are sealed.").waitFor();
    const path = `/v1/sign/agreements/${id}/documents/1/content`;
    const bytesOf = async (query: string) => {
      const answer = await fetch(`${at}${path}${query}`, { headers: { authorization: `Bearer ${api.token}` } });
      return Buffer.from(await answer.arrayBuffer());
    };
    const sealed = await bytesOf("");
    expect(flatTextOf(sealed)).toContain("The tenant keeps it clean.");
    expect((await bytesOf("?original=true")).equals(buffer)).toBe(true);
    const { seals } = bodyOf(200, await api.post("/v1/sign/verify", { documentBase64: sealed.toString("base64") }));
    expect(seals).toMatchObject([{ intact: true }]);
    await page.goto(`${at}/dashboard/agreements/${id}?tab=documents`);
    await page.getByRole("button", { name: "Original file (.docx)" }).waitFor();
    await screenshot(page, "word-original");
  });
});
