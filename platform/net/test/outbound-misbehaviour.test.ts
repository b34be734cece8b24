import { describe, expect, test } from "@jest/globals";
import { type Answer, says, useReceivers } from "./receivers.ts";

const { receive, poster } = useReceivers();

const ample = 20_000;
const brief = 100;

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** What comes of a receiver that answers like this. */
async function resultOf(answer: Answer, timeoutMs = ample) {
  const receiver = await receive(answer);
  return poster().post({ url: `http://127.0.0.1:${receiver.port}/in`, headers: {}, body: "{}", timeoutMs });
}

describe("a receiver that misbehaves", () => {
  const interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const cases: [string, Answer, string][] = [
    ["closes without a word", (socket) => socket.end(), "connection"],
    ["resets the connection", (socket) => socket.resetAndDestroy(), "connection"],
    ["breaks off its headers", says("HTTP/1.1 200 OK\r\nContent-"), "connection"],
    ["breaks off its body", says("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), "connection"],
    ["breaks off its chunks", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), "connection"],
    ["answers garbage", says("\u0000\u0001\u0002garbage"), "protocol"],
    ["answers with HTTP/0.9", says("<html>hello</html>"), "protocol"],
    ["answers with HTTP/2", says(Buffer.from("0000000400000000000000", "hex")), "protocol"],
    ["gives two lengths", says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!"), "protocol"],
    ["gives chunks of no length", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "protocol"],
    ["has one huge header", says(`HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(17_000)}\r\n\r\n`), "protocol"],
    ["has very many headers", says(`HTTP/1.1 200 OK\r\n${"X-A: a\r\n".repeat(10_000)}\r\n`), "protocol"],
    ["floods with interim answers", says(interim.repeat(1_000) + ok), "protocol"],
    ["changes to another protocol", says("HTTP/1.1 101 Yes\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), "protocol"],
  ];
  test.each(cases)("%s: the attempt failed", async (_what, answer, reason) => {
    const result = await resultOf(answer);
    expect(result).toEqual({ kind: "failed", reason, message: expect.any(String), durationMs: expect.any(Number) });
    expect(result).toHaveProperty("message", expect.not.stringMatching(/garbage|hello|127\.0/));
  });

  test("a few interim answers are fine", async () => {
    await expect(resultOf(says(interim.repeat(2) + ok))).resolves.toMatchObject({ status: 200 });
  });

  const drip =
    (start: string, piece: string): Answer =>
    (socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write(piece), 5);
      socket.on("close", () => clearInterval(timer));
    };
  const slow: [string, Answer][] = [
    ["says nothing", () => undefined],
    ["drips its headers", drip("HTTP/1.1 200 OK\r\n", "X-A: a\r\n")],
    ["drips its body", drip("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", "a")],
    ["drips its chunks", drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n")],
  ];
  test.each(slow)("%s: the time ends all of it", async (_what, answer) => {
    await expect(resultOf(answer, brief)).resolves.toMatchObject({ kind: "failed", reason: "timeout" });
  });
});
