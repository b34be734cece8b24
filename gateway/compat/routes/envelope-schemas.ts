import { customFieldsSchema, notificationSchema } from "#api/compat-records.ts";
import type { JsonSchema } from "#api/kinds.ts";
import { envelopeMetadata, envelopeSender, envelopeSummary, envelopeTexts } from "../../../views/compat/envelope.ts";

import { listOf } from "../../routes/schema-parts.ts";
import { looseBody, sampleId, sampleTime, textsAnswer } from "../schema-parts.ts";
import { compatDocumentSchema } from "./document-schemas.ts";
import { sampleFields, sampleNotification, sampleSigner } from "./envelope-definition.ts";
import { workflowSchema } from "./workflow.ts";

export const summarySchema = textsAnswer(envelopeSummary.examples, {}, envelopeSummary.required);

export const updateSummarySchema = textsAnswer({ envelopeId: sampleId }, {}, ["envelopeId"]);

/** `Tabs`, in requests and answers: one array for each kind. */
export const tabsSchema: JsonSchema = {
  type: "object",
  description: "An array for each kind of tabs.",
  additionalProperties: { type: "array", items: { type: "object" } },
  examples: [
    {
      signHereTabs: [
        {
          tabId: sampleId,
          tabLabel: "Sign Here",
          documentId: "1",
          pageNumber: "1",
          xPosition: "100",
          yPosition: "200",
        },
      ],
    },
  ],
};

export const tabsBody: JsonSchema = {
  type: "object",
  description: "An array for each kind of tabs: signHereTabs, textTabs, checkboxTabs …",
  additionalProperties: true,
};
export const tabsExample = {
  signHereTabs: [{ documentId: "1", pageNumber: "1", xPosition: "100", yPosition: "200" }],
};

/** Members that only some kinds have, or that appear later. */
const sometimes = {
  email: "ann@example.com",
  clientUserId: "1000",
  roleName: "signer",
  note: "Soon, please.",
  signerName: "Ann",
  signerEmail: "ann@example.com",
  hostName: "Hal",
  hostEmail: "hal@example.com",
  sentDateTime: sampleTime,
  deliveredDateTime: sampleTime,
  signedDateTime: sampleTime,
  declinedDateTime: sampleTime,
  declinedReason: "The price has changed.",
  autoRespondedReason: "the mail server refuses the mail (550 5.1.1)",
};

const recipientTexts = {
  recipientId: "1",
  recipientIdGuid: sampleId,
  userId: sampleId,
  name: "Ann",
  routingOrder: "1",
  status: "sent",
  recipientType: "signer",
  totalTabCount: "1",
  deliveryMethod: "email",
  creationReason: "sender",
  requireIdLookup: "false",
  requireUploadSignature: "false",
  templateLocked: "false",
  templateRequired: "false",
  completedCount: "0",
};

const recipientSchema = textsAnswer(
  { ...sometimes, ...recipientTexts },
  {
    tabs: tabsSchema,
    excludedDocuments: { type: "array", items: { type: "string" }, examples: [["3"]] },
    emailNotification: textsAnswer({
      emailSubject: "Your copy of the order",
      emailBody: "Please have a look at page 2.",
      supportedLanguage: "en",
    }),
  },
  Object.keys(recipientTexts),
);

const empty: JsonSchema = { type: "array", items: { type: "object" }, examples: [[]] };
const filledKinds = ["signers", "carbonCopies", "certifiedDeliveries", "inPersonSigners"];
const emptyKinds = ["agents", "editors", "intermediaries", "seals", "witnesses", "notaries"];

export const recipientsSchema = textsAnswer(
  { recipientCount: "1", currentRoutingOrder: "1" },
  {
    signers: listOf(recipientSchema),
    ...Object.fromEntries(filledKinds.slice(1).map((kind) => [kind, { ...listOf(recipientSchema), examples: [[]] }])),
    ...Object.fromEntries(emptyKinds.map((kind) => [kind, empty])),
  },
  ["recipientCount", "currentRoutingOrder", ...filledKinds, ...emptyKinds],
);

