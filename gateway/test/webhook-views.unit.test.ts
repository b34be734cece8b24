import { describe, expect, test } from "@jest/globals";
import { delivery, endpoint } from "#api/webhooks.ts";
import { DeliveryStatus, DisabledReason } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { connectLogView, isOfConnect } from "../../views/compat/connect.ts";
import { orgA } from "./fake-auth.ts";
import { sampleDelivery, sampleEndpoint } from "./fake-webhooks.ts";
import { at } from "./sample-agreement.ts";

describe("an endpoint", () => {
  test.each([
    [{ enabled: true }, { status: "ACTIVE", failingSince: null, disabledReason: null }],
    [
      { enabled: true, failingSince: at(1) },
      { status: "FAILING", failingSince: "2026-11-20T17:01:00.123Z" },
    ],
    [
      { enabled: false, failingSince: at(1), disabledReason: DisabledReason.FAILING, disabledAt: at(2) },
      { status: "DISABLED", disabledReason: "FAILING", disabledAt: "2026-11-20T17:02:00.123Z" },
    ],
    [
      { enabled: false, disabledReason: DisabledReason.GONE },
      { status: "DISABLED", disabledReason: "GONE" },
    ],
  ])("is shown by what holds: %#", (fields, shown) => {
    expect(endpoint.answer(sampleEndpoint(fields), { organizationId: orgA })).toMatchObject(shown);
  });
});

describe("a delivery", () => {
  test("shows what is absent as null", () => {
    const failed = sampleDelivery({
      ...{ endpointId: "", agreementId: "a", status: DeliveryStatus.FAILED, attemptCount: 1 },
      attempts: [{ at: at(1), durationMs: 15_000, error: "timeout", url: "https://www.example.com/" }],
    });
    expect(delivery.answer(failed)).toMatchObject({
      ...{ endpointId: null, agreementId: "a", connectId: null, status: "FAILED", deliveredAt: null },
      attempts: [{ statusCode: null, error: "timeout", response: null, durationMs: 15_000 }],
    });
    expect(delivery.answer(sampleDelivery({ connectId: 5n }))).toMatchObject({ connectId: 5, agreementId: null });
  });

  test("is of the compatible interface when a configuration or an agreement names its receiver", () => {
    const cases = [{ connectId: 5n }, { endpointId: "", agreementId: "a" }, {}].map(sampleDelivery);
    expect(cases.map(isOfConnect)).toEqual([true, true, false]);
  });

  test.each([
    ["agreement.completed", "Completed"],
    ["agreement.expired", "Voided"],
    ["envelope-voided", "Voided"],
    ["recipient-finish-later", "Finish-later"],
  ])("of %s has the status %s in the log", (eventType, status) => {
    expect(connectLogView(sampleDelivery({ eventType }), orgA)).toMatchObject({ status, retryCount: "0" });
  });
});
