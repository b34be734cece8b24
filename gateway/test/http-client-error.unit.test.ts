import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { answerClientError } from "../http/client-error.ts";

describe("what Node cannot parse", () => {
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

  test.each([
    ["an answer that has begun", { headersSent: true, req: { complete: false } }],
    ["the answer to an earlier request that is still being made", { headersSent: false, req: { complete: true } }],
  ])("%s is neither overtaken nor broken into", (_name, _httpMessage) => {
    const socket = Object.assign(new PassThrough(), { _httpMessage });
    answerClientError(Object.assign(new Error(), { code: "HPE_INVALID_METHOD" }), socket, () => "new-id");
    expect([socket.destroyed, socket.read()]).toEqual([true, null]);
  });
});

test.each([
  ["its head", "POST / HTTP/1.1\r\nHost: a\r\n", "Content-Length: 0\r\n\r\n"],
  ["its body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab", "cd"],
])("a request that was refused because %s came too slowly is not handled any more", async (_, before, after) => {
  const limits = {
    headersTimeout: 100,
    requestTimeout: 100,
    connectionsCheckingInterval: 10,
    keepAliveTimeout: 60_000,
  };
  let handled = 0;
  const server = createServer(limits, (request) => {
    request.resume().once("end", () => (handled += 1));
  });
  server.on("clientError", (error, socket) => answerClientError(error, socket, () => "new-id"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write(before);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
    socket.write(after);
    await until(async () => (await promisify(server.getConnections.bind(server))()) === 0);
    expect(handled).toBe(0);
    socket.destroy();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