export const recipientsBody = looseBody({
  signers: "Who signs.",
  carbonCopies: "Who gets a copy.",
  certifiedDeliveries: "Who has to open it.",
  inPersonSigners: "Who signs on the device of a host: hostName, hostEmail, signerName.",
});
export const recipientsExample = { signers: [sampleSigner] };

export const recipientUpdateSchema: JsonSchema = {
  type: "object",
  required: ["recipientUpdateResults"],
  properties: {
    recipientUpdateResults: listOf(
      textsAnswer(
        { recipientId: "1", recipientIdGuid: sampleId },
        { errorDetails: textsAnswer({ errorCode: "SUCCESS", message: "" }, {}, ["errorCode", "message"]) },
        ["recipientId", "errorDetails"],
      ),
    ),
  },
};

export const customFieldsBody = looseBody({
  textCustomFields: "Texts: name, value, required, show.",
  listCustomFields: "Texts out of lists: the same, and listItems.",
});
export const customFieldsExample = sampleFields;

export const notificationBody = looseBody({
  useAccountDefaults: "true: no reminders, and expiration after 120 days.",
  reminders: "reminderEnabled, reminderDelay and reminderFrequency.",
  expirations: "expireEnabled, expireAfter and expireWarn.",
});
export const notificationExample = sampleNotification;

const formItem = textsAnswer({ name: "size", value: "m", originalValue: "", listSelectedValue: "Medium" }, {}, [
  "name",
  "value",
  "originalValue",
]);

export const formDataSchema = textsAnswer(
  { envelopeId: sampleId, status: "completed", emailSubject: "Please sign the NDA", sentDateTime: sampleTime },
  {
    formData: listOf(formItem),
    recipientFormData: listOf(
      textsAnswer(
        {
          recipientId: "1",
          name: "Ann",
          email: "ann@example.com",
          SentTime: sampleTime,
          DeliveredTime: sampleTime,
          SignedTime: sampleTime,
          DeclinedTime: sampleTime,
        },
        { formData: listOf(formItem) },
        ["recipientId", "name", "formData"],
      ),
    ),
  },
  ["envelopeId", "status", "emailSubject", "formData", "recipientFormData"],
);

export const auditEventsSchema = textsAnswer(
  {},
  {
    auditEvents: listOf(
      textsAnswer(
        {},
        { eventFields: listOf(textsAnswer({ name: "Action", value: "Registered" }, {}, ["name", "value"])) },
        ["eventFields"],
      ),
    ),
  },
  ["auditEvents"],
);

const noneYet: JsonSchema = { type: "array", items: { type: "object" }, examples: [[]] };

export const envelopeSchema = textsAnswer(
  envelopeTexts.examples,
  {
    sender: textsAnswer(envelopeSender.examples, {}, envelopeSender.required),
    recipients: recipientsSchema,
    customFields: customFieldsSchema,
    envelopeDocuments: listOf(compatDocumentSchema),
    notification: notificationSchema,
    workflow: workflowSchema,
    envelopeAttachments: noneYet,
    folders: noneYet,
    envelopeMetadata: textsAnswer(envelopeMetadata, {}, Object.keys(envelopeMetadata)),
  },
  [...envelopeTexts.required, "sender", "envelopeMetadata"],
);

const paging = { resultSetSize: "1", startPosition: "0", endPosition: "0", totalSetSize: "5" };

export const envelopesSchema = textsAnswer(
  {
    ...paging,
    nextUri: "/envelopes?start_position=1&count=1",
    previousUri: "/envelopes?start_position=0&count=1",
    continuationToken: "1.Y3JlYXRlZA",
  },
  { envelopes: listOf(envelopeSchema) },
  [...Object.keys(paging), "envelopes"],
);

export const statusBody = looseBody({
  envelopeIds: "The ids of the envelopes.",
  transactionIds: "The transactionIds of the envelopes.",
});
export const statusExample = { envelopeIds: [sampleId] };
