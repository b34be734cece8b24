import { readFileSync } from "node:fs";
import { expect } from "@jest/globals";
import pg from "pg";
import type { Page } from "playwright-core";
import { newId } from "#platform/ids.ts";
import { problemsIn } from "./dashboard.ts";
import { broughtBy, follow } from "./keyboard.ts";
import { screenshot } from "./signing.ts";

// What people do on the page "Privacy" of the dashboard, one part of it after the other.

const dialog = (page: Page) => page.getByRole("dialog");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const expectAccessible = async (page: Page): Promise<void> => expect(await problemsIn(page)).toEqual([]);
const goToTab = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Privacy sections" }).getByRole("link", { name }).click();
const goTo = (page: Page, path: string) => page.goto(page.url().replace(/dashboard.*/, `dashboard${path}`));
const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const daysOf = (page: Page, status: string) => page.getByRole("textbox", { name: new RegExp(`^${status}`) });

/** Of drafts and voided agreements, and sees what goes by when. */
export async function setPeriods(page: Page, id: string): Promise<void> {
  await page.getByText("No agreements will be deleted by then").waitFor();
  await expectAccessible(page);
  await daysOf(page, "Voided").fill("10 days");
  await daysOf(page, "Drafts").fill("90");
  await button(page, "Save periods").click();
  await page.getByText("Enter a whole number of days").waitFor();
  await daysOf(page, "Voided").fill("10");
  await goToTab(page, "Legal holds");
  await dialog(page).getByText("Leave without saving?").waitFor();
  await button(page, "Cancel").click();
  await button(page, "Save periods").click();
  await page.getByText(/^Voided: 10 days instead of forever, from /).waitFor();
  expect(await daysOf(page, "Drafts").inputValue()).toBe("90");
  await page.getByLabel("Until").fill(dayIn(9));
  await page.getByText("No agreements will be deleted by then").waitFor();
  await page.getByLabel("Until").fill(dayIn(12));
  await page.getByRole("link", { name: id }).waitFor();
  await page.reload();
  await page.getByRole("link", { name: id }).waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-retention");
}

export async function holdAndLift(page: Page, id: string): Promise<void> {
  await goToTab(page, "Legal holds");
  await page.getByText("No legal holds").waitFor();
  await expectAccessible(page);
  await follow(page, "Set legal hold");
  await dialog(page).getByLabel("Agreement ID").fill(newId());
  await dialog(page).getByLabel("Reason").fill("Case 17/26");
  await dialog(page).getByRole("button", { name: "Set legal hold" }).click();
  await dialog(page).getByText("No agreement has this ID.").waitFor();
  expect(await dialog(page).getByLabel("Reason").inputValue()).toBe("Case 17/26");
  await expectAccessible(page);
  await screenshot(page, "privacy-hold-dialog");
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });

  await goTo(page, `/agreements/${id}`);
  await page.getByRole("link", { name: "Legal hold", exact: true }).click();
  expect(await dialog(page).getByLabel("Agreement ID").inputValue()).toBe(id);
  await dialog(page).getByLabel("Reason").fill("Case 17/26");
  await dialog(page).getByRole("button", { name: "Set legal hold" }).click();
  await dialog(page).waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: "Case 17/26" }).getByText("Olga Owner").waitFor();
  await screenshot(page, "privacy-holds");
  await goTo(page, `/privacy/retention?until=${dayIn(12)}`);
  await page.getByRole("row").filter({ hasText: id }).getByText("Kept by hold").waitFor();
  await goToTab(page, "Legal holds");
  await button(page, "Lift the hold “Case 17/26”").click();
  await dialog(page).getByRole("button", { name: "Lift" }).click();
  await page.getByText("No legal holds").waitFor();
  await page.getByRole("switch", { name: "Show lifted holds" }).click({ force: true });
  await page.getByRole("row").filter({ hasText: "Case 17/26" }).getByText("Lifted").waitFor();
  await page.waitForURL(/\?lifted=true$/);
}

