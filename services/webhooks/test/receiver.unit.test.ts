import { describe, expect, test } from "@jest/globals";
import { receiverOf, receiversOfAgreement } from "../connect/receiver.ts";

const account = {
  name: "Order system",
  urlToPublishTo: "https://www.example.com/hooks/signing",
  configurationType: "custom",
  allowEnvelopePublish: "true",
  requiresAcknowledgement: "true",
  includeHMAC: "true",
  events: ["envelope-completed", "Envelope-Declined"],
  eventData: { version: "restv2.1", format: "json", includeData: ["Recipients", "custom_fields"] },
};

describe("the settings of the compatible interface", () => {
  test("of an account", () => {
    expect(receiverOf(account)).toEqual({
      url: "https://www.example.com/hooks/signing",
      events: ["envelope-completed", "envelope-declined"],
      includeData: ["recipients", "custom_fields"],
      signs: true,
      requiresAcknowledgement: true,
      isEnabled: true,
    });
    expect(receiverOf({ ...account, connectId: "17" }).connectId).toBe(17);
    expect(receiverOf({ ...account, allowEnvelopePublish: "false" }).isEnabled).toBe(false);
  });

  test("of an agreement, with the names and types that integrations use", () => {
    const receiver = receiverOf({
      url: "https://www.example.com/events",
      requireAcknowledgment: true,
      loggingEnabled: "true",
      EnvelopeEvents: [{ EnvelopeEventStatusCode: "Completed" }, { envelopeEventStatusCode: "sent" }],
      recipientEvents: [{ recipientEventStatusCode: "AuthenticationFailed" }, { recipientEventStatusCode: "Sent" }],
      includeDocuments: "true",
    });
    expect(receiver).toEqual({
      url: "https://www.example.com/events",
      events: ["envelope-completed", "envelope-sent", "recipient-authenticationfailed", "recipient-sent"],
      includeData: ["documents"],
      signs: false,
      requiresAcknowledgement: true,
      isEnabled: true,
    });
  });

  test("of an account, with the older lists as texts", () => {
    const { events, requiresAcknowledgement } = receiverOf({
      url: "https://www.example.com/",
      envelopeEvents: ["Completed", "completed", "Voided", ""],
      recipientEvents: "FinishLater, Declined",
    });
    const recipients = ["recipient-finish-later", "recipient-declined"];
    expect(events).toEqual(["envelope-completed", "envelope-voided", ...recipients]);
    expect(requiresAcknowledgement).toBe(false);
  });

  test("that say nothing ask for all events and no data", () => {
    const settings = { url: "https://www.example.com/", events: [], eventData: { includeData: "" } };
    expect(receiverOf(settings)).toMatchObject({ events: [], includeData: [], isEnabled: true });
  });

  test("of what an agreement names are counted as its events count them", () => {
    const [one, two, three] = ["one", "two", "three"].map((name) => ({ url: `https://www.example.com/${name}` }));
    const urls = (subscription: unknown) => receiversOfAgreement(JSON.stringify(subscription)).map(({ url }) => url);
    expect(urls({ eventNotification: one, eventNotifications: [two, three] })).toEqual(
      [one, two, three].map((notification) => notification?.url),
    );
    expect(urls({ eventNotifications: [two] })).toEqual([two?.url]);
    expect(receiversOfAgreement("")).toEqual([]);
    expect(receiversOfAgreement("[]")).toEqual([]);
  });
});
