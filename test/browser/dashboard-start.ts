import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import type { System } from "../support/system.ts";
import type { Pages } from "./support/browser.ts";
import { newEmail, newPassword, newViewer, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { screenshot } from "./support/signing.ts";

const accepted = 4;

export const describeStart = (pages: Pages, running: () => System): void =>
  describe("the start page, statistics and settings", () => {
    let system: System;
    let api: Api;
    let owner: Person;
    let templateId: string;
    /** What browsers complained about. */
    const wrong: string[] = [];

    beforeAll(async () => {
      system = running();
      api = await system.newOrganization();
      const { organizationId, baseUrl } = api;
      owner = { email: newEmail(), password: newPassword(), baseUrl };
      await system.admin.createOwner({ organizationId, name: "Olga Owner", ...owner });
      templateId = await decide();
    });
    afterEach(() => {
      expect(wrong.splice(0)).toEqual([]);
    });

    /** Four people accept in two languages, one declines; the answer is the template. */
    async function decide(): Promise<string> {
      const template = await api.publishTemplate({ policyFlags: { allowDecline: true } });
      const versions = `/v1/click/templates/${template.templateId}/versions`;
      const german = bodyOf(201, await api.post(versions, { locale: "de", title: "Regeln", content: "<p>Gut.</p>" }));
      bodyOf(200, await api.post(`${versions}/${german.id}/publish`, {}));
      const about = { templateId: template.templateId };
      for (let n = 0; n < accepted; n += 1) {
        const locale = n === 0 ? "de" : "en";
        bodyOf(201, await api.accept(`accept ${n}`, { ...about, userRef: `start-user-${n}`, locale }));
      }
      bodyOf(201, await api.accept("decline", { ...about, userRef: "start-user-declines", decision: "DECLINE" }));
      await until(async () => {
        const stats = bodyOf(200, await api.get(`/v1/click/templates/${template.templateId}/stats`));
        return stats.acceptances.total === accepted && stats.declines === 1;
      });
      return template.templateId;
    }

    async function enter(path: string, person: Person, options: BrowserContextOptions = {}): Promise<Page> {
      const page = await openAs(pages, person, path, wrong, options);
      return page;
    }

    const tile = (page: Page, name: string) =>
      page.locator("dl.tiles > div").filter({ has: page.getByText(name, { exact: true }) });
    const expectTile = (page: Page, name: string, value: string) =>
      tile(page, name).first().locator("strong").getByText(value, { exact: true }).waitFor();
    const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);
    const phone = { width: 320, height: 700 };
    const expectNarrow = async (page: Page): Promise<void> =>
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(phone.width);

    test("the start page says what happens today, in numbers, columns and a table", async () => {
      const page = await enter("/", owner);
      await page.getByRole("heading", { level: 2, name: "Today" }).waitFor();
      await expectTile(page, "Accepted", String(accepted));
      await page.getByRole("img", { name: "Decisions by hour: 4 accepted, 1 declined" }).waitFor();
      await page.getByText("No agreements yet.").waitFor();
      await page.getByText("You’re not receiving events yet.").waitFor();
      await page
        .getByText(/^0 of \d/)
        .first()
        .waitFor();
      await screenshot(page, "start-closed");
      await page.getByText("Show as table").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("row").filter({ hasText: /4\s*1/ }).waitFor();
      await expectAccessible(page);
      await screenshot(page, "start");
      await page.setViewportSize(phone);
      await expectNarrow(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await expectAccessible(page);
      await screenshot(page, "start-phone");
    });

    test("statistics of a template are narrowed by what is in the address", async () => {
      const page = await enter(`/templates/${templateId}/statistics`, owner, { colorScheme: "dark" });
      await expectTile(page, "Acceptances", String(accepted));
      await page.getByRole("img", { name: "Decisions over time: 4 accepted, 1 declined" }).waitFor();
      await expectAccessible(page);
      await screenshot(page, "statistics");
      await page.getByRole("button", { name: "Language" }).click();
      await page.getByRole("option", { name: "German" }).click();
      await expectTile(page, "Acceptances", "1");
      expect(new URL(page.url()).searchParams.get("locale")).toBe("de");
      await page.getByLabel("To (UTC)").fill("2020-01-01");
      await page.getByLabel("To (UTC)").press("Enter");
      await page.getByText("No results for these filters").waitFor();
      await page.reload();
      await page.getByText("No results for these filters").waitFor();
      expect(await page.getByLabel("To (UTC)").inputValue()).toBe("2020-01-01");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await expectTile(page, "Acceptances", String(accepted));
      await page.setViewportSize(phone);
      await page.emulateMedia({ colorScheme: "light" });
      await expectNarrow(page);
      await expectAccessible(page);
      await screenshot(page, "statistics-phone");
    });

    test("a list of users is compared with what is published", async () => {
      const page = await enter(`/templates/${templateId}/statistics`, owner);
      await page
        .getByLabel("Users", { exact: true })
        .fill("start-user-1\n=start-user\n\nstart-user-declines\nstart-user-1");
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByText("2 of 3 still need to accept.").waitFor();
      const rows = page.getByRole("table", { name: "Check who has accepted" }).getByRole("row");
      expect((await rows.allInnerTexts()).slice(1).map((text) => text.split(/\s*\t\s*/).slice(0, 2))).toEqual([
        ["=start-user", "Not accepted"],
        ["start-user-declines", "Declined"],
        ["start-user-1", "Accepted"],
      ]);
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download CSV" }).click();
      const lines = readFileSync(await (await saved).path(), "utf8").split("\r\n");
      expect([lines.length, lines[2]]).toEqual([5, `"'=start-user","Not accepted","",""`]);
      await expectAccessible(page);
      await page.setViewportSize(phone);
      await expectNarrow(page);
      await screenshot(page, "who-accepted-phone");
    });

    test("an owner sets what new users begin with, and everybody compares the sealing certificate", async () => {
      const page = await enter("/organization", owner);
      await page.getByRole("button", { name: /Language of new members/ }).click();
      await page.getByRole("option", { name: "German", exact: true }).click();
      await page.getByRole("button", { name: /Time zone of new members/ }).click();
      await page.getByRole("option", { name: "Europe/Vienna" }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      const pem = await (await fetch(`${owner.baseUrl}/.well-known/seal-certificates.pem`)).text();
      await page.getByText(new X509Certificate(pem).fingerprint256).waitFor();
      await page.getByRole("link", { name: "Download certificates" }).waitFor();
      await expectAccessible(page);
      await screenshot(page, "organization");

      const viewer = await enter("/organization", await newViewer(system, owner), {
        colorScheme: "dark",
        viewport: phone,
      });
      await viewer.getByText("Sprache neuer Mitglieder").waitFor();
      await viewer.getByText("Europe/Vienna").waitFor();
      await viewer.getByText(new X509Certificate(pem).fingerprint256).waitFor();
      expect(await viewer.getByRole("button", { name: "Speichern" }).count()).toBe(0);
      await expectNarrow(viewer);
      await expectAccessible(viewer);
      await screenshot(viewer, "organization-phone");
    });

    /** Who is invited begins with the language of the organization. */
  });
