import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { contentHash, fragment, renderHash } from "./fake-render.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let sessionId: string;

const key = "dep_0123456789abcdefABCDEF";
const renderToken = "head.session.mac";

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
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
const lastRender = () => gateway.click.render.seen.renders.at(-1);
const policyOf = ({ headers }: { headers: Headers }) => headers.get("content-security-policy")?.split("; ") ?? [];

describe("forms", () => {
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  test.each([
    ["nothing", {}, "", "application/json"],
    ["JSON", { Accept: "application/json" }, "", "application/json"],
    ["anything", { Accept: "*/*" }, "", "application/json"],
    ["what a browser asks for", { Accept: browser }, "", "text/html"],
    ["HTML rather than JSON", { Accept: "application/json;q=0.5, text/html;q=0.6" }, "", "text/html"],
    ["JSON rather than HTML", { Accept: "text/html;q=0.5, application/json" }, "", "application/json"],
    ["any text", { Accept: "text/*, application/json;q=0.1" }, "", "text/html"],
    ["no HTML", { Accept: "text/html;q=0, */*;q=0.1" }, "", "application/json"],
    ["an image", { Accept: "image/png" }, "", "application/json"],
    ["nonsense", { Accept: ";;q=x,,/" }, "", "application/json"],
    ["the format html", { Accept: "application/json" }, "?format=html", "text/html"],
    ["the format fragment", {}, "?format=fragment", "text/html"],
    ["the format json", { Accept: browser }, "?format=json", "application/json"],
  ])("%s", async (_name, headers: Record<string, string>, query, type) => {
    const answer = await render(`${key}${query}`, headers);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, `${type}; charset=utf-8`]);
  });

  test("an unknown format is 400", async () => {
    const answer = await render(`${key}?format=pdf`);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, "format"]);
  });

  test("JSON has every field of the interface", async () => {
    expect((await render(key)).body).toEqual({
      renderId: expect.any(String),
      deploymentKey: key,
      sessionId: null,
      templateId: expect.any(String),
      templateType: "STATIC",
      versionId: expect.any(String),
      revision: 1,
      label: "1.0",
      isDraft: false,
      locale: "de-CH",
      title: "AGB <2026>",
      html: fragment,
      contentHash,
      renderHash,
      noticeText: 'Mit "Zustimmen" gelten die AGB & mehr.',
      buttonText: "Zustimmen",
      declineText: "Ablehnen",
      checkboxText: "Gelesen",
      documents: [],
      disclosure: null,
      changes: null,
      pdf: null,
      purposes: [],
      policy: { requireScroll: true },
      verification: { required: false },
      displayMode: "INLINE",
      theme: { accent: "</script><script>alert(1)</script>" },
      brand: null,
      alreadyAccepted: false,
      renderToken: "aaa.bbb.ccc",
      renderedAt: "2026-11-20T17:00:00.123Z",
      expiresAt: "2026-11-20T17:00:00.123Z",
    });
  });

  test("a fragment is the rendered bytes and nothing else, and is not sent again", async () => {
    const answer = await render(`${key}?format=fragment`);
    expect([answer.text, answer.headers.get("etag")]).toEqual([fragment, `"${renderHash}"`]);
    const again = await render(`${key}?format=fragment`, { "If-None-Match": `"${renderHash}"` });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", `"${renderHash}"`]);
    for (const known of [`W/"${renderHash}"`, `"other", W/"${renderHash}"`, "*"]) {
      expect((await render(`${key}?format=fragment`, { "If-None-Match": known })).status).toBe(304);
    }
    expect((await render(`${key}?format=fragment`, { "If-None-Match": '"other", W/"another"' })).status).toBe(200);
    // These carry a token that is new each time.
    expect((await render(key, { "If-None-Match": `"${renderHash}"` })).status).toBe(200);
  });

  test("a fragment and a page hand out the disclosure and the changes, and are another when these are", async () => {
    const html = '<p class="assent-title"><strong>What has changed</strong></p>';
    const changes = { from: {}, changeSummary: null, html, hash: "sha256:0" };
    const tagOf = async (text: string) => {
      gateway.click.render.changes.rendering = { changes, disclosure: { locale: "ar", title: "A & b", text } };
      const answer = await render(`${key}?format=fragment`);
      const told =
        `<section class="disclosure" lang="ar" dir="rtl"><h2>A &amp; b</h2><p>On &lt;paper&gt;.</p><p>${text.slice(12)}</p>` +
        `</section>\n<section class="changes">${html}</section>\n`;
      expect(answer.text).toBe(`${told}${fragment}`);
      expect((await render(`${key}?format=html`)).text).toContain(`${told}<article>${fragment}</article>`);
      const tag = String(answer.headers.get("etag"));
      expect((await render(`${key}?format=fragment`, { "If-None-Match": tag })).status).toBe(304);
      expect((await render(`${key}?format=fragment`, { "If-None-Match": `"${renderHash}"` })).status).toBe(200);
      return tag;
    };
    expect(await tagOf("On <paper>.\nWithdraw.")).not.toBe(await tagOf("On <paper>.\nRevoke."));
  });
});

