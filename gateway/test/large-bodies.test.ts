import { connect, type Socket } from "node:net";
import type { Interceptor } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { bodyBudgetLimits, createBodyBudget } from "../http/body-budget.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { parseAnswers } from "./raw-http.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

const mib = 1024 * 1024;
const largest = 16 * mib;
/** Only the tests of stalling bodies wait for one to be cut; the others must not see it on a slow machine. */
const patience = { stallMs: 60_000 };
const limits = { ...bodyBudgetLimits, maxBytes: 3 * largest, maxOwnerBytes: 3 * largest, ...patience };
const budget = createBodyBudget(limits);

let database: TestDatabase;
let gateway: TestGateway;
let tokenA: string;
let tokenB: string;
const logged: { level: number | string; msg: string; status?: number }[] = [];
const opened: Socket[] = [];
/** What calls of createBatch wait for. */
let gate: Promise<void> = Promise.resolve();
let waiting = 0;

const waitAtGate: Interceptor = (next) => async (request) => {
  if (request.method.name === "CreateBatch") {
    waiting += 1;
    await gate.finally(() => {
      waiting -= 1;
    });
  }
  return next(request);
};

beforeAll(async () => {
  database = await createTestDatabase();
  const logger = createLogger("gateway", "debug", { write: (line: string) => logged.push(JSON.parse(line)) });
  gateway = await startTestGateway(database.url, { bodyBudget: budget, logger, interceptors: [waitAtGate] });
  tokenA = await gateway.auth.token("gen:read gen:write");
  tokenB = await gateway.auth.token("gen:read gen:write", "cl_other", orgB);
});

afterEach(async () => {
  Object.assign(limits, patience);
  for (const socket of opened.splice(0)) socket.destroy();
  await everythingIsBack();
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

/** Whether so much could be taken at once. */
function hasRoomFor(bytes: number): boolean {
  const room = budget.roomFor("whoever asks");
  const isGranted = room.take(bytes);
  room.release();
  return isGranted;
}

const everythingIsBack = () => until(() => hasRoomFor(limits.maxBytes));

/** Says that a body comes, and sends the beginning of it. */
function upload(token: string, length = `Content-Length: ${largest}`, body = "{") {
  const socket = connect(gateway.port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => undefined);
  const lines = ["POST /batches HTTP/1.1", "Host: a", "Content-Type: application/json", length];
  socket.write(`${lines.join("\r\n")}\r\nAuthorization: Bearer ${token}\r\n\r\n${body}`);
  opened.push(socket);
  return {
    socket,
    answer: () => {
      const [first] = parseAnswers(received);
      return first && { ...first, json: JSON.parse(first.body) };
    },
  };
}

/** The data of one item has 1 MB at most. */
const batchOf = (bytes: number) => ({
  templateId: "0190a000-0000-7000-8000-0000000000ff",
  items: Array.from({ length: Math.ceil(bytes / 500_000) }, () => ({ data: { name: "x".repeat(500_000) } })),
});
const small = { ...batchOf(1), items: [{ data: {} }] };
const send = (token: string, body: unknown) => gateway.call("POST", "/batches", { token, body });

describe("uploads that stall", () => {
  test.each([
    ["with a length", `Content-Length: ${largest}`, "{"],
    ["in chunks", "Transfer-Encoding: chunked", "1\r\n{\r\n"],
  ])("%s hold no more than the budget, are cut, and leave it to others", async (_name, length, body) => {
    limits.stallMs = 2_500;
    const uploads = Array.from({ length: 20 }, (_, n) => upload(n % 2 === 0 ? tokenA : tokenB, length, body));
    const statuses = () => uploads.map(({ answer }) => answer()?.status);
    await until(() => statuses().filter((status) => status === 503).length === 17);
    expect(hasRoomFor(262_145)).toBe(false);
    const refused = uploads.find(({ answer }) => answer()?.status === 503)?.answer();
    expect(refused?.json).toEqual({ code: "busy", message: expect.stringContaining("large bodies"), details: {} });
    expect(refused?.headers.get("retry-after")).toBe("5");
    // What is small goes on.
    expect((await send(tokenA, small)).status).toBe(202);
    await until(() => statuses().filter((status) => status === 400).length === 3);
    const cut = uploads.find(({ answer }) => answer()?.status === 400)?.answer();
    expect([cut?.json.code, cut?.json.message]).toEqual([
      "invalid_request",
      "The body did not arrive in time. Send it again.",
    ]);
    expect((await send(tokenA, batchOf(4 * mib))).status).toBe(202);
  });

  test("are two of an organization at most, whoever else sends", async () => {
    const uploads = [upload(tokenA), upload(tokenA), upload(tokenA)];
    await until(() => uploads.some(({ answer }) => answer()?.status === 503));
    const other = await gateway.auth.token("gen:write", "cl_second", orgA);
    expect((await send(other, batchOf(3 * mib))).status).toBe(503);
    expect((await send(tokenB, batchOf(3 * mib))).status).toBe(202);
    expect(uploads.filter(({ answer }) => answer() !== undefined)).toHaveLength(1);
  });

  test("but go on slowly are not cut", async () => {
    limits.stallMs = 1_500;
    const text = JSON.stringify(small);
    const slow = upload(tokenA, `Content-Length: ${text.length}`, "");
    for (const piece of text.match(/.{1,12}/g) ?? []) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      slow.socket.write(piece);
    }
    await until(() => slow.answer()?.status === 202);
  });
});

describe("clients that go away", () => {
  test("leave nothing behind, and nothing that looks like an error of ours", async () => {
    const before = logged.length;
    const uploads = [upload(tokenA), upload(tokenB), upload(tokenB, "Transfer-Encoding: chunked", "1\r\n{\r\n")];
    await until(() => !hasRoomFor(262_145));
    for (const { socket } of uploads) socket.resetAndDestroy();
    await everythingIsBack();
    const lines = () => logged.slice(before);
    await until(() => lines().filter(({ status }) => status === 499).length === 3);
    expect(lines().filter(({ msg }) => msg !== "request")).toEqual([]);
  });
});

describe("a body that has arrived", () => {
  test("is held until it is answered, also when its sender has gone", async () => {
    logged.length = 0;
    let open = (): void => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const text = JSON.stringify(batchOf(5 * mib));
    const answered = send(tokenA, text);
    const gone = upload(tokenA, `Content-Length: ${text.length}`, text);
    const isHeld = () => !hasRoomFor(limits.maxBytes - 10 * mib);
    await until(() => waiting === 2);
    gone.socket.destroy();
    await until(() => logged.some(({ status }) => status === 499));
    expect(isHeld()).toBe(true);
    expect((await send(tokenA, batchOf(3 * mib))).status).toBe(503);
    open();
    expect((await answered).status).toBe(202);
    await everythingIsBack();
    expect((await send(tokenA, batchOf(3 * mib))).status).toBe(202);
  });

  test("gives back what was refused in it", async () => {
    for (const body of ["{".repeat(3 * mib), JSON.stringify({ items: [], padding: "x".repeat(3 * mib) })]) {
      for (let n = 0; n < 3; n += 1) expect((await send(tokenA, body)).status).toBe(400);
    }
    const large = upload(tokenA, `Content-Length: ${largest + 1}`);
    await until(() => large.answer()?.json.code === "payload_too_large");
  });
});
