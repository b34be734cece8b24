import { type CustomFieldDefinition, type Definition, emptyDefinition } from "./definition.ts";

/** What later layers give over what earlier ones gave, for everything but documents and recipients. */
export function mergeMembers(layers: readonly Definition[]): Definition {
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
