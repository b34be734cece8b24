import { DomainError } from "#platform/errors.ts";

/** So many bytes at once for all who share it; whoever comes when they are used waits in turn. */
export interface ByteBudget {
  open(): Share;
}

/** What one attempt uses of a budget. */
export interface Share {
  /**
   * Resolves when there is room for so many bytes; what is larger than the whole budget gets it alone. Rejects with
   * SERVICE_UNAVAILABLE when the share is closed before.
   */
  take(bytes: number): Promise<void>;
  /** Gives back what was taken, and waits for nothing any more. */
  close(): void;
}

interface Waiting {
  readonly bytes: number;
  start(): void;
  giveUp(): void;
}

export function createByteBudget(total: number): ByteBudget {
  const waiting = new Set<Waiting>();
  let free = total;

  const startNext = (): void => {
    for (const one of waiting) {
      // In turn: what is small must not hold up for ever what is large.
      if (one.bytes > free) return;
      waiting.delete(one);
      free -= one.bytes;
      one.start();
    }
  };
  return {
    open: () => {
      const mine = new Set<Waiting>();
      let taken = 0;
      let isClosed = false;
      return {
        take: async (wished) => {
          if (isClosed) throw new DomainError("SERVICE_UNAVAILABLE");
          const bytes = Math.min(wished, total - taken);
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          const one: Waiting = {
            bytes,
            start: () => {
              taken += bytes;
              mine.delete(one);
              resolve();
            },
            giveUp: () => reject(new DomainError("SERVICE_UNAVAILABLE")),
          };
          waiting.add(one);
          mine.add(one);
          startNext();
          await promise;
        },
        close: () => {
          isClosed = true;
          for (const one of mine) {
            waiting.delete(one);
            one.giveUp();
          }
          free += taken;
          taken = 0;
          startNext();
        },
      };
    },
  };
}
