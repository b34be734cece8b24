import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";
import { verifyBundle } from "../../web/verify/src/verify-bundle.ts";
import type { Api } from "../support/api.ts";
import { bodyOf, consentTemplate, consentText, publishText } from "../support/journeys.ts";
import { type System, startSystem } from "../support/system.ts";
import { describeInBrowser } from "./support/browser.ts";
import { logInAgain, newEmail, newPassword, newViewer, openAs, type Person, problemsIn } from "./support/dashboard.ts";
import { broughtBy } from "./support/keyboard.ts";
import { screenshot } from "./support/signing.ts";

const phone = { viewport: { width: 320, height: 640 } };
const termsText = `<h2>Terms of service</h2><p>Be kind to <a href="https://www.example.com/others">others</a>.</p>
  <h3>Fees</h3><table><tr><th>Plan</th><th>Fee</th></tr><tr><td>Small</td><td>5 EUR</td></tr></table>`;
const presentation = {
  ...{ surface: "WEB", displayMode: "INLINE", buttonText: "I agree", scrolledToEnd: true, displayedMs: 8_250 },
  events: [{ type: "CHECKED", at: "2026-11-20T17:00:00Z" }],
};

/** An organization with texts that can be accepted. */
interface Home {
  readonly api: Api;
  readonly owner: Person;
  readonly templateId: string;
}

