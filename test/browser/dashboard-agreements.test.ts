import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Api } from "../support/api.ts";
import { declineSigning, signEverything } from "../support/signing-people.ts";
import { type System, startSystem } from "../support/system.ts";
import { describeInBrowser } from "./support/browser.ts";
import { newEmail, newPassword, newViewer, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { broughtBy } from "./support/keyboard.ts";
import {
  exportOrganization,
  exportPerson,
  findAndErase,
  holdAndLift,
  scheduleExports,
  seeDeletions,
  setPeriods,
  takePeriodsBack,
} from "./support/privacy.ts";
import { contractPdf, linkFor, screenshot } from "./support/signing.ts";

describeInBrowser("the dashboard's agreements", (pages) => {
  let system: System;
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    system = await startSystem("single process");
  });
  afterAll(() => system?.stop());
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  /** The owner of a new organization, and what acts for it. */
  async function newAccount(): Promise<{ readonly api: Api; readonly owner: Person }> {
    const api = await system.newOrganization();
    const owner = { email: newEmail(), password: newPassword(), baseUrl: api.baseUrl };
    await system.admin.createOwner({ organizationId: api.organizationId, name: "Olga Owner", ...owner });
    return { api, owner };
  }

  async function enter(person: Person, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openAs(pages, person, "/agreements", wrong, options);
    await page.getByRole("heading", { level: 1, name: "Agreements" }).waitFor();
    return page;
  }

  const dialog = (page: Page) => page.getByRole("dialog");
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const tab = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Agreement sections" }).getByRole("link", { name });
  const open = async (page: Page, subject: string): Promise<void> => {
    await page.getByRole("link", { name: subject }).click();
    await page.getByRole("heading", { level: 1, name: subject }).waitFor();
  };
  const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);
  const isDrawn = async (page: Page): Promise<void> => {
    await page.locator(".pdf-text span").first().waitFor({ state: "attached" });
    await page.locator(".pdf-picture canvas").first().waitFor();
  };

  const signer = (recipientId: string, name: string, more: object = {}) => {
    const anchor = { text: `/sig${recipientId}/`, yOffset: 45 };
    return {
      recipientId,
      name,
      email: `${name.split(" ")[0]?.toLowerCase()}@example.com`,
      routingOrder: Number(recipientId),
      tabs: [{ type: "signature", anchor }],
      ...more,
    };
  };

  async function create(api: Api, emailSubject: string, signers: readonly object[], status = "sent"): Promise<string> {
    const made = await api.post("/v1/sign/agreements", {
      emailSubject,
      emailBlurb: "Please sign until Friday.",
      documents: [
        { documentId: "1", name: "Agreement.pdf", documentBase64: await contractPdf() },
        { documentId: "2", name: "Schedule.pdf", documentBase64: await contractPdf() },
      ],
      recipients: { signers },
      status,
    });
    expect(made.status).toBe(201);
    return made.body.id;
  }

  test("an agreement is found, followed, read, downloaded and looked up in its history", async () => {
    const { api, owner } = await newAccount();
    const page = await enter(owner);
    await page.getByText("No agreements yet").waitFor();
    await expectAccessible(page);
    const people = [signer("1", "Ann Example", { clientUserId: "1" }), signer("2", "Bob Example")];
    const id = await create(api, "Master Services Agreement", people);
    await create(api, "Something else", [signer("1", "Cid Example")]);
    await page.reload();
    await page.getByRole("row").filter({ hasText: "Something else" }).waitFor();
    await screenshot(page, "agreements");
    await expectAccessible(page);
    await findBySearch(page, id);

    await page.getByText("Signs in your app").waitFor();
    await page.getByText("Waiting", { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, "agreement");
    await button(page, "Signing link").click();
    await dialog(page).getByText("Opens the agreement as this person").waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel("Return URL").fill("http://www.example.com/");
    await button(page, "Create link").click();
    await dialog(page).getByText("Request ID for support:").waitFor();
    await dialog(page).getByLabel("Return URL").fill("https://www.example.com/signed");
    await button(page, "Create link").click();
    const url = (await dialog(page).locator(".copy-line code").textContent()) ?? "";
    system.secrets.add("token", url.slice(url.lastIndexOf("/") + 1));
    await screenshot(page, "agreement-link");
    await signEverything(system, url);
    await button(page, "Done").click();
    await page.reload();
    await page.getByRole("row").filter({ hasText: "Ann Example" }).getByText("Done").waitFor();

    await tab(page, "History").click();
    await page.getByText("Signed: Ann Example").waitFor();
    await page.getByText("Details").first().press("Enter");
    await page
      .getByText(/^Hash: [0-9a-f]{64}$/)
      .first()
      .waitFor();
    await expectAccessible(page);
    await screenshot(page, "agreement-history");
    await readDocuments(page);
  });

  async function findBySearch(page: Page, id: string): Promise<void> {
    const search = page.getByRole("searchbox", { name: "Search" });
    const rows = page.getByRole("rowgroup").last().getByRole("row");
    for (const words of ["services", "bob@example.com"]) {
      await search.fill(words);
      await search.press("Enter");
      await page.getByRole("row").filter({ hasText: "Something else" }).waitFor({ state: "detached" });
      expect(await rows.count()).toBe(1);
      await button(page, "Clear filters").click();
      await page.getByRole("row").filter({ hasText: "Something else" }).waitFor();
    }
    await page.getByRole("button", { name: /Status/ }).click();
    await page.getByRole("option", { name: "Expired" }).click();
    await page.getByText("No matching agreements").waitFor();
    await page.getByLabel("From", { exact: true }).fill("2020-01-01");
    await page.getByLabel("To", { exact: true }).fill("2020-01-31");
    await page.waitForURL(/\?status=expired&from=2020-01-01&to=2020-01-31$/);
    await search.fill(id);
    await search.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Master Services Agreement" }).waitFor();
  }

  async function readDocuments(page: Page): Promise<void> {
    await tab(page, "Documents").click();
    await isDrawn(page);
    expect(await page.getByRole("region", { name: /^Agreement\.pdf, page \d of 2$/ }).count()).toBe(2);
    await page.getByText("Master Services Agreement").last().waitFor();
    await screenshot(page, "agreement-documents");
    await expectAccessible(page);
    await page
      .getByRole("button", { name: /Document/ })
      .last()
      .click();
    await page.getByRole("option", { name: "Schedule.pdf" }).click();
    await page.getByRole("region", { name: "Schedule.pdf, page 1 of 2" }).waitFor();
    await isDrawn(page);
    const download = await broughtBy(page, "download", () => button(page, "Certificate of completion").click());
    expect(download.suggestedFilename()).toBe("Certificate of completion.pdf");
    expect(
      readFileSync(await download.path())
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
  }

  test("people are reminded, agreements voided and drafts deleted; viewers read only", async () => {
    const { api, owner } = await newAccount();
    const page = await enter(owner, { colorScheme: "dark" });
    await create(api, "To be voided", [signer("1", "Dora Example"), signer("2", "Eve Example")]);
    await create(api, "A draft", [signer("1", "Finn Example")], "created");
    const declined = await create(api, "To be declined", [signer("1", "Gus Example", { clientUserId: "7" })]);
    await declineSigning(system, await linkFor(api, declined, "1"), "Too expensive.");
    await page.reload();
    await page.getByRole("row").filter({ hasText: "To be declined" }).getByText("Declined", { exact: true }).waitFor();
    await screenshot(page, "agreements-dark");
    await expectAccessible(page);

    await open(page, "To be voided");
    await button(page, "Send reminder").click();
    await page.getByText("Reminder sent to Dora Example.").waitFor();
    await button(page, "Void").click();
    await dialog(page).getByText("No one will be able to sign “To be voided”").waitFor();
    await expectAccessible(page);
    await screenshot(page, "agreement-void");
    await dialog(page).getByLabel("Reason").fill("A mistake.");
    await dialog(page).getByRole("button", { name: "Void" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText("The sender voided it.").waitFor();
    await page.getByText("A mistake.").waitFor();
    expect(await page.getByRole("button", { name: /reminder|Void/ }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, "agreement-voided");
    await tab(page, "History").click();
    await page.getByText("Reason: A mistake.").waitFor();
    await expectAccessible(page);
    await tab(page, "Documents").click();
    await isDrawn(page);
    await expectAccessible(page);
    await screenshot(page, "agreement-documents-dark");
    await page.getByRole("link", { name: "All agreements" }).click();
    await open(page, "A draft");
    await button(page, "Delete draft").click();
    await dialog(page).getByText("“A draft” and its documents will be permanently deleted.").waitFor();
    await dialog(page).getByRole("button", { name: "Delete draft" }).click();
    await page.getByRole("row").filter({ hasText: "To be voided" }).waitFor();
    await page.getByRole("link", { name: "A draft" }).waitFor({ state: "detached" });

    await create(api, "For everybody", [signer("1", "Hal Example")]);
    await lookAs(await newViewer(system, owner));
  });

  test("agreements are found by the words of their files once the owner wants that", async () => {
    const { api, owner } = await newAccount();
    await create(api, "Two files", [signer("1", "Kim Example")]);
    const page = await openAs(pages, owner, "/organization", wrong, { colorScheme: "dark" });
    await page.getByText("Find agreements by the words in their files").click();
    await page.getByText("2 of 2 files can be searched.").waitFor();
    await expectAccessible(page);
    await page.getByRole("heading", { name: "Search in files" }).scrollIntoViewIfNeeded();
    await screenshot(page, "file-search");
    await page.getByRole("link", { name: "Agreements", exact: true }).first().click();
    const search = page.getByPlaceholder("Subject, name, email, ID or words in files");
    for (const [words, found] of [
      ["suppliers schedules", 1],
      ["suppliers nowhere", 0],
    ] as const) {
      await search.fill(words);
      await search.press("Enter");
      const row = page.getByRole("row").filter({ hasText: "Two files" });
      await row.waitFor({ state: found === 1 ? "visible" : "detached" });
    }
    await page.setViewportSize({ width: 375, height: 700 });
    await screenshot(page, "file-search-phone");
  });

  test("periods are previewed and taken back, a hold keeps an agreement, a person is exported and erased, and all of it is listed", async () => {
    const { api, owner } = await newAccount();
    const id = await create(api, "To be deleted", [signer("1", "Ivy Example")]);
    expect((await api.post(`/v1/sign/agreements/${id}/void`, { voidedReason: "A mistake." })).status).toBe(200);
    const page = await openAs(pages, owner, "/privacy/retention", wrong);
    await setPeriods(page, id);
    await holdAndLift(page, id);
    await exportPerson(page, "ivy@example.com");
    await scheduleExports(page);
    await exportOrganization(page);
    await findAndErase(page, "ivy@example.com");
    await takePeriodsBack(page, "Olga Owner");
    await seeDeletions(page, { ...system, ...api });
    const viewer = await openAs(pages, await newViewer(system, owner), "/privacy", wrong);
    await viewer.getByText("Page not found").waitFor();
  });

  async function lookAs(person: Person): Promise<void> {
    const viewer = await enter(person, { viewport: { width: 320, height: 640 } });
    await screenshot(viewer, "agreements-phone");
    await open(viewer, "For everybody");
    await viewer.getByText(/Waiting for .*\./).waitFor();
    expect(await viewer.getByRole("button", { name: /reminder|Void|Delete|link/ }).count()).toBe(0);
    await screenshot(viewer, "agreement-phone");
    await tab(viewer, "Documents").click();
    await isDrawn(viewer);
    expect(await viewer.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await expectAccessible(viewer);
    await screenshot(viewer, "agreement-documents-phone");
  }
});
