import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { stats } from "#api/stats.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";
import { wholeJson } from "./whole-json.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write click:admin");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const send = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { token, ...(body === undefined ? {} : { body }) });
const create = async (fields: Record<string, unknown>) =>
  (await send("POST", "/v1/click/templates", { type: "STATIC", ...fields })).body;

const full = {
  name: "Terms of service",
  type: "CONSENT",
  slug: "terms-of-service",
  description: "What we agree on",
  defaultLocale: "de-CH",
  typeConfig: { controller: { name: "Example AG" } },
  policyFlags: { minDisplaySeconds: 3, requireScroll: true },
  counterparty: { legalName: "Example AG", address: "Bern", url: "https://example.com/" },
  metadata: { team: "legal" },
};

describe("createTemplate", () => {
  test("answers 201 with every field of the interface", async () => {
    const answer = await send("POST", "/v1/click/templates", full);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...full,
      brandId: null,
      id: expect.any(String),
      organizationId: orgA,
      status: "DRAFT",
      currentVersions: {},
      activeDeploymentCount: 0,
      nextPublicationAt: null,
      createdBy: "cl_test",
      createdAt: "2026-11-20T17:00:00.123Z",
      updatedAt: "2026-11-20T17:00:00.123Z",
      archivedAt: null,
    });
  });

  test("shows absent values as null and takes null for absent", async () => {
    const body = await create({ name: "Bare", slug: null, description: null, counterparty: null, metadata: null });
    expect(body).toMatchObject({ slug: "bare", description: null, counterparty: null, metadata: {}, typeConfig: {} });
  });

  test("ignores unknown fields and those that the server owns", async () => {
    const body = await create({
      name: "Owned",
      id: "x",
      organizationId: "x",
      status: "ARCHIVED",
      createdAt: "x",
      color: "red",
    });
    expect(body).toMatchObject({ organizationId: orgA, status: "DRAFT" });
    expect(body).not.toHaveProperty("color");
  });

  test("a taken slug is 409", async () => {
    await create({ name: "Taken", slug: "taken" });
    const answer = await send("POST", "/v1/click/templates", { name: "Other", type: "STATIC", slug: "taken" });
    expect([answer.status, answer.body.errorCode]).toEqual([409, "CLICK_TEMPLATE_SLUG_EXISTS"]);
  });

  test.each([
    ["no name", { type: "STATIC" }, "name", "REQUIRED"],
    ["no type", { name: "x" }, "type", "REQUIRED"],
    ["an empty name", { name: "", type: "STATIC" }, "name", "MIN_LENGTH"],
    ["a name of 256 characters", { name: "x".repeat(256), type: "STATIC" }, "name", "MAX_LENGTH"],
    ["a name that is no text", { name: 5, type: "STATIC" }, "name", "TYPE"],
    ["an unknown type", { name: "x", type: "OTHER" }, "type", "ENUM"],
    ["a type in lower case", { name: "x", type: "static" }, "type", "ENUM"],
    ["a slug in capitals", { name: "x", type: "STATIC", slug: "Terms" }, "slug", "PATTERN"],
    ["a slug with two hyphens", { name: "x", type: "STATIC", slug: "a--b" }, "slug", "PATTERN"],
    ["a locale that is none", { name: "x", type: "STATIC", defaultLocale: "not a locale" }, "defaultLocale", "FORMAT"],
    [
      "a counterparty without a name",
      { name: "x", type: "STATIC", counterparty: {} },
      "counterparty.legalName",
      "REQUIRED",
    ],
    [
      "a counterparty by http",
      { name: "x", type: "STATIC", counterparty: { legalName: "x", url: "http://x.example" } },
      "counterparty.url",
      "FORMAT",
    ],
    ["metadata that is no text", { name: "x", type: "STATIC", metadata: { a: 1 } }, "metadata.a", "TYPE"],
    [
      "metadata of 501 characters",
      { name: "x", type: "STATIC", metadata: { a: "x".repeat(501) } },
      "metadata.a",
      "MAX_LENGTH",
    ],
    [
      "51 metadata",
      { name: "x", type: "STATIC", metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, ""])) },
      "metadata",
      "MAX_PROPERTIES",
    ],
    ["flags that are a list", { name: "x", type: "STATIC", policyFlags: [] }, "policyFlags", "TYPE"],
  ])("%s is 400", async (_name, body, field, code) => {
    const answer = await send("POST", "/v1/click/templates", body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(answer.body.details).toContainEqual({ field, code, message: expect.any(String) });
  });
});