export async function exportPerson(page: Page, email: string): Promise<void> {
  await goToTab(page, "Exports");
  await page.getByText("No exports yet").waitFor();
  await expectAccessible(page);
  await button(page, "Export person").click();
  const ask = dialog(page).getByRole("button", { name: "Export person" });
  await ask.click();
  await dialog(page).getByText("Enter an email, a reference, or both.").waitFor();
  await dialog(page).getByLabel("Email").fill(email);
  await expectAccessible(page);
  await ask.click();
  await dialog(page).waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: email }).getByText("Ready").waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-exports");
  const download = await broughtBy(page, "download", () => page.getByRole("link", { name: "Download" }).click());
  expect(readFileSync(await download.path()).toString("latin1", 0, 2)).toBe("PK");
  await page.reload();
  await page.getByText("Ready").waitFor();
  expect(await page.getByText(email).count()).toBe(0);
}

/** Schedules exports, changes, pauses and resumes them, and ends them. */
export async function scheduleExports(page: Page): Promise<void> {
  await page.getByText("No schedules yet").waitFor();
  await button(page, "New schedule").click();
  await dialog(page).getByText("Monthly", { exact: true }).click();
  await dialog(page).getByText("The last day in shorter months.").waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-schedule");
  await dialog(page).getByRole("button", { name: "New schedule" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const row = (rule: string) => page.getByRole("row").filter({ hasText: rule });
  await row("Monthly on day 1 at 06:00").getByText("UTC · CSV").waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-schedules");
  await button(page, "Edit: Monthly on day 1 at 06:00").click();
  await dialog(page).getByText("Daily", { exact: true }).click();
  await dialog(page).getByLabel("Time", { exact: true }).fill("07:30");
  await dialog(page).getByText("JSON Lines").click();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).waitFor({ state: "detached" });
  await row("Daily at 07:30").getByText("UTC · JSON Lines").waitFor();
  await button(page, "Pause: Daily at 07:30").click();
  await row("Daily at 07:30").getByText("Paused", { exact: true }).waitFor();
  await button(page, "Resume: Daily at 07:30").click();
  await row("Daily at 07:30").getByText("Paused", { exact: true }).waitFor({ state: "detached" });
  await button(page, "Delete: Daily at 07:30").click();
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Delete" }).click();
  await page.getByText("No schedules yet").waitFor();
}

/** On a phone, as whoever moves away does. */
export async function exportOrganization(page: Page): Promise<void> {
  const usual = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 390, height: 844 });
  await button(page, "Export organization").click();
  await expectAccessible(page);
  await screenshot(page, "privacy-export-organization-phone");
  await dialog(page).getByRole("button", { name: "Export organization" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const row = page.getByRole("row").filter({ hasText: "Whole organization" });
  await row.getByText("Ready").waitFor({ timeout: 60_000 });
  await row.getByText(/^[0-9]+ files, /).waitFor();
  await row.getByText("in 7 days").waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-exports-phone");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  const download = await broughtBy(page, "download", () => row.getByRole("link", { name: "Download" }).click());
  expect(readFileSync(await download.path()).toString("latin1", 0, 2)).toBe("PK");
  await page.setViewportSize(usual);
}

/** Corrects an address, and presses the button where it is seen: nothing may move until it is let go of. */
async function findByHand(page: Page, email: string): Promise<void> {
  const [name = "", domain] = email.split("@");
  const find = button(page, "Find");
  await page.getByLabel("Email").fill(name);
  await find.click();
  await page.locator(".field-error").waitFor();
  await page.getByLabel("Email").press("End");
  await page.keyboard.type(`@${domain}`);
  await page.locator(".field-error").waitFor({ state: "detached" });
  const { x, y, width, height } = (await find.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  expect((await find.boundingBox())?.y).toBe(y);
  await page.mouse.up();
}

/** Looks at what is kept, types the address, and reads the report. */
export async function findAndErase(page: Page, email: string): Promise<void> {
  await goToTab(page, "Find a person");
  await button(page, "Find").click();
  await page.getByText("Enter an email, a reference, or both.").waitFor();
  await page.getByLabel("Email").fill(email);
  await button(page, "Find").click();
  const found = page.getByRole("heading", { name: `Data kept about ${email}` });
  await found.waitFor();
  await button(page, "Export").click();
  await page.waitForURL(/privacy\/exports$/);
  await page.getByRole("row").filter({ hasText: email }).getByText("Ready").waitFor();
  await goToTab(page, "Find a person");
  await findByHand(page, email);
  await found.waitFor();
  const recipient = page.getByRole("row").filter({ hasText: "Recipient’s name, email and reference" });
  await recipient.getByText("Will be erased").waitFor();
  expect(page.url()).not.toContain("ivy");
  await expectAccessible(page);
  await screenshot(page, "privacy-person");
  await button(page, "Erase…").click();
  const erase = dialog(page).getByRole("button", { name: "Erase permanently" });
  await dialog(page).getByLabel("Type this to confirm").fill("somebody@example.com");
  await erase.click();
  await dialog(page).getByText("This doesn’t match.").waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-erase-dialog");
  await dialog(page).getByLabel("Type this to confirm").fill(email);
  await erase.click();
  await page.getByRole("heading", { level: 1, name: "Erasure report" }).waitFor();
  await page.locator("#page-title:focus").waitFor();
  await page.locator(".badge").getByText("Completed").waitFor();
  await recipient.getByText("Erased").waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-report");
  const download = await broughtBy(page, "download", () => button(page, "Download JSON").click());
  const text = readFileSync(await download.path(), "utf8");
  expect(JSON.parse(text)).toMatchObject({ status: "completed", dryRun: false, items: expect.any(Array) });
  expect(JSON.parse(text).items.length).toBeGreaterThan(1);
  expect(text).not.toContain(email);
  expect(download.suggestedFilename()).toMatch(/^erasure-[0-9a-f-]{36}\.json$/);
  await page.getByRole("link", { name: "All erasures" }).click();
  await page.getByRole("row").filter({ hasText: "Requested by the person" }).getByText("Completed").waitFor();
  await expectAccessible(page);
  expect(await page.getByText(email).count()).toBe(0);
}

/** As the list of acts tells of it, with who it was. */
export async function takePeriodsBack(page: Page, who: string): Promise<void> {
  await goToTab(page, "Retention");
  await button(page, "Cancel pending changes").click();
  await page.getByText("Shorter periods pending").waitFor({ state: "detached" });
  expect(await daysOf(page, "Voided").inputValue()).toBe("");
  await goToTab(page, "Activity");
  await page.getByText(/^Voided: 10 days from .* \(forever until then\) → forever$/).waitFor();
  await page.getByRole("rowgroup").last().getByRole("row").first().getByText(who).waitFor();
  await page.getByText("Lifted a legal hold: One agreement").waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-acts");
}

/** What remains is written beside the service, which would take days until it deletes anything. */
export async function seeDeletions(
  page: Page,
  { inspectUrl, organizationId }: { readonly inspectUrl: string; readonly organizationId: string },
): Promise<void> {
  await goToTab(page, "Deletions");
  await page.getByText("No deletions yet").waitFor();
  const database = new pg.Client({ connectionString: inspectUrl });
  await database.connect();
  const [first, second] = [newId(), newId()];
  await database.query(
    `insert into sign.deleted_agreement (organization_id, agreement_id, ground, status, created_at, ended_at,
       deleted_at, trail_head, trail_length, sealed_hashes, file_hashes)
     select $1, id, 'RETENTION', 'declined', now(), now(), now(), sha256('head'), 7, '{}', '{}' from unnest($2::uuid[]) as id`,
    [organizationId, [first, second]],
  );
  await database.end();
  await page.reload();
  await page.locator("summary").first().press("Enter");
  await screenshot(page, "privacy-deletions");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText("Retention period over").first().waitFor();
  await expectAccessible(page);
  await screenshot(page, "privacy-deletions-phone");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.getByLabel("Agreement ID").fill(first);
  await button(page, "Find").click();
  await page.getByText(second).first().waitFor({ state: "detached" });
  expect(await page.getByRole("row").filter({ hasText: first }).count()).toBe(1);
}
