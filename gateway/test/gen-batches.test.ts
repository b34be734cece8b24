import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { strFromU8, unzipSync } from "fflate";
import { until } from "#platform/testing/until.ts";
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

const unknownId = "0190a000-0000-7000-8000-0000000000ff";
const items = [
  { ref: "row-1", data: { name: "A" } },
  { ref: "row 2/ü", data: { name: "B" } },
  { templateId: unknownId },
];
const lastRequest = () => setup.gateway.docgen.batches.seen.at(-1);
const open = (path: string, init: RequestInit = {}) =>
  fetch(`${setup.gateway.url}${path}`, { ...init, headers: { authorization: `Bearer ${setup.token}` } });

async function unzip(path: string): Promise<Record<string, Uint8Array>> {
  const response = await open(path);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/zip"]);
  return unzipSync(new Uint8Array(await response.arrayBuffer()));
}

describe.each(["/batches", "/v1/gen/batches"])("a batch at %s", (root) => {
  test("is accepted with what the plan says, and invalid items fail by themselves", async () => {
    const answer = await setup.send("POST", root, { templateId, items });
    expect([answer.status, answer.body]).toEqual([
      202,
      {
        id: expect.any(String),
        status: "queued",
        counts: { total: 3, queued: 2, completed: 0, failed: 1, cancelled: 0 },
        createdAt: "2026-11-20T17:00:00.123Z",
        completedAt: null,
      },
    ]);
    expect(answer.headers.get("location")).toBe(`${root}/${answer.body.id}`);
    expect(rateHeadersOf(answer)).toEqual({ limit: "10", remaining: "7", reset: "1795194060", retryAfter: "37" });
    const path = `${root}/${answer.body.id}`;
    expect((await setup.send("GET", path)).body).toEqual(answer.body);
    const page = await setup.send("GET", `${root}?limit=1&state=queued`);
    expect(page.body).toEqual([answer.body]);
    const further = page.headers.get("x-next-cursor");
    if (further !== null) {
      const rest = await setup.send("GET", `${root}?cursor=${further}`);
      expect(rest.body.map(({ id }: { id: string }) => id)).not.toContain(answer.body.id);
    }
    expect((await setup.send("GET", `${root}?state=done`)).status).toBe(400);
    expect((await setup.send("GET", `${root}?cursor=none`)).body.code).toBe("invalid_request");
    const listed = await setup.send("GET", `${path}/items`);
    expect(listed.body).toHaveLength(3);
    expect((await setup.send("GET", `${path}/items?state=failed`)).body).toEqual([
      {
        index: 2,
        ref: null,
        status: "failed",
        documentId: expect.any(String),
        pages: 0,
        bytes: 0,
        sha256: null,
        contentUrl: null,
        warnings: [],
        error: {
          code: "template_not_found",
          message: "There is no template with this id.",
          details: { path: "/price", expected: "number", line: 3 },
        },
      },
    ]);
    const first = await setup.send("GET", `${path}/items?limit=2`);
    const cursor = first.headers.get("x-next-cursor");
    const second = await setup.send("GET", `${path}/items?limit=2&cursor=${cursor}`);
    expect([...first.body, ...second.body]).toEqual(listed.body);
    expect((await setup.send("GET", `${path}/items?cursor=x`)).body.details.fields[0].field).toBe("cursor");
    const cancelled = await setup.send("POST", `${path}/cancel`);
    expect([cancelled.status, cancelled.body.status, cancelled.body.counts.cancelled]).toEqual([200, "cancelled", 2]);
  });

  test("has an archive of what is done, which says what became of every item", async () => {
    const { body } = await setup.send("POST", root, {
      templateId,
      items: [...items, { ref: "../../a" }, { ref: "???" }],
    });
    const path = `${root}/${body.id}/archive`;
    expect(Object.keys(await unzip(path))).toEqual(["manifest.json"]);
    setup.gateway.docgen.batches.finish(body.id);
    const [, , , , gone] = setup.gateway.docgen.batches.stored.get(body.id)?.items ?? [];
    setup.gateway.docgen.documents.stored.delete(gone?.document?.id ?? "");
    const files = await unzip(path);
    expect(Object.keys(files)).toEqual(["0001-row-1.pdf", "0002-row_2_ü.pdf", "0004-a.pdf", "manifest.json"]);
    expect(strFromU8(files["0001-row-1.pdf"] as Uint8Array)).toContain('{"name":"A"}');
    const manifest = JSON.parse(strFromU8(files["manifest.json"] as Uint8Array));
    expect(manifest.batchId).toBe(body.id);
    expect(manifest.items.map(({ file }: { file: string | null }) => file)).toEqual([
      "0001-row-1.pdf",
      "0002-row_2_ü.pdf",
      null,
      "0004-a.pdf",
      null,
    ]);
    expect(manifest.items[0]).toMatchObject({ index: 0, ref: "row-1", status: "completed", sha256: "cd".repeat(32) });
    expect(manifest.items[2]).toMatchObject({ status: "failed", error: { code: "template_not_found" } });
    const head = await open(path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-disposition")]).toEqual([
      200,
      `attachment; filename="batch-${body.id}.zip"`,
    ]);
  });
});

