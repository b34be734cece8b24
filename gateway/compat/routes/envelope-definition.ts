import type { JsonSchema } from "#api/kinds.ts";

import { sampleId } from "../schema-parts.ts";
import { sampleWorkflow } from "./workflow.ts";

/** looseBody with a suitable example for each property. */
const documented = (properties: Readonly<Record<string, readonly [description: string, example: unknown]>>) =>
  ({
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, [description, example]]) => [name, { description, examples: [example] }]),
    ),
    additionalProperties: true,
  }) satisfies JsonSchema;

export const sampleSigner = { recipientId: "1", routingOrder: "1", email: "ann@example.com", name: "Ann" };
export const sampleFields = { textCustomFields: [{ name: "orderId", value: "42", required: "false", show: "true" }] };
export const sampleNotification = {
  useAccountDefaults: "false",
  reminders: { reminderEnabled: "true", reminderDelay: "2", reminderFrequency: "3" },
  expirations: { expireEnabled: "true", expireAfter: "120", expireWarn: "0" },
};

const definitionProperties = {
  emailSubject: ["At most 100 characters.", "Please sign the NDA"],
  emailBlurb: ["What the emails say.", "As discussed."],
  documents: [
    "Each with documentId, name, fileExtension and documentBase64: PDF, HTML or plain text of at most 25 MB.",
    [{ documentId: "1", name: "NDA.pdf", fileExtension: "pdf", documentBase64: "JVBERi0xLjcK" }],
  ],
  recipients: [
    "signers, carbonCopies, certifiedDeliveries and inPersonSigners, with their tabs. Other kinds are refused.",
    { signers: [sampleSigner] },
  ],
  customFields: ["textCustomFields and listCustomFields.", sampleFields],
  notification: ["Reminders and expiration, in days.", sampleNotification],
  workflow: ["scheduledSending, and workflowSteps that pause before a routing order.", sampleWorkflow],
  brandId: ["The brand of its pages and mails; the default one when empty.", sampleId],
} as const;

export const createEnvelopeSchema = documented({
  ...definitionProperties,
  status: ["created (a draft, the default) or sent.", "created"],
  templateId: ["A template that it is made from.", sampleId],
  templateRoles: ["Who fills the roles of that template.", [{ roleName: "signer", email: "ann@example.com" }]],
  compositeTemplates: ["Several templates and documents, one after the other.", [{ compositeTemplateId: "1" }]],
  transactionId: ["Your ID for the envelope; lists can search it.", "order-1042"],
  eventNotification: ["Where its events are to go.", { url: "https://www.example.com/events" }],
});

export const createEnvelopeExample = {
  emailSubject: "Please sign the NDA",
  status: "created",
  documents: [{ documentId: "1", name: "NDA.pdf", fileExtension: "pdf", documentBase64: "JVBERi0xLjcK" }],
  recipients: {
    signers: [
      {
        ...sampleSigner,
        tabs: { signHereTabs: [{ anchorString: "/sn1/", anchorUnits: "pixels", anchorXOffset: "20" }] },
      },
    ],
  },
};

export const updateEnvelopeSchema = documented({
  ...definitionProperties,
  status: ["sent sends a draft, voided ends what was sent, deleted deletes a draft.", "sent"],
  voidedReason: ["Required to void; the first 200 characters are kept.", "The order was cancelled."],
  purgeState: [
    "documents_queued, documents_and_metadata_queued or documents_dequeued; nothing else is changed then.",
    "documents_queued",
  ],
});
