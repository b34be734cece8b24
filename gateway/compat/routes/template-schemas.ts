import { customFieldsSchema, notificationSchema } from "#api/compat-records.ts";
import { listOf } from "../../routes/schema-parts.ts";
import { looseBody, pageAnswer, sampleId, sampleTime, textsAnswer } from "../schema-parts.ts";
import { definedDocumentSchema, documentsExample } from "./document-schemas.ts";
import { recipientsSchema } from "./envelope-schemas.ts";

export const templateBody = looseBody({
  name: "What the template is called.",
  description: "For those who choose one.",
  shared: "Whether everybody may use it; kept as it is said.",
  emailSubject: "Of envelopes that are made from it, unless they say another.",
  emailBlurb: "The text of their e-mails.",
  documents: "Documents with documentId, name, fileExtension and documentBase64.",
  recipients: "Roles: recipients with a roleName, a routingOrder and tabs, but no person.",
  customFields: "textCustomFields and listCustomFields.",
  notification: "Reminders and expiry.",
  status: "Without effect: templates are not sent.",
});

export const templateExample = {
  name: "NDA",
  description: "For visitors.",
  shared: "false",
  emailSubject: "Please sign the NDA",
  documents: documentsExample.documents,
  recipients: {
    signers: [
      {
        recipientId: "1",
        roleName: "signer",
        routingOrder: "1",
        tabs: { signHereTabs: [{ documentId: "1", pageNumber: "1", xPosition: "100", yPosition: "200" }] },
      },
    ],
    carbonCopies: [{ recipientId: "2", roleName: "cc", routingOrder: "2" }],
  },
  status: "created",
};

export const templateSummarySchema = textsAnswer(
  { templateId: sampleId, name: "NDA", uri: `/templates/${sampleId}` },
  {},
  ["templateId", "name", "uri"],
);

export const templateUpdateSchema = textsAnswer({ templateId: sampleId, envelopeId: sampleId }, {}, ["templateId"]);

const facts = {
  templateId: sampleId,
  uri: `/templates/${sampleId}`,
  name: "NDA",
  description: "For visitors.",
  shared: "false",
  emailSubject: "Please sign the NDA",
  emailBlurb: "",
  created: sampleTime,
  lastModified: sampleTime,
  folderId: "templates",
  folderName: "Templates",
  documentsUri: `/templates/${sampleId}/documents`,
  documentsCombinedUri: `/templates/${sampleId}/documents/combined`,
  recipientsUri: `/templates/${sampleId}/recipients`,
  customFieldsUri: `/templates/${sampleId}/custom_fields`,
  notificationUri: `/templates/${sampleId}/notification`,
  passwordProtected: "false",
  signingLocation: "online",
};

const owner = textsAnswer({ userName: "Shop backend", userId: sampleId, email: "sender@example.com" }, {}, [
  "userName",
  "userId",
]);
const required = ["templateId", "uri", "name", "description", "shared", "created", "folderId", "owner"];

const parts = {
  owner,
  documents: listOf(definedDocumentSchema),
  recipients: recipientsSchema,
  customFields: customFieldsSchema,
};

/** Its parts are included only on request. */
const templateListItemSchema = textsAnswer({ ...facts, pageCount: "1" }, parts, required);

export const templateSchema = textsAnswer(
  { ...facts, pageCount: "1" },
  { ...parts, notification: notificationSchema },
  [...required, "documents", "recipients", "customFields", "notification", "pageCount"],
);

export const templatesSchema = pageAnswer("envelopeTemplates", templateListItemSchema);
