import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { fragment } from "./fake-render.ts";
import { embedScriptFile, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let sessionId: string;

const key = "dep_0123456789abcdefABCDEF";
const renderToken = "head.session.mac";

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url, { config: { abuseContact: "https://abuse.example/form" } });
  token = await gateway.auth.token("click:read click:write");
  gateway.click.render.known.set(key, orgA).set("terms-of-service", orgA);
  const created = await gateway.call("POST", "/v1/click/sessions", { token, body: { templateSlug: "terms" } });
  sessionId = created.body.id;
  gateway.click.render.tokens.set(renderToken, { organizationId: orgA, clientId: "cl_payer", sessionId });
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

afterEach(() => {
  gateway.click.render.changes.rendering = {};
});

const render = (path: string, headers: Record<string, string> = {}) =>
  gateway.call("GET", `/v1/click/render/${path}`, { token, headers });
const inBrowser = (path: string, headers: Record<string, string> = {}) =>
  gateway.call("GET", `/v1/click/render/${path}`, { headers });
const policyOf = ({ headers }: { headers: Headers }) => headers.get("content-security-policy")?.split("; ") ?? [];

const sha256 = (text: string) => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));

describe("the page", () => {
  test("names its language and title, has one main landmark, and escapes what is no HTML", async () => {
    const { text } = await render(`${key}?format=html`);
    expect(text).toMatch(/^<!doctype html>\n<html lang="de-CH" dir="ltr">/);
    expect(text).toContain("<title>AGB &lt;2026&gt;</title>");
    expect(text).toContain("<h1>AGB &lt;2026&gt;</h1>");
    expect(text.match(/<main>/g)).toHaveLength(1);
    expect(text).toContain(`<article>${fragment}</article>`);
    expect(text).toContain("Mit &quot;Zustimmen&quot; gelten die AGB &amp; mehr.");
  });

  test("does not say its title twice when the text begins with it", async () => {
    const html = '<h1>Terms &amp; "more"</h1><p>Be kind.</p>';
    gateway.click.render.changes.rendering = { title: 'Terms & "more"', html };
    const { text } = await render(`${key}?format=html`);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).toContain(`<article>${html}</article>`);
    gateway.click.render.changes.rendering = { title: "Terms", html };
    expect((await render(`${key}?format=html`)).text).toContain("<h1>Terms</h1>");
  });

  test("shows what has changed before the text, as a fragment does", async () => {
    const html = '<p class="assent-title"><strong>Was sich geändert hat</strong></p>';
    gateway.click.render.changes.rendering = { changes: { from: {}, changeSummary: null, html, hash: "sha256:0" } };
    const { text } = await render(`${key}?format=html`);
    expect(text).toContain(`<section class="changes">${html}</section>\n<article>`);
    expect((await render(`${key}?format=json`)).body.changes).toMatchObject({ html });
    expect((await render(`${key}?format=fragment`)).text).toBe(
      `<section class="changes">${html}</section>\n${fragment}`,
    );
  });

  test("is read from right to left where that is usual", async () => {
    gateway.click.render.changes.rendering = { locale: "ar-EG" };
    expect((await render(`${key}?format=html`)).text).toContain('<html lang="ar-EG" dir="rtl">');
  });

  test("has no script for whoever only reads", async () => {
    for (const path of [key, `sessions/${sessionId}`, "templates/terms-of-service"]) {
      expect((await render(`${path}?format=html`)).text).not.toContain("<script");
    }
  });

  test("has the brand of its deployment, or else the default one, and names who asks and where to report abuse", async () => {
    const admin = await gateway.auth.token("sign:admin");
    const made = async (body: object): Promise<string> =>
      (await gateway.call("POST", "/v1/sign/brands", { token: admin, body })).body.id;
    const brandId = await made({
      ...{ name: "Green", senderName: "Green & Co", footer: "Berlin", font: "serif" },
      colors: { button: "#0b5d3b", buttonText: "#ffffff", header: "#ffdd00", headerText: "#000000" },
    });
    gateway.click.render.changes.rendering = { brandId };
    const page = await render(`${key}?format=html`);
    expect(page.text).toContain('<div class="brand-head"><span dir="auto">Green &amp; Co</span></div>');
    expect(page.text).toContain("<p><bdi>Berlin</bdi></p><p>Anfrage von <bdi>Example AG</bdi>");
    expect(page.text).toContain('<a href="https://abuse.example/form?reference=dep_');
    const [, sheet = ""] = /<style>(:root\{--brand:.*?)<\/style>/.exec(page.text) ?? [];
    expect(sheet).toContain("--on-brand-header:#000000;--brand-font:Georgia");
    const hash = Buffer.from(await sha256(sheet)).toString("base64");
    expect(policyOf(page).find((part) => part.startsWith("style-src"))).toMatch(` 'sha256-${hash}'`);
    expect((await render(`${key}?format=json`)).body.brand).toMatchObject({
      ...{ name: "Green & Co", font: "serif", logoUrl: null },
      colors: { button: "#0b5d3b" },
    });
    // A deployment without one has that of its template, as long as there is the template.
    const template = await gateway.call("POST", "/v1/click/templates", {
      ...{ token, body: { name: "Branded", type: "STATIC", brandId } },
    });
    expect([template.status, template.body.brandId]).toEqual([201, brandId]);
    const brandNamed = async (rendering: object) => {
      gateway.click.render.changes.rendering = rendering;
      return (await render(`${key}?format=json`)).body.brand?.name ?? null;
    };
    const other = await made({ name: "Blue", senderName: "Blue & Co" });
    const { id: templateId } = template.body;
    expect(await brandNamed({ templateId })).toBe("Green & Co");
    expect(await brandNamed({ templateId, brandId: other })).toBe("Blue & Co");
    expect(await brandNamed({ templateId: other })).toBeNull();
  });

  test("of a session with its token has the controls' script and what it needs, as data", async () => {
    const page = await inBrowser(`sessions/${sessionId}?token=${renderToken}`, { Accept: "text/html" });
    expect(policyOf(page).join()).not.toMatch(/sandbox|unsafe/);
    const [, data = ""] =
      /<script type="application\/json" data-assent-rendering>(.*?)<\/script>/.exec(page.text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      rendering: { sessionId, html: fragment, theme: { accent: expect.any(String) } },
      origins: ["https://www.example.com", "https://shop.example:8443"],
    });
    expect(page.text.match(/<script/g)).toHaveLength(3);
    const [, inline = ""] = /<script>([^<]*)<\/script>/.exec(page.text) ?? [];
    const inlineHash = `sha256-${Buffer.from(await sha256(inline)).toString("base64")}`;
    expect(policyOf(page)).toContain(`script-src 'self' '${inlineHash}'`);
    const [, relative = "", integrity] =
      /src="([^"]+)" integrity="([^"]+)" crossorigin="anonymous"/.exec(page.text) ?? [];
    const src = new URL(relative, `${gateway.url}/v1/click/render/sessions/${sessionId}`).pathname;
    const script = await gateway.call("GET", src);
    expect([script.status, script.text]).toEqual([200, readFileSync(embedScriptFile, "utf8")]);
    expect(integrity).toBe(`sha256-${Buffer.from(await sha256(script.text)).toString("base64")}`);
  });
});

