import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { Browser } from "../support/browser-people.ts";
import { type System, startSystem } from "../support/system.ts";
import { describeInBrowser } from "./support/browser.ts";
import { newOwner, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { screenshot } from "./support/signing.ts";

describeInBrowser("the dashboard's editor of click templates", (pages) => {
  let system: System;
  let owner: Person;
  /** The owner as a program, or in another window. */
  let api: Browser;
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    system = await startSystem("single process");
    owner = await newOwner(system);
    api = new Browser(owner.baseUrl);
    await api.login(owner.email, owner.password);
  });
  afterAll(() => system?.stop());
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openAs(pages, owner, `/templates/${path}`, wrong, options);
    return page;
  }

  const templates = "/v1/click/templates";
  async function create(template: Record<string, unknown>): Promise<string> {
    const { status, body } = await api.post(templates, template);
    expect([status, body.errorCode]).toEqual([201, undefined]);
    return String(body.id);
  }
  const versionsOf = async (id: string) =>
    (await api.get(`${templates}/${id}/versions`)).body as unknown as Record<string, string>[];

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const dialog = (page: Page) => page.getByRole("dialog");
  const text = (page: Page) => page.getByRole("textbox", { name: "Text to agree to" });
  /** By keys, because what the browser itself puts in the place of a selection brings styles along, which are refused. */
  async function write(page: Page, content: string): Promise<void> {
    await text(page).press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(content);
  }
  const preview = (page: Page) => page.locator("assent-embed");
  const isSaved = (page: Page) => page.getByText("Everything is saved.").waitFor();
  const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);

  test("a text is written, checked, looked at and saved, and nobody's text is lost", async () => {
    const id = await create({ name: "Terms of service", type: "STATIC", policyFlags: { requireCheckbox: true } });
    const page = await open(id);
    await write(page, "<h2>Terms</h2>\n<p>Be kind.</p>\n<script>evil()</script>");
    await page.getByText("1 error, 0 warnings: it can be saved, but not published.").waitFor();
    await page.getByText("The text has errors with which it cannot be shown.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "editor-errors");
    await button(page, "Line 3, column 1").click();
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Delete");
    await page.getByText("Nothing is wrong with the text.").waitFor();
    await preview(page).getByText("Be kind.").waitFor();
    await page.getByLabel("Title").fill("House rules");
    await preview(page).getByRole("checkbox", { name: "I have read and agree to the House rules." }).check();
    await preview(page).getByRole("button", { name: "I agree" }).click();
    await page.getByText("This is a preview: nothing was recorded.").waitFor();
    await text(page).press("Control+s");
    await isSaved(page);
    const [saved] = await versionsOf(id);
    expect([saved?.content, saved?.title, saved?.locale]).toEqual([
      "<h2>Terms</h2>\n<p>Be kind.</p>\n",
      "House rules",
      "en",
    ]);

    await write(page, "<p>Mine.</p>");
    const changed = await api.call("PATCH", `${templates}/${id}/versions/${saved?.id}`, { content: "<p>Theirs.</p>" });
    expect(changed.status).toBe(200);
    await button(page, "Save").click();
    await page.getByText("Somebody else has saved this text meanwhile").waitFor();
    await page.getByText("Show the other text").click();
    await page.getByText("<p>Theirs.</p>").waitFor();
    await expectAccessible(page);
    await screenshot(page, "editor-conflict");
    expect((await versionsOf(id))[0]?.content).toBe("<p>Theirs.</p>");
    await button(page, "Keep my text").click();
    await button(page, "Save").click();
    await isSaved(page);
    expect((await versionsOf(id))[0]?.content).toBe("<p>Mine.</p>");
  });

  test("a published text is taken back only when asked, and unsaved changes are not left by accident", async () => {
    const id = await create({ name: "Offer", type: "GENERATED" });
    const made = await api.post(`${templates}/${id}/versions`, { locale: "en", content: "<p>Dear {{fullName}}</p>" });
    const version = `${templates}/${id}/versions/${made.body.id}`;
    expect((await api.post(`${version}/publish`, {})).status).toBe(200);
    const page = await open(id, { colorScheme: "dark" });
    await preview(page).getByText("Dear Ada Lovelace").waitFor();
    await page.getByText("Sample values").click();
    await page.getByLabel("{{fullName}}").fill("<b>Bob</b>");
    await preview(page).getByText("Dear <b>Bob</b>").waitFor();
    await expectAccessible(page);
    await screenshot(page, "editor-dark");
    await write(page, "<p>Hello {{fullName}}, {{amount}}</p>");
    await page.getByRole("button", { name: "Line 1" }).waitFor();
    await page.getByRole("link", { name: "Policy" }).click();
    await dialog(page).getByText("Leave without saving?").waitFor();
    await button(page, "Cancel").click();
    await button(page, "Save").click();
    await dialog(page).getByText("Version 1.0 is published").waitFor();
    await button(page, "Take back and save").click();
    await isSaved(page);
    const [draft] = await versionsOf(id);
    expect([draft?.status, draft?.content]).toEqual(["DRAFT", "<p>Hello {{fullName}}, {{amount}}</p>"]);

    await button(page, "Add a language").click();
    await dialog(page).getByLabel("Language").fill("ar");
    await dialog(page).getByRole("button", { name: "Add a language" }).click();
    await page.getByRole("link", { name: /^Arabic \(ar\)/ }).waitFor();
    await write(page, "<p>مرحبا {{fullName}}</p>");
    await page.locator('assent-embed .root[dir="rtl"]').getByText("مرحبا Ada Lovelace").waitFor();
    await page.getByText("Width of a phone").click();
    await screenshot(page, "editor-rtl");
    await page.setViewportSize({ width: 320, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await screenshot(page, "editor-phone");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole("link", { name: /^English/ }).click();
    await button(page, "Leave without saving").click();
    await text(page).getByText("Hello {{fullName}}").waitFor();
    expect((await versionsOf(id)).map(({ locale }) => locale)).toEqual(["en"]);
  });

  test("the policy says what it means, is changed flag by flag, and refuses contradictions", async () => {
    const id = await create({ name: "Rules", type: "STATIC" });
    const page = await open(`${id}/policy`);
    await page.getByText("An acceptance needs no verification.").waitFor();
    await page.getByLabel("Shown for at least … seconds").fill("5");
    await page.getByText("Scrolled to the end", { exact: true }).click();
    await page.getByLabel("Minimum age").fill("18");
    await button(page, "Save the policy").click();
    await page.getByText("needs requireRenderToken true or allowDirectAccept false").waitFor();
    expect(await page.getByLabel("Minimum age").inputValue()).toBe("18");
    await expectAccessible(page);
    await page.getByText("Proof that the text was shown", { exact: true }).click();
    await button(page, "Save the policy").click();
    await page.getByText("from the age of 18").waitFor();
    const { body } = await api.get(`${templates}/${id}/configuration`);
    expect(body.effectivePolicy).toMatchObject({
      minDisplaySeconds: 5,
      requireScroll: true,
      requireRenderToken: true,
      minAge: 18,
    });
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page);
    await screenshot(page, "policy-dark");

    await button(page, "Change the configuration").click();
    await dialog(page).getByLabel("Configuration as JSON").fill('{"documents":[{"name":"A"},{"name":"A"}]}');
    await button(page, "Save").click();
    await dialog(page).getByText("must differ from those before it").waitFor();
    await dialog(page).getByLabel("Configuration as JSON").fill('{"documents":[{"name":"Annex"}]}');
    await button(page, "Save").click();
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText('"name": "Annex"').waitFor();
  });
});
