import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";
import { describeInBrowser, patience } from "./support/browser.ts";
import { clipboards } from "./support/clipboards.ts";
import { goTo, logIn, openAs, openDashboard } from "./support/dashboard.ts";
import { hostHtml } from "./support/host-page.ts";
import { actUntil, broughtBy, follow, tabTo, type } from "./support/keyboard.ts";
import { type NewcomersCopy, startNewcomersCopy } from "./support/newcomer.ts";
import { contractPdf, screenshot } from "./support/signing.ts";
import { type Site, startSite } from "./support/site.ts";

describeInBrowser("the first hour of a newcomer", (pages) => {
  let copy: NewcomersCopy;
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    copy = await startNewcomersCopy({ ANCHOR_INTERVAL_SECONDS: "2" });
  });
  afterAll(() => copy?.stop());
  let walks = 0;
  beforeEach(() => {
    walks += 1;
  });
  /** Nobody meets what another walk has made, or the same walk before it was tried again. */
  const named = (name: string): string => `${name} ${walks}`;
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  const at = (path: string): string => `${copy.demo.baseUrl}${path}`;
  const dialog = (page: Page) => page.getByRole("dialog");
  const isGone = (page: Page) => dialog(page).waitFor({ state: "detached" });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const inDialog = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true });
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
  const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();
  async function dashboard(): Promise<Page> {
    return await openDashboard(pages, at("/dashboard/"), wrong);
  }
  /** Another window of the same person. */
  async function openBeside(page: Page, path: string): Promise<Page> {
    const other = await page.context().newPage();
    await other.goto(at(path));
    return other;
  }

  async function createClient(page: Page): Promise<void> {
    await goTo(page, "OAuth clients");
    await button(page, "Create client").first().click();
    await dialog(page).getByLabel("Name").fill(named("Our shop"));
    await dialog(page).getByText("Record acceptances and nothing else").click();
    await inDialog(page, "Create client").click();
    await dialog(page).getByText("You won’t be able to see it again").waitFor();
    await screenshot(page, "first-hour-client");
    await inDialog(page, "Done").click();
    await row(page, named("Our shop")).waitFor();
  }

  async function publishTemplate(page: Page): Promise<void> {
    await goTo(page, "Click templates");
    await button(page, "Create click template").first().click();
    await dialog(page).getByLabel("Name").fill(named("House rules"));
    await inDialog(page, "Create click template").click();
    await heading(page, named("House rules"));
    await page.getByRole("textbox", { name: "Text to accept" }).click();
    await page.keyboard.type("## House rules");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Be kind to the furniture.");
    await page.locator("assent-embed").getByText("Be kind to the furniture.").waitFor();
    await button(page, "Save").click();
    await page.getByText("All changes saved.").waitFor();
    await screenshot(page, "first-hour-text");
    await link(page, "Versions").click();
    await button(page, "Publish").click();
    await inDialog(page, "Publish").click();
    await isGone(page);
    await row(page, "1.0").waitFor();
  }

  /** The answer is what one pastes into a page. */
  async function createDeployment(page: Page): Promise<string> {
    await link(page, "Deployments").click();
    await button(page, "Create deployment").first().click();
    await dialog(page).getByLabel("Name (optional)").fill(named("Front door"));
    await dialog(page).getByText("Activate immediately").click();
    await inDialog(page, "Create deployment").click();
    await isGone(page);
    await row(page, named("Front door")).getByText("Active", { exact: true }).waitFor();
    await button(page, "Embed").click();
    const lines = (await dialog(page).getByText("embed.js").textContent()) ?? "";
    await page.keyboard.press("Escape");
    await isGone(page);
    return lines;
  }

  /** As a visitor of the shop does; the answer is how the shop calls them. */
  async function acceptOnDemoPage(page: Page, lines: string): Promise<string> {
    const shop = await openBeside(page, "/demo");
    await shop.getByLabel("Deployment key or embed code").fill("nothing");
    await button(shop, "Show").click();
    await shop.getByText("Keys begin with dep_").waitFor();
    await shop.getByLabel("Deployment key or embed code").fill(lines);
    await button(shop, "Show").click();
    const own = shop.locator("#own-place");
    await own.getByText("Be kind to the furniture.").waitFor();
    await own.getByRole("button", { name: "I agree" }).click();
    await own.getByText("Your decision is recorded.").waitFor();
    await screenshot(shop, "first-hour-shop");
    const visitor = await shop
      .getByText(/^visitor-/)
      .last()
      .textContent();
    await shop.close();
    return visitor ?? "";
  }

  async function findAndErase(page: Page, visitor: string): Promise<void> {
    await goTo(page, "Acceptances");
    await page.getByLabel("User or receipt").fill(visitor);
    await button(page, "Search").click();
    await row(page, visitor)
      .getByRole("link", { name: named("House rules") })
      .click();
    await heading(page, named("Acceptance: House rules"));
    await page.getByText("Evidence verified").waitFor();
    await screenshot(page, "first-hour-evidence");
    await page.getByRole("link", { name: visitor }).first().click();
    await heading(page, visitor);
    await button(page, "Erase user").click();
    await dialog(page).getByLabel("Type the user reference to confirm").fill(visitor);
    await inDialog(page, "Erase permanently").click();
    await page.getByText("User erased").waitFor();
    await screenshot(page, "first-hour-erased");
  }

  async function describeAgreement(page: Page, subject: string, person: string): Promise<void> {
    const contract = Buffer.from(await contractPdf(), "base64");
    const files = page.locator("input[type=file]");
    await files.setInputFiles({ name: "Contract.pdf", mimeType: "application/pdf", buffer: contract });
    const first = page.getByRole("group", { name: "Recipient 1" });
    await first.getByLabel("Name").fill(person);
    await first.getByRole("textbox", { name: "Email" }).fill("ann@example.com");
    await page.getByLabel("Subject").fill(subject);
    await button(page, "Continue to fields").click();
    await heading(page, subject);
  }

  /** Drags from the middle of something to a place on a page, in points. */
  async function dragTo(page: Page, from: Locator, sheet: Locator, x: number, y: number): Promise<void> {
    const [start, target] = [await from.boundingBox(), await sheet.boundingBox()];
    if (!start || !target) throw new Error("there is nothing to drag");
    const scale = target.width / 595;
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(target.x + x * scale, target.y + y * scale, { steps: 3 });
    await page.mouse.up();
  }

  async function send(page: Page, subject: string): Promise<void> {
    await goTo(page, "Agreements");
    await page.getByRole("link", { name: "New agreement" }).first().click();
    await describeAgreement(page, subject, "Ann Example");
    const sheet = page.locator('.pdf-page[data-page="1"] .pdf-overlay');
    await sheet.waitFor();
    await dragTo(page, button(page, "Signature"), sheet, 200, 300);
    await page.getByRole("button", { name: /^Signature for Ann Example: / }).waitFor();
    await page.getByText("All changes saved.").waitFor();
    await screenshot(page, "first-hour-fields");
    await page.getByRole("link", { name: "Review and send", exact: true }).click();
    await button(page, "Send now").click();
    await heading(page, subject);
    await page.getByText(/Waiting for .*\./).waitFor();
  }

  async function sign(page: Page, subject: string): Promise<void> {
    const mailbox = await openBeside(page, "/mailbox");
    const mail = mailbox.getByRole("article").filter({ hasText: subject }).filter({ hasText: "ann@example.com" });
    while ((await mail.count()) === 0) await mailbox.reload();
    await screenshot(mailbox, "first-hour-mailbox");
    const signing = await broughtBy(mailbox, "popup", () => mail.getByRole("link", { name: /^http/ }).first().click());
    await signing.getByLabel("I have read this and agree").check();
    await button(signing, "Continue").click();
    await signing.getByRole("button", { name: /^Sign here/ }).click();
    await button(signing, "Adopt and sign").click();
    await signing.getByText("All required fields are done").waitFor();
    const isDone = signing.getByRole("heading", { name: "Done" });
    await actUntil(
      () =>
        button(signing, "Finish")
          .click({ timeout: 10_000 })
          .catch(() => undefined),
      isDone,
    );
    await screenshot(signing, "first-hour-signed");
    await signing.close();
    await mailbox.close();
    await page.getByText("Everyone has signed, and the documents are sealed.").waitFor();
    await screenshot(page, "first-hour-completed");
  }

  async function renderBatch(page: Page): Promise<void> {
    await goTo(page, "Document generation");
    await link(page, "Batches").click();
    await button(page, "Create batch").first().click();
    await page.getByRole("button", { name: /Template/ }).click();
    await page.getByRole("option", { name: "Consent form" }).click();
    await inDialog(page, "Use sample data").click();
    await dialog(page).getByText("1 document will be generated.").waitFor();
    await screenshot(page, "first-hour-batch-dialog");
    await inDialog(page, "Create batch").click();
    await heading(page, /^Batch of/);
    await page.getByText("Completed", { exact: true }).first().waitFor();
    await screenshot(page, "first-hour-batch");
  }

  async function watchWebhook(page: Page): Promise<void> {
    await goTo(page, "Webhooks");
    await button(page, "Add endpoint").first().click();
    await dialog(page).getByLabel("URL").fill(at("/webhook-inbox"));
    await inDialog(page, "Add endpoint").click();
    await dialog(page).getByText("You won’t be able to see it again").waitFor();
    await inDialog(page, "Done").click();
    await heading(page, at("/webhook-inbox"));
    await button(page, "Send test event").click();
    await heading(page, "webhook.test");
    await page.locator(".badge").getByText("Delivered", { exact: true }).waitFor();
    await screenshot(page, "first-hour-delivery");
    const inbox = await openBeside(page, "/webhook-inbox");
    await inbox.getByRole("heading", { name: "webhook.test" }).first().waitFor();
    await inbox.close();
  }

  test("everything is found, tried and seen with the mouse", async () => {
    const page = await dashboard();
    await logIn(page, copy.owner);
    await heading(page, /^Hello/);
    await createClient(page);
    await publishTemplate(page);
    const lines = await createDeployment(page);
    const visitor = await acceptOnDemoPage(page, lines);
    await findAndErase(page, visitor);
    await send(page, named("Lease of a shelf"));
    await sign(page, named("Lease of a shelf"));
    await renderBatch(page);
    await watchWebhook(page);
  }, 300_000);

  async function publishByKeyboard(page: Page, name: string): Promise<void> {
    await follow(page, "Click templates");
    await heading(page, "Click templates");
    await button(page, "Create click template").first().waitFor();
    await follow(page, "Create click template");
    await dialog(page).waitFor();
    await type(page, "Name", name);
    await page.keyboard.press("Enter");
    await heading(page, name);
    await page.getByRole("textbox", { name: "Text to accept" }).waitFor();
    await type(page, "Text to accept", "Knock twice.");
    await page.locator("assent-embed").getByText("Knock twice.").waitFor();
    await page.keyboard.press("Control+s");
    await page.getByText("All changes saved.").waitFor();
    await follow(page, "Publish", "Shift+Tab");
    await dialog(page).waitFor();
    await follow(page, "Publish");
    await isGone(page);
    await follow(page, "Versions");
    await row(page, "1.0").waitFor();
  }

  async function findByKeyboard(page: Page, text: string, userRef: string): Promise<void> {
    await follow(page, "Acceptances");
    await heading(page, "Acceptances");
    await type(page, "User or receipt", userRef);
    await page.keyboard.press("Enter");
    await row(page, userRef).waitFor();
    await follow(page, text);
    await heading(page, `Acceptance: ${text}`);
    await page.getByText("Evidence verified").waitFor();
  }

  async function sendByKeyboard(page: Page, subject: string): Promise<void> {
    await follow(page, "Agreements");
    await heading(page, "Agreements");
    await follow(page, "New agreement");
    await heading(page, "New agreement");
    const chooser = await broughtBy(page, "filechooser", () => follow(page, "Choose files"));
    const contract = Buffer.from(await contractPdf(), "base64");
    await chooser.setFiles({ name: "Contract.pdf", mimeType: "application/pdf", buffer: contract });
    await type(page, "Name", "Bob Example");
    await type(page, "Email", "bob@example.com");
    await type(page, "Subject", subject);
    await follow(page, "Continue to fields");
    await heading(page, subject);
    await page.locator('.pdf-page[data-page="1"] .pdf-overlay').waitFor();
    await follow(page, "Signature");
    await tabTo(page, /^Signature for Bob Example: /);
    for (const key of ["ArrowRight", "ArrowDown", "Shift+ArrowRight"]) await page.keyboard.press(key);
    await page.getByText("All changes saved.").waitFor();
    await follow(page, "Review and send", "Shift+Tab");
    await button(page, "Send now").waitFor();
    await follow(page, "Send now");
    await page.getByText(/Waiting for .*\./).waitFor();
  }

  test("the keyboard alone leads from the login to a publication, its evidence and a sent agreement", async () => {
    const page = await dashboard();
    await heading(page, "Sign in");
    await type(page, "Email", copy.owner.email);
    await type(page, "Password", copy.owner.password);
    await page.keyboard.press("Enter");
    await heading(page, /^Hello/);
    await publishByKeyboard(page, named("Door rules"));
    const about = { templateSlug: `door-rules-${walks}`, userRef: named("visitor") };
    expect((await copy.api.accept(named("keyboard"), about)).status).toBe(201);
    await findByKeyboard(page, named("Door rules"), about.userRef);
    await sendByKeyboard(page, named("Lease of a door"));
    await screenshot(page, "first-hour-keyboard");
  }, 300_000);

  /** How somebody works: with the mouse, or without one. */
  interface Hand {
    readonly name: string;
    press(page: Page, name: string, key?: string): Promise<void>;
    /** Where one writes. */
    enterText(page: Page): Promise<void>;
    /** Chooses a time in the dialog that publishes. */
    chooseTime(page: Page, time: Date): Promise<void>;
    agree(page: Page): Promise<void>;
  }
  const time = (page: Page) => dialog(page).getByLabel("Date and time");
  const written = (page: Page) => page.getByRole("textbox", { name: "Text to accept" });
  const mouse: Hand = {
    name: "mouse",
    press: (page, name) => button(page, name).or(link(page, name)).last().click(),
    enterText: (page) => written(page).click(),
    chooseTime: async (page, at) => {
      await dialog(page).getByText("Later", { exact: true }).click();
      await time(page).fill(at.toISOString().slice(0, 16));
      await inDialog(page, "Schedule").click();
    },
    agree: (page) => page.frameLocator("iframe").getByRole("button", { name: "I agree" }).click(),
  };
  const keyboard: Hand = {
    name: "keyboard",
    press: follow,
    enterText: (page) => tabTo(page, "Text to accept"),
    chooseTime: async (page, at) => {
      await tabTo(page, "Now");
      await page.keyboard.press("ArrowDown");
      await tabTo(page, "Date and time");
      await typeTime(page, at);
      await follow(page, "Schedule");
    },
    agree: (page) => follow(page, "I agree"),
  };

  /** Part by part; in which order, and whether with 12 hours, is the browser's own. */
  async function typeTime(page: Page, at: Date): Promise<void> {
    const wanted = at.toISOString().slice(0, 16);
    const [, year, month, day, hour, minute] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)/.exec(wanted) ?? [];
    const hours = Number(hour);
    const hour12 = String(hours % 12 || 12).padStart(2, "0");
    for (const [date, clock] of [
      [`${month}${day}${year}`, `${hour12}${minute}${hours < 12 ? "A" : "P"}`],
      [`${day}${month}${year}`, `${hour}${minute}`],
    ] as const) {
      await page.keyboard.type(date);
      await page.keyboard.press("ArrowRight");
      await page.keyboard.type(clock);
      if ((await time(page).inputValue()) === wanted) return;
      for (let part = 0; part < 6; part += 1) await page.keyboard.press("ArrowLeft");
    }
    throw new Error(`${wanted} became ${await time(page).inputValue()}`);
  }

  /** What another program has put on the clipboard. */
  async function copyElsewhere(page: Page, html: string): Promise<void> {
    const other = await page.context().newPage();
    await other.setContent("<p>Another program</p>");
    await other.evaluate(`document.addEventListener("copy", (event) => {
      event.clipboardData.setData("text/html", ${JSON.stringify(html)});
      event.preventDefault();
    })`);
    await other.keyboard.press("Control+a");
    await other.keyboard.press("Control+c");
    await other.close();
    await page.bringToFront();
  }

  interface LiveText {
    readonly name: string;
    readonly templateId: string;
    readonly deploymentKey: string;
    readonly deploymentId: string;
    readonly userRef: string;
    readonly path: string;
  }

  /** A text that is live, and somebody who has accepted it. */
  async function publishLiveText(hand: Hand, origin: string): Promise<LiveText> {
    const name = named(`Terms of the ${hand.name}`);
    const post = async (path: string, body: object) => {
      const answer = await copy.api.post(`/v1/click/templates${path}`, body);
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const policyFlags = { showChanges: true, sendCopyToUser: true };
    const { id: templateId } = await post("", { name, type: "STATIC", policyFlags });
    const content = "<h2>House rules</h2><p>Be kind to the furniture.</p>";
    const { id } = await post(`/${templateId}/versions`, { locale: "en", content });
    await post(`/${templateId}/versions/${id}/publish`, {});
    const deployment = await post(`/${templateId}/deployments`, {
      ...{ name, environment: "TEST", allowedOrigins: [origin], activate: true },
    });
    const userRef = named(`${hand.name}-visitor`);
    expect((await copy.api.accept(named(`first ${hand.name}`), { templateId, userRef })).status).toBe(201);
    const path = `/v1/click/templates/${templateId}/versions/${id}`;
    return { ...{ name, templateId, userRef, path }, deploymentId: deployment.id, deploymentKey: deployment.key };
  }

  /** Writes the next text beside the live one, looks at what it changes, and has it go live at a time. */
  async function replaceLater(page: Page, text: LiveText, hand: Hand): Promise<Date> {
    await written(page).getByText("Be kind to the furniture.").waitFor();
    await hand.enterText(page);
    await page.keyboard.press("Control+End");
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Be kind to guests, too.");
    await page.keyboard.press("Enter");
    await copyElsewhere(page, clipboards.word);
    await page.keyboard.press("Control+v");
    await written(page).getByRole("heading", { name: "1 Conduct" }).waitFor();
    await page.locator("assent-embed").getByText("Knock").waitFor();
    await screenshot(page, `live-text-written-${hand.name}`);
    await page.keyboard.press("Control+s");
    await page.getByText("All changes saved.").waitFor();
    await hand.press(page, "Versions", "Shift+Tab");
    await row(page, "1.0").getByText("Next draft").waitFor();
    await hand.press(page, "Compare");
    await page.locator("ins").getByText("Be kind to guests, too.").waitFor();
    expect(await page.locator("del").count()).toBe(0);
    await screenshot(page, `live-text-compared-${hand.name}`);
    await hand.press(page, "Publish", "Shift+Tab");
    await dialog(page).getByText("instead of version 1.0").waitFor();
    // A minute that is far enough away to write it down on a slow machine.
    const at = new Date(Math.ceil((Date.now() + 40_000) / 60_000) * 60_000);
    await hand.chooseTime(page, at);
    await isGone(page);
    await row(page, "1.0").getByText("Scheduled", { exact: true }).waitFor();
    await screenshot(page, `live-text-scheduled-${hand.name}`);
    expect((await copy.api.get(text.path)).body).toMatchObject({
      ...{ revision: 1, schedule: { publishAt: at.toISOString() } },
    });
    return at;
  }

  /** On a page of the shop: the session's own page in a frame, or the form that the script puts there. */
  async function acceptAgain(site: Site, text: LiveText, hand: Hand): Promise<string> {
    const about = { templateId: text.templateId, deploymentId: text.deploymentId, userRef: text.userRef };
    const { renderUrl } = (await copy.api.post("/v1/click/sessions", about)).body;
    const inFrame = `<script>addEventListener("message", async ({ data, source, origin }) => {
        const { idempotencyKey, acceptance } = data;
        const headers = { "X-Idempotency-Key": idempotencyKey };
        const answer = await (await fetch("/accept", { method: "POST", headers, body: JSON.stringify(acceptance) })).json();
        source.postMessage({ type: "assent:recorded", idempotencyKey, answer }, origin);
      })</script><iframe title="Terms" width="800" height="700" src="${renderUrl}"></iframe>`;
    const embedded = `<div id="terms"></div><script src="${at(`/v1/click/render/${text.deploymentKey}/embed.js`)}"
      data-url="${renderUrl}" data-target="#terms" data-accept-url="/accept"></script>`;
    const page = await pages.open({ viewport: { width: 1000, height: 900 } });
    await page.goto(site.page(hostHtml(hand === mouse ? inFrame : embedded)));
    const shown = hand === mouse ? page.frameLocator("iframe") : page;
    const changes = shown.getByRole("region", { name: "What has changed" });
    await changes.locator("ins").getByText("Be kind to guests, too.").waitFor();
    await screenshot(page, `live-text-asked-again-${hand.name}`);
    await hand.agree(page);
    await shown.getByText("Your decision is recorded.").waitFor();
    const { body } = site.received.at(-1) ?? {};
    const accepted = { ...body, copyTo: "ann@example.com" };
    const receipt = await copy.api.accept(named(`again ${hand.name}`), accepted);
    expect([receipt.status, receipt.body.revision]).toEqual([201, 2]);
    await until(async () => {
      const { body: evidence } = await copy.api.get(`/v1/click/evidence/${receipt.body.sessionId}`);
      return evidence.delivery[0]?.status === "SENT" && evidence.integrity.log?.status !== "PENDING";
    });
    return receipt.body.receiptId;
  }

  /** What is downloaded is checked by a program and by a page that ask nobody. */
  async function proveOffline(page: Page, text: LiveText, receiptId: string, hand: Hand): Promise<void> {
    await page.goto(at(`/dashboard/acceptances/receipts/${receiptId}`));
    await heading(page, `Acceptance: ${text.name}`);
    await page.getByText("Evidence verified").waitFor();
    await screenshot(page, `live-text-evidence-${hand.name}`);
    const download = await broughtBy(page, "download", () => hand.press(page, "JSON"));
    const bundle = await download.path();
    const evidence = JSON.parse(readFileSync(bundle, "utf8"));
    expect(evidence.presentation.changes.shown).toContain("<ins>");
    expect(evidence.delivery).toMatchObject([{ status: "SENT", to: "a…@example.com" }]);
    const folder = mkdtempSync(join(tmpdir(), "assent-proof-"));
    try {
      const save = async (name: string, path: string): Promise<string> => {
        const file = join(folder, name);
        writeFileSync(file, await (await fetch(at(path))).text());
        return file;
      };
      const verifier = await save("verify-bundle.mjs", "/verify/verify-bundle.mjs");
      const keys = await save("keys.json", `/.well-known/click-keys.json?log=${copy.demo.organizationId}`);
      const checked = await promisify(execFile)(process.execPath, [verifier, bundle, "--keys", keys]);
      expect(checked.stdout).toMatch(/^PASS +CHANGES /m);
      expect(checked.stdout).toContain("nothing failed");
      const other = await pages.open();
      await other.goto(at("/verify"));
      await other.context().setOffline(true);
      await other.setInputFiles("#bundle", bundle);
      await other.setInputFiles("#keys", keys);
      await other.getByRole("heading", { name: "Genuine" }).waitFor();
      await screenshot(other, `live-text-verified-${hand.name}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test("a live text is replaced at a second, accepted again with what has changed, and proven offline", async () => {
    const site = await startSite();
    try {
      const walked = [];
      for (const hand of [mouse, keyboard]) {
        const text = await publishLiveText(hand, site.url);
        const options = { timezoneId: "UTC", locale: "en-GB" };
        const page = await openAs(pages, copy.owner, `/templates/${text.templateId}`, wrong, options);
        walked.push({ hand, text, page, publishAt: await replaceLater(page, text, hand) });
      }
      for (const { hand, text, page, publishAt } of walked) {
        // The page learns of it without being asked.
        await button(page, "2 revisions").waitFor({ timeout: 3 * patience });
        await screenshot(page, `live-text-live-${hand.name}`);
        const { body } = await copy.api.get(text.path);
        expect(body).toMatchObject({ revision: 2, publishedAt: publishAt.toISOString(), schedule: null });
        await proveOffline(page, text, await acceptAgain(site, text, hand), hand);
      }
    } finally {
      await site.close();
    }
  }, 600_000);
});
