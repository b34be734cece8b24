import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { appendHashes, emptyFrontier, rootOf } from "#platform/transparency/merkle.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyConsistency, verifyInclusion } from "#platform/transparency/verify.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { type Answer, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let tree: ReturnType<TestGateway["click"]["log"]["fill"]>;
const receiptId = newId();
const leaves = 600;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read", "cl_log", orgA);
  tree = gateway.click.log.fill(orgA, receiptId, leaves);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  gateway.call("GET", `/v1/click/log/${path}`, { token, headers });
const inclusion = (query: string, accept = "application/json") => get(`proofs/inclusion?${query}`, { Accept: accept });
const rootIn = (note: string) => parseCheckpoint(verifyNote(note, [gateway.click.log.verifierKey])?.text ?? "")?.root;
const hashesIn = (list: string[]) => list.map((hash) => Buffer.from(hash, "base64"));
const bytesAt = async (path: string) => {
  const response = await fetch(`${gateway.url}/v1/click/log/${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};
const problemsOf = ({ status, body }: Answer) => [
  status,
  body.errorCode,
  (body.details as { field: string; message: string }[]).map(({ field, message }) => `${field} ${message}`),
];

describe("checkpoints", () => {
  test("are plain text that is not cached", async () => {
    const answer = await get("checkpoint");
    expect([answer.status, answer.text]).toEqual([200, tree.note]);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect((await get("anchor/checkpoint")).text).toBe("anchor\n");
  });

  test("of an organization without a log are not there yet", async () => {
    const stranger = await gateway.auth.token("click:read", "cl_log_b", orgB);
    const answer = await gateway.call("GET", "/v1/click/log/checkpoint", { token: stranger });
    expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_CHECKPOINT_NOT_FOUND"]);
  });
});

describe("inclusion proofs", () => {
  test("verify, with numbers as numbers and hashes in standard Base64", async () => {
    const { body } = await inclusion(`receiptId=${receiptId.toUpperCase()}`);
    expect(body).toEqual({
      leafIndex: 0,
      treeSize: leaves,
      leafHash: tree.leafHashes[0]?.toString("base64"),
      auditPath: expect.any(Array),
      checkpoint: tree.note,
    });
    const path = hashesIn(body.auditPath);
    const leaf = Buffer.from(body.leafHash, "base64");
    expect(verifyInclusion(0, leaves, leaf, path, rootIn(body.checkpoint) ?? leaf)).toBe(true);
    expect((await inclusion("index=0")).body).toEqual(body);
  });

  test("say that no checkpoint was published at a size", async () => {
    const { body } = await inclusion("index=5&size=100");
    expect([body.treeSize, body.checkpoint]).toEqual([100, null]);
    const text = await inclusion("index=5&size=100", "text/plain");
    expect([text.status, text.body.errorCode]).toEqual([404, "CLICK_CHECKPOINT_NOT_FOUND"]);
    expect(text.body.message).toContain("100");
  });

  test("are a tlog-proof for whoever prefers text", async () => {
    const { body } = await inclusion("index=5");
    const answer = await inclusion("index=5", "application/json;q=0.5, text/plain");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("vary")).toBe("Accept");
    expect(answer.text).toBe(["c2sp.org/tlog-proof@v1", "index 5", ...body.auditPath, "", body.checkpoint].join("\n"));
    for (const accept of ["*/*", "text/html", "application/json, text/plain"]) {
      expect((await inclusion("index=5", accept)).headers.get("content-type")).toMatch(/^application\/json/);
    }
  });

  test.each([
    ["", ["receiptId receiptId or index is required"]],
    [`receiptId=${receiptId}&index=0`, ["index must not be sent together with receiptId"]],
    ["index=-1", ["index must be integer"]],
    ["index=1.0", ["index must be integer"]],
    ["index=9007199254740993", ["index must be integer"]],
    ["index=0&index=1", ["index must be integer"]],
    ["index=0&size=x", ["size must be integer"]],
    ["receiptId=x", ["receiptId must be a UUID"]],
  ])("refuse ?%s", async (query, problems) => {
    expect(problemsOf(await inclusion(query))).toEqual([400, "CLICK_VALIDATION_FAILED", problems]);
  });

  test("take the largest index that can be written, which nothing has", async () => {
    const answer = await inclusion("index=999999999999999");
    expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_LEAF_NOT_FOUND"]);
  });
});

describe("consistency proofs", () => {
  test("verify", async () => {
    const { body } = await get("proofs/consistency?from=300&to=600");
    expect(body).toEqual({ from: 300, to: 600, path: expect.any(Array) });
    const earlier = rootOf(appendHashes(emptyFrontier, tree.leafHashes.slice(0, 300)));
    expect(verifyConsistency(300, 600, hashesIn(body.path), earlier, rootIn(tree.note) ?? earlier)).toBe(true);
    expect((await get("proofs/consistency?from=0&to=600")).body).toEqual({ from: 0, to: 600, path: [] });
  });

  test.each([
    ["", ["from is required", "to is required"]],
    ["from=1", ["to is required"]],
    ["from=1&to=-1", ["to must be integer"]],
  ])("refuse ?%s", async (query, problems) => {
    expect(problemsOf(await get(`proofs/consistency?${query}`))).toEqual([400, "CLICK_VALIDATION_FAILED", problems]);
  });
});

describe("tiles", () => {
  test("that are full are bytes to be kept for ever, by this caller alone", async () => {
    const { headers, bytes } = await bytesAt("tile/0/1");
    expect(bytes).toEqual(Buffer.concat(tree.leafHashes.slice(256, 512)));
    expect(
      Object.fromEntries(["content-type", "content-length", "vary"].map((name) => [name, headers.get(name)])),
    ).toEqual({
      "content-type": "application/octet-stream",
      "content-length": "8192",
      vary: "Authorization",
    });
    expect(headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    expect((await bytesAt("tile/0/001")).bytes).toEqual(bytes);
  });

  test("that are partial are bytes that are not kept", async () => {
    const { headers, bytes } = await bytesAt("tile/0/2.p/88");
    expect(bytes).toEqual(Buffer.concat(tree.leafHashes.slice(512)));
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect((await bytesAt("tile/0/002.p/1")).bytes).toEqual(tree.leafHashes[512]);
  });

  test.each([
    "0/2",
    "0/2.p/89",
    "0/0.p/0",
    "0/0.p/256",
    "0/0.p/01",
    "0/0.p/",
    "0/0.p",
    "0/-1",
    "0/01",
    "0/0001",
    "0/0x1",
    "0/9999999999999999",
    "00/0",
    "7/0",
    "x/0",
  ])("%s is none", async (name) => {
    const answer = await get(`tile/${name}`);
    expect([answer.status, answer.body.errorCode]).toEqual([404, expect.stringMatching(/^(CLICK_TILE_)?NOT_FOUND$/)]);
  });
});
