import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { connectionLimits } from "../listen.ts";
import { parseAnswers, type RawAnswer } from "./raw-http.ts";
import { createFakes, type Fakes, startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let fakes: Fakes;
/** Gives its clients far less time than in production. */
let hasty: TestGateway;
/** As in production. */
let patient: TestGateway;
const opened: Client[] = [];

const hastyLimits = {
  headersTimeout: 500,
  requestTimeout: 1_000,
  connectionsCheckingInterval: 50,
  maxRequestsPerSocket: 3,
  maxConnections: 20,
};

beforeAll(async () => {
  database = await createTestDatabase();
  fakes = await createFakes();
  hasty = await startTestGateway(database.url, { fakes, limits: hastyLimits });
  patient = await startTestGateway(database.url, { fakes });
});

afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.destroy();
});

afterAll(async () => {
  await hasty?.stop();
  await patient?.stop();
  await database?.drop();
});

interface Client {
  readonly socket: Socket;
  readonly isClosed: () => boolean;
  readonly answers: () => RawAnswer[];
  /** Sends this again and again until the connection is closed. */
  drip(text: string, everyMs: number): void;
}

function open(gateway: TestGateway): Client {
  const socket = connect(gateway.port, "127.0.0.1");
  let received = "";
  let closed = false;
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    received += chunk;
  });
  // What is sent to a connection that was closed meanwhile.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    closed = true;
  });
  const client: Client = {
    socket,
    isClosed: () => closed,
    answers: () => parseAnswers(received),
    drip: (text, everyMs) => {
      const timer = setInterval(() => socket.write(text), everyMs);
      socket.on("close", () => clearInterval(timer));
    },
  };
  opened.push(client);
  return client;
}

const health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
const postHead = (length: string, credential = ""): string =>
  `POST /v1/click/templates HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${credential}${length}\r\n\r\n`;
const writing = async (): Promise<string> => `Authorization: Bearer ${await fakes.auth.token("click:write")}\r\n`;

describe("a slow client", () => {
  test("that drips its head gets 408 with our headers and body, and is closed", async () => {
    const client = open(hasty);
    client.socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n");
    client.drip("X-A: b\r\n", 50);
    await until(client.isClosed);
    const [answer, ...others] = client.answers();
    expect(others).toEqual([]);
    expect([answer?.status, answer?.headers.get("connection")]).toEqual([408, "close"]);
    expect(answer?.headers.get("traceparent")).toMatch(/^00-/);
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      errorCode: "VALIDATION_FAILED",
      message: "The request took too long to arrive. Try again.",
      requestId: answer?.headers.get("x-request-id"),
    });
  });

  test("that sends nothing at all is closed", async () => {
    const client = open(hasty);
    await until(client.isClosed);
    expect(client.answers().map(({ status }) => status)).toEqual([408]);
  });

  test.each([
    ["with a length", "Content-Length: 1000", " "],
    ["in chunks", "Transfer-Encoding: chunked", "1\r\n \r\n"],
  ])("that drips its body %s gets 408 and is closed", async (_name, length, piece) => {
    const client = open(hasty);
    client.socket.write(postHead(length, await writing()));
    client.drip(piece, 50);
    await until(client.isClosed);
    expect(client.answers().map(({ status }) => status)).toEqual([408]);
  });

  test("that was refused before its body was read is closed, and has one answer", async () => {
    const client = open(patient);
    client.socket.write(postHead("Content-Length: 1000"));
    client.drip(" ", 50);
    await until(() => client.answers().length === 1);
    expect(client.isClosed()).toBe(false);
    await until(client.isClosed, 15_000);
    expect(client.answers().map(({ status }) => status)).toEqual([401]);
  });

  test("does not disturb others", async () => {
    for (let n = 0; n < 10; n += 1) open(hasty).drip("GET", 50);
    for (let n = 0; n < 10; n += 1) expect((await hasty.call("GET", "/healthz")).status).toBe(200);
  });
});

describe("a connection", () => {
  test("that is idle between requests stays usable for longer than a request may take", async () => {
    const client = open(hasty);
    client.socket.write(health);
    await until(() => client.answers().length === 1);
    const other = open(hasty);
    other.drip("X", 100);
    // A client that came later has been closed for its slowness by then.
    await until(other.isClosed);
    const third = open(hasty);
    await until(third.isClosed);
    expect(client.isClosed()).toBe(false);
    client.socket.write(health);
    await until(() => client.answers().length === 2);
    expect(client.answers().map(({ status }) => status)).toEqual([200, 200]);
  });

  test("is closed after as many requests as one may have, also when all were sent at once", async () => {
    const client = open(hasty);
    client.socket.write(health.repeat(6));
    await until(client.isClosed);
    const answers = client.answers();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.at(-1)?.headers.get("connection")).toBe("close");
  });

  test("beyond the most that there may be is closed at once, and room comes back", async () => {
    const crowd = Array.from({ length: 40 }, () => open(hasty));
    await until(() => crowd.filter(({ isClosed }) => isClosed()).length >= 20);
    for (const { socket } of crowd) socket.destroy();
    await until(async () => (await hasty.call("GET", "/healthz").catch(() => undefined))?.status === 200);
  });

  test("costs little while it is idle: 1,000 of them change no answer", async () => {
    const crowd = Array.from({ length: 1_000 }, () => open(patient));
    await until(() => crowd.every(({ socket }) => !socket.connecting));
    expect((await patient.call("GET", "/healthz")).status).toBe(200);
    expect(crowd.some(({ isClosed }) => isClosed())).toBe(false);
  });
});

describe("a body that is refused", () => {
  test.each([
    ["without a credential", async () => postHead(`Content-Length: ${2 ** 40}`), 401],
    ["because its length says too much", async () => postHead(`Content-Length: ${2 ** 40}`, await writing()), 400],
    [
      "because it grows too large",
      async () => `${postHead("Transfer-Encoding: chunked", await writing())}${(2 ** 40).toString(16)}\r\n`,
      400,
    ],
  ])("%s is not read for gigabytes", async (_name, head, status) => {
    const client = open(patient);
    client.socket.write(await head());
    const piece = Buffer.alloc(65_536, " ");
    let sent = 0;
    const send = (): void => {
      while (!client.isClosed() && client.socket.write(piece)) sent += piece.length;
    };
    client.socket.on("drain", send);
    send();
    await until(client.isClosed, 15_000);
    expect(client.answers().map((answer) => answer.status)).toEqual([status]);
    // 4 MiB, what comes between two looks at it, and what the buffers of both sides hold.
    expect(sent).toBeLessThan(1024 ** 3);
  });

  test("and that ends soon leaves the connection usable", async () => {
    const client = open(patient);
    const large = " ".repeat(1_000_000);
    client.socket.write(`${postHead(`Content-Length: ${large.length}`, await writing())}${large}`);
    await until(() => client.answers().length === 1);
    client.socket.write(health);
    await until(() => client.answers().length === 2);
    expect(client.answers().map(({ status }) => status)).toEqual([400, 200]);
  });
});

test("the limits of production are those that docs/hardening.md tells", () => {
  expect(connectionLimits).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    maxRequestsPerSocket: 1_000,
    maxConnections: 10_000,
  });
});