describe("findAllTemplates", () => {
  test("answers a bare array and pages with a cursor in a header", async () => {
    const lister = await gateway.auth.token(
      "click:read click:write",
      "cl_lister",
      "0190a000-0000-7000-8000-0000000000aa",
    );
    for (const name of ["one", "two", "three"]) {
      await gateway.call("POST", "/v1/click/templates", { token: lister, body: { name, type: "STATIC" } });
    }
    const list = (query: string) => gateway.call("GET", `/v1/click/templates${query}`, { token: lister });
    const all = await list("");
    expect(all.body.map(({ name }: { name: string }) => name)).toEqual(["one", "two", "three"]);
    expect(all.headers.get("x-next-cursor")).toBeNull();
    const first = await list("?limit=2");
    expect(first.body).toHaveLength(2);
    const rest = await list(`?limit=2&cursor=${first.headers.get("x-next-cursor")}`);
    expect(rest.body.map(({ name }: { name: string }) => name)).toEqual(["three"]);
    expect(rest.headers.get("x-next-cursor")).toBeNull();
  });

  test("a page that ends early is followed by the next one, up to the limit", async () => {
    const organization = "0190a000-0000-7000-8000-0000000000ab";
    const lister = await gateway.auth.token("click:read click:write", "cl_pages", organization);
    for (const name of ["1", "2", "3", "4", "5"]) {
      await gateway.call("POST", "/v1/click/templates", { token: lister, body: { name, type: "STATIC" } });
    }
    gateway.templates.pages.items = 2;
    const list = (query: string) => gateway.call("GET", `/v1/click/templates${query}`, { token: lister });
    const all = await list("");
    expect(all.body.map(({ name }: { name: string }) => name)).toEqual(["1", "2", "3", "4", "5"]);
    expect(all.headers.get("x-next-cursor")).toBeNull();
    const some = await list("?limit=3");
    expect([some.body.length, some.headers.get("x-next-cursor")]).toEqual([3, "3"]);
    gateway.templates.pages.items = 1_000;
  });

  test.each([
    "limit=0",
    "limit=1001",
    "limit=x",
    "limit=-1",
    "limit=1&limit=2",
    "cursor=",
    "includeVersions=yes",
    "includeVersions=",
  ])("the query %s is 400", async (query) => {
    const answer = await send("GET", `/v1/click/templates?${query}`);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(answer.body.details[0].field).toBe(query.split("=")[0]);
  });
});

describe("findOneTemplate", () => {
  test.each([
    ["", false],
    ["?includeVersions=true", true],
    ["?includeVersions=1", true],
    ["?includeVersions=false", false],
    ["?includeVersions=0&other=ignored", false],
  ])("the query %p embeds versions: %p", async (query, embeds) => {
    const { id } = await create({ name: `Embeds ${query}` });
    await send("POST", `/v1/click/templates/${id}/versions`, { locale: "en", content: "text" });
    const answer = await send("GET", `/v1/click/templates/${id}${query}`);
    expect(answer.status).toBe(200);
    expect(answer.body.versions?.length).toBe(embeds ? 1 : undefined);
  });
});

