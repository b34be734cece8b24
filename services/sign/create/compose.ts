import { type Agreement, defaultNotification, type Notification, type Recipient } from "../agreement/agreement.ts";
import {
  type CustomFieldDefinition,
  type Definition,
  type DocumentDefinition,
  emptyDefinition,
  type RecipientDefinition,
  type TabDefinition,
} from "../agreement/definition.ts";
import type { Tab } from "../agreement/tab.ts";
import { takeLowestFree } from "./given-members.ts";
import { joinRecipients, layRecipients, type RecipientInWork, withDistinctIds } from "./merge-recipients.ts";
import { inOrder, numberDocuments } from "./new-documents.ts";

/** A part of an agreement, with the templates that it names. */
export interface LoadedComposition {
  /** Later ones go over earlier ones. */
  readonly layers: readonly Layer[];
  /** In place of the documents of the templates. */
  readonly document?: DocumentDefinition;
}

export type Layer =
  | { readonly kind: "template"; readonly template: Agreement }
  | { readonly kind: "definition"; readonly definition: Definition };

/**
 * What the compositions make together, with the definition over all of them. Documents of two compositions may have the
 * same id: the later one is renumbered, and the tabs of its composition with it.
 */
export function compose(definition: Definition, compositions: readonly LoadedComposition[]): Definition {
  if (compositions.length === 0) return definition;
  const parts = compositions.map(layPart);
  const renumbered = renumberDocuments(parts);
  const recipients = joinRecipients(renumbered.map((part) => part.recipients));
  return {
    ...mergeMembers([...parts.map(({ members }) => members), definition]),
    documents: layDocuments(
      renumbered.flatMap(({ documents }) => documents),
      definition.documents,
    ),
    recipients: withDistinctIds(layRecipients(recipients, definition.recipients, false)),
  };
}

/** Ids that collide with those of earlier parts become the lowest numbers that no part uses. */
function renumberDocuments(parts: readonly Part[]): readonly Omit<Part, "members">[] {
  const inUse = new Set(parts.flatMap(({ documents }) => documents.map(({ documentId }) => documentId)));
  const taken = new Set<string>();
  return parts.map(({ documents, recipients }) => {
    const names = new Map<string, string>();
    for (const { documentId } of documents) {
      const id = taken.has(documentId) ? takeLowestFree(inUse) : documentId;
      taken.add(id);
      names.set(documentId, id);
    }
    const renamed = (id: string): string => names.get(id) ?? id;
    return {
      documents: documents.map((document) => ({ ...document, documentId: renamed(document.documentId) })),
      recipients: recipients.map((recipient) => ({
        ...recipient,
        definition: withTabsRenamed(recipient.definition, renamed),
      })),
    };
  });
}

const withTabsRenamed = (
  recipient: RecipientDefinition,
  renamed: (documentId: string) => string,
): RecipientDefinition => ({
  ...recipient,
  tabs: recipient.tabs.map(
    (tab): TabDefinition => (tab.documentId === undefined ? tab : { ...tab, documentId: renamed(tab.documentId) }),
  ),
});

/** What a composition comes to. The ids of its documents are its own. */
interface Part {
  /** Without documents and recipients. */
  readonly members: Definition;
  readonly documents: readonly DocumentDefinition[];
  readonly recipients: readonly RecipientInWork[];
}

const emptyPart: Part = { members: emptyDefinition, documents: [], recipients: [] };

/** Puts the layers of a composition over each other, and then its document in place of those of its templates. */
function layPart({ layers, document }: LoadedComposition): Part {
  const part = layers.reduce<Part>((below, layer) => {
    const isTemplate = layer.kind === "template";
    const above = isTemplate ? definitionOf(layer.template) : layer.definition;
    return {
      members: mergeMembers([below.members, above]),
      documents: layDocuments(below.documents, above.documents),
      recipients: layRecipients(below.recipients, above.recipients, isTemplate),
    };
  }, emptyPart);
  return document === undefined ? part : withDocument(part, document);
}

/**
 * The tabs that the templates have on the document with the same id stand on the new one; when it has an id of its own,
 * those of their first document do. Tabs on the other documents go with them.
 */
function withDocument(part: Part, { order, ...document }: DocumentDefinition): Part {
  const replaced = part.documents.filter(({ source }) => source.kind === "stored").map(({ documentId }) => documentId);
  const kept = part.documents.filter(({ source }) => source.kind === "file");
  const heir = replaced.includes(document.documentId) ? document.documentId : replaced[0];
  const documentId = document.documentId || heir || takeLowestFree(new Set(kept.map((one) => one.documentId)));
  const others = kept.filter((one) => one.documentId !== documentId);
  const fate = new Map(replaced.map((id) => [id, id === heir ? documentId : undefined]));
  return {
    ...part,
    documents: [{ ...document, documentId }, ...others],
    recipients: part.recipients.map((recipient) => withTabsMoved(recipient, fate)),
  };
}

/** The fate of a document that is not replaced is to stay; without a new id, its tabs are gone. */
function withTabsMoved(
  { definition, isIdChosen }: RecipientInWork,
  fate: ReadonlyMap<string, string | undefined>,
): RecipientInWork {
  const tabs = definition.tabs.flatMap((tab) => {
    if (tab.documentId === undefined || !fate.has(tab.documentId)) return [tab];
    const documentId = fate.get(tab.documentId);
    return documentId === undefined ? [] : [{ ...tab, documentId }];
  });
  return { definition: { ...definition, tabs }, isIdChosen };
}

/**
 * The documents of a later layer over those of an earlier one, all with ids and in their places: one with the same id
 * takes the place of the earlier one, the others are added.
 */
function layDocuments(
  earlier: readonly DocumentDefinition[],
  later: readonly DocumentDefinition[],
): readonly DocumentDefinition[] {
  const given = new Set(later.map(({ documentId }) => documentId));
  // Those without an id are new, and get numbers that the earlier ones do not have.
  const kept = earlier.map(({ documentId }) => documentId).filter((id) => !given.has(id));
  const byId = new Map(numberDocuments(later, kept).map((document) => [document.documentId, document]));
  const below = earlier.map((document) => {
    const above = byId.get(document.documentId);
    byId.delete(document.documentId);
    return above ?? document;
  });
  // Places are said within a layer: for what comes later they are simply the order of the list.
  return inOrder([...below, ...byId.values()]).map(({ order, ...document }) => document);
}

/** What later layers give over what earlier ones gave, for everything but documents and recipients. */
function mergeMembers(layers: readonly Definition[]): Definition {
  let merged = emptyDefinition;
  for (const layer of layers) {
    const notification = { ...merged.notification, ...layer.notification };
    const customFields = mergeCustomFields(merged.customFields, layer.customFields);
    merged = { ...merged, ...layer, notification, customFields, documents: [], recipients: [] };
  }
  return merged;
}

/** By their names. */
function mergeCustomFields(
  below: readonly CustomFieldDefinition[],
  above: readonly CustomFieldDefinition[],
): readonly CustomFieldDefinition[] {
  const byName = new Map(below.map((field) => [field.name, field]));
  // What one layer says twice is left for the check of the whole.
  const added = above.filter((field) => !byName.has(field.name));
  for (const field of above) if (byName.has(field.name)) byName.set(field.name, field);
  return [...byName.values(), ...added];
}

/**
 * What would make an agreement like this one. What a template leaves empty counts as not given, so that it does not
 * wipe out what other templates say; its own name, description and transaction id are not handed on.
 */
function definitionOf(agreement: Agreement): Definition {
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
