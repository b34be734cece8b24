import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { sha256Label } from "#platform/canonical-json.ts";
import { until } from "#platform/testing/until.ts";
import { blockChanges, foldChanges } from "#platform/text-changes/block-changes.ts";
import { changesHtml } from "#platform/text-changes/changes-html.ts";
import { blocksOf } from "#platform/text-changes/text-blocks.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import { hostHtml, openHostPage } from "./support/host-page.ts";
import { follow, tabTo } from "./support/keyboard.ts";
import { consentRendering, staticRendering } from "./support/renderings.ts";
import { screenshot } from "./support/signing.ts";
import { type Site, startSite } from "./support/site.ts";

const displayModes = ["INLINE", "MODAL", "LINK", "FULL_PAGE"] as const;

describeInBrowser("accepting", (pages) => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());
  beforeEach(() => {
    site.received.length = 0;
  });
  const open = (rendering: object, attributes?: string): Promise<Page> =>
    openHostPage(pages, site, { rendering, ...(attributes === undefined ? {} : { attributes }) });

  describe.each(displayModes)("%s", (displayMode) => {
    const rendering = staticRendering({ displayMode, policy: { requireCheckbox: true } });

    test("a mouse is enough", async () => {
      const page = await open(rendering);
      await page.getByLabel("I have read and agree").check();
      await page.getByRole("button", { name: "I agree" }).click();
      await page.getByText("Your decision is recorded.").waitFor();
      expect(site.received).toHaveLength(1);
      expect(site.received[0]?.body).toMatchObject({
        sessionId: "0199aa00-0000-7000-8000-000000000002",
        decision: "ACCEPT",
        action: "CHECKBOX_AND_BUTTON",
        renderToken: "header.payload.signature",
        presentation: { displayMode, checkboxInitiallyChecked: false },
      });
    });

    test("the keyboard is enough", async () => {
      const page = await open(rendering);
      await page.getByRole("button", { name: "I agree" }).waitFor();
      if (displayMode !== "MODAL") await page.locator("#before").focus();
      await tabTo(page, /^I have read and agree/);
      await page.keyboard.press("Space");
      await follow(page, "I agree");
      await page.getByText("Your decision is recorded.").waitFor();
      expect(site.received).toHaveLength(1);
    });
  });

  test("the body is what the accept operation takes, with what happened in its order", async () => {
    const page = await open(staticRendering({ policy: { requireCheckbox: true, requireScroll: true } }));
    await page.getByLabel("I have read").check();
    await page.getByLabel("I have read").uncheck();
    await page.getByLabel("I have read").check();
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("receipt-1").waitFor();
    const { body, idempotencyKey } = site.received[0] ?? {};
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    const types = body.presentation.events.map((event: { type: string }) => event.type);
    expect(types).toEqual(["DISPLAYED", "SCROLLED_TO_END", "CHECKED", "UNCHECKED", "CHECKED", "BUTTON_PRESSED"]);
    expect(body.presentation).toMatchObject({
      surface: "WEB",
      wrapType: "SCROLLWRAP",
      noticeText: 'By clicking "I agree" I agree to the Terms of Service.',
      buttonText: "I agree",
      checkboxText: "I have read and agree to the Terms of Service.",
      scrolledToEnd: true,
      documentsOpened: [],
      viewport: { w: 1280, h: 720 },
    });
    expect(body.presentation.displayedMs).toBeGreaterThan(0);
    expect(body.context).toMatchObject({ pageTitle: "Example shop", gpc: false });
    expect(body.context.pageUrl).toMatch(/\/page-\d+$/);
  });

  describe.each(displayModes)("what has changed since an earlier acceptance, %s", (displayMode) => {
    const from = "<h1>Terms of Service</h1><p>The contract runs for one year.</p><ul><li>Do not shout</li></ul>";
    const html = "<h1>Terms of Service</h1><p>The contract runs for two years.</p><ul><li>Be kind</li></ul>";
    const told = { label: "1.0", changeSummary: "It runs longer.", locale: "en" };
    const difference = foldChanges(blockChanges(blocksOf(from, "html"), blocksOf(html, "html")));
    const shown = changesHtml({ ...told, difference });
    const changesOf = (hash: string) => ({ from: {}, changeSummary: told.changeSummary, html: shown, hash });
    const changes = changesOf(sha256Label(shown));

    test("is shown above the text, said in words, reached by the keyboard, and told as displayed", async () => {
      const page = await open(staticRendering({ displayMode, html, changes }));
      const region = page.getByRole("region", { name: "What has changed" });
      await region.waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await region.getByRole("insertion").first().textContent()).toBe(" inserted: two years (end of change) ");
      expect(await region.getByRole("deletion").first().textContent()).toBe(" deleted: one year (end of change) ");
      expect(await region.getByText("It runs longer.").isVisible()).toBe(true);
      const lineOf = (name: string) =>
        region
          .locator(name)
          .first()
          .evaluate((element) => Reflect.get(globalThis, "getComputedStyle")(element).textDecorationLine);
      // What has changed is no part of the text: a line parts them wherever both are shown.
      if (displayMode !== "LINK") {
        const border = page.locator(".text + .text").evaluate((element) => {
          return Reflect.get(globalThis, "getComputedStyle")(element).borderTopStyle;
        });
        expect(await border).toBe("solid");
      }
      expect([await lineOf("ins"), await lineOf("del")]).toEqual(["underline", "line-through"]);
      await tabTo(page, /^What has changed$/);
      await screenshot(page, `changes-${displayMode.toLowerCase()}`);
      await follow(page, "I agree");
      await page.getByText("Your decision is recorded.").waitFor();
      const events = site.received[0]?.body.presentation.events;
      expect(events).toContainEqual({ type: "DISPLAYED", at: expect.any(String), target: "changes" });
    });

    test("fits a phone and stands from right to left in Arabic, in the dark as well", async () => {
      const older = "<p>مدة العقد سنة واحدة.</p><ul><li>لا تصرخ<ul><li>أبدا</li></ul></li></ul>";
      const newer = "<p>مدة العقد سنتان.</p><ul><li>كن لطيفا<ul><li>دائما</li></ul></li></ul>";
      const arabic = foldChanges(blockChanges(blocksOf(older, "html"), blocksOf(newer, "html")));
      const words = changesHtml({ label: "1.0", changeSummary: null, locale: "ar", difference: arabic });
      const told = { ...changesOf(sha256Label(words)), html: words };
      const fields = { displayMode, html: newer, locale: "ar", dir: "rtl", changes: told };
      const page = await open(staticRendering(fields));
      await page.setViewportSize({ width: 375, height: 740 });
      const inner = page.locator(".assent-as-li2").first();
      await inner.waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
      const styleOf = (of: string, name: string): Promise<string> =>
        page
          .locator(of)
          .first()
          .evaluate((element, key) => Reflect.get(globalThis, "getComputedStyle")(element)[key], name);
      expect(await styleOf(".assent-as-li2", "direction")).toBe("rtl");
      const [outer, nested] = [
        await styleOf(".assent-as-li", "marginRight"),
        await styleOf(".assent-as-li2", "marginRight"),
      ];
      expect(Number.parseFloat(nested)).toBe(2 * Number.parseFloat(outer));
      // A marker and the space behind it need that much; a text that fills the page has no other margin.
      expect(Number.parseFloat(outer)).toBeGreaterThanOrEqual(24);
      await screenshot(page, `changes-${displayMode.toLowerCase()}-rtl`);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await accessibilityProblems(page)).toEqual([]);
      await screenshot(page, `changes-${displayMode.toLowerCase()}-rtl-dark`);
    });

    test("is not shown when somebody has changed it on the way", async () => {
      const page = await open(staticRendering({ displayMode, html, changes: changesOf(sha256Label("other")) }));
      await page.getByText("The text could not be loaded.").waitFor();
    });
  });

  test("a page without HTTPS says that it cannot check the text, and a page with it does not", async () => {
    const words = "Without HTTPS, this page cannot check whether the text was changed.";
    const page = await pages.open();
    await page.addInitScript("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })");
    const url = site.rendering(staticRendering());
    const script = `<script src="/v1/click/render/dep_1/embed.js" data-url="${url}" data-accept-url="/accept" data-target="#place"></script>`;
    await page.goto(site.page(hostHtml(script)));
    await page.getByText(words).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await screenshot(page, "accept-unchecked");
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("Your decision is recorded.").waitFor();
    const secure = await open(staticRendering());
    await secure.getByRole("button", { name: "I agree" }).waitFor();
    expect(await secure.getByText(words).count()).toBe(0);
  });

  test("consent is asked for purpose by purpose, and no box is ticked beforehand", async () => {
    const page = await open(consentRendering());
    const boxes = page.getByRole("checkbox");
    await boxes.first().waitFor();
    expect(await boxes.count()).toBe(3);
    for (const box of await boxes.all()) expect(await box.isChecked()).toBe(false);
    await page.getByRole("button", { name: "Save my choices" }).click({ force: true });
    await page.getByText("Please tick this box.").first().waitFor();
    expect(site.received).toHaveLength(0);
    await page.getByLabel("Keep my account data").check();
    await page.getByLabel("Use my data for research").check();
    await page.getByRole("button", { name: "Save my choices" }).click();
    await page.getByText("Your decision is recorded.").waitFor();
    expect(site.received[0]?.body).toMatchObject({
      action: "CHECKBOX_AND_BUTTON",
      purposes: [
        { purpose: "account", granted: true },
        { purpose: "newsletter", granted: false },
        { purpose: "research", granted: true },
      ],
      presentation: { checkboxInitiallyChecked: false },
    });
  });

  test("declining is offered when the policy allows it, and asks for nothing", async () => {
    const page = await open(staticRendering({ policy: { requireCheckbox: true, allowDecline: true } }));
    await page.getByRole("button", { name: "I decline" }).click();
    await page.getByText("You have declined.").waitFor();
    expect(site.received[0]?.body).toMatchObject({ decision: "DECLINE", action: "BUTTON" });
    const other = await open(staticRendering());
    await other.getByRole("button", { name: "I agree" }).waitFor();
    expect(await other.getByRole("button", { name: "I decline" }).count()).toBe(0);
  });

  test("a failure is shown with its request id, and the next attempt repeats the same acceptance", async () => {
    site.answerOnce(503, { errorCode: "SERVICE_UNAVAILABLE", message: "", requestId: "request-7" });
    const page = await open(staticRendering());
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("Reference: request-7").waitFor();
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("Your decision is recorded.").waitFor();
    expect(site.received).toHaveLength(2);
    expect(site.received[1]).toEqual(site.received[0]);
  });

  test("a second press while the first is on its way sends nothing", async () => {
    const page = await open(staticRendering());
    await page.route("**/accept", async (route) => {
      await until(async () => (await page.getByText("Recording your decision…").count()) > 0);
      await route.continue();
    });
    await page.getByRole("button", { name: "I agree" }).dblclick();
    await page.getByText("Your decision is recorded.").waitFor();
    expect(site.received).toHaveLength(1);
  });

  test("the page can take the acceptance by a callback or an event, and say how it went", async () => {
    const page = await pages.open();
    await page.goto(site.page(hostHtml('<script src="/embed.js"></script>')));
    const url = site.rendering(staticRendering());
    await page.evaluate(`
      window.seen = [];
      document.addEventListener("assent:accept", (event) => {
        seen.push(["event", event.detail.acceptance.decision]);
        event.detail.waitUntil(new Promise((done) => setTimeout(done, 50)));
      });
      document.addEventListener("assent:accepted", (event) => seen.push(["accepted", event.detail.result.receiptId]));
      window.mounted = Assent.mount(document.querySelector("#place"), {
        url: ${JSON.stringify(url)},
        onAccept: (acceptance, { idempotencyKey }) => {
          seen.push(["callback", acceptance.sessionId, idempotencyKey.length]);
          if (seen.length === 2) return Promise.reject({ requestId: "from-the-page" });
          return { receiptId: "receipt-9" };
        },
      });`);
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("Reference: from-the-page").waitFor();
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("receipt-9").waitFor();
    expect(await page.evaluate("seen")).toEqual([
      ["event", "ACCEPT"],
      ["callback", "0199aa00-0000-7000-8000-000000000002", 32],
      ["event", "ACCEPT"],
      ["callback", "0199aa00-0000-7000-8000-000000000002", 32],
      ["accepted", "receipt-9"],
    ]);
    await page.evaluate("mounted.unmount()");
    expect(await page.locator("#place").innerHTML()).toBe("");
  });

  test("a text that cannot be loaded says so with its request id and can be tried again", async () => {
    const page = await pages.open();
    let attempts = 0;
    await page.route("**/flaky", async (route) => {
      attempts += 1;
      if (attempts === 1) await route.fulfill({ status: 503, json: { errorCode: "X", requestId: "request-3" } });
      else await route.fulfill({ json: staticRendering() });
    });
    await page.goto(site.page(hostHtml('<script src="/embed.js" data-url="/flaky" data-target="#place"></script>')));
    await page.getByText("Reference: request-3").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "I agree" }).waitFor();
  });

  test("what was accepted before, and drafts, cannot be accepted", async () => {
    const accepted = await open(staticRendering({ alreadyAccepted: true }));
    await accepted.getByText("You have already agreed to this text.").waitFor();
    expect(await accepted.getByRole("button", { name: "I agree" }).count()).toBe(0);
    const draft = await open(staticRendering({ revision: 0 }));
    await draft.getByText("Preview of a draft").waitFor();
    expect(await draft.getByRole("button", { name: "I agree" }).count()).toBe(0);
  });
});