describe("the body of a batch", () => {
  test("fills items with its template and defaults, as far as they do not say otherwise", async () => {
    const defaults = { locale: "de", timeZone: "Europe/Berlin", output: { profile: "pdf/ua-1" }, metadata: { a: "b" } };
    const own = { templateId: unknownId, locale: "fr", output: { fileName: "a.pdf" }, expiresIn: 60 };
    const ref = { templateRef: { templateId: unknownId } };
    await setup.send("POST", "/batches", { templateId, version: 1, defaults, items: [{}, own, ref] });
    expect(lastRequest()?.items.map(({ source }) => source)).toMatchObject([
      { templateId, version: 1, locale: "de", timeZone: "Europe/Berlin", metadataJson: '{"a":"b"}', dataJson: "{}" },
      { templateId: unknownId, version: 0, locale: "fr", output: { profile: 3, fileName: "a.pdf" }, expiresIn: 60 },
      { templateId: "", version: 0, templateRef: { templateId: unknownId }, locale: "de" },
    ]);
  });

  const refusals: [string, unknown, string][] = [
    ["without items", { items: [] }, "items"],
    ["with 501 items", { items: Array.from({ length: 501 }, () => ({})) }, "items"],
    ["with an item without a template", { items: [{}] }, "items[0].templateId"],
    [
      "with an item with a seal",
      { items: [{ templateId: unknownId, output: { seal: true } }] },
      "items[0].output.seal",
    ],
    [
      "with a seal for all",
      { items: [{ templateId: unknownId }], defaults: { output: { seal: true } } },
      "defaults.output.seal",
    ],
    ["with an item that is no object", { items: [1] }, "items[0]"],
  ];

  test.each(refusals)("is refused %s", async (_what, body, field) => {
    const answer = await setup.send("POST", "/batches", body);
    expect([answer.status, answer.body.code, answer.body.details.fields[0].field]).toEqual([
      400,
      "invalid_request",
      field,
    ]);
  });

  test.each(["{", "[]", "null", '{"a":"\\u0000"}'])("is refused when it is %p", async (body) => {
    const answer = await setup.send("POST", "/batches", body);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
  });

  test("of many megabytes is read without holding up others", async () => {
    const rows = Array.from({ length: 350 }, (_, row) => ({
      name: `Müller ${row}`,
      note: "some text that fills the row",
    }));
    const large = JSON.stringify({ templateId, items: Array.from({ length: 500 }, () => ({ data: { rows } })) });
    expect(large.length).toBeGreaterThan(9_000_000);
    const key = { "X-Idempotency-Key": "large" };
    const first = await setup.send("POST", "/batches", large, key);
    expect([first.status, first.body.counts?.total]).toEqual([202, 500]);
    const again = await setup.send("POST", "/v1/gen/batches", large, key);
    expect([again.status, again.headers.get("idempotent-replayed"), again.body.id]).toEqual([
      202,
      "true",
      first.body.id,
    ]);
    const bad = await setup.send("POST", "/batches", `${large.slice(0, -1)},"version":"x"}`);
    expect([bad.status, bad.body.details.fields[0].field]).toEqual([400, "version"]);
  });

  test("may have 16 MB and no more, and 1 MB of data for each item", async () => {
    const whole = await setup.send("POST", "/batches", { items: [], padding: "x".repeat(17_000_000) });
    expect([whole.status, whole.body.code]).toEqual([400, "payload_too_large"]);
    const item = { templateId, data: { a: "x".repeat(1_100_000) } };
    const one = await setup.send("POST", "/batches", { items: [item] });
    expect([one.status, one.body.code, one.body.message]).toEqual([
      400,
      "payload_too_large",
      "items[0].data is larger than 1 MB.",
    ]);
  });
});

describe("an idempotency key of a batch", () => {
  test("stands for the body, and not for a document's", async () => {
    const key = { "X-Idempotency-Key": "batch 1" };
    const first = await setup.send("POST", "/batches", { templateId, items: [{ ref: "a" }] }, key);
    const again = await setup.send("POST", "/batches", { items: [{ ref: "a" }], templateId }, key);
    expect([again.status, again.body.id, again.headers.get("idempotent-replayed")]).toEqual([
      202,
      first.body.id,
      "true",
    ]);
    const other = await setup.send("POST", "/batches", { templateId, items: [{ ref: "b" }] }, key);
    expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
  });
});

describe("an archive", () => {
  /** Twenty documents of a megabyte each. */
  async function largeBatch(): Promise<string> {
    const many = Array.from({ length: 20 }, () => ({ templateId, data: { a: "x".repeat(700_000) } }));
    const { body } = await setup.send("POST", "/batches", { items: many });
    setup.gateway.docgen.batches.finish(body.id);
    return body.id;
  }

  test("is made no faster than it is taken, and no further when the client goes away", async () => {
    const id = await largeBatch();
    const contents = () => setup.gateway.docgen.documents.reads;
    const before = contents();
    const abort = new AbortController();
    const response = await open(`/batches/${id}/archive`, { signal: abort.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    await until(async () => contents() > before);
    abort.abort();
    const stopped = contents();
    // Much more than what is left of the archive would take.
    await unzip(`/batches/${await largeBatch()}/archive`);
    expect(stopped - before).toBeLessThan(20);
    // The one that was under way may still have come.
    expect(contents() - stopped).toBeLessThanOrEqual(20 + 1);
  });

  test("that breaks off is no whole answer", async () => {
    const id = await largeBatch();
    const response = await open(`/batches/${id}/archive`);
    setup.gateway.docgen.fail.with = new Error("gone");
    try {
      await expect(response.arrayBuffer()).rejects.toThrow();
    } finally {
      setup.gateway.docgen.fail.with = undefined;
    }
  });
});
