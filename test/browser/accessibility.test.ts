import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import { hostHtml, openHostPage, submitForm } from "./support/host-page.ts";
import { consentRendering, longText, staticRendering } from "./support/renderings.ts";
import { type Site, startSite } from "./support/site.ts";

const scheme = '<meta name="color-scheme" content="light dark">';
const looks = {
  light: {},
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true },
} as const;

const everyRule = {
  requireCheckbox: true,
  requireScroll: true,
  requireView: true,
  minDisplaySeconds: 30,
  requireTypedName: true,
  minAge: 18,
  allowDecline: true,
};
const documents = [{ name: "Price list", url: "https://shop.example/prices", mustRead: true }];

describeInBrowser("accessibility", (pages) => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());

  describe.each(Object.entries(looks))("%s", (_name, context) => {
    const open = (rendering: object, attributes = ""): Promise<Page> =>
      openHostPage(pages, site, { rendering, attributes, head: scheme, context });

    test.each(["INLINE", "MODAL", "LINK", "FULL_PAGE"])("%s has nothing that axe objects to", async (displayMode) => {
      const page = await open(staticRendering({ displayMode, html: longText, documents, policy: everyRule }));
      const button = page.getByRole("button", { name: "I agree" });
      await button.waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await submitForm(page);
      await page.getByText("Please fill in").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(overflow)).toBe(0);
    });

    test("consent, success and failure have nothing that axe objects to", async () => {
      const page = await open(consentRendering());
      await page.getByLabel("Keep my account data").check();
      expect(await accessibilityProblems(page)).toEqual([]);
      site.answerOnce(500, { requestId: "request-5" });
      await page.getByRole("button", { name: "Save my choices" }).click();
      await page.getByText("request-5").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole("button", { name: "Save my choices" }).click();
      await page.getByText("Your decision is recorded.").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test("an accent colour of any brightness keeps the button readable", async () => {
      for (const accentColor of ["#ffd400", "#123456", "rgb(118, 118, 118)"]) {
        const page = await open(staticRendering({ theme: { accentColor } }));
        await page.getByRole("button", { name: "I agree" }).waitFor();
        expect(await accessibilityProblems(page)).toEqual([]);
      }
    });
  });

  describe("a modal window", () => {
    const modal = (policy: object = {}): object => staticRendering({ displayMode: "MODAL", policy });
    const active = (page: Page): Promise<unknown> =>
      page.evaluate(`(() => {
        const inner = document.activeElement.shadowRoot?.activeElement;
        return inner ? inner.id || inner.className : document.activeElement.id;
      })()`);

    test("keeps the focus inside, forwards and backwards", async () => {
      const page = await openHostPage(pages, site, { rendering: modal({ requireCheckbox: true, allowDecline: true }) });
      await page.getByRole("dialog").waitFor();
      await until(async () => (await active(page)) === "dialog-title");
      const seen: unknown[] = [];
      for (let presses = 0; presses < 7; presses++) {
        await page.keyboard.press("Tab");
        seen.push(await active(page));
      }
      expect(seen).toEqual(["close", "text", "agree", "primary", "secondary", "close", "text"]);
      for (const expected of ["close", "secondary", "primary"]) {
        await page.keyboard.press("Shift+Tab");
        expect(await active(page)).toBe(expected);
      }
    });

    test("Escape neither closes it nor decides, and says how to leave", async () => {
      site.received.length = 0;
      const page = await openHostPage(pages, site, { rendering: modal({ allowDecline: true }) });
      await page.getByRole("dialog").waitFor();
      for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Escape");
      expect(await page.getByRole("dialog").isVisible()).toBe(true);
      expect(await active(page)).toBe("close");
      expect(await page.getByRole("status").textContent()).toBe("This window stays open until you decide or close it.");
      expect(site.received).toEqual([]);
    });

    test("gives the focus back to what opened it", async () => {
      const page = await pages.open();
      await page.goto(site.page(hostHtml('<script src="/embed.js"></script>')));
      await page.evaluate(`
        window.mounted = Assent.mount(document.querySelector("#place"), { rendering: ${JSON.stringify(modal())}, open: "manual" });
        document.querySelector("#before").addEventListener("click", () => mounted.open());`);
      expect(await page.getByRole("dialog").count()).toBe(0);
      await page.locator("#before").click();
      await page.getByRole("button", { name: "Close" }).click();
      await until(async () => (await active(page)) === "before");
      await page.locator("#before").press("Enter");
      await page.getByRole("button", { name: "I agree" }).click();
      await page.getByText("Thank you.").waitFor();
      await page.keyboard.press("Tab");
      await page.getByRole("button", { name: "Close" }).press("Enter");
      await until(async () => (await active(page)) === "before");
    });

    test("that opened by itself leaves a way to open it again", async () => {
      const page = await openHostPage(pages, site, { rendering: modal() });
      await page.getByRole("button", { name: "Close" }).click();
      await until(async () => (await active(page)) === "link");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
    });
  });

  test.each([
    ["de-CH", "ltr", "Bevor es weitergeht:"],
    ["fr", "ltr", "Avant de continuer :"],
    ["es-MX", "ltr", "Antes de continuar:"],
    ["it", "ltr", "Prima di continuare:"],
    ["pt-BR", "ltr", "Antes de continuar:"],
    ["ar", "rtl", "قبل المتابعة:"],
    ["he-IL", "rtl", "לפני שממשיכים:"],
    ["fa", "rtl", "Before you can continue:"],
  ])("in %s the text runs %s and our words are in a language that is named", async (locale, direction, words) => {
    const page = await openHostPage(pages, site, {
      rendering: staticRendering({ locale, policy: { requireScroll: true } }),
    });
    await page.getByText(words).waitFor();
    expect(await page.locator(".text").getAttribute("dir")).toBe(direction);
    expect(await page.locator(".text").getAttribute("lang")).toBe(locale);
    const steps = "document.querySelector('assent-embed').shadowRoot.querySelector('.steps')";
    expect(await page.evaluate(`getComputedStyle(${steps}).direction`)).toBe(direction);
    expect(await page.locator(".bottom").getAttribute("lang")).toBe(locale === "fa" ? "en" : locale);
  });
});
