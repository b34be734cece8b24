import { PassThrough } from "node:stream";
import { describe, expect, test } from "@jest/globals";
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
