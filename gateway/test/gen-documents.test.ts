import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { type GenSetup, rateHeadersOf, startGenSetup } from "./gen-setup.ts";

let setup: GenSetup;
let templateId: string;

beforeAll(async () => {
  setup = await startGenSetup();
  templateId = await setup.publish();
});

afterAll(async () => {
  await setup?.stop();
});

const documents = "/v1/gen/documents";
const create = (body: object = {}, headers: Record<string, string> = {}) =>
  setup.send("POST", documents, { templateId, data: { name: "Example" }, ...body }, headers);
const lastRequest = () => setup.gateway.docgen.documents.seen.at(-1);

describe("a document", () => {
  test("is 201 when it is finished, with where it is and what the plan says", async () => {
    const output = { profile: "pdf/ua-1", fileName: "Offer-17.pdf", seal: false };
    const metadata = { order: "1042" };
    const answer = await create({ version: 1, locale: "de-DE", timeZone: "Europe/Berlin", output, metadata });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(String),
        status: "completed",
        templateId,
        version: 1,
        templateRef: null,
        output: { profile: "pdf/ua-1", fileName: "Offer-17.pdf" },
        locale: "de-DE",
        pages: 1,
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        contentUrl: `${documents}/${answer.body.id}/content`,
        warnings: [{ code: "missing_glyph", path: "data.name", char: "U+6C49", message: "no font has it" }],
        error: null,
        metadata,
        batchId: null,
        createdAt: "2026-11-20T17:00:00.123Z",
        completedAt: "2026-11-20T17:00:00.123Z",
        expiresAt: null,
        renderMs: 29,
      },
    ]);
    expect(answer.headers.get("location")).toBe(`${documents}/${answer.body.id}`);
    expect(rateHeadersOf(answer)).toEqual({ limit: "10", remaining: "7", reset: "1795194060", retryAfter: "37" });
    expect(lastRequest()).toMatchObject({
      waitMs: 25_000,
      idempotencyKey: "",
      source: { templateId, version: 1, dataJson: '{"name":"Example"}', timeZone: "Europe/Berlin", expiresIn: 0 },
    });
    expect(lastRequest()?.requestHash).toHaveLength(0);
    expect((await setup.send("GET", `${documents}/${answer.body.id}`)).body).toEqual(answer.body);
  });

  test.each(["respond-async", "handling=lenient, Respond-Async;a=b"])(
    "is 202 at once for who prefers %s",
    async (prefer) => {
      const answer = await create({}, { Prefer: prefer });
      expect([answer.status, answer.body.status, answer.body.contentUrl]).toEqual([202, "queued", null]);
      expect(answer.headers.get("preference-applied")).toBe("respond-async");
      expect(answer.headers.get("location")).toBe(`${documents}/${answer.body.id}`);
      expect(rateHeadersOf(answer).remaining).toBe("7");
      expect(lastRequest()?.waitMs).toBe(0);
    },
  );

  test("is 202 when it is not finished in time", async () => {
    setup.gateway.docgen.documents.next.isSlow = true;
    const answer = await create({}, { Prefer: "return=minimal" });
    setup.gateway.docgen.documents.next.isSlow = false;
    expect([answer.status, answer.body.status, answer.headers.get("preference-applied")]).toEqual([
      202,
      "queued",
      null,
    ]);
    const content = await setup.send("GET", `${documents}/${answer.body.id}/content`);
    expect([content.status, content.body.code]).toEqual([409, "document_not_ready"]);
  });

  test("that fails is an error for who waits, and names the document", async () => {
    const details = { line: "3", column: "12", code: "unknown_filter" };
    setup.gateway.docgen.documents.next.failure = {
      $typeName: "assent.docgen.v1.Failure",
      errorCode: "GEN_TEMPLATE_ERROR",
      message: "there is no such filter",
      details,
    };
    const { status, body } = await create();
    setup.gateway.docgen.documents.next.failure = undefined;
    expect([status, body]).toEqual([
      422,
      {
        code: "template_error",
        message: "there is no such filter",
        details: { line: 3, column: 12, code: "unknown_filter", documentId: expect.any(String) },
      },
    ]);
    const read = await setup.send("GET", `${documents}/${body.details.documentId}`);
    expect(read.body).toMatchObject({
      status: "failed",
      error: { code: "template_error", details: { line: 3, column: 12 } },
    });
  });

  test("may come from a text of the other templates", async () => {
    const templateRef = { templateId: templateId.toUpperCase(), locale: "de" };
    const answer = await setup.send("POST", documents, { templateRef });
    expect([answer.status, answer.body]).toMatchObject([
      201,
      { templateId: null, version: null, templateRef: { templateId, versionId: null, locale: "de" } },
    ]);
    expect(lastRequest()?.source?.dataJson).toBe("{}");
  });

  test("is listed, by status and by template, and deleted", async () => {
    const { id } = (await create()).body;
    const listed = async (query: string) =>
      (await setup.send("GET", `${documents}${query}`)).body.map((one: { id: string }) => one.id);
    expect(await listed("")).toContain(id);
    expect(await listed(`?status=completed&templateId=${templateId.toUpperCase()}`)).toContain(id);
    expect(await listed("?status=queued")).not.toContain(id);
    expect((await setup.send("GET", `${documents}?status=done`)).status).toBe(400);
    expect((await setup.send("DELETE", `${documents}/${id}`)).status).toBe(204);
    expect((await setup.send("GET", `${documents}/${id}`)).body.code).toBe("document_not_found");
  });
});

