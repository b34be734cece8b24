import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sha256Label } from "#platform/canonical-json.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { accessibilityProblems, describeInBrowser } from "../../test/browser/support/browser.ts";
import { defaultEmbedScriptFile } from "../embed-script.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

const html = "<h2>Scope</h2><p>You may use the <a href='https://www.example.com/'>service</a>.</p>";

describeInBrowser("the page of a session", (pages) => {
  let database: TestDatabase;
  let gateway: TestGateway;
  let host: Server;
  let hostUrl: string;
  let pageUrl: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startTestGateway(database.url, { config: { embedScriptFile: defaultEmbedScriptFile } });
    const token = await gateway.auth.token("click:write");
    const { body } = await gateway.call("POST", "/v1/click/sessions", { token, body: { templateSlug: "terms" } });
    gateway.click.render.tokens.set("a.b.c", { organizationId: orgA, clientId: "cl_payer", sessionId: body.id });
    pageUrl = `${gateway.url}/v1/click/render/sessions/${body.id}?token=a.b.c`;
    host = createServer((_req, res) => res.writeHead(200, { "content-type": "text/html" }).end(hostHtml(pageUrl)));
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    gateway.click.render.changes.rendering = {
      html,
      renderHash: sha256Label(html),
      locale: "en",
      theme: {},
      policy: {},
      allowedOrigins: [hostUrl],
    };
  });

  afterAll(async () => {
    host?.close();
    await gateway?.stop();
    await database?.drop();
  });

  test("can be read without scripts", async () => {
    const page = await pages.open({ javaScriptEnabled: false });
    await page.goto(pageUrl);
    expect(await page.locator("main article").isVisible()).toBe(true);
    expect(await page.title()).toBe("AGB <2026>");
  });

  test.each(["light", "dark"] as const)("is accessible in %s colours", async (colorScheme) => {
    const opener = await pages.open({ colorScheme });
    await opener.goto(hostUrl);
    const [page] = await Promise.all([
      opener.waitForEvent("popup"),
      opener.evaluate(`void window.open(${JSON.stringify(pageUrl)})`),
    ]);
    await page.locator("form").waitFor();
    expect(await page.locator("main article").first().isVisible()).toBe(false);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("hands the decision to the page that frames it, and waits for its answer", async () => {
    const page = await pages.open();
    await page.goto(hostUrl);
    await page.frameLocator("iframe").getByRole("button", { name: "Zustimmen" }).click();
    await page.waitForFunction("window.received.length === 1");
    const [received] = (await page.evaluate("window.received")) as { type: string; acceptance: object }[];
    expect(received).toMatchObject({ type: "assent:accept", acceptance: { decision: "ACCEPT" } });
    await page.frameLocator("iframe").locator("form").waitFor({ state: "detached" });
  });

  test("offers no decision when nobody is there to record it, and says so", async () => {
    const page = await pages.open();
    await page.goto(pageUrl);
    await page.getByText("Opened by itself, this page cannot record a decision.").waitFor();
    expect(await page.getByText("You may use the").last().isVisible()).toBe(true);
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describeInBrowser("the reference", (pages) => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startTestGateway(database.url);
  });
  afterAll(async () => {
    await gateway?.stop();
    await database?.drop();
  });

  test.each([
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["on a phone", { viewport: { width: 375, height: 700 }, hasTouch: true, isMobile: true }],
  ] as const)("is accessible and no wider than the screen (%s)", async (_name, options) => {
    const page = await pages.open(options);
    for (const path of ["", "/campaigns", "/errors"]) {
      await page.goto(`${gateway.url}/docs${path}`);
      await page.getByLabel("Search").waitFor();
      const isPhone = "viewport" in options;
      expect(await page.getByRole("link", { name: "Campaigns", exact: true }).first().isVisible()).toBe(
        path === "" || !isPhone,
      );
      if (isPhone) await page.getByText("Contents", { exact: true }).click();
      await page.getByRole("link", { name: "Agreement templates" }).first().waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(overflow)).toBe(0);
    }
  });

  test.each([
    ["TEMPLATE_NOT_FOUND", "CLICK_TEMPLATE_NOT_FOUND", "#error-CLICK_TEMPLATE_NOT_FOUND"],
    ["idempotency-key", "X-Idempotency-Key", "#header-X-Idempotency-Key"],
  ])("leads from %s to its place", async (words, title, id) => {
    const page = await pages.open();
    await page.goto(`${gateway.url}/docs/consent`);
    await page.keyboard.press("/");
    await page.getByLabel("Search").fill(words);
    await page.getByRole("link", { name: new RegExp(`^${title}`) }).click();
    await page.waitForURL(`**/docs/errors${id}`);
    await page.locator(id).waitFor();
  });

  test("copies the code that is shown, and sends a request with the key of a sandbox alone", async () => {
    const page = await pages.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${gateway.url}/docs/templates`);
    const operation = page.locator("#findAllTemplates");
    await operation.getByRole("button", { name: "Copy findAllTemplates in curl" }).click();
    await operation.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^curl "\$ASSENT\/v1\/click\/templates/);
    await operation.getByRole("button", { name: "Try it" }).click();
    await operation.getByLabel("Sandbox API key").fill("ak_live_0");
    await operation.getByRole("button", { name: "Send request" }).click();
    await operation.getByText("Use an API key of a sandbox organization").waitFor();
    await operation.getByLabel("Sandbox API key").fill("ak_test_unknown");
    await operation.getByRole("button", { name: "Send request" }).click();
    await operation.getByText("Status 401").waitFor();
    expect(await operation.getByLabel("Response", { exact: true }).textContent()).toContain("INVALID_TOKEN");
  });
});

const hostHtml = (
  url: string,
): string => `<!doctype html><html lang="en"><title>Host</title><iframe src="${url}"></iframe>
<script>
window.received = [];
addEventListener("message", ({ source, origin, data }) => {
  window.received.push(data);
  source.postMessage({ type: "assent:recorded", idempotencyKey: data.idempotencyKey, answer: { receiptId: "r" } }, origin);
});
</script></html>`;
