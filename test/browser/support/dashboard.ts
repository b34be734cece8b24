import { createHmac, randomBytes } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { Browser } from "../../support/browser-people.ts";
import type { System } from "../../support/system.ts";
import { accessibilityProblems, type Pages } from "./browser.ts";

/** Somebody who can sign in to the dashboard. */
export interface Person {
  readonly email: string;
  readonly password: string;
  readonly baseUrl: string;
}

export const newPassword = (): string => `pw ${randomBytes(12).toString("base64url")}`;
export const newEmail = (): string => `person-${randomBytes(6).toString("hex")}@example.com`;

/** The owner of a new organization. */
export async function newOwner(system: System, name = "Olga Owner"): Promise<Person> {
  const { organizationId, baseUrl } = await system.newOrganization();
  const [email, password] = [newEmail(), newPassword()];
  await system.admin.createOwner({ organizationId, email, name, password });
  return { email, password, baseUrl };
}

/** Somebody else of the same organization, a viewer unless it is said. */
export async function newViewer(
  system: System,
  { email: ownersEmail, password: ownersPassword, baseUrl }: Person,
  role: "viewer" | "developer" = "viewer",
): Promise<Person> {
  const [email, password] = [newEmail(), newPassword()];
  const browser = new Browser(baseUrl);
  await browser.login(ownersEmail, ownersPassword);
  const invited = await browser.post("/v1/dashboard/users", { email, name: "Vera Viewer", role });
  const url: string = invited.body.inviteUrl;
  const token = url.slice(url.indexOf("#") + 1);
  system.secrets.add("token", token);
  await new Browser(baseUrl).post("/v1/dashboard/invitations/accept", { token, password });
  return { email, password, baseUrl };
}

/** A page as somebody sees it who is signed in already. */
export async function openAs(
  pages: Pages,
  { email, password, baseUrl }: Person,
  path: string,
  wrong: string[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  const browser = new Browser(baseUrl);
  const { status } = await browser.login(email, password);
  if (status !== 200) throw new Error(`${email} cannot sign in: ${status}`);
  return await openDashboard(pages, `${baseUrl}/dashboard${path}`, wrong, options, browser.cookie);
}

/** Opens a page of the dashboard; what the browser complains about is added to the list. */
export async function openDashboard(
  pages: Pages,
  url: string,
  wrong: string[],
  options: BrowserContextOptions = {},
  session?: string,
): Promise<Page> {
  const page = await pages.open({ viewport: { width: 1280, height: 900 }, locale: "en-GB", ...options });
  if (session !== undefined) {
    const cookie = { name: "assent_session", value: session, url: new URL(url).origin, httpOnly: true };
    await page.context().addCookies([cookie]);
  }
  page.on("console", (message) => {
    const isComplaint = message.type() === "error" || message.type() === "warning";
    // The browser notes answers that are no success; whether they are right is seen on the page.
    if (isComplaint && !message.text().startsWith("Failed to load resource")) wrong.push(message.text());
  });
  await page.goto(url);
  return page;
}

/** Fills in the form of the sign-in page. */
export async function logIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** On top of the page, once the session has ended. */
export async function logInAgain(page: Page, { password }: Person): Promise<void> {
  const again = page.getByRole("dialog", { name: "Sign in again" });
  await again.getByLabel("Password", { exact: true }).fill(password);
  await again.getByRole("button", { name: "Sign in", exact: true }).click();
  await again.waitFor({ state: "detached" });
}

/** Follows a link of the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.locator(".sidebar").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** What axe-core has to complain about in the page as it is. */
export const problemsIn = accessibilityProblems;

/** What the navigation leads to. */
export const linksOf = (page: Page): Promise<string[]> =>
  page.getByRole("navigation").getByRole("link").allTextContents();

export const stepOf = (time: number): number => Math.floor(time / 30_000);

/** RFC 6238 as an authenticator computes it. */
export function totp(secret: string, step: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
