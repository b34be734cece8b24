import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type GenSetup, startGenSetup } from "./gen-setup.ts";

let setup: GenSetup;
let path: string;
let content: Buffer;
let etag: string;

beforeAll(async () => {
  setup = await startGenSetup();
  const templateId = await setup.publish();
  const output = { fileName: 'Angebot 17 – "final" ü.pdf' };
  const { body } = await setup.send("POST", "/v1/gen/documents", { templateId, data: { name: "Example" }, output });
  path = body.contentUrl;
  content = Buffer.from(setup.gateway.docgen.documents.stored.get(body.id)?.content ?? []);
  etag = `"${createHash("sha256").update(content).digest("hex")}"`;
});

afterAll(async () => {
  await setup?.stop();
});

async function ask(headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(`${setup.gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${setup.token}`, ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe("the content of a document", () => {
  test("is a PDF to save under its name, in which nothing may run", async () => {
    const { status, headers, bytes } = await ask();
    expect([status, bytes]).toEqual([200, content]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(content.length),
      etag,
      "accept-ranges": "bytes",
      "content-disposition":
        "attachment; filename=\"Angebot 17 _ _final_ _.pdf\"; filename*=UTF-8''Angebot%2017%20%E2%80%93%20%22final%22%20%C3%BC.pdf",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "private, no-cache",
      "x-ratelimit-remaining": expect.stringMatching(/^\d+$/),
    });
  });

  test("has a HEAD without the bytes, for which a range means nothing", async () => {
    const { status, headers, bytes } = await ask({ Range: "bytes=0-3" }, "HEAD");
    expect([status, headers.get("content-length"), headers.get("etag"), bytes.length]).toEqual([
      200,
      String(content.length),
      etag,
      0,
    ]);
  });

  test.each([
    ["its ETag", () => etag],
    ["it among others", () => `"a", W/${etag}`],
    ["anything", () => "*"],
  ])("is 304 for who has %s", async (_what, value) => {
    const { status, headers, bytes } = await ask({ "If-None-Match": value(), Range: "bytes=0-3" });
    expect([status, headers.get("etag"), bytes.length]).toEqual([304, etag, 0]);
  });

  test("is sent again to who has something else", async () => {
    expect((await ask({ "If-None-Match": '"a"' })).status).toBe(200);
  });

  test.each([
    ["bytes=0-3", 0, 4],
    ["bytes=4-", 4, undefined],
    ["bytes=-5", -5, undefined],
    ["bytes=2-999999", 2, undefined],
    ["BYTES= 1-1 ", 1, 2],
  ])("comes in the part %s", async (range, start, end) => {
    const { status, headers, bytes } = await ask({ Range: range });
    const part = content.subarray(start, end);
    const first = start < 0 ? content.length + start : start;
    expect([status, bytes, headers.get("content-range")]).toEqual([
      206,
      part,
      `bytes ${first}-${first + part.length - 1}/${content.length}`,
    ]);
    expect(headers.get("content-length")).toBe(String(part.length));
  });

  test.each(["bytes=999999-", "bytes=-0"])("has nothing at %s", async (range) => {
    const { status, headers, bytes } = await ask({ Range: range });
    expect([status, headers.get("content-range"), JSON.parse(bytes.toString())]).toMatchObject([
      416,
      `bytes */${content.length}`,
      { code: "range_not_satisfiable", details: { bytes: content.length } },
    ]);
  });

  test.each(["bytes=0-1,3-4", "bytes=5-2", "pages=1-2", "bytes=-", "bytes=a-b"])(
    "comes as a whole for the range %s",
    async (range) => {
      const { status, bytes } = await ask({ Range: range });
      expect([status, bytes.length]).toEqual([200, content.length]);
    },
  );

  test("comes in parts only as long as it is the same for If-Range", async () => {
    expect((await ask({ Range: "bytes=0-3", "If-Range": etag })).status).toBe(206);
    expect((await ask({ Range: "bytes=0-3", "If-Range": '"other"' })).status).toBe(200);
    expect((await ask({ Range: "bytes=0-3", "If-Range": `W/${etag}` })).status).toBe(200);
  });

  test("is gone with the document", async () => {
    const id = path.split("/")[4] ?? "";
    await setup.send("DELETE", `/v1/gen/documents/${id}`);
    const { status, body } = await setup.send("GET", path);
    expect([status, body.code]).toEqual([404, "document_not_found"]);
  });
});
