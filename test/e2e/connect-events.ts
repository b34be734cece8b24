import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { onePage } from "../isolation/sign-resources.ts";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver.ts";
import { visitPage } from "../support/signing-page.ts";
import { type System, scenario } from "../support/system.ts";

const ann = {
  ...{ recipientId: "1", routingOrder: "1", name: "Ann Example", email: "ann@example.com", clientUserId: "1000" },
  tabs: { signHereTabs: [{ documentId: "1", pageNumber: "1", xPosition: "10", yPosition: "10" }] },
};
const nda = {
  emailSubject: "Please sign the NDA",
  documents: [{ documentId: "1", name: "NDA.pdf", documentBase64: onePage }],
  recipients: { signers: [ann] },
  customFields: { textCustomFields: [{ name: "orderId", value: "42" }] },
  status: "sent",
};
const eventData = { version: "restv2.1", format: "json", includeData: ["recipients", "custom_fields", "documents"] };

export const connectMessages = scenario("messages of the compatible interface", (_mode, running) => {
  let system: System;
  let receiver: Receiver;
  let owner: Api;
  let stranger: Api;
  /** The keys that messages are signed with now, the oldest first. */
  const keys: { keyId: string; secret: string }[] = [];

  beforeAll(async () => {
    system = running();
    receiver = await startReceiver();
    [owner, stranger] = [await system.newOrganization(), await system.newOrganization()];
  });
  afterAll(async () => {
    await receiver?.close();
  });

  const accountOf = ({ organizationId }: Api): string => `/restapi/v2.1/accounts/${organizationId}`;
  const configure = async (api: Api, name: string, fields: object = {}): Promise<string> => {
    const wish = { name, urlToPublishTo: receiver.urlOf(name), configurationType: "custom", ...fields };
    return bodyOf(201, await api.post(`${accountOf(api)}/connect`, wish)).connectId;
  };
  const createEnvelope = async (api: Api, changes: object = {}): Promise<string> =>
    bodyOf(201, await api.post(`${accountOf(api)}/envelopes`, { ...nda, ...changes })).envelopeId;
  /** What came to an address about an envelope; throws when one was not signed with the keys of now. */
  const about = (name: string, envelopeId: string): readonly ReceivedRequest[] =>
    receiver.at(name).filter(({ body }) => body.data.envelopeId === envelopeId);
  const eventsOf = (messages: readonly ReceivedRequest[]): string[] => messages.map(({ body }) => body.event);

  function expectSigned({ headers, text }: ReceivedRequest): void {
    const signatures = keys.map(({ secret }) => createHmac("sha256", secret).update(text).digest("base64"));
    const found = Object.keys(headers).filter((name) => name.startsWith("x-docusign-signature-"));
    expect(found.sort().map((name) => headers[name])).toEqual(signatures);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-authorization-digest": "HMACSHA256",
      "x-docusign-accountid": owner.organizationId,
    });
  }

  test("go to the account's configurations, each with the events and the data that it asks for", async () => {
    for (const _ of [1, 2]) keys.push(bodyOf(201, await owner.post(`${accountOf(owner)}/connect/secret`, {})));
    const wanted = { events: ["envelope-completed", "recipient-completed"], eventData, includeHMAC: "true" };
    const connectId = await configure(owner, "some", wanted);
    await configure(owner, "every");
    await configure(owner, "paused", { allowEnvelopePublish: "false" });
    await configure(stranger, "elsewhere");
    const envelopeId = await createEnvelope(owner);
    await (await visitPage(owner, envelopeId)).sign();
    const messages = await until(() => about("some", envelopeId).length === 2 && about("some", envelopeId), 20_000);
    for (const message of messages) expectSigned(message);
    expect(eventsOf(messages).sort()).toEqual(["envelope-completed", "recipient-completed"]);
    const named = (event: string) => messages.find(({ body }) => body.event === event)?.body;
    const completed = named("envelope-completed");
    const uri = `${accountOf(owner)}/envelopes/${envelopeId}`;
    expect(completed).toMatchObject({ apiVersion: "v2.1", uri, retryCount: 0, configurationId: Number(connectId) });
    const { envelopeSummary, ...data } = completed.data;
    const accountId = owner.organizationId;
    expect(data).toEqual({ accountId, userId: accountId, envelopeId });
    expect(named("recipient-completed").data).toMatchObject({ ...data, recipientId: "1" });
    const read = bodyOf(200, await owner.get(`${uri}?include=recipients,custom_fields`));
    expect(envelopeSummary).toMatchObject({ ...read, status: "completed" });
    expect(envelopeSummary.recipients.signers).toMatchObject([{ status: "completed", email: "ann@example.com" }]);
    expect(envelopeSummary.customFields.textCustomFields).toMatchObject([{ name: "orderId", value: "42" }]);
    for (const { documentId, PDFBytes } of envelopeSummary.envelopeDocuments) {
      const file = await fetch(`${owner.baseUrl}${uri}/documents/${documentId}`, {
        headers: { authorization: `Bearer ${owner.token}` },
      });
      const bytes = Buffer.from(await file.arrayBuffer());
      expect([documentId, bytes.equals(Buffer.from(PDFBytes, "base64"))]).toEqual([documentId, true]);
    }
    const all = ["envelope-created", "envelope-sent", "envelope-delivered", "envelope-completed"];
    const ofAnn = ["recipient-sent", "recipient-delivered", "recipient-completed"];
    await until(() => about("every", envelopeId).length === all.length + ofAnn.length, 20_000);
    expect(eventsOf(about("every", envelopeId)).sort()).toEqual([...all, ...ofAnn].sort());
    for (const message of about("every", envelopeId)) {
      expectSigned(message);
      expect(message.body.data).not.toHaveProperty("envelopeSummary");
    }
    expect([receiver.at("paused"), receiver.at("elsewhere")]).toEqual([[], []]);
  });

  test("go to those that the envelope itself names, by the older names of events too", async () => {
    const gone = keys.shift();
    bodyOf(200, await owner.call("DELETE", `${accountOf(owner)}/connect/secret/${gone?.keyId}`));
    const eventNotification = {
      url: receiver.urlOf("own"),
      envelopeEvents: [{ envelopeEventStatusCode: "Declined", includeDocuments: "false" }],
      recipientEvents: [{ recipientEventStatusCode: "Declined" }],
      eventData: { version: "restv2.1", includeData: ["recipients"] },
    };
    const eventNotifications = [{ url: receiver.urlOf("second"), events: ["envelope-sent"] }];
    const envelopeId = await createEnvelope(owner, { eventNotification, eventNotifications });
    await (await visitPage(owner, envelopeId)).decline("The term is too long");
    const messages = await until(() => about("own", envelopeId).length === 2 && about("own", envelopeId), 20_000);
    for (const message of messages) expectSigned(message);
    expect(eventsOf(messages).sort()).toEqual(["envelope-declined", "recipient-declined"]);
    expect(messages[0]?.body.data.envelopeSummary).toMatchObject({
      status: "declined",
      recipients: { signers: [{ status: "declined", declinedReason: "The term is too long" }] },
    });
    await until(() => about("second", envelopeId).length === 1);
    expect(eventsOf(receiver.at("second"))).toEqual(["envelope-sent"]);
    expect(receiver.at("elsewhere")).toEqual([]);
  });

  test("wait behind one that must be acknowledged, and go out in order when it is sent again", async () => {
    receiver.answerWith("strict", 503);
    await configure(owner, "strict", {
      events: ["template-created", "envelope-sent"],
      requiresAcknowledgement: "true",
    });
    const envelopeId = await createEnvelope(owner);
    await until(() => about("strict", envelopeId).length === 1, 20_000);
    const later = await createEnvelope(owner);
    const logged = (path: string) => owner.get(`${accountOf(owner)}/connect/${path}`);
    const [failure] = await until(async () => {
      const { failures } = bodyOf(200, await logged("failures"));
      return failures.length > 0 && failures;
    });
    expect(failure).toMatchObject({ envelopeId, configUrl: receiver.urlOf("strict") });
    await until(() => about("every", later).some(({ body }) => body.event === "envelope-sent"), 20_000);
    expect(about("strict", later)).toEqual([]);
    receiver.answerWith("strict", 200);
    const retry = await owner.call("PUT", `${accountOf(owner)}/connect/envelopes/${envelopeId}/retry_queue`);
    expect(bodyOf(200, retry).retryQueue).toMatchObject([{ envelopeId }]);
    await until(() => receiver.at("strict").length === 3, 20_000);
    const seen = receiver.at("strict").map(({ body }) => [body.data.envelopeId, body.retryCount]);
    expect(seen).toEqual([
      [envelopeId, 0],
      [envelopeId, 1],
      [later, 0],
    ]);
    await until(async () => bodyOf(200, await logged("failures")).failures.length === 0);
  });

  test("are not sent without keys as if they were signed, and tell an organization of its own envelopes alone", async () => {
    const envelopeId = await createEnvelope(stranger, { status: "created" });
    const [message] = await until(() => receiver.at("elsewhere").length > 0 && receiver.at("elsewhere"), 20_000);
    expect(message?.body).toMatchObject({ event: "envelope-created", data: { envelopeId } });
    expect(message?.headers).toMatchObject({ "x-docusign-accountid": stranger.organizationId });
    expect(Object.keys(message?.headers ?? {}).filter((name) => name.startsWith("x-docusign-signature"))).toEqual([]);
    expect(receiver.at("elsewhere")).toHaveLength(1);
    for (const name of ["some", "every", "own", "second", "strict"]) expect(about(name, envelopeId)).toEqual([]);
  });
});
