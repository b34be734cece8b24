import { DomainError } from "#platform/errors.ts";

/** A shared budget of bytes; when it is used up, further takers queue. */
export interface ByteBudget {
  open(): Share;
}

/** What one attempt uses of a budget. */
export interface Share {
  /**
   * Resolves when there is room for this many bytes; a request larger than the whole budget gets it alone.
   * Rejects with SERVICE_UNAVAILABLE when the budget is closed first.
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
      // Strictly in turn, so that small requests cannot starve a large one.
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
