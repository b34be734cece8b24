import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { checkHistory } from "./check.ts";
import type { Action, Endpoint, History, KeptDelivery, SeenRequest } from "./history.ts";

const secretBytes = randomBytes(32);
const at = 1_800_000_000_000;
const steady: Endpoint = {
  ...{ id: "steady", orgId: "org", behaviour: "steady", eventTypes: [] },
  secret: `whsec_${secretBytes.toString("base64")}`,
};
const gone: Endpoint = { ...steady, id: "gone", behaviour: "gone" };

function request(
  endpointId: string,
  webhookId: string,
  action: Action,
  fields: Partial<SeenRequest> = {},
): SeenRequest {
  const startedAt = fields.startedAt ?? at;
  const timestamp = String(Math.floor(startedAt / 1_000));
  const type = webhookId === "notice" ? "endpoint.disabled" : "document.completed";
  const data = { endpoint: { id: "gone" } };
  const body = fields.body ?? JSON.stringify({ id: webhookId, type, organizationId: "org", data });
  const signature = `v1,${createHmac("sha256", secretBytes).update(`${webhookId}.${timestamp}.${body}`).digest("base64")}`;
  const times = { startedAt, endedAt: startedAt + 10 };
  return { endpointId, webhookId, timestamp, signature, body, action, round: 0, ...times, ...fields };
}

function delivery(endpointId: string, eventId: string, fields: Partial<KeptDelivery> = {}): KeptDelivery {
  const names = { orgId: "org", eventType: "document.completed", eventId, endpointId };
  return { ...names, status: "delivered", attempts: 1, statusCodes: [200], ...fields };
}

const good: History = {
  endpoints: [steady, gone],
  published: [{ id: "a", orgId: "org", type: "document.completed", round: 0 }],
  requests: [
    request("steady", "a", "answers 200"),
    request("gone", "a", "answers 410"),
    request("steady", "notice", "answers 200", { round: 1 }),
  ],
  strays: [],
  disabledIn: new Map([["gone", 0]]),
  deliveries: [
    delivery("steady", "a"),
    delivery("gone", "a", { status: "dead", statusCodes: [410] }),
    delivery("steady", "notice"),
  ],
  kept: [
    { id: "steady", isEnabled: true, disabledReason: null },
    { id: "gone", isEnabled: false, disabledReason: "gone" },
  ],
};

const withRequests = (...more: SeenRequest[]): History => ({ ...good, requests: [...good.requests, ...more] });
const [first, ...others] = good.requests as [SeenRequest, ...SeenRequest[]];
const changed = (fields: Partial<SeenRequest>): History => ({
  ...good,
  requests: [{ ...first, ...fields }, ...others],
});
const [kept, ...rest] = good.deliveries as [KeptDelivery, ...KeptDelivery[]];
const keptAs = (fields: Partial<KeptDelivery>): History => ({ ...good, deliveries: [{ ...kept, ...fields }, ...rest] });
const foreign = JSON.stringify({ id: "a", type: "document.completed", organizationId: "other" });
const five = Array.from({ length: 5 }, (_, n) => request("steady", `e${n}`, "answers 200", { startedAt: at + n }));

describe("checkHistory", () => {
  test("finds nothing when every event came to those who wanted it, and who was gone was left alone", () => {
    expect(checkHistory(good)).toEqual([]);
  });

  test("takes a request that was not written down for that of a process that was killed, once in a round", () => {
    expect(checkHistory(withRequests(request("steady", "a", "answers 200", { startedAt: at + 60_000 })))).toEqual([]);
  });

  test.each<[string, History, RegExp]>([
    ["an event that was never accepted", { ...good, requests: others }, /never accepted/],
    ["a delivery that is not there", { ...good, deliveries: rest }, /a to steady is missing/],
    ["an event of another organization", changed({ body: foreign }), /another organization/],
    [
      "an event that was not asked for",
      { ...good, endpoints: [{ ...steady, eventTypes: ["x"] }, gone] },
      /not asked for/,
    ],
    ["another id in the body", changed({ webhookId: "b" }), /the body is of a/],
    ["a wrong signature", changed({ signature: "v1,AAAA" }), /signature/],
    ["an old time of the attempt", changed({ startedAt: at + 60_000, endedAt: at + 60_001 }), /time of the attempt/],
    ["a redirect that was followed", { ...good, strays: ["/elsewhere"] }, /redirect was followed/],
    ["more requests at once than allowed", withRequests(...five), /7 requests at once/],
    [
      "a retry that is too soon",
      withRequests(request("gone", "a", "answers 410", { startedAt: at + 2_000 })),
      /repeated 1990 ms after/,
    ],
    ["a request that nobody knows of", withRequests(request("steady", "x", "answers 200")), /nobody knows why x/],
    [
      "requests that were not written down",
      withRequests(...[1, 2].map((n) => request("steady", "a", "answers 200", { startedAt: at + n * 60_000 }))),
      /has 1 attempts, but was seen 3 times/,
    ],
    ["an attempt that nobody saw", keptAs({ attempts: 2, statusCodes: [500, 200] }), /1 answers 500 that nobody gave/],
    ["attempts that are not kept", keptAs({ attempts: 2 }), /2 attempts, of which 1/],
    ["a success that is not one", keptAs({ statusCodes: [500] }), /delivered without a success/],
    [
      "who was gone and is not disabled",
      { ...good, kept: good.kept.map((one) => ({ ...one, isEnabled: true, disabledReason: null })) },
      /is not disabled/,
    ],
    [
      "a request to who was gone",
      withRequests(request("gone", "a", "answers 410", { round: 1, startedAt: at + 60_000 })),
      /after it was disabled/,
    ],
    [
      "others that were not told",
      { ...good, requests: good.requests.slice(0, 2), deliveries: good.deliveries.slice(0, 2) },
      /0 events tell/,
    ],
    [
      "somebody who was disabled for nothing",
      { ...good, kept: good.kept.map((one) => ({ ...one, isEnabled: false, disabledReason: "failing" })) },
      /never answered 410/,
    ],
  ])("finds %s", (_name, history, expected) => {
    expect(checkHistory(history).join("\n")).toMatch(expected);
  });
});
