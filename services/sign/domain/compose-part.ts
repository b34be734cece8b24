import type { LoadedComposition } from "./compose.ts";
import { type Definition, type DocumentDefinition, emptyDefinition } from "./definition.ts";
import { definitionOf } from "./definition-of.ts";
import { layDocuments } from "./lay-documents.ts";
import { takeLowestFree } from "./lowest-free.ts";
import { mergeMembers } from "./merge-members.ts";
import { layRecipients, type RecipientInWork } from "./merge-recipients.ts";

/** What a composition comes to. The ids of its documents are its own. */
export interface Part {
  /** Without documents and recipients. */
  readonly members: Definition;
  readonly documents: readonly DocumentDefinition[];
  readonly recipients: readonly RecipientInWork[];
}

const emptyPart: Part = { members: emptyDefinition, documents: [], recipients: [] };

/** Puts the layers of a composition over each other, and then its document in place of those of its templates. */
export function layPart({ layers, document }: LoadedComposition): Part {
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
