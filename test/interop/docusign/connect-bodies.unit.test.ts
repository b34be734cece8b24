import { beforeEach, describe, expect, test } from "@jest/globals";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { type Bodies, createBodies } from "../../../services/webhooks/bodies/bodies.ts";
import { receiverOf } from "../../../services/webhooks/connect/receiver.ts";
import {
  createFakeServices,
  type FakeServices,
  sampleAgreement,
} from "../../../services/webhooks/test/fake-services.ts";
import { ids, occurredAt, orgId, storedEvent } from "../../../services/webhooks/test/sample-events.ts";
import { modelProblems } from "./support/check-model.ts";
import { docusign } from "./support/sdk.ts";

let state: FakeServices;
let bodies: Bodies;

beforeEach(() => {
  const { state: created, ...clients } = createFakeServices();
  state = created;
  bodies = createBodies({ ...clients, clock: { now: () => occurredAt } });
});

const about = { configurationId: 12_345, retryCount: 2 };
const everything = ["recipients", "tabs", "custom_fields", "documents", "folders", "attachments", "extensions"];

async function bodyOf(subject: string, includeData: string[], changes?: object) {
  const receiver = receiverOf({ url: "https://www.example.com/", eventData: { includeData } });
  return JSON.parse(await bodies.connect(orgId, storedEvent(subject, changes), receiver, about));
}

describe("a message of the compatible interface", () => {
  test("has what integrations read, in the SDK's own models", async () => {
    const body = await bodyOf("assent.sign.agreement.completed", everything);
    const { envelopeSummary, ...data } = body.data;
    expect(body).toMatchObject({
      event: "envelope-completed",
      apiVersion: "v2.1",
      uri: `/restapi/v2.1/accounts/${orgId}/envelopes/${ids.agreement}`,
      retryCount: 2,
      configurationId: 12_345,
      generatedDateTime: "2026-10-21T09:00:31.1200000Z",
    });
    expect(data).toEqual({ accountId: orgId, userId: orgId, envelopeId: ids.agreement });
    const extras = new Set<string>();
    expect(modelProblems(docusign, "Envelope", envelopeSummary, extras)).toEqual([]);
    // The SDK has no model of messages, which have more of a document than the API has.
    expect([...extras]).toEqual(["EnvelopeDocument.PDFBytes"]);
    const envelope = docusign.Envelope.constructFromObject(envelopeSummary);
    expect(envelope).toMatchObject({
      envelopeId: ids.agreement,
      status: "completed",
      emailSubject: "Please sign the NDA",
      completedDateTime: "2026-10-21T09:24:40.0000000Z",
      sender: { accountId: orgId, email: "sender@example.com" },
    });
    const [signer] = envelope.recipients.signers;
    expect(signer).toMatchObject({ status: "completed", email: "ann@example.com", clientUserId: "1000" });
    expect(signer.signedDateTime).toBe("2026-10-21T09:24:38.0000000Z");
    expect(signer.tabs.signHereTabs).toHaveLength(1);
    expect(envelope.customFields.textCustomFields[0]).toMatchObject({ name: "orderId", value: "42" });
    expect(state.calls[0]?.withoutTabs).toBe(false);
  });

  test("has the bytes of the documents, and of the certificate once the envelope is completed", async () => {
    const { envelopeDocuments } = (await bodyOf("assent.sign.agreement.completed", ["documents"])).data.envelopeSummary;
    const texts = envelopeDocuments.map(({ documentId, PDFBytes }: { documentId: string; PDFBytes: string }) => [
      documentId,
      Buffer.from(PDFBytes, "base64").toString(),
    ]);
    expect(texts).toEqual([
      ["1", "%PDF-1."],
      ["certificate", "%PDF-2."],
    ]);
    state.agreements.set(ids.agreement, sampleAgreement({ status: AgreementStatus.SENT }));
    const sent = (await bodyOf("assent.sign.agreement.sent", ["documents"])).data.envelopeSummary;
    expect(sent.envelopeDocuments[0].PDFBytes).toBeDefined();
    expect(sent.envelopeDocuments[1]).not.toHaveProperty("PDFBytes");
  });

  test("leaves the bytes out when they are too many, and does not fetch what is known to be", async () => {
    const documents = sampleAgreement().documents.map((document) => ({ ...document, bytes: 26n * 1024n * 1024n }));
    state.agreements.set(ids.agreement, sampleAgreement({ documents }));
    const isWithout = async () => {
      const { envelopeSummary } = (await bodyOf("assent.sign.agreement.completed", ["documents"])).data;
      expect(envelopeSummary.envelopeDocuments).toHaveLength(2);
      for (const document of envelopeSummary.envelopeDocuments) expect(document).not.toHaveProperty("PDFBytes");
    };
    await isWithout();
    expect(state.calls.map(({ method }) => method)).toEqual(["getAgreement"]);
    state.agreements.set(ids.agreement, sampleAgreement());
    state.contents.set("1", Buffer.alloc(25 * 1024 * 1024, 32));
    await isWithout();
  });

  test("of a recipient names the recipient as the integration does", async () => {
    const body = await bodyOf("assent.sign.recipient.completed", []);
    expect(body.event).toBe("recipient-completed");
    expect(body.data).toEqual({ accountId: orgId, userId: orgId, envelopeId: ids.agreement, recipientId: "1" });
  });

  test("without data asks nobody anything", async () => {
    const body = await bodyOf("assent.sign.agreement.voided", []);
    expect(body).toMatchObject({ event: "envelope-voided", data: { envelopeId: ids.agreement } });
    expect(body.data).not.toHaveProperty("envelopeSummary");
    expect(state.calls).toEqual([]);
  });

  test("of a template names it, and of an envelope that is gone says so", async () => {
    const template = await bodyOf("assent.sign.template.deleted", ["recipients"]);
    expect(template).toMatchObject({
      event: "template-deleted",
      uri: `/restapi/v2.1/accounts/${orgId}/templates/${ids.signTemplate}`,
      data: { accountId: orgId, userId: orgId, templateId: ids.signTemplate },
    });
    state.agreements.clear();
    const deleted = await bodyOf("assent.sign.agreement.deleted", ["recipients", "documents"]);
    expect(deleted.data.envelopeSummary).toEqual({ envelopeId: ids.agreement, status: "deleted" });
  });

  test("goes to the receivers that the agreement names", async () => {
    const subscriptionJson = JSON.stringify({ eventNotification: { url: "https://www.example.com/events" } });
    state.agreements.set(ids.agreement, sampleAgreement({ subscriptionJson }));
    const [receiver] = await bodies.agreementReceivers(orgId, ids.agreement);
    expect(receiver?.url).toBe("https://www.example.com/events");
    state.agreements.clear();
    expect(await bodies.agreementReceivers(orgId, ids.agreement)).toEqual([]);
  });
});
