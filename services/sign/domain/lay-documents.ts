import type { DocumentDefinition } from "./definition.ts";
import { inOrder, numberDocuments } from "./new-documents.ts";

/**
 * The documents of a later layer over those of an earlier one, all with ids and in their places: one with the same id
 * takes the place of the earlier one, the others are added.
 */
export function layDocuments(
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
