import { DomainError, type ErrorCode } from "#platform/errors.ts";

/** Things of organizations, by their ids. */
export interface Owned<Item> {
  add(orgId: string, id: string, item: Item): Item;
  /** Throws the code when the organization has nothing with the id. */
  find(orgId: string, id: string): Item;
  /** In the order in which they were added. */
  all(orgId: string): Item[];
  remove(orgId: string, id: string): void;
}

export function createOwned<Item>(code: ErrorCode): Owned<Item> {
  const items = new Map<string, { orgId: string; item: Item }>();
  const find = (orgId: string, id: string): Item => {
    const found = items.get(id);
    if (found?.orgId !== orgId) throw new DomainError(code);
    return found.item;
  };
  return {
    find,
    add: (orgId, id, item) => {
      items.set(id, { orgId, item });
      return item;
    },
    all: (orgId) => [...items.values()].filter((one) => one.orgId === orgId).map(({ item }) => item),
    remove: (orgId, id) => {
      find(orgId, id);
      items.delete(id);
    },
  };
}
