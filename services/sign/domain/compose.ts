import type { Agreement } from "./agreement.ts";
import { layPart, type Part } from "./compose-part.ts";
import type { Definition, DocumentDefinition, RecipientDefinition, TabDefinition } from "./definition.ts";
import { layDocuments } from "./lay-documents.ts";
import { takeLowestFree } from "./lowest-free.ts";
import { mergeMembers } from "./merge-members.ts";
import { joinRecipients, layRecipients, withDistinctIds } from "./merge-recipients.ts";

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
