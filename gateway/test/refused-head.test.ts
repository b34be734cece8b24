import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
});
afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

describe("a head that is refused while it is still being sent", () => {
  test("its client gets the answer, and no reset, although it sends on", async () => {
    const socket = connect(gateway.port, "127.0.0.1");
    const received: Buffer[] = [];
    const errors: unknown[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("error", (error) => errors.push(error));
    const closed = once(socket, "close");
    socket.write("GET /");
    for (let n = 0; n < 20; n += 1) {
      socket.write("x".repeat(4_000));
      await delay(2);
    }
    socket.end(" HTTP/1.1\r\nHost: a\r\n\r\n");
    await closed;
    expect(errors).toEqual([]);
    const text = Buffer.concat(received).toString();
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test("a client that never stops is not read for ever", async () => {
    const socket = connect(gateway.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    let isClosed = false;
    const closed = new Promise<void>((resolve) => {
      socket.on("close", () => {
        isClosed = true;
        resolve();
      });
    });
    socket.write("GET /");
    const piece = "x".repeat(4_000);
    while (!isClosed && socket.bytesWritten < 64 * 1024 * 1024) {
      if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    }
    await closed;
    expect(socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
  });
});
