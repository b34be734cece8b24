import { type Agreement, defaultNotification, type Notification, type Recipient } from "./agreement.ts";
import type { Definition, RecipientDefinition, TabDefinition } from "./definition.ts";
import type { Tab } from "./tab.ts";

/**
 * What would make an agreement like this one. What a template leaves empty counts as not given, so that it does not
 * wipe out what other templates say; its own name, description and transaction id are not handed on.
 */
export function definitionOf(agreement: Agreement): Definition {
  const { emailSubject, emailBlurb, metadata, subscription, documents, recipients, customFields } = agreement;
  return {
    ...(emailSubject === "" ? {} : { emailSubject }),
    ...(emailBlurb === "" ? {} : { emailBlurb }),
    ...(metadata === null ? {} : { metadata }),
    ...(subscription === null ? {} : { subscription }),
    notification: unusualDays(agreement.notification),
    documents: documents.map((document) => {
      const { documentId, name } = document;
      return { documentId, name, source: { kind: "stored", document } };
    }),
    recipients: recipients.map(recipientDefinition),
    customFields,
  };
}

const unusualDays = (notification: Notification): Partial<Notification> =>
  Object.fromEntries(
    Object.entries(notification).filter(([name, value]) => value !== defaultNotification[name as keyof Notification]),
  );

function recipientDefinition(recipient: Recipient): RecipientDefinition {
  const { recipientId, role, routingOrder, tabs } = recipient;
  const { name, email, clientUserId, roleName, note, locale, hostName, hostEmail } = recipient;
  const { emailSubject, emailBlurb } = recipient;
  const mailTexts = { locale, emailSubject, emailBlurb };
  const texts = { name, email, clientUserId, roleName, note, hostName, hostEmail, ...mailTexts };
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
  return { recipientId, role, routingOrder, ...given, tabs: tabs.map(tabDefinition) };
}

function tabDefinition({ tabId, documentId, isPlaced, originalValue, status, value, ...given }: Tab): TabDefinition {
  return { ...given, ...(value === "" ? {} : { value }), ...(documentId === null ? {} : { documentId }) };
}
