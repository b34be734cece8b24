import { expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { connectBody } from "../bodies/bodies.ts";
import type { Lookups } from "../bodies/lookups.ts";
import { parseEvent } from "../bodies/lookups.ts";
import { receiverOf } from "../connect/receiver.ts";
import { planDeliveries } from "../consumers/fan-out.ts";
import { connectEventOf } from "../domain/event-types.ts";
import { ids, occurredAt, orgId, storedEvent } from "./sample-events.ts";

const subject = "assent.click.acceptance.recorded";
const eventWith = (decision: string) => {
  const event = parseEvent(storedEvent(subject));
  if (event.payload.case === "acceptanceRecorded") event.payload.value.decision = decision;
  return event;
};

test.each([
  ["ACCEPT", "click-agreed", "agreed", "agreedOn"],
  ["DECLINE", "click-declined", "declined", "declinedOn"],
])(
  "a decision of a click, %s, is told as %s, without who it was and without asking anybody",
  async (decision, name, status, time) => {
    const receiver = receiverOf({ urlToPublishTo: "https://hooks.example.com", events: ["click-agreed"] });
    const input = { orgId, event: eventWith(decision), receiver, about: { configurationId: 7, retryCount: 0 } };
    const body = JSON.parse(await connectBody({ ...input, now: occurredAt }, {} as Lookups));
    expect(body).toEqual({
      ...{ event: name, apiVersion: "v2.1", uri: `/v1/click/receipts/${ids.receipt}`, retryCount: 0 },
      ...{ configurationId: 7, generatedDateTime: "2026-10-21T09:00:31.1200000Z" },
      data: {
        ...{ accountId: orgId, userId: orgId, clickwrapId: ids.template, agreementId: ids.receipt },
        ...{ versionId: ids.version, versionNumber: "3", status, [time]: "2026-10-21T09:00:31.1200000Z" },
      },
    });
  },
);

test("a configuration gets the decisions of clicks only when it names them", () => {
  const event = eventWith("DECLINE");
  const names = { type: undefined, connectEvent: connectEventOf(event) };
  const told = (...lists: readonly (readonly string[])[]) => {
    const receivers = lists.map((eventTypes, index) => ({
      ...{ id: newId(), kind: "connect" as const, connectId: index, eventTypes },
    }));
    return planDeliveries({ event, names, occurredAt, receivers, newId }).map(({ connectId }) => connectId);
  };
  expect(told([], ["envelope-sent"], ["click-agreed"], ["envelope-sent", "click-declined"])).toEqual([3]);
});
