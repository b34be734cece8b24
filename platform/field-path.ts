/**
 * The path of a member in a field problem: `policyFlags.minAge`, `metadata["order id"]` for names that are not
 * identifiers, `recipients[0]` for list items. Paths refer to the body as it was sent.
 */
export function memberPath(path: string, name: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/**
 * Converts a JSON pointer (RFC 6901) to such a path without looking at the value: numbers count as list
 * indexes.
 */
export const pointerPath = (root: string, pointer: string): string =>
  namesIn(pointer).reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : memberPath(path, name)), root);

/** The names and list indexes that a JSON pointer (RFC 6901) consists of, unescaped. */
export const namesIn = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
