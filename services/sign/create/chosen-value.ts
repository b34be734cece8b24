import type { TabDefinition } from "../agreement/definition.ts";

/**
 * The value that a definition gives, or chooses among its items or buttons; undefined when it says nothing. An empty
 * value does not speak against a choice.
 */
export function chosenValue({ value, items = [], buttons = [] }: TabDefinition): string | undefined {
  if (value !== undefined && value !== "") return value;
  return [...items, ...buttons].find(({ selected }) => selected)?.value ?? value;
}
