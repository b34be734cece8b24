import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { Browser } from "../support/browser-people.ts";
import { bodyOf, publishText } from "../support/journeys.ts";
import { type System, startSystem } from "../support/system.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import {
  goTo,
  linksOf,
  logIn,
  newEmail,
  newOwner,
  newPassword,
  newViewer,
  openAs,
  openDashboard,
  type Person,
  stepOf,
  totp,
} from "./support/dashboard.ts";
import { follow } from "./support/keyboard.ts";
import { contractPdf, screenshot } from "./support/signing.ts";

describeInBrowser("the dashboard", (pages) => {
  let system: System;
  let owner: Person;
  /** What browsers complained about. */
  const wrong: string[] = [];

  beforeAll(async () => {
    system = await startSystem("single process");
    owner = await newOwner(system);
  });
  afterAll(() => system?.stop());
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  const open = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
    openDashboard(pages, `${owner.baseUrl}/dashboard${path}`, wrong, options);
  const dialog = (page: Page) => page.getByRole("dialog");
  const isGone = (page: Page) => dialog(page).waitFor({ state: "detached" });

  /** What a dialog shows to be copied. */
  async function copied(page: Page, index: number): Promise<string> {
    const line = dialog(page).locator(".copy-line code").nth(index);
    return (await line.textContent()) ?? "";
  }

  async function enter(person: Person, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await open("/", options);
    await logIn(page, person);
    await page.getByRole("navigation").waitFor();
    return page;
  }

  async function invite(page: Page, role: string): Promise<Person & { readonly url: string }> {
    const [email, password] = [newEmail(), newPassword()];
    await goTo(page, "Team");
    await page.getByRole("button", { name: "Invite member" }).click();
    await dialog(page).getByLabel("Name").fill("Ben Example");
    await dialog(page).getByLabel("Email").fill(email);
    await dialog(page).getByRole("button", { name: /Role/ }).click();
    await page.getByRole("option", { name: role }).click();
    await dialog(page).getByRole("button", { name: "Send invitation", exact: true }).click();
    await dialog(page).getByText("No mail server is set up").waitFor();
    const url = await copied(page, 0);
    system.secrets.add("token", url.slice(url.indexOf("#") + 1));
    await dialog(page).getByRole("button", { name: "Done" }).click();
    await page.getByRole("row").filter({ hasText: email }).getByText("Invited").waitFor();
    return { email, password, url, baseUrl: owner.baseUrl };
  }

  async function accept({ url, password }: { url: string; password: string }): Promise<Page> {
    const page = await openDashboard(pages, url, wrong);
    await page.getByLabel("New password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("navigation").waitFor();
    return page;
  }

  test("an owner makes a key that works, and takes it back", async () => {
    const page = await enter(owner);
    await goTo(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await dialog(page).getByLabel("Name").fill("Shop backend");
    await dialog(page).getByRole("button", { name: "Create key" }).dblclick();
    await dialog(page).getByText("You won’t be able to see it again").waitFor();
    const key = await copied(page, 0);
    system.secrets.add("API key", key);
    expect(await copied(page, 1)).toBe(`curl -s ${owner.baseUrl}/v1/click/templates -H 'Authorization: Bearer ${key}'`);
    const use = () => fetch(`${owner.baseUrl}/v1/click/templates`, { headers: { authorization: `Bearer ${key}` } });
    expect((await use()).status).toBe(200);
    await page.keyboard.press("Escape");
    await dialog(page).getByRole("button", { name: "Done" }).click();
    await isGone(page);
    expect(await page.getByRole("row").filter({ hasText: "Shop backend" }).count()).toBe(1);
    await page.getByRole("button", { name: "Revoke Shop backend" }).click();
    await dialog(page).getByText("Revoke the key “Shop backend”?").waitFor();
    await dialog(page).getByRole("button", { name: "Revoke" }).click();
    await isGone(page);
    await page.getByRole("switch", { name: "Show revoked keys (1)" }).click({ force: true });
    await page.getByRole("row").filter({ hasText: "Shop backend" }).getByText("Revoked").waitFor();
  });

  test("an owner makes a client that gets a token, and replaces its secret", async () => {
    const page = await enter(owner);
    await goTo(page, "OAuth clients");
    await page.getByRole("button", { name: "Create client" }).click();
    await dialog(page).getByLabel("Name").fill("Reports");
    await dialog(page).getByRole("button", { name: "Create client" }).click();
    await dialog(page).getByText("Choose at least one scope.").waitFor();
    await dialog(page).getByRole("checkbox", { name: "click:read" }).check({ force: true });
    await dialog(page).getByRole("button", { name: "Create client" }).click();
    await dialog(page).getByText("You won’t be able to see it again").waitFor();
    const [id, secret] = [await copied(page, 0), await copied(page, 1)];
    system.secrets.add("client secret", secret);
    expect(await copied(page, 2)).toContain(`-u '${id}:${secret}'`);
    const fetchToken = async (password: string) => {
      const authorization = `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}`;
      const body = new URLSearchParams({ grant_type: "client_credentials" });
      const answer = await fetch(`${owner.baseUrl}/oauth/token`, { method: "POST", headers: { authorization }, body });
      return (await answer.json()) as { scope?: string };
    };
    expect((await fetchToken(secret)).scope).toBe("click:read");
    await dialog(page).getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Replace secret of Reports" }).click();
    await dialog(page).getByRole("button", { name: "Replace secret" }).click();
    await dialog(page).getByText("The old secret of “Reports” no longer works.", { exact: false }).waitFor();
    const second = await copied(page, 1);
    system.secrets.add("client secret", second);
    expect(second).not.toBe(secret);
    expect((await fetchToken(second)).scope).toBe("click:read");
    expect((await fetchToken(secret)).scope).toBeUndefined();
  });

  test("a developer is invited, sets up a second factor, and signs in with a code", async () => {
    const page = await enter(owner);
    const ben = await invite(page, "Developer");
    const bens = await accept(ben);
    expect(await linksOf(bens)).not.toContain("Team");
    await goTo(bens, "Organization");
    expect(await bens.getByRole("button", { name: "Save" }).count()).toBe(0);
    expect(await bens.getByText("Audit trail").count()).toBe(0);
    await goTo(bens, "My account");
    await bens.getByRole("button", { name: "Set up" }).click();
    await dialog(bens).getByLabel("Your password", { exact: true }).fill("wrong password");
    await dialog(bens).getByRole("button", { name: "Continue" }).click();
    await dialog(bens).getByText("Incorrect password.").waitFor();
    await dialog(bens).getByLabel("Your password", { exact: true }).fill(ben.password);
    await dialog(bens).getByRole("button", { name: "Continue" }).click();
    await dialog(bens).getByRole("img", { name: "QR code for two-factor authentication" }).waitFor();
    await screenshot(bens, "factor-light-1280");
    const secret = await copied(bens, 0);
    system.secrets.add("TOTP secret", secret);
    const step = stepOf(Date.now());
    await dialog(bens).getByRole("textbox", { name: "Code" }).fill(totp(secret, step));
    await dialog(bens).getByRole("button", { name: "Turn on" }).click();
    await dialog(bens).getByRole("heading", { name: "Your recovery codes" }).waitFor();
    const codes = (await copied(bens, 0)).split("\n");
    for (const code of codes) system.secrets.add("recovery code", code);
    expect(codes).toHaveLength(10);
    await screenshot(bens, "codes-light-1280");
    await dialog(bens).getByRole("button", { name: "I’ve saved them" }).click();
    await bens.getByText("10 recovery codes left.").waitFor();

    const others = await open("/account");
    await logIn(others, ben);
    await others.getByRole("heading", { name: "Two-factor authentication" }).waitFor();
    await others.getByLabel("Code").fill(totp(secret, step + 1));
    await others.getByRole("button", { name: "Continue" }).click();
    await others.getByRole("heading", { level: 1, name: "My account" }).waitFor();
    await others.getByRole("button", { name: /^Sign out Chrome on Linux/ }).click();
    await dialog(others).getByRole("button", { name: "Sign out" }).click();
    await others.getByText("Session signed out.").waitFor();
    await bens.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
    await dialog(bens).getByText("Your session has ended.").waitFor();
    await dialog(bens).getByRole("button", { name: "Sign in as someone else" }).click();
    await bens.getByRole("heading", { name: "Sign in" }).waitFor();
    await others.getByRole("button", { name: "Sign out" }).click();
    await others.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  });

  test("a session that ends while something is typed begins again over the page, and what was sent arrives", async () => {
    const page = await enter(owner);
    await goTo(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await dialog(page).getByLabel("Name").fill("Typed before the end");
    await page.context().clearCookies();
    await dialog(page).getByRole("button", { name: "Create key" }).click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    expect(await again.getByLabel("Email").inputValue()).toBe(owner.email);
    await again.getByLabel("Password", { exact: true }).fill("not the password at all");
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.getByText("Incorrect email or password.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await screenshot(page, "session-over");
    await again.getByLabel("Password", { exact: true }).fill(owner.password);
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog(page).getByText("You won’t be able to see it again").waitFor();
    system.secrets.add("API key", await copied(page, 0));
    await dialog(page).getByRole("button", { name: "Done" }).click();
    expect(await page.getByRole("row").filter({ hasText: "Typed before the end" }).count()).toBe(1);
  });

  /** A page with a key that waits to be made until its person has signed in again, and how often it was sent. */
  async function withWaitingKey(name: string): Promise<{ readonly page: Page; readonly sent: () => number }> {
    const page = await enter(owner);
    await goTo(page, "API keys");
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/api-keys")) sent += 1;
    });
    await page.getByRole("button", { name: "Create key" }).click();
    await dialog(page).getByLabel("Name").fill(name);
    await page.context().clearCookies();
    await dialog(page).getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    expect(sent).toBe(1);
    return { page, sent: () => sent };
  }

  test("what waits for the session of one person is not sent as somebody else", async () => {
    const { page, sent } = await withWaitingKey("Wanted by the owner");
    const other = await newViewer(system, owner, "developer");
    const elsewhere = new Browser(owner.baseUrl);
    await elsewhere.login(other.email, other.password);
    const session = { name: "assent_session", value: elsewhere.cookie, url: owner.baseUrl, httpOnly: true };
    await page.context().addCookies([session]);
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor({ state: "detached" });
    await goTo(page, "My account");
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Vera Viewer");
    await goTo(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().waitFor();
    expect(await page.getByText("Wanted by the owner").count()).toBe(0);
    expect(sent()).toBe(1);

    const left = await withWaitingKey("Given up by the owner");
    await dialog(left.page).getByRole("button", { name: "Sign in as someone else" }).click();
    await logIn(left.page, other);
    await left.page.getByRole("button", { name: "Create key" }).first().waitFor();
    expect(await left.page.getByText("Given up by the owner").count()).toBe(0);
    expect(left.sent()).toBe(1);
  });

  test("signing out in one tab leaves nothing on the pages of others", async () => {
    const page = await enter(owner);
    const other = await page.context().newPage();
    await other.goto(`${owner.baseUrl}/dashboard/account`);
    const name = other.getByLabel("Name", { exact: true });
    await name.fill("Typed and not saved");
    await page.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await name.count()).toBe(0);
    await logIn(other, owner);
    await name.waitFor();
    expect(await name.inputValue()).not.toBe("Typed and not saved");
  });

  test("the first click after a message works, and a form that is not saved is not left unasked", async () => {
    const page = await enter(owner);
    await goTo(page, "My account");
    const name = page.getByLabel("Name", { exact: true });
    // Notices have a form and a button of their own.
    const save = page.locator("form").filter({ has: name }).getByRole("button", { name: "Save" });
    await name.fill("");
    await save.click();
    await page.locator(".field-error").first().waitFor();
    await name.pressSequentially("Olga Owner");
    await save.click();
    await page.getByText("Saved.").waitFor();
    await name.fill("Olga Other");
    await page.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
    await dialog(page).getByText("Leave without saving?").waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await isGone(page);
    await page.goBack();
    await dialog(page).getByText("Your unsaved changes will be lost.").waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    expect([await name.inputValue(), new URL(page.url()).pathname]).toEqual(["Olga Other", "/dashboard/account"]);
    await page.goBack();
    await dialog(page).getByRole("button", { name: "Leave without saving" }).click();
    await page.waitForURL(/dashboard\/$/);
    await goTo(page, "My account");
    expect(await name.inputValue()).toBe("Olga Owner");

    await goTo(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const keyName = dialog(page).getByLabel("Name");
    await keyName.fill("Half a na");
    await page.goBack();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    expect([await keyName.inputValue(), new URL(page.url()).pathname]).toEqual(["Half a na", "/dashboard/api-keys"]);
    await page.goBack();
    await question.getByRole("button", { name: "Leave without saving" }).click();
    await page.waitForURL(/dashboard\/account$/);
    await isGone(page);
  });

  test.each([
    ["/api-keys", "Create key", "Create key"],
    ["/templates", "Create click template", "Create click template"],
    ["/generation", "Create document template", "Create"],
    ["/brands", "Create brand", "Create brand"],
  ])(
    "on %s the first click after a message of validation sends the form, and no announcement loses its name",
    async (path, opens, sends) => {
      const page = await openAs(pages, owner, path, wrong);
      await page.getByRole("button", { name: opens }).first().click();
      const send = dialog(page).getByRole("button", { name: sends, exact: true });
      await send.click();
      await dialog(page).locator(".field-error").first().waitFor();
      await dialog(page).getByLabel("Name", { exact: true }).pressSequentially(`From ${path}`);
      await Promise.all([page.waitForResponse((answer) => answer.request().method() === "POST"), send.click()]);
      const secret = dialog(page).getByRole("button", { name: "Done" });
      if (path === "/api-keys") {
        await secret.waitFor();
        system.secrets.add("API key", await copied(page, 0));
        await secret.click();
      }
      await isGone(page);
      await until(async () => (await accessibilityProblems(page)).length === 0);
    },
  );

  test("the last owner stays one and is told why, and a viewer sees no buttons", async () => {
    const page = await enter(owner);
    const viewer = await accept(await invite(page, "Viewer"));
    const own = page.getByRole("row").filter({ hasText: owner.email });
    expect(await own.getByRole("button").allTextContents()).toEqual(["Change role"]);
    await own.getByRole("button").click();
    await dialog(page).getByRole("button", { name: /Role/ }).first().click();
    await page.getByRole("option", { name: "Viewer" }).click();
    await dialog(page).getByRole("button", { name: "Change role" }).click();
    await dialog(page).getByText("Make another user an owner first", { exact: false }).waitFor();
    expect(await linksOf(viewer)).toEqual(
      expect.arrayContaining(["API keys", "OAuth clients", "Organization", "My account"]),
    );
    for (const name of ["API keys", "OAuth clients", "Organization"]) {
      await goTo(viewer, name);
      expect(await viewer.getByRole("main").getByRole("button").allTextContents()).toEqual([]);
    }
    await viewer.goto(`${owner.baseUrl}/dashboard/people`);
    await viewer.getByRole("heading", { name: "Page not found" }).waitFor();
  });

  test("the keyboard alone is enough to sign in and to create a key", async () => {
    const page = await open("/");
    await page.getByLabel("Email").waitFor();
    await page.keyboard.type(owner.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(owner.password);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation").waitFor();
    await follow(page, "API keys");
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByRole("button", { name: "Create key" }).first().waitFor();
    await follow(page, "Create key");
    await dialog(page).waitFor();
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await dialog(page).getByText("You won’t be able to see it again").waitFor();
    system.secrets.add("API key", await copied(page, 0));
    await follow(page, "Done");
    await isGone(page);
    await page.getByRole("row").filter({ hasText: "By keyboard" }).waitFor();
  });

  test("names without a space end or break on a phone, on every page and in every dialog that has them", async () => {
    const api = await system.newOrganization();
    const [email, password] = [newEmail(), newPassword()];
    const { organizationId, baseUrl } = api;
    await system.admin.createOwner({ organizationId, email, name: long(200), password });
    const paths = await nameEverything(api, await signedIn(baseUrl, email, password));
    const page = await openAs(pages, { email, password, baseUrl }, "/", wrong, {
      viewport: { width: 375, height: 800 },
    });
    const problems: string[] = [];
    const look = async (place: string): Promise<void> => {
      const tooWide = (await page.evaluate(`(${whatIsTooWide})()`)) as string[];
      problems.push(...tooWide.map((found) => `${place}: ${found}`));
    };
    for (const [path, dialogs = []] of paths) {
      await page.goto(`${baseUrl}/dashboard${path}`);
      const shown = page.getByRole("main").getByText(long(40)).or(page.locator("input:visible, textarea:visible"));
      await shown
        .filter({ visible: true })
        .first()
        .waitFor({ timeout: 8_000 })
        .catch(() => problems.push(`${path}: shows no name`));
      await look(path);
      if (path === "/agreements") await screenshot(page, "long-names");
      for (const name of dialogs) {
        await page.getByRole("main").getByRole("button", { name }).first().click();
        await dialog(page).waitFor();
        await look(`${path} ${name}`);
        await page.keyboard.press("Escape");
        await isGone(page);
      }
    }
    expect(problems).toEqual([]);
  });

  describe.each<[string, BrowserContextOptions]>([
    ["light-1280", { colorScheme: "light" }],
    ["dark-1280", { colorScheme: "dark" }],
    ["light-375", { colorScheme: "light", viewport: { width: 375, height: 800 } }],
  ])("%s", (look, options) => {
    /** What is wrong with a page as it is. */
    async function problemsOf(page: Page, name: string): Promise<string[]> {
      await screenshot(page, `${name}-${look}`);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      const problems = await accessibilityProblems(page);
      return [...problems, ...(overflow === 0 ? [] : ["wider than the window"])].map((text) => `${name}: ${text}`);
    }

    test("no page has anything that axe objects to, or is wider than the window", async () => {
      const page = await open("/", options);
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      const problems = await problemsOf(page, "login");
      await logIn(page, owner);
      await page.locator("nav").waitFor({ state: "attached" });
      for (const { path, ready, button } of walk) {
        await page.goto(`${owner.baseUrl}/dashboard${path}`);
        await page.getByRole("main").getByText(ready).first().waitFor();
        problems.push(...(await problemsOf(page, path.slice(1))));
        if (button === undefined) continue;
        await page.getByRole("main").getByRole("button", { name: button }).first().click();
        await dialog(page).waitFor();
        problems.push(...(await problemsOf(page, `${path.slice(1)}-dialog`)));
      }
      expect(problems).toEqual([]);
    });
  });
});

/** Each page, what it shows when it is there, and a button that opens a dialog. */
const walk: readonly { readonly path: string; readonly ready: string; readonly button?: string }[] = [
  { path: "/api-keys", ready: "By keyboard", button: "Create key" },
  { path: "/clients", ready: "Reports", button: "Create client" },
  { path: "/people", ready: "Ben Example", button: "Invite member" },
  { path: "/organization", ready: "Signed in" },
  { path: "/account", ready: "Chrome on Linux", button: "Set up" },
];

/** A name of this length that has no place to break. */
const long = (length: number): string => "Unbreakable".repeat(20).slice(0, length);

const signedIn = async (baseUrl: string, email: string, password: string): Promise<Browser> => {
  const browser = new Browser(baseUrl);
  await browser.login(email, password);
  return browser;
};

/** One of everything with the longest name that it may have: the pages that show it, and their buttons that open dialogs. */
async function nameEverything(api: Api, browser: Browser): Promise<readonly [string, (string | RegExp)[]?][]> {
  const { templateId } = await publishText(api, { name: long(200), type: "STATIC" }, `<p>${long(200)}</p>`);
  const template = `/v1/click/templates/${templateId}`;
  bodyOf(201, await api.post(`${template}/deployments`, { name: long(200), activate: true }));
  const receipt = bodyOf(201, await api.accept("long names", { templateId, userRef: long(200) }));
  const dueAt = "2199-12-31T23:00:00Z";
  const campaign = bodyOf(201, await api.post("/v1/click/campaigns", { name: long(200), templateId, dueAt }));
  bodyOf(200, await api.post(`/v1/click/campaigns/${campaign.id}/people`, { userRefs: [long(200)] }));
  const documentBase64 = await contractPdf();
  const documents = [{ documentId: "1", name: `${long(200)}.pdf`, documentBase64 }];
  const signer = { recipientId: "1", name: long(100), email: `${long(60)}@example.com`, routingOrder: 1 };
  const content = { emailSubject: long(100), emailBlurb: long(200), documents, recipients: { signers: [signer] } };
  const agreement = bodyOf(201, await api.post("/v1/sign/agreements", content));
  bodyOf(201, await api.post("/v1/sign/templates", { name: long(100), description: long(200), ...content }));
  const brand = bodyOf(201, await api.post("/v1/sign/brands", { name: long(100), senderName: long(100) }));
  const domain = `${"a".repeat(60)}.${"b".repeat(15)}.example.com`;
  bodyOf(201, await api.post("/v1/sign/sender-domains", { domain }));
  const written = { name: long(200), format: "html", content: `<p>${long(200)}</p>` };
  const genTemplate = bodyOf(201, await api.post("/v1/gen/templates", written));
  const endpoint = { url: `https://hooks.invalid/${long(200)}`, description: long(200), eventTypes: ["webhook.test"] };
  const { id: endpointId } = bodyOf(201, await api.post("/v1/webhooks/endpoints", endpoint));
  bodyOf(201, await api.post("/v1/privacy/holds", { email: signer.email, reason: long(200) }));
  bodyOf(201, await browser.post("/v1/dashboard/api-keys", { name: long(100) }));
  bodyOf(201, await browser.post("/v1/dashboard/clients", { name: long(100), scopes: ["click:read"] }));
  bodyOf(201, await browser.post("/v1/dashboard/users", { email: newEmail(), name: long(200), role: "viewer" }));
  return [
    ["/"],
    ["/templates"],
    ...["", "/deployments", "/policy", "/statistics"].map((tab): [string] => [`/templates/${templateId}${tab}`]),
    ["/acceptances"],
    [`/acceptances/receipts/${receipt.receiptId}`],
    [`/acceptances/people/${long(200)}`],
    ["/campaigns"],
    [`/campaigns/${campaign.id}`, ["Edit", "Delete draft"]],
    ["/agreements"],
    [`/agreements/${agreement.id}`, ["Delete draft"]],
    [`/agreements/${agreement.id}/prepare`],
    ["/generation"],
    [`/generation/templates/${genTemplate.id}`],
    ["/webhooks"],
    [`/webhooks/endpoints/${endpointId}`, ["Edit", "Delete"]],
    ["/api-keys", ["Create key", /^Revoke/]],
    ["/clients", ["Create client", /^Revoke/]],
    ["/people", ["Invite member"]],
    ["/privacy/holds", [/^Lift/]],
    ["/brands", [/^Delete/, "Add domain"]],
    [`/brands/${brand.id}`],
    ["/organization"],
    ["/account"],
  ];
}

/** What is wider than the window, or leaves its panel, in words; run by the page. */
const whatIsTooWide = `() => {
  const width = document.documentElement.clientWidth;
  const isCut = (element) => element !== null && ((getComputedStyle(element).overflowX !== "visible" && element.getBoundingClientRect().right <= width) || isCut(element.parentElement));
  const name = (element) => element.tagName.toLowerCase() + "." + element.className + " " + element.textContent.slice(0, 30);
  const wide = [...document.querySelectorAll("body *")].filter((element) => element.getClientRects().length > 0 && !isCut(element.parentElement) && element.getBoundingClientRect().right > width + 1);
  const page = document.documentElement.scrollWidth > width ? ["page of " + document.documentElement.scrollWidth] : [];
  return [...page, ...wide.slice(0, 5).map(name)];
}`;
