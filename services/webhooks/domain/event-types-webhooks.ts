import type { EventTypeInfo } from "./problems.ts";

export const testEventType = "webhook.test";
/** Never on the bus. */
export const testEventSubject = "assent.webhooks.webhook.test";
export const testData = { message: "This is a test. Nothing has happened." };

export const webhooksEvents: readonly EventTypeInfo[] = [
  {
    type: "endpoint.disabled",
    subject: "assent.webhooks.endpoint.disabled",
    description: "An endpoint was disabled because it responded with 410 or failed for five days.",
    example: { endpoint: { id: "0198f3a1-7c00-7000-8000-000000000060", enabled: false, disabledReason: "FAILING" } },
  },
  {
    type: testEventType,
    subject: testEventSubject,
    description: "A test event that someone requested. It goes only to that endpoint, whatever types it subscribes to.",
    example: testData,
  },
];
