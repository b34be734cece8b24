import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import type { System } from "../support/system.ts";
import type { Pages } from "./support/browser.ts";
import { newOwner, newViewer, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { screenshot } from "./support/signing.ts";

export const describeWebhooks = (pages: Pages, running: () => System): void =>
  describe("the dashboard's webhooks", () => {
    let system: System;
    let receiver: Receiver;
    let owner: Person;
    /** What browsers complained about. */
    const wrong: string[] = [];

    beforeAll(async () => {
      system = running();
      receiver = await startReceiver();
      owner = await newOwner(system);
    });
    afterAll(() => receiver?.close());
    afterEach(() => {
      expect(wrong.splice(0)).toEqual([]);
    });

    async function enter(person: Person, options: BrowserContextOptions = {}): Promise<Page> {
      const page = await openAs(pages, person, "/webhooks", wrong, options);
      await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
      return page;
    }

    const dialog = (page: Page) => page.getByRole("dialog");
    const isGone = (page: Page) => dialog(page).waitFor({ state: "detached" });
    const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
    const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);
    const secretIn = async (page: Page): Promise<string> => {
      const secret = (await dialog(page).locator(".copy-line code").textContent()) ?? "";
      system.secrets.add("secret", secret);
      return secret;
    };

    async function addEndpoint(page: Page, name: string): Promise<string> {
      await page.getByRole("button", { name: "Add endpoint" }).click();
      await dialog(page).getByLabel("URL").fill(receiver.urlOf(name));
      await dialog(page).getByLabel("Description").fill("The order system");
      await dialog(page).getByText("All events except audit events, including types added in later versions").click();
      await dialog(page).getByRole("button", { name: "Add endpoint" }).click();
      await dialog(page).getByText("Choose at least one event type, or all events.").waitFor();
      await dialog(page).getByLabel("Search event types").fill("agreement everyone signed");
      await dialog(page)
        .getByText(/^agreement\.completed/)
        .click();
      await dialog(page).getByLabel("Search event types").fill("");
      await dialog(page)
        .getByText(/^recipient\.declined/)
        .click();
      await dialog(page)
        .getByText(/^2 of \d+ types chosen$/)
        .waitFor();
      await screenshot(page, "webhooks-types");
      await expectAccessible(page);
      await dialog(page).getByRole("button", { name: "Add endpoint" }).click();
      await dialog(page).getByText("You won’t be able to see it again").waitFor();
      await screenshot(page, "webhooks-secret");
      const secret = await secretIn(page);
      await page.keyboard.press("Escape");
      await button(page, "Done").click();
      await page.getByRole("heading", { level: 1, name: receiver.urlOf(name) }).waitFor();
      return secret;
    }

    test("an endpoint is added, tried out, changed, disabled, recovered and deleted", async () => {
      const page = await enter(owner);
      await page.getByText("No endpoints yet").waitFor();
      await page.getByText(`curl -X POST ${owner.baseUrl}/v1/webhooks/endpoints`).waitFor();
      await expectAccessible(page);
      const secret = await addEndpoint(page, "orders");
      expect(secret).toMatch(/^whsec_/);
      receiver.answerWith("orders", 503);
      await button(page, "Send test event").click();
      await page.getByRole("heading", { level: 1, name: "webhook.test" }).waitFor();
      await page.getByText("Failed, retrying").waitFor();
      await page.getByRole("row").filter({ hasText: "503" }).waitFor();
      receiver.answerWith("orders", 204);
      await button(page, "Resend").click();
      await page.getByText("Resent with the same event ID.", { exact: true }).waitFor();
      await page.getByRole("row").filter({ hasText: "204" }).waitFor();
      const [first, second] = receiver.at("orders");
      expect([first?.body.type, second?.headers["webhook-id"]]).toEqual(["webhook.test", first?.headers["webhook-id"]]);
      await expectAccessible(page);
      await screenshot(page, "webhooks-delivery");

      await page.getByRole("link", { name: receiver.urlOf("orders") }).click();
      await page.getByRole("row").filter({ hasText: "webhook.test" }).getByText("Delivered").waitFor();
      await expectAccessible(page);
      await screenshot(page, "webhooks-endpoint");
      await button(page, "Edit").click();
      await dialog(page).getByLabel("URL").fill("ftp://example.com/");
      await dialog(page).getByLabel("Description").fill("The warehouse");
      await button(page, "Save").click();
      await dialog(page).locator(".field-error").first().waitFor();
      expect(await dialog(page).getByLabel("Description").inputValue()).toBe("The warehouse");
      await dialog(page).getByLabel("URL").fill(receiver.urlOf("orders"));
      await button(page, "Save").click();
      await isGone(page);
      await page.getByText("The warehouse").waitFor();

      await button(page, "Replace secret").click();
      await dialog(page).getByRole("button", { name: "Replace secret" }).click();
      await dialog(page).getByText("You won’t be able to see it again").waitFor();
      expect(await secretIn(page)).not.toBe(secret);
      await button(page, "Done").click();
      await page.getByText("Requests are also signed with the previous secret").waitFor();

      await button(page, "Disable").click();
      await dialog(page).getByText(receiver.urlOf("orders")).waitFor();
      await dialog(page).getByRole("button", { name: "Disable" }).click();
      await page.getByText("Disabled by a team member or API key.").waitFor();
      await button(page, "Enable").click();
      await button(page, "Recover").click();
      await dialog(page).getByLabel("To").fill("2020-01-01T00:00");
      await dialog(page).getByRole("button", { name: "Recover" }).click();
      await dialog(page).getByText("The end must be after the start.").waitFor();
      await dialog(page).getByLabel("To").fill("");
      await dialog(page).getByRole("button", { name: "Recover" }).click();
      await dialog(page).getByText("No missed events in this period.").waitFor();
      await button(page, "Done").click();

      await button(page, "Delete").click();
      await dialog(page).getByRole("button", { name: "Delete" }).click();
      await page.getByText("No endpoints yet").waitFor();
    });

    test("deliveries are found by endpoint, status and type, page by page; viewers read only", async () => {
      const page = await enter(owner, { colorScheme: "dark" });
      await addEndpoint(page, "list");
      const tests = 26;
      for (let n = 0; n < tests; n += 1) {
        await button(page, "Send test event").click();
        await page.getByRole("heading", { level: 1, name: "webhook.test" }).waitFor();
        await page.goBack();
      }
      await page.getByRole("link", { name: "All deliveries to this endpoint" }).click();
      const rows = page.getByRole("row").filter({ hasText: "webhook.test" });
      await rows.nth(24).waitFor();
      expect(await rows.count()).toBe(25);
      await screenshot(page, "webhooks-deliveries");
      await expectAccessible(page);
      await button(page, "Show more").click();
      await rows.nth(25).waitFor();
      await page.getByRole("button", { name: /Status/ }).click();
      await page.getByRole("option", { name: "Failed permanently" }).click();
      await page.getByText("No matching deliveries").waitFor();
      expect(new URL(page.url()).searchParams.get("status")).toBe("DEAD");
      await button(page, "Clear filters").click();
      await rows.first().waitFor();

      const viewer = await enter(await newViewer(system, owner), { viewport: { width: 320, height: 640 } });
      await viewer.getByRole("link", { name: receiver.urlOf("list") }).click();
      await viewer.getByText("The order system").waitFor();
      await viewer.getByText("webhook.test").first().waitFor();
      expect(await viewer.getByRole("button", { name: /Send test|Edit|Delete|Recover|secret/ }).count()).toBe(0);
      expect(await viewer.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
      await expectAccessible(viewer);
      await screenshot(viewer, "webhooks-phone");
    });
  });
