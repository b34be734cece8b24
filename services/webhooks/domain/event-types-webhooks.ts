import type { EventTypeInfo } from "./problems.ts";

export const testEventType = "webhook.test";
/** Never on the bus. */
export const testEventSubject = "assent.webhooks.webhook.test";
export const testData = { message: "This is a test. Nothing has happened." };

export const webhooksEvents: readonly EventTypeInfo[] = [
  {
    type: "endpoint.disabled",
    subject: "assent.webhooks.endpoint.disabled",
    description: "No events are sent to an endpoint any more: it answered 410, or failed for five days.",
    example: { endpoint: { id: "0198f3a1-7c00-7000-8000-000000000060", enabled: false, disabledReason: "FAILING" } },
  },
  {
    type: testEventType,
    subject: testEventSubject,
    description:
      "A test that someone has asked for. It goes to that endpoint alone, whatever types the endpoint asks for.",
    example: testData,
  },
];
