import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";
import { describeInBrowser } from "./support/browser.ts";
import { openHostPage, submitForm } from "./support/host-page.ts";
import { broughtBy } from "./support/keyboard.ts";
import { longText, staticRendering } from "./support/renderings.ts";
import { type Site, startSite } from "./support/site.ts";

describeInBrowser("presentation rules", (pages) => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site.close());
  beforeEach(() => {
    site.received.length = 0;
  });
  const open = (fields: Parameters<typeof staticRendering>[0]): Promise<Page> =>
    openHostPage(pages, site, { rendering: staticRendering(fields) });
  /** Presses the button as somebody would who does not care that it looks inactive. */
  const press = (page: Page): Promise<void> => page.getByRole("button", { name: "I agree" }).click({ force: true });
  const expectBlocked = async (page: Page, reason: string | RegExp): Promise<void> => {
    await press(page);
    await page.getByText(reason).filter({ visible: true }).first().waitFor();
    expect(await page.getByRole("button", { name: "I agree" }).getAttribute("aria-disabled")).toBe("true");
    expect(site.received).toHaveLength(0);
  };
  const expectAccepted = async (page: Page, facts: object): Promise<void> => {
    await press(page);
    await page.getByText("Your decision is recorded.").waitFor();
    expect(site.received[0]?.body).toMatchObject(facts);
  };
  const focused = (page: Page): Promise<unknown> => page.evaluate("document.activeElement.shadowRoot.activeElement.id");

  test("requireCheckbox waits for the tick and leads to the box", async () => {
    const page = await open({ policy: { requireCheckbox: true } });
    await expectBlocked(page, "Please tick this box.");
    expect(await focused(page)).toBe("agree");
    const box = page.getByRole("checkbox");
    expect(await box.getAttribute("aria-invalid")).toBe("true");
    await box.check();
    expect(await box.getAttribute("aria-invalid")).toBeNull();
    await expectAccepted(page, { action: "CHECKBOX_AND_BUTTON" });
  });

  describe.each(["INLINE", "MODAL", "FULL_PAGE"])("requireScroll in %s", (displayMode) => {
    test("waits until the end was on the screen", async () => {
      const page = await open({ displayMode, html: longText, policy: { requireScroll: true } });
      // On a full page the mouse cannot come to the button without passing the end of the text.
      await submitForm(page);
      await page.getByText("Before you can continue: Read the text to its end.").waitFor();
      expect(await page.locator(".steps .met").count()).toBe(0);
      expect(site.received).toHaveLength(0);
      await page.keyboard.press("End");
      await until(async () => (await page.locator(".steps .met").count()) === 1);
      await expectAccepted(page, { action: "SCROLL_AND_BUTTON", presentation: { scrolledToEnd: true, displayMode } });
    });
  });

  describe.each(["INLINE", "MODAL", "LINK", "FULL_PAGE"])("esignDisclosure in %s", (displayMode) => {
    test("is shown before the text, and waits until its end was on the screen", async () => {
      const text = `${"You may have it on paper.\n".repeat(80)}You consent to electronic records.`;
      const disclosure = { locale: "en", title: "About electronic records", text };
      const page = await open({ displayMode, disclosure, policy: { esignDisclosure: true } });
      await page.getByRole("region", { name: "About electronic records" }).waitFor();
      await submitForm(page);
      await page.getByText("Before you can continue: Read: About electronic records.").waitFor();
      expect(site.received).toHaveLength(0);
      await page.getByText("You consent to electronic records.").scrollIntoViewIfNeeded();
      await until(async () => (await page.locator(".steps .met").count()) === 1);
      const events = expect.arrayContaining([
        expect.objectContaining({ type: "DISPLAYED", target: "esignDisclosure" }),
      ]);
      await expectAccepted(page, { presentation: { events } });
    });
  });

  test("requireView of a link waits until the text behind it was opened", async () => {
    const page = await open({ displayMode: "LINK", policy: { requireView: true } });
    await expectBlocked(page, "Before you can continue: Open the document: Terms of Service.");
    await page.getByRole("button", { name: "Read: Terms of Service" }).click();
    await page.getByText("You may use the service").waitFor();
    await page.getByRole("dialog").getByText("Close", { exact: true }).click();
    await expectAccepted(page, { presentation: { documentsOpened: ["Terms of Service"] } });
  });

  test("requireView of linked documents waits for those that must be read", async () => {
    const documents = [
      { name: "Price list", url: "https://shop.example/prices", mustRead: true },
      { name: "Imprint", url: "https://shop.example/imprint", mustRead: false },
    ];
    const page = await open({ documents, policy: { requireView: true } });
    await page.context().route("https://shop.example/**", (route) => route.fulfill({ body: "document" }));
    await expectBlocked(page, "Before you can continue: Open the document: Price list.");
    await page.getByRole("link", { name: "Price list" }).click();
    await expectAccepted(page, { presentation: { documentsOpened: ["Price list"] } });
  });

  test("requireView of a text with a link waits until it was opened, in a tab that knows nothing of the page", async () => {
    const html = '<p>See <a href="https://shop.example/rules">the rules</a>.</p>';
    const page = await open({ html, policy: { requireView: true } });
    await page.context().route("https://shop.example/**", (route) => route.fulfill({ body: "document" }));
    await expectBlocked(page, "Open the document");
    const tab = await broughtBy(page, "popup", () => page.getByRole("link", { name: "the rules" }).click());
    expect(await tab.evaluate("window.opener")).toBeNull();
    await expectAccepted(page, { presentation: { documentsOpened: ["https://shop.example/rules"] } });
  });

  test("minDisplaySeconds counts down and says politely when it is over", async () => {
    const page = await open({ policy: { minDisplaySeconds: 5 } });
    await expectBlocked(page, /^Before you can continue: Take your time: \d seconds? left\.$/);
    await until(async () =>
      /^Take your time: \d seconds? left$/.test((await page.getByRole("status").textContent()) ?? ""),
    );
    await until(async () => (await page.getByRole("status").textContent()) === "You can decide now.");
    await expectAccepted(page, { presentation: { displayedMs: expect.any(Number) } });
    expect(site.received[0]?.body.presentation.displayedMs).toBeGreaterThanOrEqual(5000);
  });

  test("requireTypedName waits for a name", async () => {
    const page = await open({ policy: { requireTypedName: true } });
    await expectBlocked(page, "Please fill in: Your full name");
    expect(await focused(page)).toBe("name");
    await page.getByLabel("Your full name").fill("  Ada Lovelace ");
    await expectAccepted(page, { action: "TYPED_NAME", typedName: "Ada Lovelace" });
  });

  test("minAge waits for the statement", async () => {
    const page = await open({ policy: { minAge: 16 } });
    await expectBlocked(page, "Please confirm this statement.");
    await page.getByLabel("I am at least 16 years old.").check();
    await expectAccepted(page, { verification: [{ method: "AGE_STATEMENT", reference: "minAge:16" }] });
  });

  test("required verification methods ask for what the page can answer", async () => {
    const methods = [{ method: "TYPED_NAME" }, { method: "AGE_STATEMENT" }, { method: "CUSTOMER_SESSION" }];
    const page = await open({ verification: { required: true, mode: "ALL", methods } });
    await page.getByLabel("Your full name").fill("Ada");
    await expectBlocked(page, "Please confirm this statement.");
    await page.getByLabel("I am of full age.").check();
    await expectAccepted(page, { typedName: "Ada", verification: [{ method: "AGE_STATEMENT" }] });
  });

  test("Enter on a box does not press the button, Enter in the name does", async () => {
    const page = await open({ policy: { requireTypedName: true, minAge: 18 } });
    await page.getByLabel("Your full name").fill("Ada");
    await page.getByRole("checkbox").check();
    await page.getByRole("checkbox").press("Enter");
    await page.getByLabel("Your full name").press("Enter");
    await page.getByText("Your decision is recorded.").waitFor();
    const pressed = site.received[0]?.body.presentation.events.filter(
      (event: { type: string }) => event.type === "BUTTON_PRESSED",
    );
    expect(pressed).toHaveLength(1);
  });

  test("of many changes of mind the last ones are kept", async () => {
    const page = await open({ policy: { requireCheckbox: true } });
    for (let times = 0; times < 121; times++) await page.getByRole("checkbox").press("Space");
    await expectAccepted(page, {});
    const { events } = site.received[0]?.body.presentation ?? {};
    expect(events).toHaveLength(100);
    expect(events[0].type).toBe("DISPLAYED");
    expect(events.slice(-2).map((event: { type: string }) => event.type)).toEqual(["CHECKED", "BUTTON_PRESSED"]);
  });
});
