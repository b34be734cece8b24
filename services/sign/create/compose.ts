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

/** One composition of a request, with the templates it names. */
export interface LoadedComposition {
  /** Later layers override earlier ones. */
  readonly layers: readonly Layer[];
  /** Replaces the documents of the templates. */
  readonly document?: DocumentDefinition;
}

export type Layer =
  | { readonly kind: "template"; readonly template: Agreement }
  | { readonly kind: "definition"; readonly definition: Definition };

/**
 * Merges the compositions and applies the definition on top. When documents of two compositions share an id,
 * the later one is renumbered together with the tabs of its composition.
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

/** Ids that collide with those of an earlier part are replaced by the lowest free numbers. */
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
  ...(recipient.excludedDocuments == null ? {} : { excludedDocuments: recipient.excludedDocuments.map(renamed) }),
});

/** The result of one composition. Its document ids are unique within it. */
interface Part {
  /** Without documents and recipients. */
  readonly members: Definition;
  readonly documents: readonly DocumentDefinition[];
  readonly recipients: readonly RecipientInWork[];
}

const emptyPart: Part = { members: emptyDefinition, documents: [], recipients: [] };

/** Applies the layers of a composition in order, then replaces the templates' documents by its own document. */
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
 * Tabs that the templates place on the document with the same id move to the new one; when its id is new, the
 * tabs of the templates' first document do. Tabs on the other replaced documents are dropped.
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

/**
 * `fate` maps a replaced document to its replacement, or to undefined, which drops its tabs. Tabs on other
 * documents stay.
 */
function withTabsMoved(
  { definition, isIdChosen }: RecipientInWork,
  fate: ReadonlyMap<string, string | undefined>,
): RecipientInWork {
  const tabs = definition.tabs.flatMap((tab) => {
    if (tab.documentId === undefined || !fate.has(tab.documentId)) return [tab];
    const documentId = fate.get(tab.documentId);
    return documentId === undefined ? [] : [{ ...tab, documentId }];
  });
  // What stands in the place of a hidden document stays hidden.
  const excludedDocuments = definition.excludedDocuments?.flatMap((id) => (fate.has(id) ? (fate.get(id) ?? []) : id));
  return {
    definition: { ...definition, ...(excludedDocuments === undefined ? {} : { excludedDocuments }), tabs },
    isIdChosen,
  };
}

/**
 * Merges the documents of a later layer into those of an earlier one. A document with the same id replaces the
 * earlier one; others are added. The result has ids and is sorted.
 */
function layDocuments(
  earlier: readonly DocumentDefinition[],
  later: readonly DocumentDefinition[],
): readonly DocumentDefinition[] {
  const given = new Set(later.map(({ documentId }) => documentId));
  // Documents without an id are new and get numbers that the earlier ones do not use.
  const kept = earlier.map(({ documentId }) => documentId).filter((id) => !given.has(id));
  const byId = new Map(numberDocuments(later, kept).map((document) => [document.documentId, document]));
  const below = earlier.map((document) => {
    const above = byId.get(document.documentId);
    byId.delete(document.documentId);
    return above ?? document;
  });
  // An order only counts within its layer; from here on the position in the list decides.
  return inOrder([...below, ...byId.values()]).map(({ order, ...document }) => document);
}

/** Merges the members of all layers except documents and recipients; later layers win. */
function mergeMembers(layers: readonly Definition[]): Definition {
  let merged = emptyDefinition;
  for (const layer of layers) {
    const notification = { ...merged.notification, ...layer.notification };
    const customFields = mergeCustomFields(merged.customFields, layer.customFields);
    merged = { ...merged, ...layer, notification, customFields, documents: [], recipients: [] };
  }
  return merged;
}

/** Merges custom fields by name. */
function mergeCustomFields(
  below: readonly CustomFieldDefinition[],
  above: readonly CustomFieldDefinition[],
): readonly CustomFieldDefinition[] {
  const byName = new Map(below.map((field) => [field.name, field]));
  // Duplicates within one layer are kept here and reported when the whole is validated.
  const added = above.filter((field) => !byName.has(field.name));
  for (const field of above) if (byName.has(field.name)) byName.set(field.name, field);
  return [...byName.values(), ...added];
}

/**
 * The definition that would recreate this agreement. Empty members of a template count as not given, so they do
 * not erase values from other templates. The template's own name, description and transaction id are not passed
 * on.
 */
function definitionOf(agreement: Agreement): Definition {
  const { emailSubject, emailBlurb, metadata, subscription, documents, recipients, customFields } = agreement;
  return {
    ...(emailSubject === "" ? {} : { emailSubject }),
    ...(emailBlurb === "" ? {} : { emailBlurb }),
    ...(metadata === null ? {} : { metadata }),
    ...(subscription === null ? {} : { subscription }),
    ...(agreement.brandId == null ? {} : { brandId: agreement.brandId }),
    ...workflowDefinition(agreement),
    notification: unusualDays(agreement.notification),
    documents: documents.map((document) => {
      const { documentId, name } = document;
      return { documentId, name, source: { kind: "stored", agreementId: agreement.id, document } };
    }),
    recipients: recipients.map(recipientDefinition),
    customFields,
  };
}

const workflowDefinition = ({ workflow }: Agreement): Pick<Definition, "schedule" | "pauses"> => {
  if (workflow == null) return {};
  const { schedule, pauses } = workflow;
  return {
    ...(schedule === null ? {} : { schedule }),
    ...(pauses.length === 0 ? {} : { pauses: pauses.map(({ resumedAt, ...pause }) => pause) }),
  };
};

const unusualDays = (notification: Notification): Partial<Notification> =>
  Object.fromEntries(
    Object.entries(notification).filter(([name, value]) => value !== defaultNotification[name as keyof Notification]),
  );

function recipientDefinition(recipient: Recipient): RecipientDefinition {
  const { recipientId, role, routingOrder, tabs } = recipient;
  const { name, email, clientUserId, roleName, note, locale, hostName, hostEmail } = recipient;
  const { emailSubject, emailBlurb, verification } = recipient;
  const mailTexts = { locale, emailSubject, emailBlurb };
  const texts = { name, email, clientUserId, roleName, note, hostName, hostEmail, ...mailTexts };
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
  const checks = verification?.length ? { verification } : {};
  const { excludedDocuments } = recipient;
  const hidden = excludedDocuments == null || excludedDocuments.length === 0 ? {} : { excludedDocuments };
  return { recipientId, role, routingOrder, ...given, ...hidden, ...checks, tabs: tabs.map(tabDefinition) };
}

function tabDefinition({ tabId, documentId, isPlaced, originalValue, status, value, ...given }: Tab): TabDefinition {
  return { ...given, ...(value === "" ? {} : { value }), ...(documentId === null ? {} : { documentId }) };
}
