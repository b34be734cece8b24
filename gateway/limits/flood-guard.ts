import { type Grant, wholeSeconds } from "./window-store.ts";

/** Slows down addresses that send more than any customer would. Kept in each process's memory. */
export interface FloodGuard {
  /** Takes one request of an address. Returns the refusal if it has to wait; refused requests cost nothing. */
  take(address: string): Grant | undefined;
  /** Charges the extra cost of a request without a valid credential. */
  takeForGuess(address: string): void;
}

export interface FloodGuardDeps {
  /** Requests that one address may send in 60 s, and at once; 0 lets everybody pass. */
  readonly requests: number;
  /** Milliseconds on a clock that never jumps. */
  readonly monotonic: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const windowMs = 60_000;
const maxAddresses = 100_000;
/** Guessed credentials belong to no client, so no client's budget limits them. */
const guessCost = 20;

/**
 * A token bucket per address, refilled continuously, so there is no moment at which everybody starts anew.
 * Guesses may put an address into debt, but never for more than 60 s.
 */
export function createFloodGuard({ requests, monotonic, now }: FloodGuardDeps): FloodGuard {
  if (requests === 0) return { take: () => undefined, takeForGuess: () => undefined };
  const addresses = createAddresses(maxAddresses);
  const perMs = requests / windowMs;
  const mostOwed = 1 - requests;

  const refilled = (address: string) => {
    const at = monotonic();
    const bucket = addresses.use(networkOf(address), requests, at);
    bucket.tokens = Math.min(requests, bucket.tokens + (at - bucket.at) * perMs);
    bucket.at = at;
    return bucket;
  };

  return {
    take: (address) => {
      const bucket = refilled(address);
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return undefined;
      }
      const waitMs = (1 - bucket.tokens) / perMs;
      return refusal(requests, waitMs, now());
    },
    takeForGuess: (address) => {
      const bucket = refilled(address);
      bucket.tokens = Math.max(mostOwed, bucket.tokens - (guessCost - 1));
    },
  };
}

const refusal = (limit: number, waitMs: number, nowMs: number): Grant => ({
  granted: false,
  limit,
  remaining: 0,
  resetAt: Math.ceil((nowMs + waitMs) / 1000),
  retryAfterSeconds: Math.min(windowMs / 1000, wholeSeconds(waitMs / 1000)),
});

/**
 * The unit that the guard counts: an IPv4 address in canonical form, or the /64 of an IPv6 address, since its
 * holder controls all addresses in it.
 */
export function networkOf(address: string): string {
  // Most addresses are IPv4, which this leaves alone.
  if (!address.includes(":")) return address;
  const groups = groupsOf(address);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [groups[6], groups[7]].flatMap((group = 0) => [group >> 8, group & 0xff]).join(".");
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/** The eight groups of an IPv6 address; `::` stands for as many zeros as are missing, and a zone tells nothing. */
function groupsOf(address: string): number[] {
  const [withoutZone = ""] = address.split("%");
  const [before = [], after = []] = withoutZone.split("::").map(readGroups);
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

function readGroups(text: string): number[] {
  return text
    .split(":")
    .filter((part) => part !== "")
    .flatMap((part) => (part.includes(".") ? readDotted(part) : [Number.parseInt(part, 16)]));
}

/** The IPv4 address that an IPv6 address may end with. */
function readDotted(text: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** What is known of one network, in a list from the most to the least recently used one. */
interface Address {
  readonly network: string;
  /** Requests that it may send at once; below 0 when it owes some. */
  tokens: number;
  /** When that was so, on the clock of the guard. */
  at: number;
  newer: Address | undefined;
  older: Address | undefined;
}

interface Addresses {
  readonly size: number;
  /** Makes a network that is not known with these values, and forgets the least recently used one for it. */
  use(network: string, tokens: number, at: number): Address;
}

/**
 * A bounded LRU list of addresses. A linked list: moving an entry to the front only sets a few links, where a
 * Map would need two more operations per request.
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
