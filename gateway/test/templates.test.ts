import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write");
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
      id: expect.any(String),
      organizationId: orgA,
      status: "DRAFT",
      currentVersions: {},
      activeDeploymentCount: 0,
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

describe("versions", () => {
  const createVersion = async (fields: Record<string, unknown> = {}) => {
    const { id } = await create({ name: `For a version ${Math.random()}` });
    const answer = await send("POST", `/v1/click/templates/${id}/versions`, {
      locale: "en",
      content: "<p>Text</p>",
      ...fields,
    });
    return { templateId: id as string, answer, path: `/v1/click/templates/${id}/versions/${answer.body.id}` };
  };
  const texts = {
    consentText: "I consent",
    buttonText: "I agree",
    declineText: "No",
    checkboxText: "I have read it",
    linkText: "Terms",
    purposeTexts: { marketing: "News" },
  };

  test("createVersion answers 201 with the texts beside the content", async () => {
    const fields = {
      title: "Terms",
      format: "markdown",
      changeSummary: "First",
      effectiveAt: "2026-12-01T00:00:00.000Z",
      ...texts,
    };
    const { answer, templateId } = await createVersion(fields);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...fields,
      id: expect.any(String),
      templateId,
      organizationId: orgA,
      locale: "en",
      content: "<p>Text</p>",
      status: "DRAFT",
      isPublished: false,
      revision: 0,
      label: null,
      contentHash: expect.stringMatching(/^sha256:/),
      validation: null,
      publishedAt: null,
      publishedBy: null,
      unpublishedAt: null,
      archivedAt: null,
      createdAt: "2026-11-20T17:00:00.123Z",
      updatedAt: "2026-11-20T17:00:00.123Z",
      revisions: [],
    });
    expect(gateway.templates.seen.versions.at(-1)?.texts).toMatchObject(texts);
  });

  test("the format is html when absent, and absent texts are null", async () => {
    const { answer } = await createVersion({ title: null });
    expect(answer.body).toMatchObject({
      format: "html",
      title: null,
      buttonText: null,
      purposeTexts: {},
      effectiveAt: null,
    });
  });

  test.each([
    ["locale", { locale: undefined }],
    ["locale", { locale: "english please" }],
    ["content", { content: undefined }],
    ["content", { content: "" }],
    ["format", { format: "HTML" }],
    ["effectiveAt", { effectiveAt: "tomorrow" }],
    ["effectiveAt", { effectiveAt: "2026-02-30T00:00:00Z" }],
    ["buttonText", { buttonText: "x".repeat(256) }],
    ["purposeTexts.a", { purposeTexts: { a: 1 } }],
  ])("createVersion refuses a bad %s", async (field, fields) => {
    const { answer } = await createVersion(fields);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field]);
  });

  test("createVersion takes content of 1 MiB, which other operations do not", async () => {
    const { answer } = await createVersion({ content: "ä".repeat(500_000) });
    expect(answer.status).toBe(201);
    const large = await send("POST", "/v1/click/templates", {
      name: "x",
      type: "STATIC",
      description: "x".repeat(300_000),
    });
    expect([large.status, large.body.errorCode]).toEqual([400, "CLICK_PAYLOAD_TOO_LARGE"]);
  });

  test("a second version for a locale is 409", async () => {
    const { templateId } = await createVersion();
    const answer = await send("POST", `/v1/click/templates/${templateId}/versions`, { locale: "en", content: "x" });
    expect([answer.status, answer.body.errorCode]).toEqual([409, "CLICK_VERSION_LOCALE_EXISTS"]);
  });

  test("a version embeds its template and its deployments on request", async () => {
    const { path, templateId } = await createVersion();
    const bare = await send("GET", path);
    expect([bare.body.template, bare.body.deployments]).toEqual([undefined, undefined]);
    const full = await send("GET", `${path}?includeTemplate=true&includeDeployments=1`);
    expect([full.body.template.id, full.body.deployments]).toEqual([templateId, []]);
    const list = await send("GET", `/v1/click/templates/${templateId}/versions?includeTemplate=true`);
    expect(list.body).toMatchObject([{ template: { id: templateId } }]);
  });

  test("published is a path of its own", async () => {
    const { path, templateId } = await createVersion();
    const published = () => send("GET", `/v1/click/templates/${templateId}/versions/published`);
    expect((await published()).body).toEqual([]);
    await send("POST", `${path}/publish`, {});
    expect((await published()).body).toMatchObject([
      { status: "PUBLISHED", isPublished: true, label: "1.0", revision: 1 },
    ]);
  });

  test.each([
    [{}, true, true],
    [{ published: false }, false, true],
    [{ publish: false }, false, true],
    [{ isPublished: false }, false, true],
    [{ published: true, publish: false }, true, true],
    [{ requireReacceptance: false }, true, false],
  ])(
    "publishVersion reads %p as published %p, requireReacceptance %p",
    async (body, published, requireReacceptance) => {
      const { path } = await createVersion();
      const answer = await send("POST", `${path}/publish`, body);
      expect(answer.status).toBe(200);
      expect(gateway.templates.seen.publications.at(-1)).toMatchObject({ published, requireReacceptance });
    },
  );

  test("publishVersion needs a body", async () => {
    const { path } = await createVersion();
    const answer = await send("POST", `${path}/publish`);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });
});
