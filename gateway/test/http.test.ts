import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { answerClientError } from "../http/client-error.ts";
import { allRoutes } from "../routes/index.ts";
import { sendRaw } from "./raw-http.ts";
import { pathWith } from "./sample-requests.ts";
import { type CallOptions, startTestGateway, type TestGateway } from "./test-gateway.ts";

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

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ownTrace = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

describe("request id and trace", () => {
  const accept = { token, body: { templateSlug: "terms", userRef: "u" }, headers: { "X-Idempotency-Key": "ids" } };
  const requests: [string, number, string, string, CallOptions][] = [
    ["a success", 200, "GET", "/healthz", {}],
    ["an unknown path", 404, "GET", "/nothing/here", {}],
    ["a wrong method", 405, "DELETE", "/v1/click/accept", {}],
    ["no credential", 401, "POST", "/v1/click/accept", accept],
    ["a path with a bad escape", 400, "GET", "/v1/click/templates/%zz", {}],
    ["an options request", 405, "OPTIONS", "/v1/click/accept", {}],
    ["a reference page", 200, "GET", "/docs", {}],
  ];

  test.each(requests)("%s carries both", async (_name, status, method, path, options) => {
    const answer = await gateway.call(method, path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-request-id")).toMatch(uuidV7);
    expect(answer.headers.get("traceparent")).toMatch(ownTrace);
    expect(answer.headers.get("x-powered-by")).toBeNull();
    expect(answer.headers.get("etag")).toBeNull();
    if (status >= 400) {
      expect(answer.body).toEqual({
        errorCode: expect.any(String),
        message: expect.any(String),
        requestId: answer.headers.get("x-request-id"),
      });
    }
  });

  test("the caller's are kept when they are well-formed", async () => {
    const answer = await gateway.call("GET", "/nothing", {
      headers: {
        "X-Request-Id": "My.request_id-1",
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      },
    });
    expect(answer.headers.get("x-request-id")).toBe("My.request_id-1");
    expect(answer.body.requestId).toBe("My.request_id-1");
    expect(answer.headers.get("traceparent")).toMatch(
      /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)\w{16}-01$/,
    );
  });

  test.each(["has space", "x".repeat(129), "semi;colon", "<script>", "a,b"])(
    "the request id %p is replaced",
    async (sent) => {
      const answer = await gateway.call("GET", "/nothing", { headers: { "X-Request-Id": sent } });
      expect(answer.headers.get("x-request-id")).toMatch(uuidV7);
    },
  );

  test.each([
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "nonsense",
  ])("the trace %s starts anew", async (traceparent) => {
    const answer = await gateway.call("GET", "/nothing", { headers: { traceparent } });
    expect(answer.headers.get("traceparent")).not.toContain("4bf92f3577b34da6a3ce929d0e0e4736");
    expect(answer.headers.get("traceparent")).toMatch(ownTrace);
  });

  test("services get the trace and the request id", async () => {
    const answer = await gateway.call("GET", "/v1/click/templates", {
      token,
      headers: { "X-Request-Id": "for-services" },
    });
    expect(gateway.templates.seen.callers.at(-1)).toMatchObject({
      requestId: "for-services",
      traceparent: answer.headers.get("traceparent"),
    });
  });
});

