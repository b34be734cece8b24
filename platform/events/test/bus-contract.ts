import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { newId } from "../../ids.ts";
import { until } from "../../testing/until.ts";
import type { BusEvent, EventBus, ReceivedEvent, SubscribeOptions } from "../bus.ts";

/** What every event bus promises; run against each implementation. */
export function describeEventBus(name: string, openBus: () => Promise<EventBus>): void {
  describe(name, () => {
    let bus: EventBus;
    let subject: string;
    let durable: string;

    beforeEach(async () => {
      bus = await openBus();
      const token = newId();
      subject = `assent.${token}.thing.made`;
      durable = `test-${token}`;
    });
    afterEach(() => bus.close());

    const makeEvent = (data: string): BusEvent => ({ id: newId(), subject, data });
    const subscribe = (options: Partial<SubscribeOptions> & Pick<SubscribeOptions, "handle">) =>
      bus.subscribe({ durable, subjects: [subject], backoffMs: [10], onDead: async () => {}, ...options });
    const collect = () => {
      const received: ReceivedEvent[] = [];
      return { received, handle: async (event: ReceivedEvent) => void received.push(event) };
    };
    const dataOf = (events: readonly BusEvent[]) => events.map((event) => event.data);

    test("a subscriber receives the events of its subjects in the order they were published", async () => {
      const mine = collect();
      await subscribe({ handle: mine.handle });
      const events = Array.from({ length: 50 }, (_, index) => makeEvent(`${index}`));
      await bus.publish([...events, { ...makeEvent("other"), subject: "assent.other.thing.made" }]);
      await until(() => mine.received.length === 50);
      expect(mine.received).toEqual(events.map((event) => ({ ...event, deliveries: 1 })));
    });

    test("a subscription covers several patterns and nothing else", async () => {
      const mine = collect();
      const at = (verb: string) => ({ ...makeEvent(verb), subject: subject.replace("made", verb) });
      await subscribe({ subjects: [subject, subject.replace("made", "sold")], handle: mine.handle });
      await bus.publish([at("made"), at("lost"), at("sold")]);
      await until(() => mine.received.length === 2);
      const all = collect();
      await subscribe({
        durable: `${durable}-all`,
        subjects: [subject.replace("thing.made", ">")],
        handle: all.handle,
      });
      await until(() => all.received.length === 3);
      expect(dataOf(mine.received)).toEqual(["made", "sold"]);
    });

    test("every durable subscription gets each event", async () => {
      const first = collect();
      const second = collect();
      await subscribe({ handle: first.handle });
      await subscribe({ durable: `${durable}-2`, handle: second.handle });
      await bus.publish([makeEvent("a")]);
      await until(() => first.received.length === 1 && second.received.length === 1);
    });

    test("subscribers with one durable name share the events", async () => {
      const first = collect();
      const second = collect();
      await subscribe({ handle: first.handle });
      await subscribe({ handle: second.handle });
      const events = Array.from({ length: 20 }, (_, index) => makeEvent(`${index}`));
      await bus.publish(events);
      await until(() => first.received.length + second.received.length === 20);
      expect(new Set([...first.received, ...second.received].map((event) => event.id)).size).toBe(20);
    });

    test("an event whose handler fails is delivered again after the backoff", async () => {
      const attempts: number[] = [];
      await subscribe({
        backoffMs: [150],
        handle: async (event) => {
          attempts.push(performance.now());
          if (event.deliveries < 3) throw new Error("not yet");
        },
      });
      await bus.publish([makeEvent("a")]);
      await until(() => attempts.length === 3);
      const [first = 0, second = 0, third = 0] = attempts;
      expect(second - first).toBeGreaterThanOrEqual(140);
      expect(third - second).toBeGreaterThanOrEqual(140);
    });

    test("a failing event does not hold up the events behind it", async () => {
      const done: string[] = [];
      await subscribe({
        backoffMs: [500],
        handle: async (event) => {
          if (event.data === "bad" && event.deliveries === 1) throw new Error("not yet");
          done.push(event.data);
        },
      });
      await bus.publish([makeEvent("bad"), makeEvent("good"), makeEvent("better")]);
      await until(() => done.length === 3);
      expect(done).toEqual(["good", "better", "bad"]);
    });

    test("an event that fails the last permitted delivery is given up once", async () => {
      const dead: ReceivedEvent[] = [];
      const mine = collect();
      await subscribe({
        maxDeliver: 3,
        handle: async (event) => {
          await mine.handle(event);
          if (event.data === "bad") throw new Error("never");
        },
        onDead: async (event, error) => {
          expect(String(error)).toContain("never");
          dead.push(event);
        },
      });
      await bus.publish([makeEvent("bad")]);
      await until(() => dead.length === 1);
      await bus.publish([makeEvent("good")]);
      await until(() => dataOf(mine.received).includes("good"));
      expect(dataOf(mine.received)).toEqual(["bad", "bad", "bad", "good"]);
      expect(dead.map((event) => event.deliveries)).toEqual([3]);
    });

    test("an event that could not be given up is offered for it again", async () => {
      let attempts = 0;
      await subscribe({
        maxDeliver: 1,
        handle: () => Promise.reject(new Error("never")),
        onDead: async () => {
          attempts += 1;
          if (attempts < 3) throw new Error("the database is down");
        },
      });
      await bus.publish([makeEvent("bad")]);
      await until(() => attempts === 3);
    });

    test("an event that is not settled in time is delivered again, and a handler that hangs does not stop the rest", async () => {
      const mine = collect();
      await subscribe({
        ackWaitMs: 1_000,
        handle: async (event) => {
          await mine.handle(event);
          if (event.data === "hangs" && event.deliveries === 1) await new Promise(() => {});
        },
      });
      await bus.publish([makeEvent("hangs"), makeEvent("next")]);
      await until(() => mine.received.length === 3);
      expect(dataOf(mine.received).sort()).toEqual(["hangs", "hangs", "next"]);
    });

    test("events published while a durable subscriber is away wait for it", async () => {
      const before = collect();
      const subscription = await subscribe({ handle: before.handle });
      await bus.publish([makeEvent("before")]);
      await until(() => before.received.length === 1);
      await subscription.stop();
      await bus.publish([makeEvent("away")]);
      const after = collect();
      await subscribe({ handle: after.handle });
      await until(() => after.received.length === 1);
      expect(dataOf(after.received)).toEqual(["away"]);
      expect(before.received).toHaveLength(1);
    });

    test("a new subscription receives what was published before it", async () => {
      await bus.publish([makeEvent("early")]);
      const mine = collect();
      await subscribe({ handle: mine.handle });
      await until(() => mine.received.length === 1);
    });

    test("an event published again with the same id is delivered once", async () => {
      const mine = collect();
      await subscribe({ handle: mine.handle });
      const event = makeEvent("once");
      await bus.publish([event, event]);
      await bus.publish([event, makeEvent("last")]);
      await until(() => dataOf(mine.received).includes("last"));
      expect(dataOf(mine.received)).toEqual(["once", "last"]);
    });

    test("stopping waits for the handler that is at work, and its event is not delivered again", async () => {
      let finish: (() => void) | undefined;
      let finished = false;
      const subscription = await subscribe({
        handle: async () => {
          await new Promise<void>((resolve) => (finish = resolve));
          finished = true;
        },
      });
      await bus.publish([makeEvent("a")]);
      await until(() => finish !== undefined);
      const stopped = subscription.stop().then(() => finished);
      finish?.();
      expect(await stopped).toBe(true);
      const later = collect();
      await subscribe({ handle: later.handle });
      await bus.publish([makeEvent("b")]);
      await until(() => later.received.length > 0);
      expect(dataOf(later.received)).toEqual(["b"]);
    });

    test("no more events are handled at a time than asked for", async () => {
      let running = 0;
      let most = 0;
      let done = 0;
      await subscribe({
        concurrency: 4,
        handle: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          done += 1;
        },
      });
      await bus.publish(Array.from({ length: 40 }, (_, index) => makeEvent(`${index}`)));
      await until(() => done === 40);
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(4);
    });

    test("a name that not every bus can keep is refused", async () => {
      const { handle } = collect();
      for (const name of ["", "a.b", "a b", "*"]) {
        await expect(subscribe({ durable: name, handle })).rejects.toThrow(TypeError);
      }
    });

    test("a closed bus takes no events", async () => {
      await bus.close();
      expect(bus.isConnected()).toBe(false);
      await expect(bus.publish([makeEvent("a")])).rejects.toThrow();
    });
  });
}
