import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let templateId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write click:admin");
  const body = { name: "Terms", type: "STATIC", policyFlags: { requireScroll: true } };
  templateId = (await send("POST", "/v1/click/templates", body)).body.id;
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const send = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { token, ...(body === undefined ? {} : { body }) });

const verification = {
  required: true,
  mode: "ANY",
  methods: [
    { method: "CUSTOMER_SESSION", required: false, level: 2, validForSeconds: 600, parameters: {} },
    { method: "AGE_STATEMENT", required: false, level: 1, validForSeconds: null, parameters: { minAge: 18 } },
  ],
};
const configuration = () => ({
  templateId,
  type: "STATIC",
  status: "DRAFT",
  typeConfig: {},
  policyFlags: { requireScroll: true },
  effectivePolicy: { requireScroll: true, singleUseSession: true },
  verification,
  policyHash: `sha256:${"1".repeat(64)}`,
  updatedAt: "2026-11-20T17:00:00.123Z",
});

describe("getTemplateTypes", () => {
  test("answers the three types in their order; types is no template id", async () => {
    const answer = await send("GET", "/v1/click/templates/types");
    expect(answer.status).toBe(200);
    expect(answer.body.map(({ type }: { type: string }) => type)).toEqual(["STATIC", "GENERATED", "CONSENT"]);
    expect(answer.body[0]).toEqual({
      type: "STATIC",
      name: "A type",
      description: "What it is for.",
      contentFormats: ["html", "text"],
      configSchema: { type: "object" },
      defaults: { typeConfig: { downloadable: true }, policyFlags: { requireScroll: false } },
      validationRules: ["CONTENT_EMPTY"],
    });
  });
});

describe("getTemplateConfiguration", () => {
  test("answers every field of the interface", async () => {
    const answer = await send("GET", `/v1/click/templates/${templateId}/configuration`);
    expect([answer.status, answer.body]).toEqual([200, configuration()]);
  });
});

describe("getVerificationRequirements", () => {
  test("answers the methods with their levels", async () => {
    const answer = await send("GET", `/v1/click/templates/${templateId}/verification-requirements`);
    expect([answer.status, answer.body]).toEqual([200, { templateId, ...verification }]);
  });
});

describe("applyPolicyFlags", () => {
  const apply = (body: unknown) => send("POST", `/v1/click/templates/${templateId}/policy-flags`, body);

  test.each([
    [{ minAge: 18 }, { minAge: 18 }],
    [{ policyFlags: { minAge: 18, verificationMethods: [] } }, { minAge: 18, verificationMethods: [] }],
    [{}, {}],
    // Nothing is ignored in silence: the service does not know a flag of that name.
    [
      { policyFlags: { minAge: 18 }, requireScroll: true },
      { policyFlags: { minAge: 18 }, requireScroll: true },
    ],
  ])("%j gives the flags %j", async (body, flags) => {
    const answer = await apply(body);
    expect([answer.status, answer.body]).toEqual([200, configuration()]);
    expect(gateway.templates.configuration.seen.flags.at(-1)).toEqual(flags);
  });

  test.each([[[]], [{ policyFlags: [] }], [{ policyFlags: null }], ["text"], [undefined]])(
    "%j is 400",
    async (body) => {
      const answer = await apply(body);
      expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    },
  );
});

