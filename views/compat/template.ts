import { customFieldsView, notificationView } from "#api/compat-records.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { definedDocumentView } from "./documents.ts";
import type { Included } from "./envelope.ts";
import { recipientsView } from "./recipients.ts";
import { compatTime, filled, flagText, numberText, type Written } from "./scalars.ts";

/** What creating a template answers. */
export const templateSummary = ({ id, name }: Agreement): Written => ({
  templateId: id,
  name,
  uri: `/templates/${id}`,
});

/** A template as lists show it: without its parts, unless they are asked for. */
export const templateListItem = (agreement: Agreement, included: Included): Written =>
  defined({
    ...templateFacts(agreement),
    ...(included.has("documents") ? documentsOf(agreement) : {}),
    ...(included.has("custom_fields") ? { customFields: customFieldsView(agreement.customFields) } : {}),
    ...(included.has("recipients") || included.has("tabs")
      ? { recipients: recipientsView(agreement, included.has("tabs")) }
      : {}),
  });

/** The `EnvelopeTemplate` object with everything that it is made of, but tabs only when they are asked for. */
export const templateView = (agreement: Agreement, included: Included): Written =>
  defined({
    ...templateFacts(agreement),
    ...documentsOf(agreement),
    recipients: recipientsView(agreement, included.has("tabs")),
    customFields: customFieldsView(agreement.customFields),
    notification: notificationView(agreement.notification),
  });

function templateFacts(agreement: Agreement): Readonly<Record<string, Written | undefined>> {
  const { id, name, description, emailSubject, emailBlurb, shared, sender, organizationId } = agreement;
  const uri = `/templates/${id}`;
  return {
    templateId: id,
    uri,
    name,
    description,
    shared: flagText(shared),
    emailSubject,
    emailBlurb,
    created: compatTime(agreement.createdAt),
    lastModified: compatTime(agreement.modifiedAt),
    folderId: "templates",
    folderName: "Templates",
    owner: defined({ userName: sender?.name ?? "", userId: organizationId, email: filled(sender?.email) }),
    documentsUri: `${uri}/documents`,
    documentsCombinedUri: `${uri}/documents/combined`,
    recipientsUri: `${uri}/recipients`,
    customFieldsUri: `${uri}/custom_fields`,
    notificationUri: `${uri}/notification`,
    passwordProtected: "false",
    signingLocation: "online",
  };
}

const documentsOf = ({ id, documents }: Agreement) => ({
  documents: documents.map((document) => definedDocumentView(document, `/templates/${id}`)),
  pageCount: numberText(documents.reduce((count, { pages }) => count + pages.length, 0)),
});