describe("addresses and methods", () => {
  test.each([
    "/v1/click/templates/",
    "/V1/click/templates",
    "/v1/click/%74emplates/x/y",
    "//v1/click/templates",
    "/v1/click",
  ])("%s is 404", async (path) => {
    const answer = await gateway.call("GET", path, { token });
    expect([answer.status, answer.body.errorCode]).toEqual([404, "NOT_FOUND"]);
  });

  const id = "0190a000-0000-7000-8000-000000000001";
  const paths = [...Map.groupBy(allRoutes, ({ path }) => path)];
  test.each(paths.map(([path, routes]) => [path, routes.map(({ method }) => method)] as const))(
    "%s knows its methods only",
    async (path, methods) => {
      const filled = pathWith(path, { id, templateId: id, versionId: id, sessionId: id, receiptId: id });
      const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
      const answer = await gateway.call("PUT", filled);
      expect([answer.status, answer.body.errorCode, answer.headers.get("allow")]).toEqual([
        405,
        "METHOD_NOT_ALLOWED",
        allow,
      ]);
    },
  );

  test("HEAD answers what GET does, without the body", async () => {
    const options = { token, headers: { "X-Request-Id": "head" } };
    const get = await gateway.call("GET", "/v1/click/templates", options);
    const head = await gateway.call("HEAD", "/v1/click/templates", options);
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect((await gateway.call("HEAD", "/v1/click/accept")).status).toBe(405);
  });

  test("a path in capitals hexadecimals is still refused or found by its ids alone", async () => {
    const answer = await gateway.call("GET", `/v1/click/templates/${id}%2Fversions`, { token });
    expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_TEMPLATE_NOT_FOUND"]);
  });
});

