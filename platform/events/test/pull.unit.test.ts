import { expect, test } from "@jest/globals";
import { until } from "../../testing/until.ts";
import type { Settlement } from "../deliver.ts";
import { startPull, type WireMessage } from "../pull.ts";

test("an event that is still being handled is kept, until it is settled", async () => {
  const sent: string[] = [];
  let push: (message: WireMessage) => void = () => {};
  const handled = Promise.withResolvers<Settlement>();
  const pull = startPull(
    {
      send: (subject, payload) => void (subject === "its-reply" && sent.push(String(payload))),
      listen: (_inbox, onMessage) => {
        push = onMessage;
        return { drain: async () => {} };
      },
    },
    {
      ...{ stream: "EVENTS", durable: "d", inbox: "i", concurrency: 1, keepMs: 5 },
      deliver: () => handled.promise,
      onGone: () => {},
    },
  );
  const event = { subject: "assent.a.b.c", status: undefined, description: "", id: "1", data: "x" };
  push({ ...event, replyTo: "its-reply" });
  await until(() => sent.length >= 3);
  handled.resolve({ kind: "done" });
  await pull.stop();
  expect(sent.slice(0, 3)).toEqual(["+WPI", "+WPI", "+WPI"]);
  expect(sent.filter((payload) => payload !== "+WPI")).toEqual(["+ACK"]);
  expect(sent.at(-1)).toBe("+ACK");
});