describe("the embed script", () => {
  const load = (name: string, from = gateway) => from.call("GET", `/v1/click/render/${name}`);

  test("needs no credential and leads to the address of exactly this release", async () => {
    const newest = await load(`${key}/embed.js`);
    expect(newest.status).toBe(200);
    expect(Object.fromEntries(newest.headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    const pinned = await load(`${key}/${newest.headers.get("content-location")}`);
    expect([pinned.status, pinned.text]).toEqual([200, newest.text]);
    expect(pinned.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  test.each([`${key}/embed.${"0".repeat(32)}.js`, `${key}/embed.x.js`, "dep_x/embed.js", `embed.${"0".repeat(32)}.js`])(
    "%s is 404",
    async (name) => {
      const answer = await load(name);
      expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_RENDER_NOT_FOUND"]);
    },
  );

  test("that was not built is 404, and pages do without it", async () => {
    const config = { embedScriptFile: "/nowhere/embed.js" };
    const bare = await startTestGateway(database.url, { fakes: gateway, config });
    expect((await load(`${key}/embed.js`, bare)).status).toBe(404);
    const page = await load(`sessions/${sessionId}?token=${renderToken}&format=html`, bare);
    expect([page.status, page.text.includes("<script")]).toEqual([200, false]);
    await bare.stop();
  });
});
