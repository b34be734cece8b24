import { describe, expect, test } from "@jest/globals";
import { newId } from "../../ids.ts";
import { until } from "../../testing/until.ts";
import { createMemoryBus } from "../memory.ts";
import { describeEventBus } from "./bus-contract.ts";

describeEventBus("the bus in memory", async () => createMemoryBus());

describe("createMemoryBus", () => {
  const subject = "assent.test.thing.made";
  const makeEvent = (data: string) => ({ id: newId(), subject, data });

  test("an id may be published again once the duplicate window has passed", async () => {
    let time = 0;
    const bus = createMemoryBus({ now: () => time });
    const received: string[] = [];
    const handle = async (event: { data: string }) => void received.push(event.data);
    await bus.subscribe({ durable: "d", subjects: [subject], handle, onDead: async () => {} });
    const event = makeEvent("a");
    await bus.publish([event]);
    time = 119_000;
    await bus.publish([event]);
    time = 121_000;
    await bus.publish([event, makeEvent("last")]);
    await until(() => received.includes("last"));
    expect(received).toEqual(["a", "a", "last"]);
    await bus.close();
  });

  test("publishing waits while a running subscription is far behind", async () => {
    const bus = createMemoryBus({ retained: 10 });
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await bus.subscribe({ durable: "d", subjects: [subject], handle: () => released, onDead: async () => {} });
    await bus.publish(Array.from({ length: 11 }, () => makeEvent("a")));
    let published = false;
    const waiting = bus.publish([makeEvent("b")]).then(() => (published = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(published).toBe(false);
    release();
    await waiting;
    await bus.close();
  });

  test("keeps only the latest events for subscriptions that come later", async () => {
    const bus = createMemoryBus({ retained: 2 });
    await bus.publish([makeEvent("a"), makeEvent("b"), makeEvent("c")]);
    const received: string[] = [];
    const handle = async (event: { data: string }) => void received.push(event.data);
    await bus.subscribe({ durable: "late", subjects: [subject], handle, onDead: async () => {} });
    await until(() => received.length === 2);
    expect(received).toEqual(["b", "c"]);
    await bus.close();
  });
});
