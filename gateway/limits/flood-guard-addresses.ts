/** What is known of one network, in a list from the most to the least recently used one. */
export interface Address {
  readonly network: string;
  /** Requests that it may send at once; below 0 when it owes some. */
  tokens: number;
  /** When that was so, on the clock of the guard. */
  at: number;
  newer: Address | undefined;
  older: Address | undefined;
}

export interface Addresses {
  readonly size: number;
  /** Makes a network that is not known with these values, and forgets the least recently used one for it. */
  use(network: string, tokens: number, at: number): Address;
}

/**
 * Remembers so many networks and no more. The order is a list of its own: to put a network in front is to set a few
 * links, where taking it out of a Map and adding it again would cost two more operations of the Map per request.
 */
export function createAddresses(max: number): Addresses {
  const known = new Map<string, Address>();
  let newest: Address | undefined;
  let oldest: Address | undefined;

  const unlink = (address: Address): void => {
    if (address.newer === undefined) newest = address.older;
    else address.newer.older = address.older;
    if (address.older === undefined) oldest = address.newer;
    else address.older.newer = address.newer;
  };

  const putInFront = (address: Address): void => {
    address.newer = undefined;
    address.older = newest;
    if (newest !== undefined) newest.newer = address;
    newest = address;
    oldest ??= address;
  };

  const forgetOldest = (): void => {
    if (oldest === undefined) return;
    known.delete(oldest.network);
    unlink(oldest);
  };

  return {
    get size() {
      return known.size;
    },
    use: (network, tokens, at) => {
      const found = known.get(network);
      if (found !== undefined) {
        if (found !== newest) {
          unlink(found);
          putInFront(found);
        }
        return found;
      }
      if (known.size >= max) forgetOldest();
      const added: Address = { network, tokens, at, newer: undefined, older: undefined };
      known.set(network, added);
      putInFront(added);
      return added;
    },
  };
}
