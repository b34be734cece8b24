import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { type RawAnswer, sendRaw } from "./raw-http.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
const logged: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const logger = createLogger("gateway", "info", { write: (line: string) => void logged.push(line) });
  gateway = await startTestGateway(database.url, { logger });
  token = await gateway.auth.token("click:read click:write click:accept");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

/** What an attacker wants to have answered as if somebody else had sent it. */
const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\nX-Request-Id: smuggled\r\n\r\n";

const get = (...lines: string[]): string =>
  `${["GET /v1/click/templates HTTP/1.1", ...lines, "Connection: close"].join("\r\n")}\r\n\r\n`;
const post = (lines: string[], body = ""): string =>
  `${["POST /v1/click/accept HTTP/1.1", "Host: a", ...lines].join("\r\n")}\r\n\r\n${body}`;
const json = "Content-Type: application/json";
const credential = (): string => `Authorization: Bearer ${token}`;

/** A probe, and the status of its only answer; "closed" for a connection that is closed without one. */
type Probe = readonly [name: string, bytes: () => string, status: number | "closed"];

const bodyProbes: Probe[] = [
  [
    "length and chunks together",
    () => post(["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    400,
  ],
  [
    "chunks and length together",
    () => post(["Transfer-Encoding: chunked", "Content-Length: 5"], `0\r\n\r\n${smuggled}`),
    400,
  ],
  ["two different lengths", () => post(["Content-Length: 0", `Content-Length: ${smuggled.length}`], smuggled), 400],
  ["the same length twice", () => post(["Content-Length: 2", "Content-Length: 2"], `{}${smuggled}`), 400],
  ["a list of lengths", () => post(["Content-Length: 2, 2"], `{}${smuggled}`), 400],
  ["a negative length", () => post(["Content-Length: -1"], smuggled), 400],
  ["a length with a sign", () => post(["Content-Length: +2"], `{}${smuggled}`), 400],
  ["a length in hexadecimal", () => post(["Content-Length: 0x2"], `{}${smuggled}`), 400],
  ["a length beyond all numbers", () => post([`Content-Length: ${"9".repeat(30)}`], "{}"), 400],
  ["an empty length", () => post(["Content-Length:"], smuggled), 400],
  [
    "a space before the colon of Transfer-Encoding",
    () => post(["Transfer-Encoding : chunked"], `0\r\n\r\n${smuggled}`),
    400,
  ],
  ["another transfer encoding", () => post(["Transfer-Encoding: gzip"], `0\r\n\r\n${smuggled}`), 400],
  ...["gzip, chunked", "identity, chunked", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked"].map(
    (sent): Probe => [
      `the transfer encoding ${JSON.stringify(sent)}`,
      () => post([json, `Transfer-Encoding: ${sent}`], `2\r\n{}\r\n0\r\n\r\n${smuggled}`),
      400,
    ],
  ),
  ["chunks that are not last", () => post(["Transfer-Encoding: chunked, identity"], `0\r\n\r\n${smuggled}`), 400],
  ["chunks with a hidden character", () => post(["Transfer-Encoding: \u000bchunked"], `0\r\n\r\n${smuggled}`), 400],
  ["a chunk size beyond all numbers", () => post([json, "Transfer-Encoding: chunked"], `${"F".repeat(20)}\r\n{}`), 400],
  ["a chunk size that is no number", () => post([json, "Transfer-Encoding: chunked"], "zz\r\n{}\r\n0\r\n\r\n"), 400],
  ["a negative chunk size", () => post([json, "Transfer-Encoding: chunked"], "-2\r\n{}\r\n0\r\n\r\n"), 400],
  [
    "a chunk longer than it says",
    () => post([json, "Transfer-Encoding: chunked"], `1\r\n{}\r\n0\r\n\r\n${smuggled}`),
    // What it says about the credential was on its way when the chunk ended.
    401,
  ],
  ["a chunk that ends with a bare line feed", () => post([json, "Transfer-Encoding: chunked"], "2\n{}\n0\n\n"), 400],
];

const headProbes: Probe[] = [
  ["bare line feeds", () => `GET / HTTP/1.1\nHost: a\nConnection: close\n\n${smuggled}`, 400],
  ["a bare carriage return", () => "GET / HTTP/1.1\rHost: a\r\r", 400],
  ["a bare carriage return in a value", () => get("Host: a", "X-A: b\rX-Request-Id: c"), 400],
  ["a bare line feed in a value", () => get("Host: a", "X-A: b\nX-Request-Id: injected"), 400],
  ["a folded header", () => get("Host: a", "X-A: b", " c"), 400],
  ["a fold at the start", () => get(" Host: a"), 400],
  ["no host", () => get(), 400],
  ["two hosts", () => get("Host: a", "Host: b"), 400],
  ["two credentials", () => get("Host: a", credential(), "Authorization: Bearer other"), 400],
  ["two content types", () => get("Host: a", json, "content-type: text/plain"), 400],
  ["NUL in a header", () => get("Host: a", "X-Request-Id: a\u0000b"), 400],
  ["NUL in a header name", () => get("Host: a", "X-\u0000A: b"), 400],
  ["a space in a header name", () => get("Host: a", "X A: b"), 400],
  ["a header without a name", () => get("Host: a", ": b"), 400],
  ["a header without a colon", () => get("Host: a", "X-A"), 400],
  ["NUL in the target", () => "GET /\u0000 HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["a space in the target", () => "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["a line break within the target", () => "GET /a\r\nX-A: b HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["HTTP/0.9", () => "GET /\r\n\r\n", 400],
  ["another version", () => "GET / HTTP/3.7\r\nHost: a\r\n\r\n", 400],
  ["the preface of HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["TLS", () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000", 400],
  ["an unknown method", () => "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["a method in small letters", () => "get / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["a head of 20 KiB", () => get("Host: a", `X-Large: ${"x".repeat(20_000)}`), 431],
  ["a target of 20 KiB", () => `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ["10,000 headers", () => get("Host: a", ...Array.from({ length: 10_000 }, (_, n) => `X-${n}: y`)), 431],
  ["a second credential behind 2,500 headers", () => get("Host: a", credential(), ...hiding, credential()), 400],
  ["CONNECT", () => "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", "closed"],
  ["nothing but line breaks", () => "\r\n\r\n\r\nX\r\n\r\n", 400],
];

/** The shortest headers there are, so that many fit. */
const hiding: string[] = Array.from({ length: 2_500 }, () => "a:");

/** What is HTTP, if rare, and is answered as such. */
const allowed: Probe[] = [
  ["the target of a proxy", () => "GET http://b/healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200],
  ["an asterisk for a target", () => "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404],
  ["TRACE", () => "TRACE /v1/click/templates HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405],
  ["an upgrade", () => get("Host: a", "Upgrade: websocket"), 401],
  ["an upgrade to HTTP/2", () => get("Host: a", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"), 401],
  ["an unknown expectation", () => get("Host: a", "Expect: miracles"), 401],
  ["HTTP/1.0 without a host", () => "GET /healthz HTTP/1.0\r\n\r\n", 200],
  ["a body on GET", () => get("Host: a", credential(), "Content-Length: 5").concat("abcde"), 200],
  ["empty lines before the request", () => `\r\n\r\n${get("Host: a")}`, 401],
];

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ownTrace = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

function expectOurs(answer: RawAnswer | undefined, status: number): void {
  expect(answer?.status).toBe(status);
  expect(answer?.headers.get("x-request-id")).toMatch(uuidV7);
  expect(answer?.headers.get("traceparent")).toMatch(ownTrace);
  expect(answer?.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer?.headers.get("cache-control")).toBe("private, no-store");
  if (status < 400) return;
  expect(answer?.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(JSON.parse(answer?.body ?? "")).toEqual({
    errorCode: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.any(String),
    requestId: answer?.headers.get("x-request-id"),
  });
}

describe("what comes over a socket", () => {
  test.each([...bodyProbes, ...headProbes, ...allowed])("%s has one answer", async (_name, bytes, status) => {
    const answers = await sendRaw(gateway.port, bytes());
    if (status === "closed") expect(answers).toEqual([]);
    else {
      expect(answers).toHaveLength(1);
      expectOurs(answers[0], status);
    }
    expect(logged.filter((line) => line.includes("smuggled"))).toEqual([]);
    expect((await gateway.call("GET", "/healthz")).status).toBe(200);
  });

  test("a client that waits for 100 Continue gets it, and then one answer", async () => {
    const body = '{"templateSlug":"terms","userRef":"u"}';
    const lines = [credential(), json, "X-Idempotency-Key: continue", "Expect: 100-continue", "Connection: close"];
    const answers = await sendRaw(gateway.port, post([...lines, `Content-Length: ${body.length}`], body));
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
  });

  test("a repeated idempotency key is CLICK_IDEMPOTENCY_KEY_INVALID", async () => {
    const body = '{"templateSlug":"terms","userRef":"u"}';
    const keys = ["X-Idempotency-Key: one", "x-idempotency-key: two", "Connection: close"];
    const answers = await sendRaw(
      gateway.port,
      post([credential(), json, ...keys, `Content-Length: ${body.length}`], body),
    );
    expect(answers).toHaveLength(1);
    expect([answers[0]?.status, JSON.parse(answers[0]?.body ?? "").errorCode]).toEqual([
      400,
      "CLICK_IDEMPOTENCY_KEY_INVALID",
    ]);
  });

  test("a line break in X-Request-Id makes no header and no line of the log", async () => {
    const [answer] = await sendRaw(gateway.port, get("Host: a", "X-Request-Id: a\r\nSet-Cookie: b"));
    expect(answer?.headers.has("set-cookie")).toBe(false);
    for (const line of logged) expect(() => JSON.parse(line)).not.toThrow();
    for (const line of logged) expect(line.indexOf("\n")).toBe(line.length - 1);
  });
});

describe("a connection", () => {
  test("serves further requests after a refused one", async () => {
    const answers = await sendRaw(
      gateway.port,
      "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 200]);
  });

  test("that goes on with nonsense never has the nonsense answered before the request", async () => {
    const body = '{"templateSlug":"terms","userRef":"u"}';
    const good = post([credential(), json, "X-Idempotency-Key: before", `Content-Length: ${body.length}`], body);
    const answers = await sendRaw(gateway.port, `${good}BREW / HTTP/1.1\r\n\r\n`);
    expect([[], [201], [201, 400]]).toContainEqual(answers.map(({ status }) => status));
  });

  test("that breaks a body which was refused already has no second answer", async () => {
    const answers = await sendRaw(gateway.port, [
      post([json, "Transfer-Encoding: chunked"], "2\r\n{}\r\n"),
      "zz\r\nnot a chunk",
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });
});
