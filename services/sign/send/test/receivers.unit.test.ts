import { fromJsonString } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import { parseOrgId } from "#platform/ids.ts";
import type { SignEvent } from "../../agreement/change.ts";
import { sampleDraft, sampleTime } from "../../agreement/test/lifecycle-samples.ts";
import { countReceivers, signRecord } from "../../events.ts";

const hook = { url: "https://app.example/hook" };

test.each([
  ["an agreement without a subscription", null, 0],
  ["a subscription that names nobody", {}, 0],
  ["one receiver", { eventNotification: hook }, 1],
  ["several receivers", { eventNotifications: [hook, hook] }, 2],
  ["one and several", { eventNotification: hook, eventNotifications: [hook, hook] }, 3],
  ["what is no receiver", { eventNotification: "x", eventNotifications: [null, 1, [hook], hook] }, 1],
  ["what is no list", { eventNotification: null, eventNotifications: hook }, 0],
  ["other members", { notification: hook }, 0],
  ["more receivers than events are sent to", { eventNotifications: Array.from({ length: 2_000 }, () => hook) }, 50],
])("counts the receivers of %s", (_name, subscription, count) => {
  expect(countReceivers(subscription)).toBe(count);
});

test.each<SignEvent>([
  { kind: "agreement.created" },
  { kind: "agreement.declined", recipientId: "" },
  { kind: "agreement.voided" },
  { kind: "recipient.left", recipientId: "" },
  { kind: "recipient.undelivered", recipientId: "" },
])("the event $kind says how many receivers its agreement names", (event) => {
  const orgId = parseOrgId("0198c0de-0000-7000-8000-000000000000");
  if (orgId === undefined) throw new Error("this is no organization");
  const caller = { orgId, requestId: "", traceparent: "" };
  const agreement = sampleDraft([], { subscription: { eventNotifications: [hook, hook] } });
  const { data } = signRecord({ caller, eventId: "", now: sampleTime }, agreement, event);
  expect(fromJsonString(EventSchema, data).payload.value).toMatchObject({ receivers: 2 });
});
