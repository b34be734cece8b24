import { LRUCache } from "lru-cache";
import { DomainError } from "./errors.ts";

/** What another service says of something, for as long as that holds. */
export interface Remembered<Value> {
  /** At most as old as it may be while the service answers; throws SERVICE_UNAVAILABLE while nobody knows it. */
  of(key: string): Promise<Value>;
  /** What is known without asking, however old. */
  known(key: string): Value | undefined;
}

export interface RememberedOptions<Value> {
  ask(key: string): Promise<Value>;
  readonly maxAgeMs: number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** Called when asking has failed and the last known value stays in use. */
  onAway(key: string, error: unknown): void;
}

const maxKnown = 10_000;

/** Asks once for all who want the same at a time. While nobody answers, what was known last still holds. */
export function remembered<Value>(options: RememberedOptions<Value>): Remembered<Value> {
  const known = new LRUCache<string, { readonly value: Value; readonly askAgainAt: number }>({ max: maxKnown });
  const asking = new Map<string, Promise<Value>>();

  const ask = async (key: string): Promise<Value> => {
    const value = await options.ask(key).catch((error: unknown) => {
      const last = known.peek(key);
      if (last === undefined) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
      options.onAway(key, error);
      return last.value;
    });
    known.set(key, { value, askAgainAt: options.monotonic() + options.maxAgeMs });
    return value;
  };
  return {
    of: async (key) => {
      const last = known.get(key);
      if (last !== undefined && options.monotonic() < last.askAgainAt) return last.value;
      const answer = asking.get(key) ?? ask(key).finally(() => asking.delete(key));
      asking.set(key, answer);
      return answer;
    },
    known: (key) => known.peek(key)?.value,
  };
}