describe("bodies", () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/v1/click/templates`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
      body,
    }).then(async (response) => [response.status, ((await response.json()) as { errorCode: string }).errorCode]);
  const good = '{"name":"x","type":"STATIC"}';
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  test.each([
    ["nothing but a brace", "{", 400, "CLICK_VALIDATION_FAILED"],
    ["a trailing comma", '{"name":"x",}', 400, "CLICK_VALIDATION_FAILED"],
    ["another language", "name=x", 400, "CLICK_VALIDATION_FAILED"],
    ["a list", "[]", 400, "CLICK_VALIDATION_FAILED"],
    ["null", "null", 400, "CLICK_VALIDATION_FAILED"],
    ["a number", "5", 400, "CLICK_VALIDATION_FAILED"],
    ["a hundred thousand nested lists", nested(100_000), 400, "CLICK_VALIDATION_FAILED"],
    ["33 levels", `{"name":"x","type":"STATIC","typeConfig":{"a":${nested(31)}}}`, 400, "CLICK_VALIDATION_FAILED"],
    ["half a surrogate pair", '{"name":"\\ud800","type":"STATIC"}', 400, "CLICK_VALIDATION_FAILED"],
    ["the character NUL", '{"name":"a\\u0000b","type":"STATIC"}', 400, "CLICK_VALIDATION_FAILED"],
    [
      "the character NUL in a key",
      '{"name":"a","type":"STATIC","metadata":{"\\u0000":""}}',
      400,
      "CLICK_VALIDATION_FAILED",
    ],
  ])("%s is refused", async (_name, body, status, errorCode) => {
    expect(await post(body)).toEqual([status, errorCode]);
  });

  test("bytes that are not UTF-8 are refused", async () => {
    expect(
      await post(new Uint8Array([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('","type":"STATIC"}')])),
    ).toEqual([400, "CLICK_VALIDATION_FAILED"]);
  });

  test("32 levels are allowed", async () => {
    expect(await post(`{"name":"deep","type":"STATIC","typeConfig":{"a":${nested(30)}}}`)).toEqual([201, undefined]);
  });

  test.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/json; charset=iso-8859-1", 415],
    ["application/jsonp", 415],
    ["application/json; charset=utf-8", 409],
    ['Application/JSON;charset="UTF-8"', 409],
    ["application/json;charset=utf8", 409],
  ])("the content type %s answers %i", async (contentType, status) => {
    await post('{"name":"typed","type":"STATIC"}');
    expect((await post('{"name":"typed","type":"STATIC"}', { "Content-Type": contentType }))[0]).toBe(status);
  });

  test("a compressed body is 415", async () => {
    expect(await post(new Uint8Array(gzipSync(good)), { "Content-Encoding": "gzip" })).toEqual([
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
  });

  test("a body of more than 256 KiB is refused, whether its length is told or not", async () => {
    const large = JSON.stringify({ name: "x", type: "STATIC", padding: "x".repeat(262_144) });
    expect(await post(large)).toEqual([400, "CLICK_PAYLOAD_TOO_LARGE"]);
    const chunked = await fetch(`${gateway.url}/v1/click/templates`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: new Blob([large]).stream(),
      duplex: "half",
    });
    expect([chunked.status, ((await chunked.json()) as { errorCode: string }).errorCode]).toEqual([
      400,
      "CLICK_PAYLOAD_TOO_LARGE",
    ]);
  });

  test("a body that says __proto__ pollutes nothing", async () => {
    const polluting = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    for (const { method, path } of allRoutes.filter(({ body }) => body !== undefined)) {
      const id = "0190a000-0000-7000-8000-000000000001";
      await gateway.call(method, pathWith(path, { id, templateId: id, versionId: id }), {
        token,
        body: `${polluting},"metadata":{"__proto__":"x"},"typeConfig":{"__proto__":{"polluted":true}},"name":"p","type":"STATIC"}`,
        headers: { "X-Idempotency-Key": "pollution" },
      });
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("a huge list of wrong items is refused fast, with a bounded answer", async () => {
    const answer = await gateway.call("POST", "/v1/click/accept", {
      token,
      body: `{"templateSlug":"x","userRef":"u","purposes":[${"1,".repeat(100_000)}1]}`,
      headers: { "X-Idempotency-Key": "huge" },
    });
    expect([answer.status, answer.body.details.length]).toEqual([400, 1]);
  });
});

describe("what HTTP allows but we do not", () => {
  const head = (...lines: string[]) =>
    `${["GET /v1/click/templates HTTP/1.1", ...lines, "Connection: close"].join("\r\n")}\r\n\r\n`;
  const probes: [string, () => string | Buffer, number][] = [
    ["two hosts", () => head("Host: a", "Host: b"), 400],
    ["no host", () => head(), 400],
    ["two credentials", () => head("Host: a", `Authorization: Bearer ${token}`, "Authorization: Bearer other"), 400],
    ["two content types", () => head("Host: a", "Content-Type: application/json", "content-type: text/plain"), 400],
    [
      "length and chunks",
      () =>
        "POST /v1/click/accept HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["two lengths", () => "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde", 400],
    ["a space before the colon", () => head("Host : a"), 400],
    ["bare line feeds", () => "GET / HTTP/1.1\nHost: a\nConnection: close\n\n", 400],
    ["a line break within a header", () => head("Host: a", "X-Request-Id: a\u0000b"), 400],
    ["no HTTP at all", () => "\u0016\u0003\u0001\u0002\u0000\u0001", 400],
    ["an unknown method", () => "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a head of 20 KiB", () => head("Host: a", `X-Large: ${"x".repeat(20_000)}`), 431],
    ["an unknown expectation", () => head("Host: a", "Expect: miracles"), 401],
    ["HTTP 1.0 without a host", () => "GET /healthz HTTP/1.0\r\n\r\n", 200],
  ];

  test.each(probes)("%s", async (_name, bytes, status) => {
    const [answer] = await sendRaw(gateway.port, bytes());
    expect(answer?.status).toBe(status);
    expect(answer?.headers.get("x-request-id")).toMatch(uuidV7);
    expect(answer?.headers.get("traceparent")).toMatch(ownTrace);
    if (status >= 400) {
      expect(Object.keys(JSON.parse(answer?.body ?? ""))).toEqual(["errorCode", "message", "requestId"]);
      expect(JSON.parse(answer?.body ?? "").requestId).toBe(answer?.headers.get("x-request-id"));
    }
  });

  test.each([
    ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
    ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
    ["HPE_INVALID_METHOD", "400 Bad Request"],
  ])("the parser's %s is answered with %s", (code, status) => {
    const socket = new PassThrough();
    answerClientError(Object.assign(new Error(), { code }), socket, () => "new-id");
    const answer = String(socket.read());
    expect(answer).toContain(`HTTP/1.1 ${status}\r\nX-Request-Id: new-id\r\n`);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({ requestId: "new-id" });
  });

  test("a connection that the client has reset gets no answer", () => {
    const socket = new PassThrough();
    answerClientError(Object.assign(new Error(), { code: "ECONNRESET" }), socket, () => "new-id");
    expect([socket.destroyed, socket.read()]).toEqual([true, null]);
  });

  test("a repeated idempotency key is CLICK_IDEMPOTENCY_KEY_INVALID", async () => {
    const body = '{"templateSlug":"terms","userRef":"u"}';
    const [answer] = await sendRaw(
      gateway.port,
      [
        "POST /v1/click/accept HTTP/1.1",
        "Host: a",
        `Authorization: Bearer ${token}`,
        "Content-Type: application/json",
        "X-Idempotency-Key: one",
        "x-idempotency-key: two",
        `Content-Length: ${body.length}`,
        "Connection: close",
        "",
        body,
      ].join("\r\n"),
    );
    expect([answer?.status, JSON.parse(answer?.body ?? "").errorCode]).toEqual([400, "CLICK_IDEMPOTENCY_KEY_INVALID"]);
  });

  test("a connection serves further requests after a refused one", async () => {
    const answers = await sendRaw(
      gateway.port,
      "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 200]);
  });
});

describe("errors of the services", () => {
  const failWith = async (error: unknown) => {
    gateway.templates.fail.with = error;
    try {
      return await gateway.call("GET", "/v1/click/templates", { token });
    } finally {
      gateway.templates.fail.with = undefined;
    }
  };

  test.each([
    ["unavailable", Code.Unavailable, 503, "SERVICE_UNAVAILABLE"],
    ["too late", Code.DeadlineExceeded, 503, "SERVICE_UNAVAILABLE"],
    ["cancelled", Code.Canceled, 503, "SERVICE_UNAVAILABLE"],
    ["not implemented", Code.Unimplemented, 500, "INTERNAL_ERROR"],
    ["unauthenticated, which is our own fault", Code.Unauthenticated, 500, "INTERNAL_ERROR"],
  ])("%s", async (_name, code, status, errorCode) => {
    const answer = await failWith(new ConnectError("internal detail", code));
    expect([answer.status, answer.body.errorCode]).toEqual([status, errorCode]);
    expect(answer.text).not.toContain("internal detail");
    if (status === 503) expect(answer.headers.get("retry-after")).toBe("1");
  });

  test("a defect is logged with its request and told to nobody", async () => {
    const answer = await failWith(new Error("password=hunter2"));
    expect([answer.status, answer.body.errorCode]).toEqual([500, "INTERNAL_ERROR"]);
    expect(answer.text).not.toContain("hunter2");
    const requestId = answer.headers.get("x-request-id") ?? "";
    const line = logged.find((text) => text.includes(requestId) && text.includes("request failed"));
    expect(JSON.parse(line ?? "{}")).toMatchObject({
      level: "error",
      err: { stack: expect.any(String) },
      route: "/v1/click/templates",
    });
  });

  test("problems that only the service finds are named as the interface names them", async () => {
    const { body } = await gateway.call("POST", "/v1/click/templates", {
      token,
      body: { name: "Large", type: "STATIC" },
    });
    const answer = await gateway.call("POST", `/v1/click/templates/${body.id}/versions`, {
      token,
      body: { locale: "en", content: "ä".repeat(600_000) },
    });
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(answer.body.details[0].field).toBe("content");
  });

  test("fields of messages are named as in bodies", async () => {
    const details = [{ field: "changes.default_locale", code: "string.max_len", message: "is too long" }];
    const answer = await failWith(new DomainError("VALIDATION_FAILED", { details }));
    expect(answer.body.details).toEqual([{ field: "defaultLocale", code: "string.max_len", message: "is too long" }]);
  });
});

describe("the access log", () => {
  test("has one line per request, without credentials", async () => {
    await gateway.call("GET", "/v1/click/templates?limit=3", { token, headers: { "X-Request-Id": "logged" } });
    const line = await until(() => logged.find((text) => text.includes('"requestId":"logged"')));
    expect(JSON.parse(line)).toMatchObject({
      level: "info",
      requestId: "logged",
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      orgId: "0190a000-0000-7000-8000-00000000000a",
      clientId: "cl_test",
      method: "GET",
      route: "/v1/click/templates",
      status: 200,
      ms: expect.any(Number),
      msg: "request",
    });
    expect(logged.join("")).not.toContain(token);
  });
});