describe("validateContent", () => {
  const validate = (body: unknown) => send("POST", "/v1/click/templates/validate-content", body);

  test("good content is valid, and its format is left to the service when none is named", async () => {
    const answer = await validate({ type: "CONSENT", content: "<p>x</p>" });
    expect([answer.status, answer.body]).toEqual([200, { valid: true, errors: [], warnings: [] }]);
    expect(gateway.templates.configuration.seen.contents.at(-1)).toMatchObject({
      type: TemplateType.CONSENT,
      format: ContentFormat.UNSPECIFIED,
    });
  });

  test("empty content is 200 and not valid", async () => {
    const answer = await validate({ type: "STATIC", content: "", format: "markdown" });
    expect([answer.status, answer.body.valid]).toEqual([200, false]);
    expect(answer.body.errors).toEqual([
      {
        code: "CONTENT_EMPTY",
        message: "is empty",
        severity: "ERROR",
        path: "content",
        line: 1,
        column: 1,
        offset: 0,
        length: 0,
        snippet: "",
      },
    ]);
  });

  test("content beyond 1 MiB is examined, as that is a finding", async () => {
    expect((await validate({ type: "STATIC", content: "x".repeat(1_100_000) })).status).toBe(200);
    const huge = await validate({ type: "STATIC", content: "x".repeat(2_100_000) });
    expect([huge.status, huge.body.errorCode]).toEqual([400, "CLICK_PAYLOAD_TOO_LARGE"]);
  });

  test.each([
    ["type", { content: "x" }],
    ["content", { type: "STATIC" }],
    ["type", { type: "OTHER", content: "x" }],
    ["type", { type: 1, content: "x" }],
    ["content", { type: "STATIC", content: null }],
    ["content", { type: "STATIC", content: ["x"] }],
    ["format", { type: "STATIC", content: "x", format: "docx" }],
    ["format", { type: "STATIC", content: "x", format: 1 }],
  ])("a bad %s is 400: %j", async (field, body) => {
    const answer = await validate(body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(answer.body.details[0].field).toBe(field);
  });
});

describe("bulk operations", () => {
  const unknown = "0190a000-0000-7000-8000-000000000009";
  const archive = (body: unknown) => send("POST", "/v1/click/templates/bulk/archive", body);
  const duplicate = (body: unknown) => send("POST", "/v1/click/templates/bulk/duplicate", body);

  test("bulkArchiveTemplates counts what is archived and says why the rest is not", async () => {
    const deployed = (await send("POST", "/v1/click/templates", { name: "Deployed", type: "STATIC" })).body.id;
    await send("POST", `/v1/click/templates/${deployed}/deployments`, { activate: true });
    const answer = await archive({ templateIds: [templateId.toUpperCase(), unknown, deployed] });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      archived: 1,
      skipped: [
        { id: unknown, reason: "not_found" },
        { id: deployed, reason: "has_active_deployments" },
      ],
    });
  });

  test.each([
    [undefined, "Terms (copy)"],
    [null, "Terms (copy)"],
    ["{name} 2", "Terms 2"],
  ])("bulkDuplicateTemplates with the pattern %p names the copy %p", async (namePattern, name) => {
    const answer = await duplicate({ templateIds: [templateId, unknown], namePattern });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      duplicates: [{ sourceId: templateId, newId: expect.any(String), name }],
      skipped: [{ id: unknown, reason: "not_found" }],
    });
  });

  const ids = (count: number) => ({ templateIds: Array(count).fill(unknown) });

  test.each([
    ["archive", {}],
    ["archive", ids(0)],
    ["archive", ids(101)],
    ["archive", { templateIds: ["x"] }],
    ["archive", { templateIds: unknown }],
    ["archive", { templateIds: [null] }],
    ["duplicate", {}],
    ["duplicate", ids(0)],
    ["duplicate", ids(51)],
    ["duplicate", { templateIds: [`${unknown}0`] }],
    ["duplicate", { ...ids(1), namePattern: "" }],
    ["duplicate", { ...ids(1), namePattern: "x".repeat(256) }],
    ["duplicate", { ...ids(1), namePattern: 5 }],
  ])("%s of %j is 400", async (operation, body) => {
    const answer = await (operation === "archive" ? archive(body) : duplicate(body));
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });

  test("the largest batches are let through", async () => {
    expect((await archive(ids(100))).status).toBe(200);
    expect((await duplicate({ ...ids(50), namePattern: "x".repeat(255) })).status).toBe(200);
  });
});
