import { create as message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { ContentReportSchema, type Version } from "#gen/assent/templates/v1/templates_pb.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

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
      draft: null,
      schedule: null,
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

  test("updateVersion names exactly the fields that came, and null clears", async () => {
    const { path } = await createVersion();
    const answer = await send("PATCH", path, {
      title: null,
      content: "<p>New</p>",
      buttonText: "OK",
      linkText: null,
      format: null,
      status: "PUBLISHED",
    });
    expect([answer.status, answer.body.content]).toEqual([200, "<p>New</p>"]);
    const seen = gateway.templates.seen.versionUpdates.at(-1);
    expect(seen?.updateMask?.paths).toEqual(["title", "content", "format", "texts.button_text", "texts.link_text"]);
    expect(seen?.changes).toMatchObject({ content: "<p>New</p>", texts: { buttonText: "OK" } });
    expect([seen?.changes?.title, seen?.changes?.format]).toEqual([undefined, undefined]);
  });

  test("updateVersion of a published version is 400", async () => {
    const { path } = await createVersion();
    await send("POST", `${path}/publish`, {});
    const answer = await send("PATCH", path, { title: "New" });
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VERSION_PUBLISHED"]);
  });

  test.each([
    ["locale", null],
    ["locale", "english please"],
    ["content", null],
    ["content", ""],
    ["format", "HTML"],
    ["title", 5],
    ["effectiveAt", "tomorrow"],
  ])("updateVersion refuses %s: %p", async (field, value) => {
    const { path } = await createVersion();
    const answer = await send("PATCH", path, { [field]: value });
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "CLICK_VALIDATION_FAILED",
      field,
    ]);
  });

  test("updateVersion takes content of 1 MiB and needs a body", async () => {
    const { path } = await createVersion();
    expect((await send("PATCH", path, { content: "ä".repeat(500_000) })).status).toBe(200);
    expect((await send("PATCH", path)).status).toBe(400);
  });

  test("archiveVersion answers the archived version, unless a deployment serves it", async () => {
    const { path, templateId } = await createVersion();
    const archived = await send("POST", `${path}/archive`);
    expect([archived.status, archived.body.status]).toEqual([200, "ARCHIVED"]);
    await send("POST", `/v1/click/templates/${templateId}/deployments`, { activate: true });
    const refused = await send("POST", `${path}/archive`);
    expect([refused.status, refused.body.errorCode]).toEqual([400, "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS"]);
  });

  test("a version says what validate-content says, and which deployments serve it", async () => {
    const { path, templateId, answer } = await createVersion();
    const finding = { code: "CONTENT_EMPTY", message: "is empty", path: "content", snippet: "" };
    const where = { line: 1, column: 2, offset: 1, length: 3 };
    const stored = gateway.templates.versions.get(answer.body.id);
    const validation = message(ContentReportSchema, { valid: true, warnings: [{ ...finding, ...where }] });
    gateway.templates.versions.set(answer.body.id, { ...(stored as Version), validation });
    await send("POST", `/v1/click/templates/${templateId}/deployments`, { name: "Here", activate: true });
    const { body } = await send("GET", `${path}?includeDeployments=true`);
    expect(body.validation).toEqual({
      valid: true,
      errors: [],
      warnings: [{ ...finding, ...where, severity: "WARNING" }],
    });
    expect(body.deployments).toMatchObject([{ name: "Here", status: "ACTIVE" }]);
  });

  test("a text is approved and refused by developers and owners who are signed in, never by a program", async () => {
    const { path } = await createVersion();
    const textHash = `sha256:${"0".repeat(64)}`;
    const asked = await send("POST", `${path}/approval-requests`, { note: "Please" });
    expect([asked.status, asked.body.status, asked.body.requestedBy]).toEqual([200, "REQUESTED", "cl_test"]);
    const decisions = [
      ["approve", { textHash }, "APPROVED"],
      ["refuse", { textHash, reason: "Section 3 is missing." }, "REFUSED"],
    ] as const;
    const developer = gateway.auth.people.signIn(orgA, UserRole.DEVELOPER);
    const viewer = gateway.auth.people.signIn(orgA, UserRole.VIEWER);
    for (const [name, body, status] of decisions) {
      for (const answer of [
        await send("POST", `${path}/${name}`, body),
        await gateway.call("POST", `${path}/${name}`, { session: viewer, body }),
      ]) {
        expect([answer.status, answer.body.errorCode]).toEqual([403, "INSUFFICIENT_SCOPE"]);
      }
      const answer = await gateway.call("POST", `${path}/${name}`, { session: developer, body });
      expect([answer.status, answer.body.status, answer.body.decidedBy]).toEqual([
        200,
        status,
        `user:${developer.userId}`,
      ]);
      expect(answer.body.people).toEqual([{ id: `user:${developer.userId}`, name: expect.stringMatching(/./) }]);
    }
    expect(asked.body.people).toEqual([]);
    const unfounded = await gateway.call("POST", `${path}/refuse`, { session: developer, body: { textHash } });
    expect([unfounded.status, unfounded.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });

  test("the rules of publication are an owner's to change", async () => {
    const rules = "/v1/click/publication-rules";
    const body = { fourEyes: true };
    const developer = gateway.auth.people.signIn(orgA, UserRole.DEVELOPER);
    for (const answer of [
      await send("PUT", rules, body),
      await gateway.call("PUT", rules, { session: developer, body }),
    ]) {
      expect([answer.status, answer.body.errorCode]).toEqual([403, "INSUFFICIENT_SCOPE"]);
    }
    const session = gateway.auth.people.signIn(orgA);
    expect((await gateway.call("PUT", rules, { session, body })).body).toMatchObject({ fourEyes: true });
    expect((await send("GET", rules)).body).toEqual({ fourEyes: false, updatedBy: null, updatedAt: null });
  });

  test("publishVersion needs a body", async () => {
    const { path } = await createVersion();
    const answer = await send("POST", `${path}/publish`);
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });
});
