import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { newId } from "#platform/ids.ts";
import type { Mail } from "#platform/mail/mail.ts";
import { until } from "#platform/testing/until.ts";
import { startIdentityProvider, type TestProvider } from "../support/identity-provider.ts";
import { type System, startSystem } from "../support/system.ts";
import { accessibilityProblems, addAuthenticator, describeInBrowser } from "./support/browser.ts";
import { goTo, logIn, newEmail, newOwner, newPassword, openDashboard, type Person } from "./support/dashboard.ts";
import { screenshot } from "./support/signing.ts";

describeInBrowser("people and their way in", (pages) => {
  let system: System;
  let provider: TestProvider;
  let owner: Person;
  let baseUrl = "";
  const mails: Mail[] = [];
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    provider = await startIdentityProvider();
    const { issuer, clientId, clientSecret } = provider;
    system = await startSystem("single process", {
      mail: {
        mailer: { send: async (mail) => void mails.push(mail), close: async () => undefined },
        publicUrl: () => baseUrl,
      },
      oidc: { issuer, clientId, clientSecret, name: "Example SSO" },
    });
    baseUrl = system.baseUrls[0] ?? "";
    provider.serve(`${baseUrl}/v1/dashboard/login/oidc/callback`);
    owner = await newOwner(system);
  });
  afterAll(async () => {
    await system?.stop();
    await provider?.stop();
  });
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  const open = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
    openDashboard(pages, `${baseUrl}/dashboard${path}`, wrong, options);
  const dialog = (page: Page): Locator => page.getByRole("dialog");
  const isIn = (page: Page): Promise<void> => page.getByRole("navigation").waitFor();

  async function enter(person: Person): Promise<Page> {
    const page = await open("/");
    await logIn(page, person);
    await isIn(page);
    return page;
  }

  /** The link of the newest mail to somebody. */
  async function linkTo(email: string, path: string): Promise<string> {
    const find = () => mails.findLast(({ to, text }) => to.address === email && text.includes(`/dashboard/${path}#`));
    await until(async () => find() !== undefined);
    const url = /http:\S+#\S+/.exec(find()?.text ?? "")?.[0] ?? "";
    system.secrets.add("token", url.slice(url.indexOf("#") + 1));
    return url;
  }

  async function invite(page: Page, name: string, email = newEmail()): Promise<string> {
    await goTo(page, "Team");
    await page.getByRole("button", { name: "Invite member" }).click();
    await dialog(page).getByLabel("Name").fill(name);
    await dialog(page).getByLabel("Email").fill(email);
    await dialog(page).getByRole("button", { name: "Send invitation", exact: true }).click();
    await dialog(page).getByText("We’ve emailed an invitation to", { exact: false }).waitFor();
    await dialog(page).getByRole("button", { name: "Done" }).click();
    await page.getByRole("row").filter({ hasText: email }).getByText("Invited", { exact: true }).waitFor();
    return email;
  }

  test("an invited person joins with the identity provider, and has no password here", async () => {
    const page = await enter(owner);
    const email = await invite(page, "Ida Invited");
    provider.person = { subject: newId(), email, isVerified: true };
    const idas = await open("/webhooks");
    await idas.getByText("Sign in to continue.", { exact: false }).waitFor();
    await idas.getByRole("link", { name: "Sign in with Example SSO" }).click();
    await idas.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await goTo(idas, "My account");
    await idas.getByText("have no password here", { exact: false }).waitFor();
    expect(await idas.getByLabel("Current password").count()).toBe(0);
    await goTo(page, "Organization");
    await page.getByText("Method: Identity provider").first().waitFor();
    await page.getByText("Signed in with the identity provider for the first time").first().waitFor();
    // Read anew: what was read before does not know yet that she has come.
    await page.goto(`${baseUrl}/dashboard/people`);
    await page.getByRole("button", { name: "Disable Ida Invited" }).click();
    await dialog(page).getByRole("button", { name: "Disable" }).click();
    await page.getByRole("row").filter({ hasText: email }).getByText("Disabled").waitFor();
    await idas.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
    await idas.getByRole("button", { name: "Sign in as someone else" }).click();
    await idas.getByRole("link", { name: "Sign in with Example SSO" }).click();
    await idas.getByText("No account matches your identity", { exact: false }).waitFor();
  });

  test("who is in two organizations chooses one after the provider has named them", async () => {
    const [first, second] = [await newOwner(system), await newOwner(system)];
    const email = newEmail();
    for (const person of [first, second]) await invite(await enter(person), "Tina Two", email);
    provider.person = { subject: newId(), email, isVerified: true };
    const page = await open("/login");
    await page.getByRole("link", { name: "Sign in with Example SSO" }).click();
    await page.getByRole("heading", { name: "Choose an organization" }).waitFor();
    expect(await page.getByRole("main").getByRole("link", { name: "Test" }).count()).toBe(2);
    await page.getByRole("main").getByRole("link", { name: "Test" }).last().press("Enter");
    await isIn(page);
  });

  test("a forgotten password is set anew by the link in the mail, once, and not to a common one", async () => {
    const person = await newOwner(system);
    const page = await open("/login");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("Email").fill(person.email);
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByText("the link is on its way", { exact: false }).waitFor();
    const link = await linkTo(person.email, "reset");
    const reset = await openDashboard(pages, link, wrong, { locale: "de-DE" });
    const field = reset.getByLabel("Neues Passwort", { exact: true });
    await field.fill("Password123456");
    await reset.getByRole("button", { name: "Passwort festlegen" }).click();
    await reset.getByText("zu verbreitet", { exact: false }).waitFor();
    expect(new URL(reset.url()).hash).toBe("");
    const password = newPassword();
    await field.fill(password);
    await reset.getByRole("button", { name: "Passwort festlegen" }).click();
    await reset.getByRole("link", { name: "Anmelden" }).waitFor();
    await enter({ ...person, password });
    const again = await openDashboard(pages, link, wrong);
    await again.getByLabel("New password", { exact: true }).fill(newPassword());
    await again.getByRole("button", { name: "Set password" }).click();
    await again.getByText("was already used", { exact: false }).waitFor();
  });

  test("an invitation is accepted by its link, and the person changes name and password", async () => {
    const page = await enter(owner);
    const email = await invite(page, "Ben Example", `${"long-".repeat(8)}${newEmail()}`);
    const bens = await openDashboard(pages, await linkTo(email, "invitation"), wrong);
    await bens.getByRole("link", { name: "Sign in with Example SSO" }).waitFor();
    const [password, next] = [newPassword(), newPassword()];
    await bens.getByLabel("New password", { exact: true }).fill(password);
    await bens.getByRole("button", { name: "Join" }).click();
    await isIn(bens);
    await screenshot(bens, "long-address-light-1280");
    await goTo(bens, "My account");
    const name = bens.getByLabel("Name", { exact: true });
    await name.fill("Benedict Example");
    await bens.locator("form").filter({ has: name }).getByRole("button", { name: "Save" }).click();
    await bens.locator(".who-name").getByText("Benedict Example").waitFor();
    await bens.getByLabel("Current password", { exact: true }).fill("not the password");
    await bens.getByLabel("New password", { exact: true }).fill(next);
    await bens.getByRole("button", { name: "Change password" }).click();
    await bens.getByText("Incorrect password.").waitFor();
    await bens.getByLabel("Current password", { exact: true }).fill(password);
    await bens.getByRole("button", { name: "Change password" }).click();
    await bens.getByText("Password changed.", { exact: false }).waitFor();
    await enter({ email, password: next, baseUrl });
  });

  /** Passkeys belong to names of hosts. */
  const openNamed = (path: string): Promise<Page> =>
    openDashboard(pages, `${baseUrl.replace("127.0.0.1", "localhost")}/dashboard${path}`, wrong);

  async function addPasskey(page: Page, { password }: Person, name: string): Promise<void> {
    await goTo(page, "My account");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await dialog(page).getByLabel("Your password", { exact: true }).fill(password);
    await dialog(page).getByRole("button", { name: "Continue" }).click();
    await dialog(page).getByLabel("Name").fill(name);
    await dialog(page).getByRole("button", { name: "Create passkey" }).click();
  }

  async function leave(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  }

  test("a passkey of this device signs in without a password, until it is removed", async () => {
    const person = await newOwner(system);
    const page = await openNamed("/");
    const authenticator = await addAuthenticator(page, { transport: "internal", verifies: true });
    await logIn(page, person);
    await isIn(page);
    await addPasskey(page, person, "Work laptop");
    await dialog(page).getByRole("heading", { name: "Your recovery codes" }).waitFor();
    await dialog(page).getByRole("button", { name: "I’ve saved them" }).click();
    const row = page.getByRole("row").filter({ hasText: "Work laptop" });
    await row.getByRole("button", { name: "Rename Work laptop" }).waitFor();
    await page.getByText("10 recovery codes left.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await screenshot(page, "passkeys-light-1280");
    await addPasskey(page, person, "Again");
    await dialog(page).getByText("This device has one of your passkeys already.").waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();

    await leave(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await isIn(page);
    await leave(page);
    await authenticator.set({ isUserVerified: false });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("No passkey was used.", { exact: false }).waitFor();
    await authenticator.set({ isUserVerified: true });
    await logIn(page, person);
    await page.getByText("Use a passkey or a recovery code.").waitFor();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await isIn(page);

    await goTo(page, "My account");
    await page.getByRole("button", { name: "Remove Work laptop" }).click();
    await dialog(page).getByText("You’ll sign in with your password only", { exact: false }).waitFor();
    await dialog(page).getByLabel("Your password", { exact: true }).fill(person.password);
    await dialog(page).getByRole("button", { name: "Remove" }).click();
    await row.waitFor({ state: "detached" });
    await leave(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("The passkey was not accepted.", { exact: false }).waitFor();
    await logIn(page, person);
    await isIn(page);
    await until(
      async () => mails.filter(({ to, text }) => to.address === person.email && /Work laptop/.test(text)).length === 2,
    );
  });

  test("a key that does not verify its user is asked for after the password", async () => {
    const person = await newOwner(system);
    const page = await openNamed("/");
    await addAuthenticator(page, { transport: "usb", verifies: false });
    await logIn(page, person);
    await isIn(page);
    await addPasskey(page, person, "Security key");
    await dialog(page).getByRole("button", { name: "I’ve saved them" }).click();
    await page.getByText("Only after the password", { exact: true }).waitFor();
    await leave(page);
    await logIn(page, person);
    await page.getByText("Use a passkey or a recovery code.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await screenshot(page, "passkey-step-light-1280");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await isIn(page);
  });

  test("what the API refuses is said in German where the browser is German", async () => {
    const page = await open("/people", { locale: "de-DE" });
    await page.getByLabel("E-Mail-Adresse").fill(owner.email);
    await page.getByLabel("Passwort", { exact: true }).fill(owner.password);
    await page.getByRole("button", { name: "Anmelden", exact: true }).click();
    await page.getByRole("button", { name: "Mitglied einladen" }).click();
    await dialog(page).getByLabel("Name").fill("Olga");
    await dialog(page).getByLabel("E-Mail-Adresse").fill(owner.email);
    await dialog(page).getByRole("button", { name: "Einladung senden", exact: true }).click();
    await dialog(page).getByText("Die Organisation hat bereits ein Mitglied mit dieser E-Mail-Adresse.").waitFor();
    expect(await dialog(page).getByLabel("E-Mail-Adresse").inputValue()).toBe(owner.email);
  });

  describe.each<[string, BrowserContextOptions]>([
    ["light-1280", { colorScheme: "light" }],
    ["dark-375", { colorScheme: "dark", viewport: { width: 375, height: 800 } }],
  ])("%s", (look, options) => {
    test("no page of the way in has anything that axe objects to, or is wider than the window", async () => {
      const problems: string[] = [];
      const page = await open("/login", options);
      for (const { path, ready } of entryPages) {
        await page.goto(`${baseUrl}/dashboard${path}`);
        await page.getByText(ready).first().waitFor();
        if (path.startsWith("/login")) await page.getByRole("link", { name: "Sign in with Example SSO" }).waitFor();
        const name = path.replaceAll(/\W+/g, "-").slice(1);
        await screenshot(page, `${name}-${look}`);
        const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        if ((await page.evaluate(overflow)) !== 0) problems.push(`${name}: wider than the window`);
        problems.push(...(await accessibilityProblems(page)).map((text) => `${name}: ${text}`));
      }
      expect(problems).toEqual([]);
    });
  });
});

const entryPages = [
  { path: "/login", ready: "Forgot your password?" },
  { path: "/login?failed=unknown", ready: "No account matches your identity" },
  { path: "/forgot", ready: "Reset your password" },
  { path: `/reset#${"A".repeat(43)}`, ready: "Set a new password" },
  { path: `/invitation#${"A".repeat(43)}`, ready: "Welcome" },
];
