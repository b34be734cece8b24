import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { Browser } from "../support/browser-people.ts";
import { type System, startSystem } from "../support/system.ts";
import { describeInBrowser } from "./support/browser.ts";
import { clipboards } from "./support/clipboards.ts";
import { newOwner, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { tabTo } from "./support/keyboard.ts";
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
  const text = (page: Page) => page.getByRole("textbox", { name: "Text to accept" });
  /** By keys, because what the browser itself puts in the place of a selection brings styles along, which are refused. */
  async function write(page: Page, content: string): Promise<void> {
    await button(page, "Source").click();
    await text(page).press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(content);
  }
  const preview = (page: Page) => page.locator("assent-embed");
  const isSaved = (page: Page) => page.getByText("All changes saved.").waitFor();
  const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);

  test("a text is written, checked, looked at and saved, and nobody's text is lost", async () => {
    const id = await create({ name: "Terms of service", type: "STATIC", policyFlags: { requireCheckbox: true } });
    const page = await open(id);
    await write(page, "<h2>Terms</h2>\n<p>Be kind.</p>\n<script>evil()</script>");
    await page.getByText("1 error, 0 warnings. You can save this text, but not publish it.").waitFor();
    await page.getByText("Fix the errors in the text to see a preview.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "editor-errors");
    await button(page, "Line 3, column 1").click();
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Delete");
    await page.getByText("No issues found.").waitFor();
    await preview(page).getByText("Be kind.").waitFor();
    await page.getByLabel("Title").fill("House rules");
    await preview(page).getByRole("checkbox", { name: "I have read and agree to the House rules." }).check();
    await preview(page).getByRole("button", { name: "I agree" }).click();
    await page.getByText("This is a preview. Nothing was recorded.").waitFor();
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
    await page.getByText("Someone else saved this text").waitFor();
    await page.getByText("View other text").click();
    await page.getByText("<p>Theirs.</p>").waitFor();
    await expectAccessible(page);
    await screenshot(page, "editor-conflict");
    expect((await versionsOf(id))[0]?.content).toBe("<p>Theirs.</p>");
    await button(page, "Keep my text").click();
    await button(page, "Save").click();
    await isSaved(page);
    expect((await versionsOf(id))[0]?.content).toBe("<p>Mine.</p>");
  });

  test("the next text is written beside what is live and published in its place, and unsaved changes are not left by accident", async () => {
    const id = await create({ name: "Offer", type: "GENERATED" });
    const made = await api.post(`${templates}/${id}/versions`, { locale: "en", content: "<p>Dear {{fullName}}</p>" });
    const version = `${templates}/${id}/versions/${made.body.id}`;
    expect((await api.post(`${version}/publish`, {})).status).toBe(200);
    expect((await api.post(`${templates}/${id}/deployments`, { name: "Page", activate: true })).status).toBe(201);
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
    await isSaved(page);
    const stateOf = async () => (await versionsOf(id)).map(({ status, content, label }) => [status, content, label]);
    expect(await stateOf()).toEqual([["PUBLISHED", "<p>Dear {{fullName}}</p>", "1.0"]]);
    await page.getByText("Show live version").click();
    await preview(page).getByText("Dear <b>Bob</b>").waitFor();
    await expectAccessible(page);
    for (const width of [375, 1360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await screenshot(page, `editor-live-beside-${width}`);
    }
    await page.getByText("Show live version").click();

    await write(page, "<p>Hello {{fullName}}</p>");
    const theirs = await api.call("PUT", `${version}/draft`, { content: "<p>Good day {{fullName}}</p>" });
    expect(theirs.status).toBe(200);
    await button(page, "Save").click();
    await page.getByText("Someone else saved this text").waitFor();
    await button(page, "Keep my text").click();
    await button(page, "Save").click();
    await isSaved(page);
    await button(page, "Publish").click();
    await dialog(page).getByText("instead of version 1.0").waitFor();
    await dialog(page).getByText("No, only the wording changes").click();
    await expectAccessible(page);
    await dialog(page).getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Version 1.1 is live.").waitFor();
    expect(await stateOf()).toEqual([["PUBLISHED", "<p>Hello {{fullName}}</p>", "1.1"]]);

    await button(page, "Add language").click();
    await dialog(page).getByLabel("Language").fill("ar");
    await dialog(page).getByRole("button", { name: "Add language" }).click();
    await page.getByRole("link", { name: /^Arabic \(ar\)/ }).waitFor();
    await write(page, "<p>مرحبا {{fullName}}</p>");
    await page.locator('assent-embed .root[dir="rtl"]').getByText("مرحبا Ada Lovelace").waitFor();
    await page.getByText("Phone width").click();
    await screenshot(page, "editor-rtl");
    await button(page, "Visual").click();
    const visual = page.locator(".visual-text");
    await visual.getByText("مرحبا").waitFor();
    expect(await visual.evaluate((element) => Reflect.get(globalThis, "getComputedStyle")(element).direction)).toBe(
      "rtl",
    );
    await screenshot(page, "editor-visual-rtl");
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page);
    await screenshot(page, "editor-visual-rtl-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await button(page, "Source").click();
    await page.setViewportSize({ width: 320, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await screenshot(page, "editor-phone");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole("link", { name: /^English/ }).click();
    await button(page, "Leave without saving").click();
    await text(page).getByText("Hello fullName").waitFor();
    expect((await versionsOf(id)).map(({ locale }) => locale)).toEqual(["en"]);
  });

  const source = (page: Page) => text(page).locator(".cm-line").allTextContents();
  /** As if it came from another program. */
  const paste = (page: Page, html: string) =>
    page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/html", ${JSON.stringify(html)});
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(".visual-text").dispatchEvent(event);
    })()`);
  /** A browser moves the caret by itself and tells the editor a moment later. */
  const moveCaret = async (page: Page, key: string): Promise<void> => {
    await page.keyboard.press(key);
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  };

  test("a text is written as it will look by keyboard alone, and what stood in its source stays", async () => {
    const id = await create({ name: "Letter", type: "GENERATED" });
    const before = '<section id="start">\n<p class="note">Dear <em>{{fullName}}</em>,</p>\n</section>';
    expect((await api.post(`${templates}/${id}/versions`, { locale: "en", content: before })).status).toBe(201);
    const page = await open(id);
    await text(page).locator(".visual-field").getByText("fullName").waitFor();
    await tabTo(page, "Text to accept");
    await moveCaret(page, "Control+End");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.type("## Fees");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Be ");
    await page.keyboard.press("Control+b");
    await page.keyboard.type("kind");
    await page.keyboard.press("Control+b");
    await page.keyboard.type(", see ");
    const tool = async (name: string) => {
      await page.keyboard.press("Alt+F10");
      await tabTo(page, name, "ArrowRight");
      await page.keyboard.press("Enter");
    };
    await tool("Link");
    await dialog(page).waitFor();
    await page.keyboard.type("example.com/rules");
    await page.keyboard.press("Tab");
    await page.keyboard.type("our rules");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await text(page).getByText("our rules").waitFor();
    await moveCaret(page, "End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("- Knock");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Wait");
    await page.keyboard.press("Control+]");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await tool("Insert merge field");
    await dialog(page).waitFor();
    await dialog(page).getByRole("button", { name: "Insert", exact: true }).press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await page.keyboard.type(" owes {{amount}}");
    await page.keyboard.press("Control+s");
    await isSaved(page);
    const [saved] = await versionsOf(id);
    expect(saved?.content?.split("\n")).toEqual([
      '<section id="start"><p class="note">Dear <em>{{fullName}}</em>,</p></section>',
      "<h2>Fees</h2>",
      '<p>Be <strong>kind</strong>, see <a href="https://example.com/rules">our rules</a></p>',
      "<ul>",
      "<li>Knock",
      "<ul>",
      "<li>Wait</li>",
      "</ul></li>",
      "</ul>",
      "<p>{{fullName}} owes {{amount}}</p>",
    ]);
    await text(page).locator(".visual-error").getByText("amount").waitFor();
    await expectAccessible(page);
    await screenshot(page, "editor-visual");
    await moveCaret(page, "Control+Home");
    await page.keyboard.press("F8");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText("{{company}");
    await page.keyboard.type("}");
    await page.locator(".visual-field").getByText("company").waitFor();
    await button(page, "Source").click();
    expect((await source(page)).at(-1)).toBe("<p>{{fullName}} owes {{company}}</p>");
  });

  test("a text is pasted, formatted by mouse, and shown as source where only that shows it", async () => {
    const id = await create({ name: "Pasted", type: "STATIC" });
    const page = await open(id, { viewport: { width: 375, height: 900 } });
    await text(page).click();
    await paste(page, clipboards.word);
    await text(page).getByRole("heading", { name: "House rules" }).waitFor();
    await preview(page).getByText("Knock").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
    await expectAccessible(page);
    await screenshot(page, "editor-visual-phone");
    await text(page)
      .getByText("Late")
      .dblclick({ position: { x: 10, y: 8 } });
    await page.waitForFunction("getSelection().toString().trim() === 'Late'");
    await button(page, "Italic").click();
    await button(page, "Add row below").click();
    await page.getByLabel("Paragraph style").selectOption("h3");
    await button(page, "Undo").click();
    await button(page, "Source").click();
    const pasted = (await source(page)).join("\n");
    for (const part of [
      "<h1>House rules</h1>",
      '<ol start="3">',
      "<td><em>Late</em></td>",
      "<tr><td></td><td></td></tr>",
    ]) {
      expect(pasted).toContain(part);
    }
    expect(pasted).not.toMatch(/mso|style=|class=|<h3>/i);
    await button(page, "Visual").click();
    await text(page).getByRole("heading", { name: "House rules" }).waitFor();
    await button(page, "Source").click();
    expect((await source(page)).join("\n")).toBe(pasted);
    await write(page, "<p>Kept <script>evil()</script></p>");
    await button(page, "Visual").click();
    await page.getByText("This text has errors, so it’s shown as source.").waitFor();
    expect(await source(page)).toEqual(["<p>Kept <script>evil()</script></p>"]);
    await expectAccessible(page);
  });

  test("what is not saved is there again after the page was loaded anew, until it is discarded", async () => {
    const id = await create({ name: "Unsaved", type: "STATIC" });
    const content = "<p>Be kind.</p>";
    expect((await api.post(`${templates}/${id}/versions`, { locale: "en", content })).status).toBe(201);
    const page = await open(id);
    page.on("dialog", (question) => void question.accept());
    await text(page).getByText("Be kind.").click();
    await moveCaret(page, "Control+End");
    await page.keyboard.type(" Knock twice.");
    await preview(page).getByText("Be kind. Knock twice.").waitFor();
    await paste(page, `<p>${"a".repeat(1_048_570)}</p>`);
    await page.getByRole("alert").getByText("That’s too much to paste").waitFor();
    await expectAccessible(page);
    await screenshot(page, "editor-paste-too-large");
    await page.reload();
    await text(page).getByText("Be kind. Knock twice.").waitFor();
    await page.getByText("We restored your unsaved changes.").waitFor();
    await expectAccessible(page);
    for (const width of [375, 1360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await screenshot(page, `editor-restored-${width}`);
    }
    expect((await versionsOf(id))[0]?.content).toBe(content);
    await button(page, "Discard changes").click();
    await text(page).getByText("Be kind.", { exact: true }).waitFor();
    await page.reload();
    await text(page).getByText("Be kind.", { exact: true }).waitFor();
    expect(await page.getByText("We restored your unsaved changes.").count()).toBe(0);
    await text(page).getByText("Be kind.").click();
    await moveCaret(page, "Control+End");
    await page.keyboard.type(" Or not.");
    await preview(page).getByText("Be kind. Or not.").waitFor();
    const kept = () => page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('assent-unsaved'))");
    expect(await kept()).toEqual([expect.stringContaining(id)]);
    await button(page, "Sign out").click();
    await button(page, "Leave without saving").click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await kept()).toEqual([]);
  });

  test("what is taken back at once, before the page is drawn again, is not kept", async () => {
    const id = await create({ name: "Quick", type: "STATIC" });
    const content = "<p>Be kind.</p>";
    expect((await api.post(`${templates}/${id}/versions`, { locale: "en", content })).status).toBe(201);
    const page = await open(id);
    await text(page).getByText("Be kind.").click();
    await page.waitForFunction("document.activeElement?.classList.contains('visual-text')");
    await page.evaluate(`(() => {
      const press = (init) =>
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }));
      press({ key: "Enter", code: "Enter", keyCode: 13 });
      press({ key: "z", code: "KeyZ", keyCode: 90, ctrlKey: true });
    })()`);
    await button(page, "Source").click();
    expect(await source(page)).toEqual([content]);
  });

  test("the policy says what it means, is changed flag by flag, and refuses contradictions", async () => {
    const id = await create({ name: "Rules", type: "STATIC" });
    const page = await open(`${id}/policy`);
    await page.getByText("No verification required.").waitFor();
    await page.getByLabel("Minimum seconds shown").fill("5");
    await page.getByText("Require scrolling to the end", { exact: true }).click();
    await page.getByLabel("Minimum age").fill("18");
    await button(page, "Save policy").click();
    await page.getByText("needs requireRenderToken true or allowDirectAccept false").waitFor();
    expect(await page.getByLabel("Minimum age").inputValue()).toBe("18");
    await expectAccessible(page);
    await page.getByText("Require proof that the text was shown", { exact: true }).click();
    await button(page, "Save policy").click();
    await page.getByText("age 18 or older").waitFor();
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

    await button(page, "Edit configuration").click();
    await dialog(page).getByLabel("Configuration as JSON").fill('{"documents":[{"name":"A"},{"name":"A"}]}');
    await button(page, "Save").click();
    await dialog(page).getByText("must differ from those before it").waitFor();
    await dialog(page).getByLabel("Configuration as JSON").fill('{"documents":[{"name":"Annex"}]}');
    await button(page, "Save").click();
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText('"name": "Annex"').waitFor();
  });
});