describe("updateTemplate", () => {
  const update = async (body: unknown) => {
    const { id } = await create({ name: `Update ${JSON.stringify(body)}`.slice(0, 250) });
    return send("PATCH", `/v1/click/templates/${id}`, body);
  };
  const lastMask = () => gateway.templates.seen.updates.at(-1)?.updateMask?.paths;

  test("names exactly the fields that came", async () => {
    const answer = await update({
      name: "New",
      defaultLocale: "fr",
      policyFlags: { requireScroll: true },
      id: "ignored",
    });
    expect([answer.status, answer.body.name]).toEqual([200, "New"]);
    expect(lastMask()).toEqual(["name", "default_locale", "policy_flags"]);
  });

  test("has a brand that there is", async () => {
    const admin = await gateway.auth.token("sign:admin");
    const brand = await gateway.call("POST", "/v1/sign/brands", { token: admin, body: { name: "Green" } });
    expect((await update({ brandId: brand.body.id })).status).toBe(200);
    expect(lastMask()).toEqual(["brand_id"]);
    const unknown = { brandId: crypto.randomUUID() };
    const made = await send("POST", "/v1/click/templates", { name: "Unbranded", type: "STATIC", ...unknown });
    for (const answer of [made, await update(unknown)]) {
      expect([answer.status, answer.body.errorCode]).toEqual([404, "BRAND_NOT_FOUND"]);
    }
    expect((await update({ brandId: null })).status).toBe(200);
  });

  test("null clears what may be absent", async () => {
    expect((await update({ description: null, counterparty: null, metadata: null })).status).toBe(200);
    expect(lastMask()).toEqual(["description", "counterparty", "metadata"]);
    expect(gateway.templates.seen.updates.at(-1)?.changes).toMatchObject({ metadata: {} });
    expect(gateway.templates.seen.updates.at(-1)?.changes?.description).toBeUndefined();
  });

  test("an empty change is allowed", async () => {
    expect((await update({})).status).toBe(200);
  });

  test.each([
    ["name", null],
    ["slug", null],
    ["defaultLocale", null],
    ["typeConfig", null],
    ["policyFlags", null],
    ["status", "ARCHIVED"],
    ["status", "PUBLISHED"],
    ["type", "OTHER"],
  ])("%s: %p is 400", async (field, value) => {
    const answer = await update({ [field]: value });
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "CLICK_VALIDATION_FAILED",
      field,
    ]);
  });
});

describe("removeTemplate", () => {
  test("answers 204 without a body, and 404 afterwards", async () => {
    const { id } = await create({ name: "To be removed" });
    const answer = await send("DELETE", `/v1/click/templates/${id}`);
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([204, "", null]);
    expect((await send("DELETE", `/v1/click/templates/${id}`)).status).toBe(404);
  });

  test("active deployments are 400", async () => {
    const { id } = await create({ name: "Deployed" });
    await send("POST", `/v1/click/templates/${id}/deployments`, { activate: true });
    const answer = await send("DELETE", `/v1/click/templates/${id}`);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS"]);
  });
});

describe("getTemplateStats", () => {
  test("answers what the service says, byte by byte", async () => {
    const { id } = await create({ name: "Counted" });
    gateway.click.stats.set(id, orgA);
    const query = `from=2026-11-01&to=2026-11-30&locale=de&versionId=${id.toUpperCase()}`;
    const answer = await send("GET", `/v1/click/templates/${id}/stats?${query}`);
    expect([answer.status, answer.text]).toEqual([
      200,
      wholeJson(stats.schemas.answer, { templateId: id, declines: 0 }),
    ]);
    expect(gateway.click.seen.stats.at(-1)).toMatchObject({
      templateId: id,
      from: "2026-11-01",
      to: "2026-11-30",
      locale: "de",
      versionId: id,
    });
  });

  test.each(["from=yesterday", "from=2026-02-30", "to=2026-11-01T00:00:00Z", "locale=x", "versionId=x"])(
    "the query %s is 400",
    async (query) => {
      const { id } = await create({ name: `Stats ${query}` });
      const answer = await send("GET", `/v1/click/templates/${id}/stats?${query}`);
      expect([answer.status, answer.body.details[0].field]).toEqual([400, query.split("=")[0]]);
    },
  );
});
