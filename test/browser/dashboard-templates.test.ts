import { crc32 } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";
import { Browser } from "../support/browser-people.ts";
import { textPdf } from "../support/journeys.ts";
import { type System, startSystem } from "../support/system.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import { newOwner, newViewer, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { hostHtml } from "./support/host-page.ts";
import { broughtBy } from "./support/keyboard.ts";
import { screenshot } from "./support/signing.ts";
import { startSite } from "./support/site.ts";

describeInBrowser("the dashboard's click templates", (pages) => {
  let system: System;
  let owner: Person;
  /** The owner as a program, to prepare what a test begins with. */
  let api: Browser;
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    system = await startSystem("single process");
  });
  /** Nobody meets the templates of another test, or of the same test before it was tried again. */
  beforeEach(async () => {
    owner = await newOwner(system);
    api = new Browser(owner.baseUrl);
    await api.login(owner.email, owner.password);
  });
  afterAll(() => system?.stop());
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  async function enter(person: Person, path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openAs(pages, person, path, wrong, options);
    return page;
  }

  const dialog = (page: Page) => page.getByRole("dialog");
  const isGone = (page: Page) => dialog(page).waitFor({ state: "detached" });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const inDialog = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
  const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);
  const post = async (path: string, body?: unknown): Promise<Record<string, string>> => {
    const answer = await api.post(`/v1/click/templates${path}`, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  test("templates are created, searched for, and many are duplicated and archived at once", async () => {
    const page = await enter(owner, "/templates");
    await page.getByText("No click templates yet").waitFor();
    await expectAccessible(page);
    await button(page, "Create click template").click();
    await dialog(page).getByLabel("Name").fill("Terms of sale");
    await dialog(page).getByLabel("Slug").fill("Not a slug");
    await inDialog(page, "Create click template").click();
    await dialog(page).locator(".field-error").first().waitFor();
    expect(await dialog(page).getByLabel("Name").inputValue()).toBe("Terms of sale");
    await expectAccessible(page);
    await screenshot(page, "templates-create");
    await dialog(page).getByLabel("Slug").fill("");
    await inDialog(page, "Create click template").click();
    await page.getByRole("heading", { level: 1, name: "Terms of sale" }).waitFor();
    for (let n = 1; n <= 25; n += 1) await post("", { name: `Policy ${n}`, type: "STATIC" });

    await page.goto(`${owner.baseUrl}/dashboard/templates`);
    await row(page, "Policy 25").waitFor();
    await page.getByText("Terms of sale").waitFor({ state: "detached" });
    await button(page, "Show more").click();
    await row(page, "Terms of sale").waitFor();
    await page.getByLabel("Search").fill("POLICY 2");
    await page.getByText("Policy 19").waitFor({ state: "detached" });
    expect(await page.getByRole("row").count()).toBe(1 + 7);
    expect(new URL(page.url()).searchParams.get("search")).toBe("POLICY 2");
    await page.getByLabel("Select Policy 21").focus();
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
    await page.getByText("Select all shown").click();
    await page.getByText("7 selected").waitFor();
    await screenshot(page, "templates-list");
    await expectAccessible(page);
    await button(page, "Duplicate").click();
    await dialog(page).getByLabel("Names of the copies").fill("Copy of {name}");
    await inDialog(page, "Duplicate").click();
    await page.getByText("7 copies created:").waitFor();
    await page.getByText("Select all shown").click();
    await button(page, "Archive").click();
    await dialog(page).getByText("Policy 25").waitFor();
    await inDialog(page, "Archive").click();
    await page.getByText("7 templates archived.").waitFor();
    await page.getByRole("button", { name: /Status/ }).click();
    await page.getByRole("option", { name: "Draft" }).click();
    await page.getByText("No matching templates").waitFor();
    await button(page, "Clear filters").click();
    await row(page, "Copy of Policy 25").waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("");
  });

  test("a PDF is uploaded as a text, and accepted page by page, on our page and on theirs", async () => {
    const { id } = await post("", { name: "Terms", type: "STATIC", policyFlags: { requireScroll: true } });
    const page = await enter(owner, `/templates/${id}`);
    const file = (...lines: string[]) => ({ name: "a.pdf", mimeType: "application/pdf", buffer: textPdf(...lines) });
    await page.locator("input[type=file]").setInputFiles({ ...file(), buffer: Buffer.from("%PDF-1.7 and no more") });
    await page.getByText(/PDF is damaged|cannot be read/).waitFor();
    await page.locator("input[type=file]").setInputFiles(file("Be kind to everybody.", "Second page", "The very end"));
    await page.getByRole("region", { name: "Terms, page 1 of 3" }).locator("canvas").waitFor();
    await page.getByText("Text for screen readers", { exact: true }).click();
    await page.locator(".pdf-as-text details").getByText("The very end").waitFor();
    await page.locator("assent-embed canvas").first().waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-pdf");
    await button(page, "Save").click();
    await button(page, "Publish").click();
    await inDialog(page, "Publish").click();
    await isGone(page);

    const site = await startSite();
    try {
      const origins = [site.url, owner.baseUrl];
      const placed = { name: "Page", environment: "TEST", allowedOrigins: origins, activate: true };
      const { id: deploymentId = "", key = "" } = await post(`/${id}/deployments`, placed);
      for (const place of ["ours", "theirs"] as const) {
        for (const viewport of [
          { width: 1280, height: 720 },
          { width: 375, height: 700 },
        ]) {
          const wanted = { templateId: id, deploymentId, userRef: `user-${place}-${viewport.width}` };
          const { renderUrl } = (await api.post("/v1/click/sessions", wanted)).body;
          const reader = await pages.open({ viewport });
          const script = `<script src="${owner.baseUrl}/v1/click/render/${key}/embed.js" data-url="${renderUrl}" data-accept-url="/accept" data-target="#place"></script>`;
          await reader.goto(place === "ours" ? renderUrl : site.page(hostHtml(script)));
          const first = reader.getByRole("group", { name: "Page 1 / 3" });
          await first.waitFor();
          await until(async () => (await first.locator("canvas").evaluate(darkPixels)) > 50);
          await first.getByText("Be kind to everybody.").waitFor({ state: "attached" });
          expect(await reader.locator(".failed").count()).toBe(0);
          expect(await accessibilityProblems(reader)).toEqual([]);
          await screenshot(reader, `pdf-text-${place}-${viewport.width}`);
          // A page that nobody listens to only shows the text.
          if (place === "ours") continue;
          const accept = reader.getByRole("button", { name: "I agree" });
          expect(await accept.getAttribute("aria-disabled")).toBe("true");
          await reader.getByRole("group", { name: "Page 3 / 3" }).scrollIntoViewIfNeeded();
          await reader.locator("assent-embed .end").scrollIntoViewIfNeeded();
          await until(async () => (await accept.getAttribute("aria-disabled")) === null);
          await accept.click();
          await reader.getByText("Your decision is recorded.").waitFor();
        }
      }
      const events = site.received.map(({ body }) => body.presentation.events);
      expect(events).toHaveLength(2);
      // Another file than the one that is agreed to is not shown; its text can be read and accepted instead.
      const wanted = { templateId: id, deploymentId, userRef: "user-text" };
      const { renderUrl } = (await api.post("/v1/click/sessions", wanted)).body;
      const reader = await pages.open({ viewport: { width: 375, height: 700 } });
      await reader.route("**/pdf?*", (route) =>
        route.fulfill({
          ...{ contentType: "application/pdf", body: textPdf("Another file") },
          headers: { "access-control-allow-origin": "*" },
        }),
      );
      const script = `<script src="${owner.baseUrl}/v1/click/render/${key}/embed.js" data-url="${renderUrl}" data-accept-url="/accept" data-target="#place"></script>`;
      await reader.goto(site.page(hostHtml(script)));
      await reader.getByText("The document cannot be displayed. This is its text.").waitFor();
      await reader.getByText("Be kind to everybody.").waitFor();
      expect(await accessibilityProblems(reader)).toEqual([]);
      await screenshot(reader, "pdf-text-failed-375");
      await reader.locator("assent-embed .end").scrollIntoViewIfNeeded();
      const accept = reader.getByRole("button", { name: "I agree" });
      await until(async () => (await accept.getAttribute("aria-disabled")) === null);
      await accept.click();
      await reader.getByText("Your decision is recorded.").waitFor();
      const instead = site.received.at(-1)?.body.presentation.events;
      expect(instead).toContainEqual(expect.objectContaining({ type: "DISPLAYED", target: "pdf-text" }));
      expect(instead).not.toContainEqual(expect.objectContaining({ target: "pdf" }));
      for (const told of events) {
        expect(told).toContainEqual(expect.objectContaining({ type: "DISPLAYED", target: "pdf" }));
        expect(told).toContainEqual(expect.objectContaining({ type: "SCROLLED_TO_END" }));
      }
    } finally {
      await site.close();
    }
  });

  test("a text is published, changed and compared, and a deployment places it", async () => {
    const { id } = await post("", { name: "Terms of use", type: "STATIC" });
    const version = await post(`/${id}/versions`, { locale: "en", content: termsOf("one year"), title: "Our terms" });
    const page = await enter(owner, `/templates/${id}/versions`, { colorScheme: "dark" });
    await button(page, "Publish").click();
    await dialog(page).getByText("This is the first publication").waitFor();
    expect(await dialog(page).getByLabel("Summary of changes").count()).toBe(0);
    await inDialog(page, "Publish").click();
    await isGone(page);
    await row(page, "1.0").getByText("Published", { exact: true }).first().waitFor();
    await button(page, "Unpublish").click();
    await inDialog(page, "Unpublish").click();
    await isGone(page);
    const changed = { content: termsOf("two years"), buttonText: "I agree" };
    await api.call("PATCH", `/v1/click/templates/${id}/versions/${version.id}`, changed);
    await page.reload();
    await button(page, "Publish").click();
    await dialog(page).getByText("Becomes version 2.0.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-publish");
    await dialog(page).getByRole("link", { name: "Compare with the published text" }).click();
    await page.getByText("1 changed, 1 added, 0 removed").waitFor();
    expect(await page.locator("del").allInnerTexts()).toEqual([expect.stringContaining("one year")]);
    await page.getByText("10 unchanged sections").first().click();
    await expectAccessible(page);
    await screenshot(page, "templates-compare");
    await button(page, "Close comparison").click();
    await button(page, "Publish").click();
    await dialog(page).getByText("No, only the wording changes").click();
    await dialog(page).getByLabel("Summary of changes").fill("The time");
    await inDialog(page, "Publish").click();
    await isGone(page);
    await row(page, "1.1").waitFor();
    await button(page, "2 revisions").click();
    await row(page, "1.1").getByText("No", { exact: true }).waitFor();
    await screenshot(page, "templates-revisions");
    await page.keyboard.press("Escape");
    await expectAccessible(page);
    await deploy(page);
    const next = await api.call("PUT", `/v1/click/templates/${id}/versions/${version.id}/draft`, {
      ...{ content: termsOf("three years"), title: "Our terms", buttonText: "I agree" },
    });
    expect(next.status).toBe(200);
    await page.getByRole("link", { name: "Versions" }).click();
    await page.reload();
    await row(page, "1.1").getByText("Next draft").waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-next-text");
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByText("1 changed, 0 added, 0 removed").waitFor();
    expect(await page.locator("ins").allInnerTexts()).toEqual([expect.stringContaining("three")]);
    await button(page, "Close comparison").click();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.getByText("1 changed, 0 added, 0 removed").waitFor();
    await page.goBack();
    await button(page, "Discard draft").click();
    await inDialog(page, "Discard draft").click();
    await page.getByText("Version 1.1 is live.").waitFor();
    await button(page, "Archive").click();
    await inDialog(page, "Archive").click();
    await dialog(page).getByText("deactivate them first").waitFor();
    await inDialog(page, "Cancel").click();
  });

  test("a text is scheduled in the time of the reader's clocks, put off, called off, and goes live at its second", async () => {
    const { id } = await post("", { name: "Terms of use", type: "STATIC" });
    const version = await post(`/${id}/versions`, { locale: "en", content: termsOf("one year") });
    await post(`/${id}/versions/${version.id}/publish`, {});
    const path = `/v1/click/templates/${id}/versions/${version.id}`;
    await api.call("PUT", `${path}/draft`, { content: termsOf("two years") });
    const page = await enter(owner, `/templates/${id}/versions`, { timezoneId: "Europe/Berlin" });
    const scheduled = async () => (await api.get(path)).body.schedule?.publishAt;
    const time = dialog(page).getByLabel("Date and time");
    // By the keyboard alone.
    await button(page, "Publish").focus();
    await page.keyboard.press("Enter");
    await dialog(page).getByRole("radio", { name: "Now" }).focus();
    await page.keyboard.press("ArrowDown");
    await dialog(page).getByText("Your time zone: Europe/Berlin").waitFor();
    await time.fill("2099-03-29T02:30");
    await time.press("Enter");
    await dialog(page).getByText("this time doesn’t exist").waitFor();
    await expectAccessible(page);
    await time.fill("2020-01-01T00:00");
    await time.press("Enter");
    await dialog(page).getByText("This time is in the past.").waitFor();
    await time.fill("2099-10-25T02:30");
    await dialog(page).getByText("this time occurs twice").waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-schedule");
    await page.setViewportSize({ width: 375, height: 800 });
    await expectAccessible(page);
    await screenshot(page, "templates-schedule-narrow");
    await page.setViewportSize({ width: 1360, height: 900 });
    await dialog(page).getByRole("radio").last().focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await inDialog(page, "Schedule").focus();
    await page.keyboard.press("Enter");
    await isGone(page);
    await row(page, "1.0").getByText("Scheduled").waitFor();
    expect(await scheduled()).toBe("2099-10-25T01:30:00.000Z");
    await expectAccessible(page);
    await screenshot(page, "templates-scheduled");
    await page.setViewportSize({ width: 375, height: 800 });
    await expectAccessible(page);
    await screenshot(page, "templates-scheduled-narrow");
    await page.setViewportSize({ width: 1360, height: 900 });
    await page.getByRole("link", { name: "Click templates" }).first().click();
    await row(page, "Terms of use").getByText("Scheduled").waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-scheduled-list");
    await page.goBack();
    await button(page, "Reschedule").click();
    expect(await time.inputValue()).toBe("2099-10-25T02:30");
    await time.fill("2099-12-31T23:30");
    await inDialog(page, "Schedule").click();
    await isGone(page);
    expect(await scheduled()).toBe("2099-12-31T22:30:00.000Z");
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByText("locked until its scheduled publication").waitFor();
    expect(await page.getByText("two years").first().isVisible()).toBe(true);
    expect(await button(page, "Save").count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, "templates-scheduled-text");
    await page.getByRole("link", { name: "cancel the publication" }).click();
    await button(page, "Cancel publication").click();
    await expectAccessible(page);
    await inDialog(page, "Cancel publication").click();
    await isGone(page);
    expect(await scheduled()).toBeUndefined();
    const soon = new Date(Date.now() + 15_000).toISOString();
    await api.post(`${path}/publish`, { publishAt: soon });
    await page.reload();
    await row(page, "1.0").getByText("Scheduled").waitFor();
    const beside = await Promise.all(["/templates", `/templates/${id}`].map((shown) => enter(owner, shown)));
    // With what is said of the publication, unless it has come already.
    await Promise.all(beside.map((other) => other.locator(".badge").first().waitFor()));
    // The pages learn of it without being asked.
    await button(page, "2 revisions").waitFor();
    await Promise.all(
      beside.map((other) => other.locator(".badge").getByText("Scheduled").waitFor({ state: "detached" })),
    );
    expect((await api.get(path)).body).toMatchObject({ revision: 2, publishedAt: soon, schedule: null });
  });

  async function deploy(page: Page): Promise<void> {
    await page.getByRole("link", { name: "Deployments" }).click();
    await page.getByText("No deployments yet").waitFor();
    await button(page, "Create deployment").first().click();
    await dialog(page).getByLabel("Name (optional)").fill("Sign-up page");
    await dialog(page).getByLabel("Allowed origins").fill("not an origin");
    await inDialog(page, "Create deployment").click();
    await dialog(page).locator(".notice-danger, .field-error").first().waitFor();
    await dialog(page).getByLabel("Allowed origins").fill("https://www.example.com\nhttps://app.example.com");
    await expectAccessible(page);
    await screenshot(page, "templates-deployment-form");
    await inDialog(page, "Create deployment").click();
    await isGone(page);
    await button(page, "Activate").click();
    await row(page, "Sign-up page").getByText("Active", { exact: true }).waitFor();
    await screenshot(page, "templates-deployments");
    await expectAccessible(page);
    await button(page, "Embed").click();
    await dialog(page)
      .getByText(/embed\.js/)
      .waitFor();
    const href = await dialog(page).getByRole("link", { name: "Open page" }).getAttribute("href");
    const shown = await page.context().request.get(new URL(href ?? "", owner.baseUrl).href);
    expect([shown.status(), await shown.text()]).toEqual([200, expect.stringContaining("two years")]);
    await screenshot(page, "templates-embed");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
  }

  /** What is stated of a deployment beside its form, and that it can be taken back. */
  async function tighten(page: Page, path: string): Promise<void> {
    const edit = () => row(page, "Cookie window").getByRole("button", { name: "Edit" }).click();
    const read = async () => (await api.get(path)).body;
    const { policyOverrides: none } = await read();
    await edit();
    await dialog(page).getByLabel("Colors and fonts").fill("[1]");
    await dialog(page).getByLabel("Screenshot ID").fill("shot-7");
    await dialog(page).getByText("Stricter policy").click();
    await dialog(page).getByLabel("Minimum age").fill("16");
    await inDialog(page, "Save").click();
    await dialog(page).getByText("Not a valid JSON object.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-deployment-details");
    await dialog(page).getByLabel("Colors and fonts").fill('{ "accent": "#0a5" }');
    await inDialog(page, "Save").click();
    await isGone(page);
    const stated = { theme: { accent: "#0a5" }, screenshotId: "shot-7", policyOverrides: { minAge: 16 } };
    expect([none, await read()]).toMatchObject([{}, stated]);
    await edit();
    await dialog(page).getByLabel("Minimum age").fill("0");
    await dialog(page).getByLabel("Screenshot ID").fill("");
    await inDialog(page, "Save").click();
    await isGone(page);
    expect(await read()).toMatchObject({ theme: stated.theme, screenshotId: null, policyOverrides: {} });
    expect((await read()).policyOverrides).toEqual({});
  }

  test("what a page looked like is uploaded, looked at, used and deleted; what is no such picture is refused with words", async () => {
    const { id } = await post("", { name: "Terms of use", type: "STATIC" });
    const deployment = await post(`/${id}/deployments`, { name: "Sign-up page" });
    const page = await enter(owner, `/templates/${id}/deployments`);
    const [png, jpeg] = [await page.screenshot(), await page.screenshot({ type: "jpeg", quality: 90 })];
    await button(page, "Screenshots").click();
    await dialog(page).getByText("No screenshots yet.").waitFor();
    await expectAccessible(page);
    const upload = async (name: string, mimeType: string, buffer: Buffer) => {
      const chooser = await broughtBy(page, "filechooser", () => inDialog(page, "Upload screenshot").click());
      await chooser.setFiles({ name, mimeType, buffer });
    };
    const isDrawn = (count: number) =>
      until(async () => {
        const drawn = "[...document.querySelectorAll('[role=dialog] img')].map(({ naturalWidth }) => naturalWidth)";
        const widths = await page.evaluate<number[]>(drawn);
        return widths.length === count && widths.every((width) => width === 1280);
      });
    await upload("large.png", "image/png", padded(png, 4_900_000));
    await isDrawn(1);
    await upload("page.jpg", "image/jpeg", jpeg);
    await isDrawn(2);
    await upload("too-large.png", "image/png", padded(png, 5_242_881));
    await dialog(page).getByText("“too-large.png” is larger than 5 MB.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-screenshots");
    await upload("page.png", "image/png", png.subarray(0, 1_000));
    await dialog(page).getByText("“page.png” wasn’t uploaded: it is a damaged PNG.").waitFor();
    await inDialog(page, "Use").last().click();
    await dialog(page).locator("strong").getByText("in use").waitFor();
    const path = `/v1/click/deployments/${deployment.id}`;
    const [, first] = (await api.get(`${path}/screenshots`)).body;
    expect([first.contentType, first.size]).toEqual(["image/png", 4_900_000]);
    expect((await api.get(path)).body.screenshotId).toBe(first.id);
    await inDialog(page, "Delete").click();
    await isDrawn(1);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 375, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
      await expectAccessible(page);
      await screenshot(page, `templates-screenshots-narrow-${colorScheme}`);
    }
    await page.keyboard.press("Escape");
    await isGone(page);
    const viewer = await enter(await newViewer(system, owner), `/templates/${id}/deployments`);
    await button(viewer, "Screenshots").click();
    await dialog(viewer).getByRole("img").waitFor();
    expect(await dialog(viewer).getByRole("button").allTextContents()).toEqual([""]);
  });

  test("with four eyes, a text waits for somebody else, who refuses it or approves of it, and is published then", async () => {
    const page = await enter(owner, "/organization");
    await page.getByText("Require approval by a second person").click();
    await page.getByRole("switch", { checked: true }).waitFor();
    await expectAccessible(page);
    const { id } = await post("", { name: "Terms of sale", type: "STATIC" });
    await post(`/${id}/versions`, { locale: "en", content: "<p>Be kind.</p>" });
    const reader = await enter(await newViewer(system, owner, "developer"), "/templates");
    await row(reader, "Terms of sale").waitFor();

    const ask = async () => {
      await button(page, "Request approval").click();
      await dialog(page).getByLabel("Comment").fill("Please read it.");
      await expectAccessible(page);
      await inDialog(page, "Request approval").click();
      await isGone(page);
      await page.getByText("Waiting for approval").waitFor();
    };
    await page.goto(`${owner.baseUrl}/dashboard/templates/${id}/versions`);
    await page.getByText("Approval required").waitFor();
    await ask();
    expect(await button(page, "Approve").count()).toBe(0);
    await button(page, "Publish").click();
    await inDialog(page, "Publish").click();
    await dialog(page).getByText("requires an approval before a text is published").waitFor();
    await inDialog(page, "Cancel").click();
    await isGone(page);

    await reader.reload();
    await reader.getByRole("heading", { name: "Waiting for your approval" }).waitFor();
    await expectAccessible(reader);
    await screenshot(reader, "templates-waiting");
    await reader.getByRole("link", { name: /^Terms of sale \(/ }).click();
    // Who may not list the users is told whom a text is about all the same.
    await reader.getByText("requested by Olga Owner").waitFor();
    await button(reader, "Reject").click();
    await dialog(reader).getByLabel("Reason").fill("Section 3 is missing.");
    await inDialog(reader, "Reject").click();
    await isGone(reader);
    await reader.getByText("Rejected", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("Section 3 is missing.").waitFor();
    await page.getByText("by Vera Viewer").waitFor();
    await screenshot(page, "templates-refused");
    await ask();

    await reader.reload();
    await button(reader, "Approve").click();
    await inDialog(reader, "Approve").click();
    await isGone(reader);
    await reader.getByText("Approved", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("Approved", { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, "templates-approved");
    await button(page, "Publish").click();
    await inDialog(page, "Publish").click();
    await isGone(page);
    await row(page, "1.0").waitFor();
  });

  test("viewers read only, on a phone too; what is deleted is gone", async () => {
    const { id } = await post("", { name: "Privacy", type: "CONSENT" });
    const deployment = await post(`/${id}/deployments`, { name: "Cookie window", displayMode: "MODAL" });
    await post(`/${id}/versions`, { locale: "de", content: "<p>Wir fragen Sie.</p>" });
    const viewer = await enter(await newViewer(system, owner), `/templates/${id}/deployments`, {
      viewport: { width: 320, height: 640 },
    });
    await viewer.getByText(deployment.key ?? "").waitFor();
    expect(await viewer.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await expectAccessible(viewer);
    await screenshot(viewer, "templates-phone-deployments");
    await viewer.getByRole("link", { name: "Versions" }).click();
    await viewer.getByRole("heading", { name: "German (de)" }).waitFor();
    await expectAccessible(viewer);
    await viewer.getByRole("link", { name: "All click templates" }).click();
    await viewer.getByRole("link", { name: "Privacy" }).waitFor();
    const changing = /Create|Change|Archive|Delete|Duplicate|Publish|Activate|Deactivate|Select all/;
    expect(await viewer.getByRole("button", { name: changing }).count()).toBe(0);
    expect(await viewer.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await screenshot(viewer, "templates-phone");

    const page = await enter(owner, `/templates/${id}/deployments`);
    await tighten(page, `/v1/click/deployments/${deployment.id}`);
    await row(page, "Cookie window").getByRole("button", { name: "Delete" }).click();
    await inDialog(page, "Delete").click();
    await page.getByText("No deployments yet").waitFor();
    await button(page, "Delete").click();
    await inDialog(page, "Delete").click();
    await page.getByRole("heading", { level: 1, name: "Click templates" }).waitFor();
    expect((await api.get(`/v1/click/templates/${id}`)).status).toBe(404);
  });
});

/** The same picture in a file of this size. */
function padded(png: Buffer, bytes: number): Buffer {
  const end = png.length - 12;
  const chunk = Buffer.alloc(bytes - png.length);
  chunk.writeUInt32BE(chunk.length - 12);
  // A reader may skip it.
  chunk.write("paDd", 4, "latin1");
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}

/** Long enough that what stays the same is folded. */
const termsOf = (time: string): string => {
  const rest = Array.from({ length: 12 }, (_, n) => `<p>Paragraph ${n + 1} says nothing new.</p>`).join("");
  return `<h2>Terms</h2><p>You may use the service for ${time} after you have paid.</p>${rest}`;
};

/** A canvas, as far as a test looks into it. */
interface Picture {
  readonly width: number;
  readonly height: number;
  getContext(kind: "2d"): { getImageData(x: number, y: number, w: number, h: number): { data: ArrayLike<number> } };
}

/** How many pixels of a picture are neither white nor see-through. */
const darkPixels = (element: unknown): number => {
  const canvas = element as Picture;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let dark = 0;
  for (let at = 0; at < data.length; at += 4) if ((data[at + 3] ?? 0) > 0 && (data[at] ?? 255) < 128) dark += 1;
  return dark;
};