describe("requests that are refused before anything is counted", () => {
  const refusals: [string, object, string][] = [
    ["without a template", { templateId: undefined }, "templateId"],
    ["with two", { templateRef: { templateId: "0190a000-0000-7000-8000-0000000000aa" } }, "templateRef"],
    ["with an id that is none", { templateId: "x" }, "templateId"],
    ["with a seal", { output: { seal: true } }, "output.seal"],
    ["with an unknown profile", { output: { profile: "pdf/a-3a" } }, "output.profile"],
    ["with data that is no object", { data: [] }, "data"],
    ["with an expiry in the past", { expiresIn: 0 }, "expiresIn"],
    ["with too much metadata", { metadata: manyTexts() }, "metadata"],
  ];

  test.each(refusals)("%s", async (_what, body, field) => {
    const before = setup.gateway.docgen.documents.seen.length;
    const answer = await create(body);
    expect([answer.status, answer.body.code, answer.body.details.fields[0].field]).toEqual([
      400,
      "invalid_request",
      field,
    ]);
    expect(rateHeadersOf(answer)).toEqual({ limit: null, remaining: null, reset: null, retryAfter: null });
    expect(setup.gateway.docgen.documents.seen).toHaveLength(before);
  });

  test("sealing is said to be missing from this version", async () => {
    const { body } = await create({ output: { seal: true } });
    expect(body.details.fields[0].message).toContain("sealing is not available in this version");
  });

  test("data of more than 1 MB, and bodies of more than 1.5 MB", async () => {
    expect((await create({ data: { a: "x".repeat(1_048_560) } })).status).toBe(201);
    for (const length of [1_048_577, 1_700_000]) {
      const { status, body } = await create({ data: { a: "x".repeat(length) } });
      expect([status, body.code]).toEqual([400, "payload_too_large"]);
    }
  });
});

