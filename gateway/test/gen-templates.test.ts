import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { type GenSetup, startGenSetup } from "./gen-setup.ts";

let setup: GenSetup;

beforeAll(async () => {
  setup = await startGenSetup();
});

afterAll(async () => {
  await setup?.stop();
});

const templates = "/v1/gen/templates";

describe("templates of documents", () => {
  test("are created, read, changed, published and deleted", async () => {
    const body = { name: "Invoice", format: "markdown", content: "# {{ number }}", sampleData: { number: "1" } };
    const created = await setup.send("POST", templates, body);
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: "Invoice",
        slug: "invoice",
        format: "markdown",
        content: "# {{ number }}",
        sampleData: { number: "1" },
        page: {
          size: "a4",
          orientation: "portrait",
          margins: { top: 25, right: 25, bottom: 25, left: 25 },
          header: "",
          footer: "{page} / {pages}",
          font: "sans",
        },
        locale: "en",
        publishedVersion: null,
        publishedAt: null,
        hasChanges: true,
        createdBy: "cl_test",
        createdAt: "2026-11-20T17:00:00.123Z",
        updatedAt: "2026-11-20T17:00:00.123Z",
      },
    ]);
    const path = `${templates}/${created.body.id}`;
    const published = await setup.send("POST", `${path}/publish`);
    expect([published.status, published.body.publishedVersion, published.body.hasChanges]).toEqual([200, 1, false]);
    expect((await setup.send("GET", path)).body).toEqual(published.body);
    expect((await setup.send("DELETE", path)).status).toBe(204);
    expect((await setup.send("GET", path)).body).toEqual({
      code: "template_not_found",
      message: "There is no template with this id.",
      details: {},
    });
  });

  test("keep what a change does not name, and null removes", async () => {
    const id = await setup.publish();
    const page = { header: null, margins: { top: 10 } };
    const changed = await setup.send("PATCH", `${templates}/${id}`, { name: "Other", page, sampleData: null });
    expect([changed.status, changed.body.name]).toEqual([200, "Other"]);
    const update = setup.gateway.docgen.seen.updates.at(-1);
    expect(update).toMatchObject({ name: "Other", sampleDataJson: "null", page: { size: "", header: "", font: "" } });
    expect([update?.content, update?.slug, update?.page?.footer, update?.page?.margins?.right]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("are listed page by page without their contents", async () => {
    await setup.publish();
    await setup.publish();
    const all = await setup.send("GET", templates);
    expect(all.body.length).toBeGreaterThan(1);
    expect(all.body[0]).not.toHaveProperty("content");
    expect(all.headers.get("x-next-cursor")).toBeNull();
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await setup.send("GET", `${templates}?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      ids.push(...page.body.map(({ id }: { id: string }) => id));
      cursor = page.headers.get("x-next-cursor");
    }
    expect(ids).toEqual(all.body.map(({ id }: { id: string }) => id));
    for (const cursor of ["x", "!!!!", Buffer.from("x").toString("base64url")]) {
      const { status, body } = await setup.send("GET", `${templates}?cursor=${cursor}`);
      expect([status, body.code, body.details.fields[0].field]).toEqual([400, "invalid_request", "cursor"]);
    }
  });

  test("have a schema of their data, which says its version", async () => {
    const id = await setup.publish();
    const schema = await setup.send("GET", `${templates}/${id}/schema`);
    expect([schema.status, schema.headers.get("x-template-version"), schema.body.type]).toEqual([200, "1", "object"]);
    expect((await setup.send("GET", `${templates}/${id}/schema?version=2`)).status).toBe(404);
    expect((await setup.send("GET", `${templates}/${id}/schema?version=0`)).status).toBe(400);
    const draft = await setup.send("POST", templates, { name: "Draft", format: "html", content: "<p></p>" });
    const ofDraft = await setup.send("GET", `${templates}/${draft.body.id}/schema`);
    expect(ofDraft.headers.get("x-template-version")).toBe("draft");
  });

  test("that are wrong say where: details have line, column and every finding", async () => {
    const created = await setup.send("POST", templates, { name: "Broken", format: "html", content: "<script>" });
    const { status, body } = await setup.send("POST", `${templates}/${created.body.id}/publish`);
    const finding = { code: "tag_not_allowed", message: "script is not allowed", line: 3, column: 12 };
    expect([status, body]).toEqual([
      422,
      {
        code: "template_error",
        message: "script is not allowed",
        details: { line: 3, column: 12, code: "tag_not_allowed", errors: [finding] },
      },
    ]);
  });

  test("are validated without storing anything", async () => {
    const validate = (body: unknown) => setup.send("POST", `${templates}/validate`, body);
    const good = await validate({ content: "<p></p>", format: "html" });
    expect([good.status, good.body]).toEqual([200, { valid: true, errors: [] }]);
    const bad = await validate({ content: "<script>", format: "html", data: { total: "bad" } });
    expect(bad.body).toEqual({
      valid: false,
      errors: [
        { code: "tag_not_allowed", message: "script is not allowed", line: 1, column: 4 },
        {
          code: "type_mismatch",
          message: "must be a number",
          line: null,
          column: null,
          path: "/total",
          expected: "number",
        },
      ],
    });
  });
});

describe("assets", () => {
  const assets = "/v1/gen/assets";

  test("are stored, listed, downloaded and deleted", async () => {
    const content = Buffer.from("\x89PNG\r\n bytes", "latin1");
    const created = await setup.send("POST", assets, { name: "Logo ä.png", content: content.toString("base64") });
    expect([created.status, created.body]).toMatchObject([201, { name: "Logo ä.png", bytes: content.length }]);
    const path = `${assets}/${created.body.id}`;
    expect((await setup.send("GET", path)).body).toEqual(created.body);
    expect((await setup.send("GET", assets)).body).toContainEqual(created.body);
    const response = await fetch(`${setup.gateway.url}${created.body.contentUrl}`, {
      headers: { authorization: `Bearer ${setup.token}` },
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.get("content-disposition")).toBe(
      "attachment; filename=\"Logo _.png\"; filename*=UTF-8''Logo%20%C3%A4.png",
    );
    expect((await setup.send("DELETE", path)).status).toBe(204);
    expect((await setup.send("GET", `${path}/content`)).body.code).toBe("asset_not_found");
  });

  test.each(["not base64!", "aGVsbG8", "aGVs bG8=", "aGVsbG8=\n", "_-8="])("refuse the content %p", async (content) => {
    const { status, body } = await setup.send("POST", assets, { name: "a", content });
    expect([status, body.code, body.details.fields[0].code]).toEqual([400, "invalid_request", "INVALID_BASE64"]);
  });

  test("may have 5 MB and no more", async () => {
    const store = async (bytes: number) => {
      const content = Buffer.alloc(bytes).toString("base64");
      const { status, body } = await setup.send("POST", assets, { name: "a", content });
      return [status, body.code];
    };
    expect(await store(5_242_880)).toEqual([201, undefined]);
    expect(await store(5_242_881)).toEqual([400, "payload_too_large"]);
    expect(await store(6_000_000)).toEqual([400, "payload_too_large"]);
  });
});

describe("errors", () => {
  const codeOf = async (path: string, token: string | undefined) => {
    const answer = await setup.gateway.call("GET", path, token === undefined ? {} : { token });
    expect(Object.keys(answer.body)).toEqual(["code", "message", "details"]);
    expect(answer.headers.get("x-request-id")).toMatch(/^[\w.-]{1,128}$/);
    expect(answer.headers.get("traceparent")).toMatch(/^00-/);
    return [answer.status, answer.body.code];
  };

  test("of credentials have the form of this API, also at /batches", async () => {
    const { auth } = setup.gateway;
    for (const path of [templates, `/batches/${newId()}`]) {
      expect(await codeOf(path, undefined)).toEqual([401, "unauthorized"]);
      expect(await codeOf(path, "nonsense")).toEqual([401, "invalid_token"]);
      expect(await codeOf(path, await auth.token("click:read"))).toEqual([403, "insufficient_scope"]);
    }
  });

  test("of bodies name their fields", async () => {
    const { status, body } = await setup.send("POST", templates, { name: "", format: "pdf" });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.details.fields.map(({ field }: { field: string }) => field).sort()).toEqual([
      "content",
      "format",
      "name",
    ]);
    const text = await setup.send("POST", templates, "{}", { "Content-Type": "text/plain" });
    expect([text.status, text.body.code, text.body.details]).toEqual([415, "unsupported_media_type", {}]);
    const large = await setup.send("POST", templates, { name: "x".repeat(2_600_000) });
    expect([large.status, large.body.code]).toEqual([400, "payload_too_large"]);
  });

  test("that nobody expected tell nothing", async () => {
    setup.gateway.docgen.fail.with = new Error("secret");
    const { status, body } = await setup.send("GET", templates);
    setup.gateway.docgen.fail.with = undefined;
    expect([status, body.code, body.details]).toEqual([500, "internal_error", {}]);
    expect(JSON.stringify(body)).not.toContain("secret");
  });

  test("of addresses and methods that there are not have the form of document generation", async () => {
    const unknown = await setup.send("GET", "/v1/gen/nothing");
    expect([unknown.status, unknown.body]).toEqual([
      404,
      { code: "not_found", message: expect.any(String), details: {} },
    ]);
    const method = await setup.send("GET", `${templates}/validate`);
    expect([method.status, method.body]).toEqual([
      405,
      { code: "method_not_allowed", message: expect.any(String), details: {} },
    ]);
    expect(method.headers.get("allow")).toBe("POST");
    const batch = await setup.send("DELETE", "/batches");
    expect([batch.status, batch.body.code, batch.headers.get("allow")]).toEqual([
      405,
      "method_not_allowed",
      "GET, HEAD, POST",
    ]);
    expect((await setup.send("GET", "/batches/a/b/c")).body.code).toBe("not_found");
    // What only looks like it.
    expect((await setup.send("GET", "/batchesx")).body.errorCode).toBe("NOT_FOUND");
  });
});
