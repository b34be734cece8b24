/** Gives the lowest positive number that is not taken, as text, and takes it. */
export function takeLowestFree(taken: Set<string>): string {
  let number = 1;
  while (taken.has(String(number))) number += 1;
  const id = String(number);
  taken.add(id);
  return id;
}

/**
 * Ids for a list of which some have one: given ids stay, the others get the lowest numbers that nobody has. Calls back
 * for each given id that is taken already.
 */
export function fillIds(
  given: readonly string[],
  inUse: Iterable<string>,
  onDuplicate: (index: number) => void,
): readonly string[] {
  const taken = new Set(inUse);
  for (const [index, id] of given.entries()) {
    if (id === "") continue;
    if (taken.has(id)) onDuplicate(index);
    taken.add(id);
  }
  return given.map((id) => (id === "" ? takeLowestFree(taken) : id));
}