describe("headers", () => {
  test.each(["json", "html", "fragment"])("%s carries those of the interface", async (format) => {
    const { headers } = await render(`${key}?format=${format}`);
    // One tag for one sequence of bytes.
    expect(headers.get("etag")).toBe(format === "fragment" ? `"${renderHash}"` : null);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-click-content-hash": contentHash,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-language": "de-CH",
      vary: "Accept, Origin",
      "x-ratelimit-limit": "12000",
    });
    expect(headers.get("set-cookie")).toBeNull();
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("the policy lets nothing in but our style, and only the allowed origins frame it", async () => {
    const policy = policyOf(await render(`${key}?format=html`));
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors https://www.example.com https://shop.example:8443");
    expect(policy).toContain("sandbox allow-popups allow-popups-to-escape-sandbox");
    expect(policy.join()).not.toMatch(/unsafe|script-src/);
  });

  test.each([[[]], [["https://x.example; script-src *", "*", "javascript:x"]]])(
    "nobody frames it when the origins are %j",
    async (allowedOrigins) => {
      gateway.click.render.changes.rendering = { allowedOrigins };
      expect(policyOf(await render(`${key}?format=html`))).toContain("frame-ancestors 'none'");
    },
  );

  test("no cache keeps it: a render token is for whoever asked", async () => {
    const cacheOf = async (path: string) => (await render(path)).headers.get("cache-control");
    expect(await cacheOf(key)).toBe("private, no-store");
    expect(await cacheOf(`${key}?format=fragment`)).toBe("private, no-store");
    expect(await cacheOf(`${key}?userRef=user-1`)).toBe("private, no-store");
    expect(await cacheOf(`sessions/${sessionId}`)).toBe("private, no-store");
    expect(await cacheOf("templates/terms-of-service")).toBe("private, no-store");
  });
});

describe("renderDeployment", () => {
  test("passes on what was asked for", async () => {
    await render(`${key}?locale=de-ch&userRef=User%201`, { Origin: "https://www.example.com" });
    expect(lastRender()).toMatchObject({
      subject: { case: "deploymentKey", value: key },
      locale: "de-ch",
      userRef: "User 1",
      origin: "https://www.example.com",
    });
    expect(lastRender()?.token).toBeUndefined();
  });

  test("an origin that is not allowed is 403", async () => {
    const answer = await render(key, { Origin: "https://evil.example" });
    expect([answer.status, answer.body.errorCode]).toEqual([403, "CLICK_ORIGIN_NOT_ALLOWED"]);
  });

  test.each([`dep_${"z".repeat(22)}`, "dep_short", "DEP_0123456789abcdefABCDEF", "sessions", "templates"])(
    "%s is 404",
    async (unknown) => {
      const answer = await render(unknown);
      expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_RENDER_NOT_FOUND"]);
    },
  );

  test("a render token is no credential here", async () => {
    const answer = await inBrowser(`${key}?token=${renderToken}`);
    expect([answer.status, answer.body.errorCode]).toEqual([401, "UNAUTHORIZED"]);
  });
});

describe("renderTemplate", () => {
  test("takes an id in any case or a slug, and a version", async () => {
    const id = newId();
    gateway.click.render.known.set(id, orgA);
    await render(`templates/${id.toUpperCase()}?versionId=${id.toUpperCase()}&locale=fr`);
    expect(lastRender()).toMatchObject({
      subject: { case: "template", value: { templateIdOrSlug: id, versionId: id } },
      locale: "fr",
    });
    expect((await render("templates/terms-of-service")).status).toBe(200);
  });

  test.each(["unknown", "Not%20a%20slug", "a--b", "x".repeat(101)])("%s is 404", async (name) => {
    const answer = await render(`templates/${name}`);
    expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_TEMPLATE_NOT_FOUND"]);
  });

  test("a draft says so", async () => {
    gateway.click.render.changes.rendering = { isDraft: true, revision: 0, label: "", renderToken: "" };
    const page = await render("templates/terms-of-service?format=html");
    expect(page.text).toContain("Draft – not published");
    const { body } = await render("templates/terms-of-service");
    expect([body.isDraft, body.revision, body.label, body.renderToken]).toEqual([true, 0, null, null]);
  });
});