describe("an idempotency key", () => {
  test("makes one document, whatever the order of the fields", async () => {
    const key = { "X-Idempotency-Key": "order 1042" };
    const first = await setup.send("POST", documents, { templateId, data: { a: 1, b: 2 } }, key);
    const again = await setup.send("POST", documents, { data: { b: 2, a: 1 }, templateId }, key);
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect([again.status, again.headers.get("idempotent-replayed"), again.body.id]).toEqual([
      201,
      "true",
      first.body.id,
    ]);
    expect(rateHeadersOf(again)).toEqual(rateHeadersOf(first));
    expect(lastRequest()?.requestHash).toHaveLength(32);
    const other = await setup.send("POST", documents, { templateId, data: { a: 1, b: 3 } }, key);
    expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
  });

  test.each(["x".repeat(256), "\u00e4", ""])("is refused when it is %p", async (key) => {
    const { status, body } = await create({}, { "X-Idempotency-Key": key });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.message).toContain("X-Idempotency-Key");
  });
});

describe("limits", () => {
  test("a plan that is used up is 429 with its window in body and headers", async () => {
    const metadata = {
      plan: "gen_pro",
      limit: "10",
      windowSeconds: "60",
      retryAfterSeconds: "42",
      resetAt: "1795194060",
    };
    setup.gateway.docgen.fail.with = new DomainError("GEN_RATE_LIMITED", { metadata });
    const answers = [await create(), await setup.send("POST", "/batches", { items: [{ templateId }] })];
    setup.gateway.docgen.fail.with = undefined;
    for (const answer of answers) {
      expect([answer.status, answer.body.code, answer.body.details]).toEqual([
        429,
        "rate_limited",
        { plan: "gen_pro", limit: 10, windowSeconds: 60, retryAfterSeconds: 42 },
      ]);
      expect(rateHeadersOf(answer)).toEqual({ limit: "10", remaining: "0", reset: "1795194060", retryAfter: "42" });
    }
  });

  test("a platform that is busy is 503 with Retry-After", async () => {
    setup.gateway.docgen.fail.with = new DomainError("GEN_BUSY");
    const { status, body, headers } = await create();
    setup.gateway.docgen.fail.with = undefined;
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "busy", "5"]);
  });

  test("everything else counts with the client's other requests, which generating does not", async () => {
    const { auth } = setup.gateway;
    auth.setLimits(orgA, { other: 1 });
    auth.change({ case: "changedOrganizationId", value: orgA });
    const token = await auth.token("gen:read gen:write", "cl_limited");
    const ask = (method: string, path: string, body?: unknown) =>
      setup.gateway.call(method, path, { token, ...(body === undefined ? {} : { body }) });
    let refused = await ask("GET", "/v1/gen/usage");
    // The limits arrive with the next poll, and the window may turn over in between.
    for (let asked = 0; refused.status === 200 && asked < 2_000; asked += 1)
      refused = await ask("GET", "/v1/gen/usage");
    const retryAfterSeconds = Number(refused.headers.get("retry-after"));
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        code: "rate_limited",
        message: "Too many requests. Wait the number of seconds in Retry-After, then try again.",
        details: { plan: "gen_pro", limit: 1, windowSeconds: 60, retryAfterSeconds },
      },
    ]);
    expect(rateHeadersOf(refused)).toMatchObject({ limit: "1", remaining: "0" });
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await ask("POST", documents, { templateId })).status).toBe(201);
      expect((await ask("POST", "/batches", { items: [{ templateId }] })).status).toBe(202);
    }
    auth.setLimits(orgA, {});
    auth.change({ case: "changedOrganizationId", value: orgA });
  });

  test("usage tells the plan and its windows", async () => {
    const token = await setup.gateway.auth.token("gen:read", "cl_b", orgB);
    const { status, body } = await setup.gateway.call("GET", "/v1/gen/usage", { token });
    expect([status, body]).toEqual([
      200,
      {
        plan: "gen_pro",
        hour: { limit: 600, used: 17, resetAt: "2026-11-20T18:00:00.000Z" },
        minute: { limit: 10, used: 2, resetAt: "2026-11-20T17:01:00.000Z" },
      },
    ]);
  });
});

function manyTexts(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key ${index}`, "x".repeat(500)]));
}
