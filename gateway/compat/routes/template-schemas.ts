import { customFieldsSchema, notificationSchema } from "#api/compat-records.ts";
import { templateOwner, templateSummary, templateTexts } from "../../../views/compat/template.ts";
import { listOf } from "../../routes/schema-parts.ts";
import { looseBody, pageAnswer, sampleId, textsAnswer } from "../schema-parts.ts";
import { definedDocumentSchema, documentsExample } from "./document-schemas.ts";
import { recipientsSchema } from "./envelope-schemas.ts";
import { workflowSchema } from "./workflow.ts";

export const templateBody = looseBody({
  name: "What the template is called.",
  description: "For those who choose one.",
  shared: "Whether everyone can use it. Stored as you send it; no effect.",
  emailSubject: "Of envelopes that are made from it, unless they say another.",
  emailBlurb: "The text of their emails.",
  documents: "Documents with documentId, name, fileExtension and documentBase64.",
  recipients: "Roles: recipients with a roleName, a routingOrder and tabs, but no person.",
  customFields: "textCustomFields and listCustomFields.",
  notification: "Reminders and expiry.",
  brandId: "The brand of envelopes that are made from it, unless they say another.",
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

export const templateSummarySchema = textsAnswer(templateSummary.examples, {}, templateSummary.required);

export const templateUpdateSchema = textsAnswer({ templateId: sampleId, envelopeId: sampleId }, {}, ["templateId"]);

const facts = { ...templateTexts.examples, pageCount: "1" };
const required = [...templateTexts.required, "owner"];

const parts = {
  owner: textsAnswer(templateOwner.examples, {}, templateOwner.required),
  documents: listOf(definedDocumentSchema),
  recipients: recipientsSchema,
  customFields: customFieldsSchema,
};

/** Its parts are included only on request. */
const templateListItemSchema = textsAnswer(facts, parts, required);

export const templateSchema = textsAnswer(
  facts,
  { ...parts, notification: notificationSchema, workflow: workflowSchema },
  [...required, "documents", "recipients", "customFields", "notification", "pageCount"],
);

export const templatesSchema = pageAnswer("envelopeTemplates", templateListItemSchema);