describe("renderSession", () => {
  const path = () => `sessions/${sessionId}`;

  test("a credential renders it without the token", async () => {
    expect((await render(path())).status).toBe(200);
    expect(lastRender()).toMatchObject({ subject: { case: "sessionId", value: sessionId } });
    expect(lastRender()?.token).toBeUndefined();
  });

  test("a token does instead of a credential, and its client pays", async () => {
    const answer = await inBrowser(`${path()}?token=${renderToken}`, { Origin: "https://www.example.com" });
    expect([answer.status, answer.body.sessionId]).toEqual([200, sessionId]);
    expect(lastRender()).toMatchObject({ token: renderToken, origin: "https://www.example.com" });
    const remaining = Number(answer.headers.get("x-ratelimit-remaining"));
    const payer = await gateway.auth.token("click:read", "cl_payer");
    const next = await gateway.call("GET", `/v1/click/render/${path()}`, { token: payer });
    expect(Number(next.headers.get("x-ratelimit-remaining"))).toBe(remaining - 1);
  });

  test("pages of every origin may read the answers, errors included", async () => {
    const good = await inBrowser(`${path()}?token=${renderToken}`);
    const bad = await inBrowser(`${path()}?token=a.b.c`);
    for (const { headers } of [good, bad]) {
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  test.each([
    ["no token", "", "UNAUTHORIZED"],
    ["an empty token", "?token=", "INVALID_TOKEN"],
    ["what is no token", "?token=nonsense", "INVALID_TOKEN"],
    ["an unknown token", "?token=a.b.c", "INVALID_TOKEN"],
    ["two tokens", `?token=${renderToken}&token=${renderToken}`, "INVALID_TOKEN"],
    ["a huge token", `?token=${"x".repeat(5_000)}.b.c`, "INVALID_TOKEN"],
    ["an expired token", "?token=expired.expired.expired", "TOKEN_EXPIRED"],
  ])("%s is 401", async (_name, query, errorCode) => {
    const answer = await inBrowser(`${path()}${query}`);
    expect([answer.status, answer.body.errorCode]).toEqual([401, errorCode]);
  });

  test("a token opens its own session only, and others answer as unknown ones", async () => {
    const other = await gateway.call("POST", "/v1/click/sessions", { token, body: { templateSlug: "terms" } });
    const known = await inBrowser(`sessions/${other.body.id}?token=${renderToken}`);
    const unknown = await inBrowser(`sessions/${newId()}?token=${renderToken}`);
    expect([known.status, known.body.errorCode]).toEqual([404, "CLICK_SESSION_NOT_FOUND"]);
    expect([unknown.status, unknown.body.message]).toEqual([404, known.body.message]);
  });

  test("a token is no credential for anything else", async () => {
    const answer = await gateway.call("GET", `/v1/click/sessions/${sessionId}?token=${renderToken}`);
    expect(answer.status).toBe(401);
    const asBearer = await gateway.call("GET", `/v1/click/sessions/${sessionId}`, { token: renderToken });
    expect(asBearer.status).toBe(401);
  });

  test("a credential that is sent counts, whatever the token", async () => {
    const acceptOnly = await gateway.auth.token("click:accept", "cl_accept_only");
    const options = { token: acceptOnly };
    const answer = await gateway.call("GET", `/v1/click/render/${path()}?token=${renderToken}`, options);
    expect([answer.status, answer.body.errorCode]).toEqual([403, "INSUFFICIENT_SCOPE"]);
  });

  test("a refused budget is that of the client that created the session", async () => {
    gateway.auth.setLimits(orgB, { render: 1 });
    const created = await gateway.call("POST", "/v1/click/sessions", {
      token: await gateway.auth.token("click:write", "cl_poor", orgB),
      body: { templateSlug: "terms" },
    });
    const poor = { organizationId: orgB, clientId: "cl_poor", sessionId: created.body.id };
    gateway.click.render.tokens.set("poor.poor.poor", poor);
    const ask = () => inBrowser(`sessions/${created.body.id}?token=poor.poor.poor`);
    const statuses = [(await ask()).status, (await ask()).status, (await ask()).status];
    // The window may end between two of them.
    expect(statuses).toContain(429);
  });
});
