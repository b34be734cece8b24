import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type RunningNats, startNats } from "../../../dev/nats.ts";
import { describeWithNats } from "../../../dev/test/describe-with-nats.ts";
import { newId } from "../../ids.ts";
import { createLogger } from "../../logger.ts";
import { createAuthority } from "../../rpc/test/certificates.ts";
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

  describe("with TLS", () => {
    beforeAll(start);
    afterAll(remove);
    test("tells when the certificate of the server ends, and that of the one that took its place", async () => {
      const authority = createAuthority("Test NATS");
      const file = (name: string): string => join(folder, name);
      const present = (end: number): void => {
        const { cert, key } = authority.issue(["127.0.0.1", "localhost"], end);
        writeFileSync(file("server.crt"), cert);
        writeFileSync(file("server.key"), key);
      };
      const ends = [2, 5].map((days) => Math.floor(Date.now() / 1_000) * 1_000 + days * 86_400_000);
      writeFileSync(file("ca.crt"), authority.cert);
      present(ends[0] ?? 0);
      const tls = `tls { cert_file: ${JSON.stringify(file("server.crt"))}, key_file: ${JSON.stringify(file("server.key"))} }\n`;
      appendFileSync(file("nats.conf"), tls);
      await nats.restart();
      const bus = createNatsBus({ url: `tls://127.0.0.1:${nats.port}?ca=${file("ca.crt")}`, logger });
      try {
        await until(() => bus.certificateEnd?.() === (ends[0] ?? 0) / 1_000);
        present(ends[1] ?? 0);
        await nats.restart();
        await until(() => bus.certificateEnd?.() === (ends[1] ?? 0) / 1_000);
      } finally {
        await bus.close();
      }
    });
  });

  describe("with one server", () => {
    beforeAll(start);
    afterAll(remove);
    describeEventBus("the bus over NATS", async () => createNatsBus({ url: nats.url, logger }));

    test("without TLS there is no certificate whose end could be told", async () => {
      const bus = createNatsBus({ url: nats.url, logger });
      await until(() => bus.isConnected());
      expect(bus.certificateEnd?.()).toBeUndefined();
      await bus.close();
    });

    test("nudges reach the other processes, or all of them, by their names, and nobody keeps them", async () => {
      const buses = [0, 1, 2].map(() => createNatsBus({ url: nats.url, logger }));
      const heard: string[] = [];
      const leave = buses.flatMap((bus, index) =>
        ["some-work", "other-work"].map((name) => bus.onNudge?.(name, () => heard.push(`${index} ${name}`))),
      );
      try {
        await until(() => buses.every((bus) => bus.isConnected()));
        const stored = await buses[0]?.storedBytes?.();
        // Subscriptions of the others may still be on their way.
        await until(() => {
          buses[0]?.nudge?.("some-work");
          return new Set(heard).size === 2;
        });
        expect([...new Set(heard)].sort()).toEqual(["1 some-work", "2 some-work"]);
        buses[0]?.nudge?.("other-work", true);
        const others = () => [...new Set(heard.filter((one) => one.endsWith("other-work")))].sort();
        await until(() => others().length === 3);
        expect(others()).toEqual(["0 other-work", "1 other-work", "2 other-work"]);
        expect(await buses[0]?.storedBytes?.()).toBe(stored);
        for (const end of leave) end?.();
      } finally {
        await Promise.all(buses.map((bus) => bus.close()));
      }
    });

    test("tells how far a service was published, and no consumer sees what says only that", async () => {
      const bus = createNatsBus({ url: nats.url, logger });
      try {
        const [service, received]: [string, BusEvent[]] = [newId(), []];
        const mark = (position: number) => ({ service, epoch: "1-a", position, eventId: newId() });
        expect(await bus.newestMark?.(service)).toBe("nothing");
        await bus.publish([{ id: newId(), subject: `assent.${service}.thing.made`, data: "made" }]);
        expect(await bus.newestMark?.(service)).toBe("unknown");
        // All services tell of administrative acts on the same subjects.
        const [first, second] = [mark(3), mark(4)];
        await bus.publish([{ id: newId(), subject: "assent.audit.account", data: "audit" }], first);
        await bus.publish([{ id: newId(), subject: "assent.audit.account", data: "of another" }], {
          ...mark(9),
          service: newId(),
        });
        expect(await bus.newestMark?.(service)).toMatchObject(first);
        const last = { id: newId(), messageId: "", subject: `assent.${service}.thing.made`, data: "last" };
        await bus.publish([{ ...last, messageId: `${last.id}.2-b` }], second);
        expect(await bus.newestMark?.(service)).toMatchObject(second);
        const subjects = [`assent.${service}.>`];
        const handle = async (event: BusEvent) => void received.push(event);
        await bus.subscribe({ durable: newId(), subjects, handle, onDead: async () => {} });
        await until(() => received.some(({ data }) => data === "last"));
        expect(received.map(({ data }) => data)).toEqual(["made", "last"]);
        expect(received.at(-1)?.id).toBe(last.id);
      } finally {
        await bus.close();
      }
    });

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

    test("a password that is changed is taken from where it stands when it connects again", async () => {
      const file = join(folder, "nats.conf");
      const plain = readFileSync(file, "utf8");
      const protect = (password: string): void =>
        writeFileSync(file, `${plain}authorization { user: assent, password: ${password} }\n`);
      const urlWith = (password: string): string => nats.url.replace("//", `//assent:${password}@`);
      protect("first");
      await nats.restart();
      let url = urlWith("first");
      const changing = createNatsBus({ url: () => url, logger });
      try {
        await changing.publish([makeEvent("before")]);
        protect("second");
        process.kill(Number(readFileSync(join(folder, "nats.pid"), "utf8")), "SIGHUP");
        await until(() => !changing.isConnected());
        await expect(changing.publish([makeEvent("meanwhile")])).rejects.toThrow("NATS cannot be reached");
        url = urlWith("second");
        await until(() => changing.isConnected());
        await changing.publish([makeEvent("after")]);
      } finally {
        await changing.close();
      }
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
