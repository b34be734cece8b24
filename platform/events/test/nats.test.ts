import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type RunningNats, startNats } from "../../../dev/nats.ts";
import { describeWithNats } from "../../../dev/test/describe-with-nats.ts";
import { newId } from "../../ids.ts";
import { createLogger } from "../../logger.ts";
import { until } from "../../testing/until.ts";
import type { BusEvent, EventBus } from "../bus.ts";
import { createNatsBus } from "../nats.ts";
import { describeEventBus } from "./bus-contract.ts";

const logger = createLogger("test", "silent");

/** Over a bare socket, since the client library belongs to the bus alone; closes it once `told` was answered. */
function askServer(url: string, request: string, told: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once("error", reject);
    let output = "";
    socket.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes(told)) return;
      socket.destroy();
      resolve();
    });
    socket.write(`CONNECT {"verbose":false}\r\nSUB answer 1\r\n${request}\r\n`);
  });
}

const deleteStream = (url: string): Promise<void> =>
  askServer(url, "PUB $JS.API.STREAM.DELETE.EVENTS answer 0\r\n", '"success":true');

/** Takes an event from a durable consumer and is gone, as a process is that was killed. */
const takeAndDie = (url: string, durable: string, told: string): Promise<void> =>
  askServer(url, `PUB $JS.API.CONSUMER.MSG.NEXT.EVENTS.${durable} answer 1\r\n1`, told);

const givenUrl = process.env.NATS_URL;
if (givenUrl) {
  describeEventBus("the bus over the NATS of NATS_URL", async () => createNatsBus({ url: givenUrl, logger }));
}

describeWithNats("createNatsBus", () => {
  let folder: string;
  let nats: RunningNats;

  const start = async (): Promise<void> => {
    folder = mkdtempSync(join(tmpdir(), "assent-test-nats-"));
    nats = (await startNats({ storeDir: folder })) as RunningNats;
  };
  const remove = async (): Promise<void> => {
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  };

  describe("with one server", () => {
    beforeAll(start);
    afterAll(remove);
    describeEventBus("the bus over NATS", async () => createNatsBus({ url: nats.url, logger }));

    test("what a process had taken that was killed comes again within seconds", async () => {
      const bus = createNatsBus({ url: nats.url, logger });
      try {
        const [received, durable, subject]: [BusEvent[], string, string] = [[], newId(), `assent.killed.${newId()}`];
        const subscribe = () =>
          bus.subscribe({
            ...{ durable, subjects: [subject], onDead: async () => {} },
            handle: async (event) => void received.push(event),
          });
        const publish = (data: string) => bus.publish([{ id: newId(), subject, data }]);
        const before = await subscribe();
        await publish("before");
        await until(() => received.length === 1);
        await before.stop();
        await publish("taken-by-the-dead");
        await takeAndDie(nats.url, durable, "taken-by-the-dead");
        const takenAt = performance.now();
        await subscribe();
        await until(() => received.length === 2);
        expect(received[1]?.data).toBe("taken-by-the-dead");
        expect(performance.now() - takenAt).toBeLessThan(20_000);
      } finally {
        await bus.close();
      }
    });
  });

  describe("when the server comes and goes", () => {
    let bus: EventBus;
    let subject: string;
    let received: string[];

    beforeEach(async () => {
      await start();
      subject = `assent.${newId()}.thing.made`;
      received = [];
      bus = createNatsBus({ url: nats.url, logger });
    });
    afterEach(async () => {
      await bus.close();
      await remove();
    });
    const makeEvent = (data: string): BusEvent => ({ id: newId(), subject, data });
    const subscribe = () =>
      bus.subscribe({
        durable: "outage",
        subjects: [subject],
        backoffMs: [10],
        handle: async (event) => void received.push(event.data),
        onDead: async () => {},
      });

    test("publishing fails while the server is away and works once it is back on the same port", async () => {
      await bus.publish([makeEvent("before")]);
      await nats.kill();
      await until(() => !bus.isConnected());
      const lost = makeEvent("during");
      await expect(bus.publish([lost])).rejects.toThrow("NATS cannot be reached");
      await nats.restart();
      await bus.publish([lost, makeEvent("after")]);
      await subscribe();
      await until(() => received.length === 3);
      expect(received).toEqual(["before", "during", "after"]);
    });

    test("publishing waits for a server that is back soon", async () => {
      await bus.publish([makeEvent("before")]);
      await nats.kill();
      await until(() => !bus.isConnected());
      const publishing = bus.publish([makeEvent("soon")]);
      await nats.restart();
      await publishing;
    });

    test("a subscription goes on after the server was killed and started again", async () => {
      await subscribe();
      await bus.publish([makeEvent("before")]);
      await until(() => received.length === 1);
      await nats.kill();
      await nats.restart();
      await until(() => bus.isConnected());
      await bus.publish([makeEvent("after")]);
      await until(() => received.includes("after"));
      expect(received).toEqual(["before", "after"]);
    });

    test("the stream and the subscription are made again when the server lost its disk", async () => {
      await subscribe();
      await bus.publish([makeEvent("before")]);
      await until(() => received.length === 1);
      const store = bus.storeId?.();
      expect(store).toBeDefined();
      await nats.kill();
      rmSync(join(folder, "jetstream"), { recursive: true, force: true });
      await nats.restart();
      await until(async () => {
        await bus.publish([makeEvent("after")]);
        return true;
      });
      await until(() => received.includes("after"));
      expect(bus.storeId?.()).not.toBe(store);
    });

    test("a stream that was deleted under the connection is noticed with the next events", async () => {
      await bus.publish([makeEvent("a"), makeEvent("b")]);
      const store = bus.storeId?.();
      const other = createNatsBus({ url: nats.url, logger });
      await other.publish([makeEvent("c")]);
      await deleteStream(nats.url);
      await expect(other.publish([makeEvent("d")])).rejects.toThrow();
      await other.publish([makeEvent("e")]);
      expect(other.storeId?.()).not.toBe(store);
      await bus.publish([makeEvent("f")]);
      expect(bus.storeId?.()).toBe(other.storeId?.());
      await other.close();
    });

    test("a bus that is made, subscribed to and closed while there is no server does not fail", async () => {
      await nats.kill();
      const early = createNatsBus({ url: nats.url, logger });
      const subscription = await early.subscribe({
        durable: "early",
        subjects: [subject],
        handle: async (event) => void received.push(event.data),
        onDead: async () => {},
      });
      expect(early.isConnected()).toBe(false);
      await nats.restart();
      await early.publish([makeEvent("a")]);
      await until(() => received.length === 1);
      await subscription.stop();
      await nats.kill();
      await early.close();
      const never = createNatsBus({ url: nats.url, logger });
      await never.close();
    });

    test("acknowledged events survive a kill of the server", async () => {
      const events = Array.from({ length: 500 }, (_, index) => makeEvent(`${index}`));
      await bus.publish(events);
      await nats.kill();
      await nats.restart();
      await subscribe();
      await until(() => received.length === 500);
      expect(received).toEqual(events.map((event) => event.data));
    });
  });
});
