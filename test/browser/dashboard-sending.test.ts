import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { PDFDocument } from "pdf-lib";
import type { BrowserContextOptions, Locator, Page, Route } from "playwright-core";
import { onePixel } from "#api/kinds.ts";
import { officeForm } from "../../services/sign/intake/test/form-pdfs.ts";
import type { Api } from "../support/api.ts";
import { type System, startSystem } from "../support/system.ts";
import { describeInBrowser } from "./support/browser.ts";
import { logInAgain, newEmail, newPassword, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { contractPdf, screenshot } from "./support/signing.ts";

describeInBrowser("the dashboard's sending of agreements", (pages) => {
  let system: System;
  let api: Api;
  let owner: Person;
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    system = await startSystem("single process");
    api = await system.newOrganization();
    const [email, password] = [newEmail(), newPassword()];
    const { organizationId, baseUrl } = api;
    await system.admin.createOwner({ organizationId, email, name: "Olga Owner", password });
    owner = { email, password, baseUrl };
  });
  afterAll(() => system?.stop());
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  async function enter(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openAs(pages, owner, path, wrong, options);
    await page.getByRole("heading", { level: 1, name: "New agreement" }).waitFor();
    return page;
  }

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);
  const agreementAt = async (page: Page) =>
    (await api.get(`/v1/sign/agreements/${new URL(page.url()).pathname.split("/")[3]}`)).body;
  const isSaved = (page: Page) => page.getByText("All changes saved.").waitFor();
  const pdf = async (name: string) => ({
    name,
    mimeType: "application/pdf",
    buffer: Buffer.from(await contractPdf(), "base64"),
  });

  /** Its text asks for a signature of the first signer, and for the date of the second. */
  async function asking(name: string) {
    const document = await PDFDocument.create();
    const page = document.addPage([595, 842]);
    page.drawText("Signed: {{signature:1}}", { x: 72, y: 600, size: 12 });
    page.drawText("Dated: {{dateSigned:2}}", { x: 72, y: 500, size: 12 });
    return { name, mimeType: "application/pdf", buffer: Buffer.from(await document.save()) };
  }

  /** As if it had ended while the file was on its way. */
  async function endSession(page: Page, route: Route): Promise<void> {
    await page.context().clearCookies();
    await route.fulfill({ status: 401, json: { errorCode: "SESSION_ENDED", message: "The session has ended." } });
  }

  async function fillIn(page: Page): Promise<void> {
    const countAgreements = async (): Promise<number> => (await api.get("/v1/sign/agreements")).body.length;
    const before = await countAgreements();
    const files = page.locator("input[type=file]");
    await files.setInputFiles({ name: "song.mp3", mimeType: "audio/mpeg", buffer: Buffer.from("no document") });
    await page.getByText("song.mp3 isn’t a PDF, Office file, picture, HTML or text file.").waitFor();
    const pdfOf = (name: string, text: string) => ({
      ...{ name, mimeType: "application/pdf", buffer: Buffer.from(text) },
    });
    await files.setInputFiles([
      pdfOf("cut.pdf", "%PDF-1.7 cut off"),
      pdfOf("locked.pdf", "%PDF-1.7\ntrailer << /Size 9 /Encrypt 8 0 R /ID [<00> <00>] >>\nstartxref\n9\n%%EOF"),
    ]);
    await page.getByText("cut.pdf is damaged.").waitFor();
    await page.getByText("locked.pdf is password-protected.").waitFor();
    // Only those who read all of it see what is wrong with this one.
    await files.setInputFiles([
      await pdf("Contract (ä).pdf"),
      pdfOf("broken.pdf", "%PDF-1.7 broken\nstartxref\n0\n%%EOF"),
    ]);
    await page.getByText("broken.pdf", { exact: true }).waitFor();
    const first = page.getByRole("group", { name: "Recipient 1" });
    await first.getByLabel("Name").fill("Ann Example");
    await first.getByRole("textbox", { name: "Email" }).fill("ann@example.com");
    await button(page, "Add recipient").click();
    const second = page.getByRole("group", { name: "Recipient 2" });
    await second.getByLabel("Name").fill("Bob Example");
    await second.getByRole("textbox", { name: "Email" }).fill("ann@example.com");
    await page.getByLabel("Subject").fill("Master Services Agreement");
    await expectAccessible(page);
    await screenshot(page, "sending-new");
    await button(page, "Continue to fields").click();
    await second.locator(".field-error").waitFor();
    await second.getByRole("textbox", { name: "Email" }).fill("bob@example.com");
    await page.route("**/documents/1", (route) => endSession(page, route), { times: 1 });
    await button(page, "Continue to fields").click();
    await logInAgain(page, owner);
    await page.getByRole("alert").getByText("broken.pdf can’t be used.").waitFor();
    expect(await countAgreements()).toBe(before);
    await button(page, "Remove broken.pdf").click();
    await button(page, "Continue to fields").click();
    await page.getByRole("heading", { level: 1, name: "Master Services Agreement" }).waitFor();
  }

  test("the form fields of a PDF become fields of whom the sender says, in their places", async () => {
    const page = await enter("/agreements/new");
    const form = { name: "Application.pdf", mimeType: "application/pdf", buffer: await officeForm() };
    await page.locator("input[type=file]").setInputFiles([await pdf("Contract.pdf"), form, await asking("Offer.pdf")]);
    const choice = page.getByRole("button", { name: /60 form fields/ });
    await choice.waitFor();
    expect(await page.getByText(/form field/).count()).toBe(1);
    const first = page.getByRole("group", { name: "Recipient 1" });
    await first.getByLabel("Name").fill("Ann Example");
    await first.getByRole("textbox", { name: "Email" }).fill("ann@example.com");
    await button(page, "Add recipient").click();
    const second = page.getByRole("group", { name: "Recipient 2" });
    await second.getByLabel("Name").fill("Bob Example");
    await second.getByRole("textbox", { name: "Email" }).fill("bob@example.com");
    await second.getByRole("button", { name: /Language/ }).click();
    await page.getByRole("option", { name: "German" }).click();
    await choice.click();
    await page.getByRole("option", { name: "Drawn on the page as they are" }).waitFor();
    await page.getByRole("option", { name: "Filled in by Bob Example" }).click();
    await page.getByLabel("Subject").fill("Application");
    await expectAccessible(page);
    await screenshot(page, "sending-form-question");
    await button(page, "Continue to fields").click();
    await page.getByRole("heading", { level: 1, name: "Application" }).waitFor();
    const [ann, bob] = (await agreementAt(page)).recipients.signers;
    expect([ann.tabs.length, bob.tabs.length]).toEqual([0, 60]);
    expect([ann.locale, bob.locale]).toEqual([null, "de"]);
    expect(new Set(bob.tabs.map(({ documentId }: { documentId: string }) => documentId))).toEqual(new Set(["2"]));
    await button(page, "Signature").waitFor();
    const last = page.locator('.pdf-page[data-page="2"]').last();
    await last.scrollIntoViewIfNeeded();
    await last.locator("canvas").waitFor();
    await screenshot(page, "sending-form-fields");
    await button(page, "Suggest fields").click();
    await page.getByText("Added 2 fields.").waitFor();
    await isSaved(page);
    const [anns, bobs] = (await agreementAt(page)).recipients.signers;
    expect(anns.tabs).toEqual([expect.objectContaining({ documentId: "3", type: "signature", page: 1 })]);
    expect(bobs.tabs.at(-1)).toMatchObject({ documentId: "3", type: "dateSigned", page: 1 });
    await expectAccessible(page);
    await screenshot(page, "sending-suggested");
    await button(page, "Suggest fields").click();
    await page.getByText("Nothing in the text asks for a field that isn’t there.").waitFor();
    await button(page, "Undo").click();
    await isSaved(page);
    const [{ tabs: annsAfter }, { tabs: bobsAfter }] = (await agreementAt(page)).recipients.signers;
    expect([annsAfter.length, bobsAfter.length]).toEqual([0, 60]);
    await page.context().close();
  });

  /** Drags from the middle of something to a place on a page, in points. */
  async function dragTo(page: Page, from: Locator, sheet: Locator, x: number, y: number): Promise<void> {
    const [start, target] = [await from.boundingBox(), await sheet.boundingBox()];
    if (!start || !target) throw new Error("there is nothing to drag");
    const scale = target.width / 595;
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(target.x + 10, target.y + 10);
    await page.mouse.move(target.x + x * scale, target.y + y * scale, { steps: 3 });
    await page.mouse.up();
  }

  test("an agreement is made, gets fields by pointer and by keyboard, and is sent", async () => {
    const page = await enter("/agreements/new");
    await fillIn(page);
    const sheet = page.locator('.pdf-page[data-page="1"] .pdf-overlay');
    await sheet.waitFor();
    await dragTo(page, button(page, "Signature"), sheet, 200, 300);
    const signature = page.getByRole("button", { name: /^Signature for Ann Example: / });
    await signature.waitFor();
    await isSaved(page);
    const [placed] = (await agreementAt(page)).recipients.signers[0].tabs;
    expect(placed).toMatchObject({ type: "signature", documentId: "1", page: 1, width: 110, height: 35 });
    expect(Math.abs(placed.x - 145) + Math.abs(placed.y - 282.5)).toBeLessThan(3);

    await signature.focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "Shift+ArrowRight", "Alt+ArrowLeft"]) {
      await page.keyboard.press(key);
    }
    await page
      .getByRole("status")
      .filter({ hasText: /^Page 1, at / })
      .waitFor();
    await isSaved(page);
    const [moved] = (await agreementAt(page)).recipients.signers[0].tabs;
    expect([moved.x - placed.x, moved.y - placed.y, moved.width, moved.height].map(Math.round)).toEqual([
      9, 5, 115, 35,
    ]);

    await page.getByRole("button", { name: /Fields for/ }).click();
    await page.getByRole("option", { name: "Bob Example" }).click();
    await button(page, "Text").focus();
    await page.keyboard.press("Enter");
    const text = page.getByRole("button", { name: /^Text for Bob Example: / });
    await expect(text.evaluate("document.activeElement?.getAttribute('aria-label')")).resolves.toMatch(/^Text for Bob/);
    const panel = page.getByRole("region", { name: "Text for Bob Example" });
    await page.keyboard.press("Enter");
    await expect(panel.evaluate("document.activeElement?.className")).resolves.toBe("sending-panel");
    await page.keyboard.press("Escape");
    await expect(text.evaluate("document.activeElement?.getAttribute('aria-label')")).resolves.toMatch(/^Text for Bob/);
    await panel.getByLabel("Tooltip").fill("Your order number");
    await panel.getByLabel("Left (pt)").fill("60");
    await page.getByRole("button", { name: "Text for Bob Example: Your order number, at 60,", exact: false }).waitFor();
    await panel.getByRole("heading", { name: "Your order number" }).waitFor();
    await panel.getByLabel("Tooltip").fill("");
    await panel.getByLabel("Data label").fill("order.number");
    await panel.getByRole("heading", { name: "order.number" }).waitFor();
    await page.getByRole("button", { name: "Text for Bob Example: order.number, at 60,", exact: false }).waitFor();
    await panel.getByLabel("Data label").fill("text 1");
    await panel.getByLabel("Tooltip").fill("Your order number");
    await button(page, "Radio buttons").click();
    await page.keyboard.press("Delete");
    await page.getByRole("status").filter({ hasText: "Removed Radio buttons for Bob Example." }).waitFor();
    await page.keyboard.press("Control+z");
    await expectCount(page.getByRole("button", { name: /^Radio buttons for Bob Example: / }), 2);
    await page.keyboard.press("Control+Shift+z");
    await expectCount(page.getByRole("button", { name: /^Radio buttons for Bob Example: / }), 0);
    await expectAccessible(page);
    await screenshot(page, "sending-fields");

    await page.getByRole("link", { name: "Review and send", exact: true }).click();
    await page.getByText("Bob Example has no signature field.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "sending-review");
    await page.getByRole("link", { name: "2. Fields" }).click();
    await dragTo(page, text, sheet, 300, 500);
    const before = await agreementAt(page);
    await page.getByRole("link", { name: "3. Review and send" }).click();
    // Later at first, and then at once after all.
    await page.getByText("At a date and time", { exact: true }).click();
    await page.getByLabel("Send at").fill("2020-01-01T09:00");
    await button(page, "Schedule").click();
    await page.getByText("Choose a time in the future.").waitFor();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel("Send at").fill(`${tomorrow}T09:00`);
    await page.getByRole("status").filter({ hasText: "The first recipients are asked on" }).waitFor();
    await expectAccessible(page);
    await screenshot(page, "sending-later");
    await button(page, "Schedule").click();
    await page.waitForURL(`${owner.baseUrl}/dashboard/agreements/${before.id}`);
    await page.getByText("Not sent yet. The first recipients are asked on").waitFor();
    expect((await api.get(`/v1/sign/agreements/${before.id}`)).body).toMatchObject({
      paused: { reason: "scheduled" },
      sentAt: null,
    });
    await expectAccessible(page);
    await screenshot(page, "agreement-scheduled");
    await button(page, "Send now").click();
    await button(page, "Send reminder").waitFor();
    const sent = (await api.get(`/v1/sign/agreements/${before.id}`)).body;
    expect([sent.status, sent.documents.map(({ name }: { name: string }) => name)]).toEqual([
      "sent",
      ["Contract (ä).pdf"],
    ]);
    const [tab] = sent.recipients.signers[1].tabs;
    expect(tab).toMatchObject({ type: "text", label: "text 1", tooltip: "Your order number", required: true });
    expect(Math.abs(tab.x - 250) + Math.abs(tab.y - 492)).toBeLessThan(4);
  });

  test("two people who change one draft overwrite nothing of each other before they have decided", async () => {
    const recipients = { signers: [{ name: "Ann Example", email: "ann@example.com" }] };
    const documents = [{ documentId: "1", name: "A.pdf", documentBase64: await contractPdf() }];
    const { body: draft } = await api.post("/v1/sign/agreements", { emailSubject: "Shared", recipients, documents });
    const address = `/v1/sign/agreements/${draft.id}`;
    const now = async () => (await api.get(address)).body;
    const page = await openAs(pages, owner, `/agreements/${draft.id}/prepare`, wrong);
    await page.locator('.pdf-page[data-page="1"] .pdf-overlay').waitFor();
    const conflict = page.getByText("Someone else changed this draft");
    const place = () => button(page, "Signature").press("Enter");

    await api.call("PATCH", address, { emailSubject: "Theirs" });
    await place();
    await conflict.waitFor();
    expect((await now()).recipients.signers[0].tabs).toEqual([]);
    await expectAccessible(page);
    await screenshot(page, "sending-conflict");
    await button(page, "Keep mine").click();
    await isSaved(page);
    expect(await now()).toMatchObject({ emailSubject: "Theirs", recipients: { signers: [{ tabs: [{}] }] } });

    await api.call("PATCH", address, { recipients });
    await place();
    await conflict.waitFor();
    await button(page, "Use theirs").click();
    await conflict.waitFor({ state: "detached" });
    await expectCount(page.getByRole("button", { name: /^Signature for Ann Example: / }), 0);

    await page.getByRole("link", { name: "1. " }).click();
    await page.getByLabel("Subject").fill("Mine");
    await api.call("PATCH", address, { emailSubject: "Theirs again" });
    await button(page, "Save and continue").click();
    await conflict.waitFor();
    expect((await now()).emailSubject).toBe("Theirs again");
    await button(page, "Keep mine").click();
    await page.locator('.pdf-page[data-page="1"] .pdf-overlay').waitFor();
    expect((await now()).emailSubject).toBe("Mine");
    // The refusals that were to come.
    expect(wrong.splice(0).filter((words) => !words.includes("409"))).toEqual([]);
  });

  async function expectCount(found: Locator, count: number): Promise<void> {
    if (count > 0) await found.nth(count - 1).waitFor();
    else await found.first().waitFor({ state: "detached" });
    expect(await found.count()).toBe(count);
  }

  test("a template gives documents, roles and fields, on a phone in the dark", async () => {
    const template = await api.post("/v1/sign/templates", {
      name: "Supplier contract",
      emailSubject: "Your contract",
      documents: [{ documentId: "1", name: "Contract.pdf", documentBase64: await contractPdf() }],
      recipients: {
        signers: [
          {
            recipientId: "1",
            roleName: "Supplier",
            tabs: [{ type: "signature", documentId: "1", page: 1, x: 60, y: 90 }],
          },
          { recipientId: "2", roleName: "Witness", tabs: [{ type: "signature", anchor: { text: "/sig2/" } }] },
        ],
      },
    });
    const page = await enter("/agreements/new", { viewport: { width: 320, height: 640 }, colorScheme: "dark" });
    await button(page, "Use agreement template").click();
    await page.getByLabel("Search names and subjects").fill("supplier");
    await button(page, "Supplier contract").click();
    await page.getByText("Starts from the template “Supplier contract”").waitFor();
    expect(new URL(page.url()).searchParams.get("template")).toBe(template.body.id);
    const role = page.getByRole("group", { name: "Recipient 1: Supplier" });
    await role.getByLabel("Name").fill("Sue Supplier");
    await role.getByRole("textbox", { name: "Email" }).fill("sue@example.com");
    await expectAccessible(page);
    await screenshot(page, "sending-template-phone");
    await button(page, "Continue to fields").click();
    await page.getByRole("button", { name: "Signature for Sue Supplier: Signature, at 60, 90" }).waitFor();
    await page.getByText("/sig2/", { exact: true }).first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Signature for Sue Supplier: Signature, at 60, 90" }).click();
    await page.getByRole("region", { name: "Signature for Sue Supplier" }).getByLabel("Left (pt)").waitFor();
    await expectAccessible(page);
    await screenshot(page, "sending-fields-phone");
    await page.getByRole("link", { name: "Review and send", exact: true }).click();
    await page.getByText("The role “Witness” is empty and will be skipped.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "sending-review-phone");
  });

  test("a brand is seen while its colours are chosen, its contrast is told, and an agreement gets it", async () => {
    const page = await openAs(pages, owner, "/brands", wrong);
    await page.getByRole("heading", { name: "No brands yet" }).waitFor();
    await button(page, "Create brand").click();
    await page.getByRole("dialog").getByLabel("Name").fill("Example AG");
    await page.getByRole("dialog").getByRole("button", { name: "Create brand" }).click();
    await page.getByRole("heading", { level: 1, name: "Example AG" }).waitFor();
    const header = page.getByRole("group", { name: "Header" });
    await header.getByRole("textbox", { name: /^Background/ }).fill("#0b3d2e");
    await header.getByText("Contrast 12.20:1. Readable.").waitFor();
    await header.getByRole("textbox", { name: /^Text/ }).fill("#1b4d3e");
    await header.getByText(/^Contrast 1\.\d\d:1\. Must be at least 4\.5:1/).waitFor();
    await button(page, "Save").click();
    await page.getByText(/has a contrast of 1\.\d\d:1; at least 4\.5:1 is needed/).waitFor();
    await header.getByRole("textbox", { name: /^Text/ }).fill("");
    const main = page.getByRole("group", { name: "Main button" });
    await main.getByRole("textbox", { name: /^Background/ }).fill("#ffdd00");
    await page.getByLabel("Sender name").fill("Example Legal");
    await page.getByLabel("Footer").fill("Example AG\n1 Example Street, Berlin");
    await page.getByText("Attach the signed files to completion emails, up to 10 MB").click();
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
    const file = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from(onePixel, "base64") };
    await page.locator("input[type=file]").first().setInputFiles(file);
    await page.getByRole("img", { name: "Logo" }).waitFor();
    // What is not saved yet is in the mail already, which nothing of the page's own styles changes.
    const preview = page.getByRole("region", { name: "Email preview" });
    await page.getByLabel("Footer").fill("Example AG\n2 Example Street, Berlin");
    await preview.getByText("2 Example Street, Berlin").waitFor();
    await preview.getByText("Example Legal", { exact: true }).waitFor();
    const action = preview.getByText("Read and sign", { exact: true });
    expect(await action.getAttribute("style")).toContain("color: rgb(0, 0, 0)");
    expect(await action.getAttribute("href")).toBeNull();
    await preview.getByRole("button", { name: /Language/ }).click();
    await page.getByRole("option", { name: "German" }).click();
    await preview.getByText("Lesen und unterschreiben").waitFor();
    await screenshot(page, "brand-mail");
    await page.getByLabel("Footer").fill("Example AG\n1 Example Street, Berlin");
    await button(page, "Add text").click();
    await page.getByRole("dialog").getByLabel("Subject").fill("{sender} sends {subject}");
    await page.getByRole("dialog").getByRole("button", { name: "Save text" }).click();
    await page.getByRole("cell", { name: "{sender} sends {subject}" }).waitFor();
    await expectAccessible(page);
    await screenshot(page, "brand-edit");
    await page.setViewportSize({ width: 375, height: 800 });
    await screenshot(page, "brand-edit-phone");
    await page.setViewportSize({ width: 1280, height: 900 });
    const [brand] = (await api.get("/v1/sign/brands")).body;
    expect(brand).toMatchObject({
      ...{ name: "Example AG", senderName: "Example Legal", attachFiles: true },
      colors: { header: "#0b3d2e", headerText: "#ffffff", button: "#ffdd00", buttonText: "#000000" },
      texts: [{ locale: "en", mail: "invitation", subject: "{sender} sends {subject}" }],
    });
    await page.getByRole("link", { name: "Brands" }).click();
    await button(page, "Make default: Example AG").click();
    await page.getByText("Default", { exact: true }).waitFor();
    await button(page, "Add domain").click();
    await page.getByRole("dialog").getByLabel("Domain").fill("mail.example.com");
    await page.getByRole("dialog").getByLabel("Mailbox").fill("contracts");
    await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click();
    const domain = page.getByRole("article", { name: "contracts@mail.example.com" });
    await domain.getByText("_assent.mail.example.com").waitFor();
    await domain.getByRole("button", { name: /^Check records/ }).click();
    await domain.getByText("Not found").first().waitFor();
    await expectAccessible(page);
    await screenshot(page, "brands");
    await page.setViewportSize({ width: 375, height: 800 });
    await screenshot(page, "brands-phone");
    await page.setViewportSize({ width: 1280, height: 900 });
    await domain.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No sender domain yet.").waitFor();

    const sending = await enter("/agreements/new");
    await fillIn(sending);
    expect((await agreementAt(sending)).brandId).toBeNull();
    const another = await enter("/agreements/new", { colorScheme: "dark" });
    await another.getByRole("button", { name: /Brand/ }).click();
    await another.getByRole("option", { name: "Example AG", exact: true }).click();
    await fillIn(another);
    expect((await agreementAt(another)).brandId).toBe(brand.id);
  });
});
