import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { p, wordFile } from "../../services/docgen/word/test/word-files.ts";
import { Browser } from "../support/browser-people.ts";
import type { System } from "../support/system.ts";
import type { Pages } from "./support/browser.ts";
import { newOwner, newViewer, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { broughtBy } from "./support/keyboard.ts";
import { screenshot } from "./support/signing.ts";

export const describeGeneration = (pages: Pages, running: () => System): void =>
  describe("the dashboard's document generation", () => {
    let system: System;
    let owner: Person;
    /** What browsers complained about. */
    const wrong: string[] = [];

    beforeAll(() => {
      system = running();
    });
    // Each test begins with an organization that has nothing.
    beforeEach(async () => {
      owner = await newOwner(system);
    });
    afterEach(() => {
      expect(wrong.splice(0)).toEqual([]);
    });

    async function enter(person: Person, path = "", options: BrowserContextOptions = {}): Promise<Page> {
      const page = await openAs(pages, person, `/generation${path}`, wrong, options);
      await page.getByRole("navigation", { name: "Document generation sections" }).waitFor();
      return page;
    }

    const dialog = (page: Page) => page.getByRole("dialog");
    const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
    const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
    const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
    const look = async (page: Page, name: string): Promise<void> => {
      await screenshot(page, `generation-${name}`);
      expect(await problemsIn(page)).toEqual([]);
    };
    const source = (page: Page) => page.getByLabel("Source", { exact: true });

    async function createTemplate(page: Page, name: string): Promise<void> {
      await button(page, "Create document template").first().click();
      await dialog(page).getByLabel("Name").fill(name);
      await dialog(page).getByRole("button", { name: "Create" }).click();
      await heading(page, name);
      await page.getByText("No issues found.").waitFor();
    }

    test("a template is written, checked, published and previewed; what is not saved is not lost", async () => {
      const page = await enter(owner);
      await page.getByText("No document templates yet").waitFor();
      await look(page, "empty");
      await createTemplate(page, "Offer");
      await look(page, "editor");

      const good = await source(page).inputValue();
      await source(page).fill(`${good}<p>{{ total | money: "EUR" }\n<script>alert(1)</script>\n`);
      await page
        .getByRole("button", { name: /^Line \d+, column \d+/ })
        .first()
        .waitFor();
      await look(page, "problems");
      await page
        .getByRole("button", { name: /^Line \d+, column \d+/ })
        .first()
        .press("Enter");
      expect(await source(page).evaluate("document.activeElement.id")).toBe("gen-source");
      await source(page).fill(`${good}<p>{{ note }}</p>\n`);
      await page.getByText("In the data at").waitFor();
      await page.getByText("You have unsaved changes.").waitFor();
      await link(page, "All document templates").click();
      await link(page, "Offer").click();
      await page.getByText("You have unsaved changes.").waitFor();
      expect(await source(page).inputValue()).toContain("note");
      await page.getByLabel("Sample data as JSON").fill("{");
      await page.getByText("The sample data must be a JSON object").first().waitFor();
      await button(page, "Save").click();
      await page.getByRole("alert").filter({ hasText: "must be a JSON object" }).first().waitFor();
      const sample = {
        customer: { name: "Bücher & Söhne" },
        items: [{ name: "Shelf", price: 1290.5 }],
        note: "Thanks",
      };
      await page.getByLabel("Sample data as JSON").fill(JSON.stringify(sample, null, 2));
      await page.getByText("No issues found.").waitFor();
      await button(page, "Save and publish").click();
      await page.getByText("Version 1 is published and").waitFor();

      await link(page, "Preview").click();
      await page.getByText(/of \d+ left this hour/).waitFor();
      await button(page, "Render preview").click();
      await page.getByText(/^1 page, \d+ KB, rendered in \d+ ms/).waitFor();
      await page.getByText("Offer for Bücher & Söhne").waitFor({ state: "attached" });
      await look(page, "preview");
      const download = await broughtBy(page, "download", () => link(page, "Download").click());
      expect(download.suggestedFilename()).toBe("Offer.pdf");

      await link(page, "Versions and data").click();
      await page.getByRole("row").filter({ hasText: "items[].price" }).getByText("number").waitFor();
      await look(page, "versions");
      await link(page, "Settings").click();
      await page.getByLabel("Slug").fill("No!");
      await page.getByLabel("Header").fill("Example AG");
      await page.locator("form").getByRole("button", { name: "Save" }).click();
      await page.locator(".field-error").first().waitFor();
      await page.getByLabel("Slug").fill("offer-of-shelves");
      await page.locator("form").getByRole("button", { name: "Save" }).click();
      await page.getByText("Unpublished changes").waitFor();
      await look(page, "settings");
    });

    test("a Word file is a template: it says where it is wrong, is replaced, published and downloaded", async () => {
      const page = await enter(owner, "", { viewport: { width: 375, height: 700 } });
      const docx = (...paragraphs: string[]) => ({
        ...{ name: "Offer for Ada.docx", mimeType: "application/octet-stream" },
        buffer: Buffer.from(wordFile({ body: paragraphs.map((text) => p(text)).join("") })),
      });
      const choose = async (name: string, file: ReturnType<typeof docx>) => {
        const chooser = page.waitForEvent("filechooser");
        await button(page, name).click();
        await (await chooser).setFiles(file);
      };
      await button(page, "Create document template").first().click();
      await dialog(page).getByLabel("Name").fill("Offer");
      await dialog(page)
        .getByRole("button", { name: /Format/ })
        .click();
      await page.getByRole("option", { name: "Word file" }).click();
      await dialog(page).getByRole("button", { name: "Create" }).click();
      await dialog(page).getByText("Choose a .docx file.").waitFor();
      await choose("Choose file", docx("Hello", "Dear {{ name | shout }}"));
      await dialog(page).getByText("Offer for Ada.docx").waitFor();
      await look(page, "word-dialog");
      await dialog(page).getByRole("button", { name: "Create" }).click();
      await heading(page, "Offer");
      await page.getByText("Paragraph 2, character 16: There is no filter").waitFor();
      await look(page, "word-problem");
      await choose("Replace file", docx("Dear {{ name }}"));
      await page.getByLabel("Sample data as JSON").fill('{ "name": "Ada" }');
      await page.getByText("No issues found.").waitFor();
      await button(page, "Save and publish").click();
      await page.getByText("Version 1 is published and").waitFor();
      const download = await broughtBy(page, "download", () => link(page, "Offer for Ada.docx").click());
      expect(download.suggestedFilename()).toBe("Offer for Ada.docx");
      await link(page, "Preview").click();
      await button(page, "Render preview").click();
      await page.getByRole("alert").filter({ hasText: "LibreOffice" }).waitFor();
      await look(page, "word-without-converter");
      await link(page, "Settings").click();
      await page.getByLabel("Name").fill("Offer to Ada");
      await page.locator("form").getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      expect(await page.getByLabel("Header").count()).toBe(0);
    });

    test("somebody else's text is not written over without being asked", async () => {
      const page = await enter(owner, "", { colorScheme: "dark" });
      await createTemplate(page, "Shared");
      const id = new URL(page.url()).pathname.split("/").at(-1);
      await source(page).fill("<p>Mine</p>");
      const other = new Browser(owner.baseUrl);
      await other.login(owner.email, owner.password);
      const theirs = await other.call("PATCH", `/v1/gen/templates/${id}`, { content: "<p>Theirs</p>" });
      expect(theirs.status).toBe(200);
      await button(page, "Save").click();
      await page.getByText("Someone else saved this template").waitFor();
      expect(await source(page).inputValue()).toBe("<p>Mine</p>");
      await look(page, "conflict-dark");
      await button(page, "Overwrite").click();
      await page.getByText("Someone else saved").waitFor({ state: "detached" });
      expect((await other.get(`/v1/gen/templates/${id}`)).body.content).toBe("<p>Mine</p>");
      await link(page, "Settings").click();
      await button(page, "Delete").click();
      await dialog(page).getByText("“Shared”").waitFor();
      await dialog(page).getByRole("button", { name: "Delete" }).click();
      await heading(page, "Document generation");
      await link(page, "Shared").waitFor({ state: "detached" });
    });

    test("a batch is made from a table, followed and downloaded; usage is shown; viewers read only", async () => {
      const page = await enter(owner, "/batches", { colorScheme: "dark" });
      await page.getByText("No batches yet").waitFor();
      const api = new Browser(owner.baseUrl);
      await api.login(owner.email, owner.password);
      const content = "<p>{{ customer.name }} pays {{ price | money: 'EUR' }}</p>";
      const made = await api.post("/v1/gen/templates", { name: "Bill", format: "html", content });
      await api.post(`/v1/gen/templates/${made.body.id}/publish`, undefined);
      await page.goto(`${owner.baseUrl}/dashboard/generation/batches?new=${made.body.id}`);
      await dialog(page).getByText("ref,price,customer.name").waitFor();
      await dialog(page).getByLabel("Rows", { exact: false }).first().fill("ref,customer.name,price\nrow-1,Ada");
      await dialog(page).getByText("Line 2 has a different number of cells").waitFor();
      const rows = "ref,customer.name,price\nrow-1,Ada,12.5\nrow-2,Bob,cheap\nrow-3,Cy,3\n";
      await dialog(page).getByLabel("Rows", { exact: false }).first().fill(rows);
      await dialog(page).getByText("3 documents will be generated.").waitFor();
      await look(page, "batch-dialog-dark");
      await dialog(page).getByRole("button", { name: "Create batch" }).click();
      await heading(page, "Batch of 3 documents");
      await page.getByText("Completed with errors").waitFor();
      await page.getByRole("row").filter({ hasText: "row-2" }).getByText("data.price must be a number.").waitFor();
      await link(page, "row-1").waitFor();
      await look(page, "batch-dark");
      await page.getByRole("button", { name: /Status/ }).click();
      await page.getByRole("option", { name: "Failed" }).click();
      await link(page, "row-1").waitFor({ state: "detached" });
      expect(new URL(page.url()).search).toBe("?state=failed");
      const archive = link(page, "Download all as ZIP");
      const download = await broughtBy(page, "download", () => archive.click());
      expect(download.suggestedFilename()).toMatch(/^batch-.*\.zip$/);
      await link(page, "All batches").click();
      await page.getByRole("row").filter({ hasText: "2 of 3 completed, 1 failed" }).waitFor();
      await look(page, "batches-dark");
      await link(page, "Usage").click();
      await page.getByRole("img", { name: /^Rendering time/ }).waitFor();
      await look(page, "usage-dark");
      await link(page, "Generated documents").click();
      await page
        .getByRole("button", { name: /^Delete Bill/ })
        .first()
        .waitFor();
      await look(page, "documents-dark");

      const viewer = await enter(await newViewer(system, owner), "/documents", {
        viewport: { width: 320, height: 640 },
      });
      await viewer.getByText("Bill.pdf").first().waitFor();
      expect(await viewer.getByRole("button", { name: /Delete|Create/ }).count()).toBe(0);
      await look(viewer, "phone-documents");
      await link(viewer, "Document templates").click();
      await link(viewer, "Bill").click();
      await viewer.getByText("No issues found.").waitFor();
      expect(await source(viewer).getAttribute("readonly")).not.toBeNull();
      expect(await viewer.getByRole("button", { name: /Save|Publish/ }).count()).toBe(0);
      expect(await viewer.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
      await look(viewer, "phone-editor");
    });
  });
