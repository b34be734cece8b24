import { EventEmitter } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { createUploadTurns, freeBytes, type UploadTurnLimits, uploadTurnLimits } from "../http/upload-turns.ts";

const large = freeBytes + 1;

function setUp(changes: Partial<UploadTurnLimits> = {}) {
  const turns = createUploadTurns({ ...uploadTurnLimits, ...changes });
  const begun: string[] = [];
  const send = (owner: string, name: string, bytes = large) => {
    const turn = turns.turnOf(owner);
    const sender = new EventEmitter();
    const mayBegin = turn.begin(bytes, sender).then((may) => {
      if (may) begun.push(name);
      return may;
    });
    return { ...turn, sender, mayBegin };
  };
  return { begun, send };
}

describe("the turns of large bodies", () => {
  test("come at once to an organization that is alone", async () => {
    const { begun, send } = setUp();
    await Promise.all(["1", "2", "3"].map((name) => send("a", name).mayBegin));
    expect(begun).toEqual(["1", "2", "3"]);
  });

  test("come one by one while another organization comes, whose own come at once, and small ones always", async () => {
    const { begun, send } = setUp();
    await send("victim", "small", freeBytes).mayBegin;
    const uploads = ["1", "2", "3"].map((name) => send("heavy", name));
    await uploads[0]?.mayBegin;
    await send("victim", "large").mayBegin;
    await send("heavy", "small too", freeBytes).mayBegin;
    expect(begun).toEqual(["small", "1", "large", "small too"]);
    uploads[0]?.end();
    await uploads[1]?.mayBegin;
    expect(begun.at(-1)).toBe("2");
    uploads[1]?.end();
    expect(await uploads[2]?.mayBegin).toBe(true);
  });

  test("go on to the next when a sender goes away, which leaves nothing behind", async () => {
    const { begun, send } = setUp({ maxWaiting: 1 });
    await send("victim", "small", 1).mayBegin;
    const first = send("heavy", "first");
    await first.mayBegin;
    const gone = send("heavy", "gone");
    gone.sender.emit("close");
    expect(await gone.mayBegin).toBe(false);
    expect(gone.sender.listenerCount("close")).toBe(0);
    const last = send("heavy", "last");
    first.end();
    expect(await last.mayBegin).toBe(true);
    expect(last.sender.listenerCount("close")).toBe(0);
    expect(begun).toEqual(["small", "first", "last"]);
  });

  test("are refused to an organization of which too many wait, or for too long", async () => {
    const { send } = setUp({ maxWaiting: 1, waitMs: 50 });
    await send("victim", "small", 1).mayBegin;
    await send("heavy", "first").mayBegin;
    const waiting = send("heavy", "waiting");
    expect(await send("heavy", "too many").mayBegin).toBe(false);
    expect(await send("victim", "large").mayBegin).toBe(true);
    expect(await waiting.mayBegin).toBe(false);
  });

  test("are not kept by a slow line: whoever sends slowly waits again when all is there", async () => {
    const { begun, send } = setUp({ arrivalMs: 20 });
    await send("victim", "small", 1).mayBegin;
    const slow = send("heavy", "slow");
    const next = send("heavy", "next");
    await next.mayBegin;
    expect(await next.arrived()).toBe(true);
    let isBack = false;
    const back = slow.arrived().then((may) => {
      isBack = may;
    });
    await send("victim", "large").mayBegin;
    expect(isBack).toBe(false);
    next.end();
    await back;
    expect([isBack, begun]).toEqual([true, ["small", "slow", "next", "large"]]);
    slow.end();
    slow.end();
    const free = send("heavy", "free");
    await until(() => begun.includes("free"));
    free.end();
  });
});