describeInBrowser("the dashboard's acceptances", (pages) => {
  let system: System;
  let shared: Home;
  let viewer: Person;
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    system = await startSystem("single process", { anchorIntervalSeconds: 1 });
    shared = await newHome();
    viewer = await newViewer(system, shared.owner);
  });
  afterAll(() => system?.stop());
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  async function newHome(): Promise<Home> {
    const api = await system.newOrganization();
    const { baseUrl, organizationId } = api;
    const [email, password] = [newEmail(), newPassword()];
    await system.admin.createOwner({ organizationId, email, name: "Olga Owner", password });
    const terms = { name: "Terms of service", type: "STATIC", slug: "tos" };
    const { templateId } = await publishText(api, terms, termsText);
    await publishText(api, { ...consentTemplate, slug: "privacy" }, consentText);
    return { api, owner: { email, password, baseUrl }, templateId };
  }

  async function enter(path: string, person = shared.owner, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openAs(pages, person, `/acceptances${path}`, wrong, options);
    await page.locator("#page-title").waitFor();
    return page;
  }

  let keys = 0;
  async function accept(userRef: string, fields: object = {}, home = shared): Promise<{ receiptId: string }> {
    const { api, templateId } = home;
    const action = "CHECKBOX_AND_BUTTON";
    keys += 1;
    return bodyOf(201, await api.accept(`key ${keys}`, { templateId, userRef, action, ...fields }));
  }

  const dialog = (page: Page) => page.getByRole("dialog");
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);
  const widthOf = (page: Page) => page.evaluate("document.documentElement.scrollWidth");
  async function lookInDark(page: Page, name: string): Promise<void> {
    await page.evaluate("window.scrollTo(0, 0)");
    await screenshot(page, name);
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page);
    await screenshot(page, `${name}-dark`);
  }
  async function download(page: Page, name: string): Promise<Buffer> {
    const started = await broughtBy(page, "download", () => button(page, name).click());
    return readFile(await started.path());
  }

  test("a campaign is drafted, gets its people from a file, is started, and shows who has accepted", async () => {
    const home = await newHome();
    await accept("early", {}, home);
    const page = await openAs(pages, home.owner, "/campaigns", wrong);
    await page.getByText("No campaigns yet").waitFor();
    await expectAccessible(page);
    await button(page, "New campaign").click();
    const form = dialog(page);
    await form.getByLabel("Name").fill("Terms 2027");
    await form.getByRole("button", { name: /Click template/ }).click();
    await page.getByRole("option", { name: "Terms of service" }).click();
    await form.getByRole("button", { name: /Any live text/ }).click();
    await page.getByRole("option", { name: "English (en), version 1.0" }).click();
    await form.getByLabel("Accept by").fill("2036-12-31T23:00");
    await form.getByLabel(/Reminders, in days/).fill("14, 3, x");
    await button(page, "Create draft").click();
    await form.getByText("Enter up to 20 numbers").waitFor();
    await form.getByLabel(/Reminders, in days/).fill("14, 3");
    await expectAccessible(page);
    await lookInDark(page, "dashboard-campaign-new");
    await page.emulateMedia({ colorScheme: "light" });
    await button(page, "Create draft").click();
    await heading(page, "Terms 2027");
    await page.getByText("Revision 1 or later, English (en)").waitFor();
    // The clocks are those that reminders go by, and the page says whose they are.
    await page.getByText(/^31 Dec 2036, 23:00 \(.+\)$|^Dec 31, 2036, 11:00\sPM \(.+\)$/).waitFor();
    await button(page, "Add users").click();
    await button(page, "Choose file").waitFor();
    await dialog(page).getByText("No file chosen").waitFor();
    const csv = `"userRef","plan"\r\n"early","a"\r\n"late, Inc.","b"\r\n${Array.from({ length: 60 }, (_, n) => `user-${n},c`).join("\r\n")}`;
    await dialog(page)
      .locator('input[type="file"]')
      .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await dialog(page).getByText("people.csv").waitFor();
    await dialog(page).getByLabel("User references").fill('{"userRef":"by-hand"}\nearly');
    await lookInDark(page, "dashboard-campaign-people");
    await page.emulateMedia({ colorScheme: "light" });
    await dialog(page).getByRole("button", { name: "Add users" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText("63 users not checked yet.").waitFor();
    await button(page, "Start").click();
    await page.getByText("1 of 63 users accepted · 62 outstanding · 0 declined · 0 withdrawn").waitFor();
    await accept("late, Inc.", {}, home);
    await until(async () => {
      const [campaign] = bodyOf(200, await home.api.get("/v1/click/campaigns"));
      return campaign.counts.accepted === 2;
    });
    await page.reload();
    await page.getByText("2 of 63 users accepted").waitFor();
    await expectAccessible(page);
    const rows = page.getByRole("table", { name: "Users" }).getByRole("row");
    await rows.nth(50).waitFor();
    expect(await rows.count()).toBe(51);
    await page.getByLabel("User", { exact: true }).fill("late, Inc.");
    await page.getByLabel("User", { exact: true }).press("Enter");
    await page.getByRole("row", { name: /late, Inc. Accepted/ }).waitFor();
    expect(await rows.count()).toBe(2);
    await lookInDark(page, "dashboard-campaign");
    await page.emulateMedia({ colorScheme: "light" });
    await button(page, "Remove late, Inc.").click();
    await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("1 of 62 users accepted").waitFor();
    await page.getByText("No user in this campaign matches.").waitFor();
    await page.setViewportSize({ width: 375, height: 740 });
    expect(await widthOf(page)).toBe(375);
    await lookInDark(page, "dashboard-campaign-phone");
    await page.emulateMedia({ colorScheme: "light" });
    await button(page, "Edit").click();
    expect(await dialog(page).getByLabel("Accept by").inputValue()).toBe("2036-12-31T23:00");
    await dialog(page).getByLabel("Name").fill("Terms 2027, extended");
    await button(page, "Save").click();
    await heading(page, "Terms 2027, extended");
    await button(page, "Cancel campaign").click();
    await dialog(page).getByRole("button", { name: "Keep campaign" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await button(page, "Cancel campaign").click();
    await dialog(page).getByRole("button", { name: "Cancel campaign" }).click();
    await page.getByText("Canceled", { exact: true }).waitFor();
    await button(page, "Export outstanding users").click();
    await heading(page, "Privacy");
    await page.context().close();
  });

  test("acceptances are found by person, receipt, text and time, page by page; the search is in the address", async () => {
    const home = await newHome();
    const page = await enter("", home.owner);
    await page.getByText("No acceptances yet").waitFor();
    await page.getByText(`curl -X POST ${home.owner.baseUrl}/v1/click/accept`).waitFor();
    await expectAccessible(page);
    const { receiptId } = await accept("ann@example.com", { presentation }, home);
    await Promise.all(Array.from({ length: 27 }, (_, n) => accept(`user-${n}`, {}, home)));
    await page.reload();
    const rows = page.getByRole("row").filter({ hasText: "Terms of service" });
    await rows.nth(24).waitFor();
    expect(await rows.count()).toBe(25);
    await button(page, "Show more").click();
    await rows.nth(27).waitFor();
    await expectAccessible(page);

    const field = page.getByLabel("User or receipt");
    await field.fill("ann@example.com");
    await field.press("Enter");
    await page.getByRole("link", { name: "ann@example.com" }).waitFor();
    await rows.nth(1).waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("userRef")).toBe("ann@example.com");
    // Whoever searches again goes on where they were.
    expect(await page.evaluate("document.activeElement?.name")).toBe("userRef");
    await page.getByRole("button", { name: /^All click templates/ }).click();
    await page.getByRole("option", { name: "Privacy choices" }).click();
    await button(page, "Search").click();
    await page.getByText("No matching acceptances").waitFor();
    await button(page, "Clear").click();
    await rows.nth(24).waitFor();
    await page.getByLabel("From").fill("2020-01-02T00:00");
    await page.getByLabel("Before").fill("2020-01-01T00:00");
    await button(page, "Search").click();
    await page.getByText("The end must be after the start.").waitFor();
    await page.getByLabel("Before").fill("2020-01-03T00:00");
    await button(page, "Search").click();
    await page.getByText("No matching acceptances").waitFor();
    await page.reload();
    await page.getByText("No matching acceptances").waitFor();
    expect(await page.getByLabel("From").inputValue()).toBe("2020-01-02T00:00");
    await button(page, "Clear").click();
    await rows.nth(24).waitFor();
    await lookInDark(page, "acceptances");
    await field.fill("ann@example.com");
    await field.press("Enter");
    await rows.nth(1).waitFor({ state: "detached" });
    await button(page, "Export").click();
    await page.getByRole("radio", { name: /^JSON Lines/ }).check({ force: true });
    await expectAccessible(page);
    await screenshot(page, "acceptances-export");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    const made = page.getByRole("row").filter({ hasText: "Acceptances · JSON Lines" });
    await made.getByText("Ready").waitFor({ timeout: 60_000 });
    await expectAccessible(page);
    const started = await broughtBy(page, "download", () => made.getByRole("link", { name: "Download" }).click());
    expect(JSON.parse(await readFile(await started.path(), "utf8"))).toMatchObject({ receiptId });
    await page.goBack();
    await page.getByLabel("User or receipt").waitFor();
    await field.fill(receiptId);
    await button(page, "Search").click();
    await heading(page, "Acceptance: Terms of service");
  });

  test("the evidence of an acceptance is checked in the browser, shown and downloaded", async () => {
    const { api, templateId } = shared;
    const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId, userRef: "ben" }));
    const context = { ip: "198.51.100.7", userAgent: "Browser/1" };
    const { receiptId } = await accept("ben", {
      ...{ templateId: undefined, sessionId: session.id, presentation, context },
      verification: [{ method: "EMAIL_OTP", verifiedAt: "2026-11-20T17:00:00Z" }],
    });
    const isAnchored = async () => {
      // Whoever asks without a pause meets the limit of reads.
      await delay(500);
      return bodyOf(200, await api.get(`/v1/click/evidence/${session.id}`)).integrity.anchor.checkpoint !== null;
    };
    await until(isAnchored);
    const page = await enter(`/receipts/${receiptId}`);
    await page.getByText("Evidence verified").waitFor();
    await page.getByRole("region", { name: "Text" }).getByText("5 EUR").waitFor();
    for (const fact of ["198.51.100.7", "I agree", "8.3 s", "EMAIL_OTP", "Session created", "Box checked"]) {
      await page.getByText(fact, { exact: true }).first().waitFor();
    }
    const inclusion = page.getByRole("row").filter({ hasText: "ANCHOR_INCLUSION" }).getByText("Passed");
    await until(async () => {
      if (await inclusion.isVisible()) return true;
      // The log has grown meanwhile, and what is newest is not anchored yet.
      await page.reload();
      await page.getByText("Evidence verified").waitFor();
      return false;
    });
    await expectAccessible(page);
    const published = await api.get(`/.well-known/click-keys.json?log=${api.organizationId}`);
    const json = (await download(page, "JSON")).toString();
    expect(await verifyBundle(json, { keys: published.body })).toMatchObject({ ok: true });
    expect((await download(page, "PDF report")).subarray(0, 5).toString()).toBe("%PDF-");
    await page.getByText("Leave out personal data").click();
    expect((await download(page, "ZIP archive")).subarray(0, 2).toString()).toBe("PK");
    const bare = JSON.parse((await download(page, "JSON")).toString());
    expect([bare.disclosed, bare.subject.userRef]).toEqual([false, null]);
    await page.context().clearCookies();
    const late = page.waitForEvent("download");
    await button(page, "PDF report").click();
    await logInAgain(page, shared.owner);
    expect((await readFile(await (await late).path())).subarray(0, 5).toString()).toBe("%PDF-");
    expect(await page.getByRole("switch", { name: "Leave out personal data" }).isChecked()).toBe(true);
    await lookInDark(page, "acceptance");

    await page.route("**/v1/click/evidence/*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: (await answer.text()).replace("Be kind to", "Pay all to") });
    });
    await page.reload();
    const alert = page.getByRole("alert");
    await alert.getByText("Don’t rely on this evidence").waitFor();
    await alert.getByText("The bundle was changed after it was signed.").waitFor();
    await page.unrouteAll();

    const narrow = await enter(`/receipts/${receiptId}`, viewer, phone);
    await narrow.getByText("Evidence verified").waitFor();
    expect(await widthOf(narrow)).toBeLessThanOrEqual(320);
    await expectAccessible(narrow);
    await screenshot(narrow, "acceptance-phone");
  });

  test("a person's consent is shown with its history; erasing them asks for the name and says what it did", async () => {
    const userRef = "carla / 7";
    const consentPath = `/v1/click/consent/${encodeURIComponent(userRef)}`;
    const purposes = [
      { purpose: "analytics", granted: true },
      { purpose: "marketing", granted: true },
    ];
    await accept(userRef, { templateId: undefined, templateSlug: "privacy", purposes });
    await accept(userRef);
    const withdrawal = { purposes: [{ purpose: "marketing", decision: "WITHDRAW" }], reason: "Too many letters" };
    bodyOf(200, await shared.api.post(consentPath, withdrawal));

    const page = await enter(`?${new URLSearchParams({ userRef })}`);
    await page.getByRole("link", { name: userRef }).first().click();
    await heading(page, userRef);
    const history = page.getByRole("table", { name: "Consent history" });
    await history.getByText("Too many letters").waitFor();
    await page.getByRole("table", { name: "Current consent" }).getByText("Withdrawn").waitFor();
    await expectAccessible(page);
    await lookInDark(page, "person");
    await history.getByRole("row").filter({ hasText: "Too many letters" }).getByRole("link").click();
    await heading(page, "Consent change: marketing");
    await page.getByText("Receipt verified").waitFor();
    await expectAccessible(page);
    await screenshot(page, "consent-receipt");
    await page.goBack();

    await button(page, "Erase user").click();
    await dialog(page).getByLabel("Type the user reference to confirm").fill("carla");
    await button(page, "Erase permanently").click();
    await dialog(page).getByText("This doesn’t match the user reference.").waitFor();
    await expectAccessible(page);
    await screenshot(page, "person-erase");
    await dialog(page).getByLabel("Type the user reference to confirm").fill(userRef);
    await button(page, "Erase permanently").click();
    await page.getByText("User erased").waitFor();
    await page.getByText("Nothing recorded under this reference").waitFor();
    expect(await button(page, "Erase user").count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, "person-erased");
    await page.getByText("Acceptances: 2, sessions: 0, consent changes: 1").click();
    await page.locator(".acceptance-details a").first().click();
    await page.getByText("Personal data has been erased").waitFor();
    await page.getByText("Evidence verified").waitFor();

    await accept("emil");
    const narrow = await enter("/people/emil", viewer, phone);
    await heading(narrow, "emil");
    await narrow.getByRole("table", { name: "Acceptances", exact: true }).waitFor();
    expect(await button(narrow, "Erase user").count()).toBe(0);
    expect(await widthOf(narrow)).toBeLessThanOrEqual(320);
    await screenshot(narrow, "person-phone");
  });

  test("restricted evidence is opened with a reason, and by those who may", async () => {
    const home = await newHome();
    const { api, templateId } = home;
    const policyPath = `/v1/click/templates/${templateId}/policy-flags`;
    bodyOf(200, await api.post(policyPath, { policyFlags: { retentionDays: 30 } }));
    const { receiptId } = await accept("dora", {}, home);
    bodyOf(200, await api.call("DELETE", "/v1/click/users/dora"));
    const seen = await enter(`/receipts/${receiptId}`, await newViewer(system, home.owner));
    await seen.getByText("Someone with more permissions can open it.").waitFor();
    expect(await button(seen, "Open").count()).toBe(0);

    const page = await enter(`/receipts/${receiptId}`, home.owner);
    await button(page, "Open").click();
    await dialog(page).getByLabel("Reason").fill("Lawsuit 4 C 17/26");
    await dialog(page).getByRole("button", { name: "Open" }).dblclick();
    await page.getByText("It’s shown until you leave this page.").waitFor();
    await page.getByText("dora", { exact: true }).waitFor();
    await page.getByText("Evidence verified").waitFor();
    await expectAccessible(page);
    await screenshot(page, "restricted-opened");
  });
});
