import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { accessibilityProblems, describeInBrowser } from "./support/browser.ts";
import { hostHtml } from "./support/host-page.ts";
import { type NewcomersCopy, startNewcomersCopy } from "./support/newcomer.ts";
import { startSite } from "./support/site.ts";

describeInBrowser("the demo page", (pages) => {
  let system: NewcomersCopy;
  beforeAll(async () => {
    system = await startNewcomersCopy();
  });
  afterAll(() => system?.stop());

  test("takes a visitor from the text to the receipt and its evidence", async () => {
    const page = await pages.open();
    await page.goto(`${system.demo.baseUrl}/demo`);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("I have read and agree").check();
    await page.getByRole("button", { name: "I agree" }).click();
    await page.getByText("Your decision is recorded.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("Your account is ready.").waitFor();
    await page.getByRole("link", { name: "Evidence bundle" }).click();
    const evidence = JSON.parse((await page.locator("pre").textContent()) ?? "");
    expect(evidence.receipts[0]).toMatchObject({ decision: "ACCEPT", action: "CHECKBOX_AND_BUTTON" });
    expect(evidence.presentation).toMatchObject({ displayMode: "MODAL", scrolledToEnd: true });
    expect(evidence.presentation.events.map((event: { type: string }) => event.type)).toEqual([
      "DISPLAYED",
      "SCROLLED_TO_END",
      "CHECKED",
      "BUTTON_PRESSED",
    ]);
  });

  test("knows a visitor who comes back, and asks them again when the terms have changed", async () => {
    const page = await pages.open();
    const visit = () => page.goto(`${system.demo.baseUrl}/demo`);
    const accept = async (): Promise<void> => {
      await page.getByLabel("I have read and agree").check();
      await page.getByRole("button", { name: "I agree" }).click();
      await page.getByText("Your decision is recorded.").waitFor();
      await page.getByRole("button", { name: "Close" }).click();
    };
    const name = page.locator("#visitor-name");
    await visit();
    await page.getByRole("button", { name: "Create account" }).click();
    await accept();
    await visit();
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    const visitor = await name.textContent();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("You’re signed in. You accepted version 1.0 of the terms.").waitFor();

    const templates = (await system.api.get("/v1/click/templates")).body as { id: string; slug: string }[];
    const terms = `/v1/click/templates/${templates.find(({ slug }) => slug === "terms-of-service")?.id}/versions`;
    const [version] = (await system.api.get(terms)).body;
    const content = version.content.replace("keep it running", "keep it running and safe");
    expect((await system.api.call("PUT", `${terms}/${version.id}/draft`, { content })).status).toBe(200);
    expect((await system.api.post(`${terms}/${version.id}/publish`, {})).status).toBe(200);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Our terms have changed.").waitFor();
    await page.locator("#terms ins").first().waitFor();
    await accept();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("You accepted version 2.0 of the terms.").waitFor();

    await page.getByRole("button", { name: "Start as a new visitor" }).click();
    await page.getByRole("button", { name: "Create account" }).waitFor();
    await until(async () => ![visitor, ""].includes(await name.textContent()));
  });

  test("records consent purpose by purpose", async () => {
    const page = await pages.open();
    await page.goto(`${system.demo.baseUrl}/demo`);
    await page.getByLabel("Send me the newsletter").check();
    await page.getByRole("button", { name: "Save my choices" }).click();
    await page.getByText("Your decision is recorded.").waitFor();
    const visitor =
      (await page
        .getByText(/^visitor-/)
        .first()
        .textContent()) ?? "";
    const state = await system.api.get(`/v1/click/consent/${visitor}`);
    const statuses = state.body.consents.map(({ purpose, status }: Record<string, string>) => [purpose, status]);
    expect(statuses.sort()).toEqual([
      ["newsletter", "GRANTED"],
      ["research", "DENIED"],
    ]);
  });

  test("has nothing that axe objects to", async () => {
    const page = await pages.open({ bypassCSP: true });
    await page.goto(`${system.demo.baseUrl}/demo`);
    await page.getByRole("button", { name: "Save my choices" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("answers no other website and records for no session of others", async () => {
    const { baseUrl } = system.demo;
    const send = (path: string, type: string, body: object): Promise<Response> =>
      fetch(baseUrl + path, { method: "POST", headers: { "content-type": type }, body: JSON.stringify(body) });
    expect((await send("/demo/api/sessions", "text/plain", { place: "terms" })).status).toBe(404);
    const foreign = await system.api.post("/v1/click/sessions", { templateSlug: "terms-of-service", userRef: "other" });
    const body = { sessionId: foreign.body.id };
    expect((await send("/demo/api/decisions", "application/json", body)).status).toBe(404);
    expect((await fetch(`${baseUrl}/demo/api/evidence/${foreign.body.id}`)).status).toBe(404);
    const fromElsewhere = { headers: { "sec-fetch-site": "cross-site" } };
    const refused = await fetch(`${baseUrl}/demo/api/visitor`, fromElsewhere);
    expect([refused.status, refused.headers.get("set-cookie")]).toEqual([403, null]);
    for (const place of ["dep_0000000000000000000000", "dep_x/../sessions", "elsewhere"]) {
      expect((await send("/demo/api/sessions", "application/json", { place })).status).toBe(404);
    }
  });

  test("operators see all organizations on the admin port, suspend one and resume it", async () => {
    const { adminUrl, adminToken } = system.operator;
    const page = await pages.open({ bypassCSP: true });
    await page.goto(adminUrl);
    await page.getByLabel("Admin token").fill("wrong");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("The admin token is not correct.").waitFor();
    await page.getByLabel("Admin token").fill(adminToken);
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("1 organization", { exact: true }).waitFor();
    expect(await page.getByLabel("Admin token").isHidden()).toBe(true);
    await page.getByText("Busiest in the last minute").waitFor();
    await page.getByLabel(/^Use /).selectOption("today");
    await page.getByRole("button", { name: "Requests", exact: true }).click();
    expect(await page.getByLabel("Order").inputValue()).toBe("down");
    expect(await page.locator("th[aria-sort]").textContent()).toBe("Requests");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const csv = readFileSync(await (await download).path(), "utf8");
    expect(csv.split("\r\n")[0]).toMatch(/^"Id","Name","Plan","State","Requests","Refused","Acceptances"/);
    expect(csv.split("\r\n")[1]).toMatch(/^"[0-9a-f-]{36}","Demo",/);
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole("button", { name: "Suspend Demo" }).click();
    await page.getByLabel("Reason, which its owners read").fill("<b>unpaid</b>");
    await page.getByLabel("Who you are").fill("Olga Ops");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await page.getByText(/^since .*: <b>unpaid<\/b>$/).waitFor();
    const write = () => system.api.post("/v1/click/sessions", { templateSlug: "terms-of-service", userRef: "someone" });
    await until(async () => (await write()).body.errorCode === "ORGANIZATION_SUSPENDED");
    expect((await system.api.get("/v1/click/templates")).status).toBe(200);
    await page.getByLabel(/^State/).selectOption("active");
    await page.getByText("0 organizations", { exact: true }).waitFor();
    await page.getByLabel(/^State/).selectOption("suspended");

    for (const width of [1280, 1240, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Resume Demo" }).click();
    await page.getByLabel("Who you are").fill("Olga Ops");
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByText("0 organizations", { exact: true }).waitFor();
    await until(async () => (await write()).status === 201);
  });

  test("a session's own page in a frame tells the page around it what was decided", async () => {
    const site = await startSite();
    try {
      const terms = (await system.api.get("/v1/click/templates")).body.find(
        ({ slug }: { slug: string }) => slug === "terms-of-service",
      );
      const deployment = await system.api.post(`/v1/click/templates/${terms.id}/deployments`, {
        name: "Frame",
        environment: "TEST",
        displayMode: "FULL_PAGE",
        allowedOrigins: [site.url],
        policyOverrides: { requireCheckbox: true },
        activate: true,
      });
      const session = await system.api.post("/v1/click/sessions", {
        templateSlug: "terms-of-service",
        deploymentId: deployment.body.id,
        userRef: "framed",
      });
      const page = await pages.open();
      await page.goto(
        site.page(
          hostHtml(`<script>window.decisions = [];
            addEventListener("message", ({ data, source, origin }) => {
              decisions.push(data);
              const { idempotencyKey } = data;
              source.postMessage({ type: "assent:recorded", idempotencyKey, answer: { receiptId: "receipt-of-the-shop" } }, origin);
            });</script>
          <iframe title="Terms" width="600" height="500" src="${session.body.renderUrl}"></iframe>`),
        ),
      );
      const frame = page.frameLocator("iframe");
      await frame.getByLabel("I have read and agree").check();
      await frame.getByRole("button", { name: "I agree" }).click();
      await frame.getByText("Reference: receipt-of-the-shop").waitFor();
      const [decision] = (await page.evaluate("decisions")) as { type: string; acceptance: object }[];
      expect(decision?.type).toBe("assent:accept");
      const receipt = await system.api.accept("framed-1", decision?.acceptance);
      expect([receipt.status, receipt.body.decision]).toEqual([201, "ACCEPT"]);
    } finally {
      await site.close();
    }
  });
});
