import { setImmediate as nextTurn } from "node:timers/promises";

/** Runs `work` when its turn has come. */
export type Turns = <T>(work: () => T) => Promise<T>;

/** After so much of it everybody else is let in first. */
const longMs = 2;

/**
 * Pieces of work that take a few milliseconds each, one after the other. However many ask at the same time, as the items
 * of a batch do, the event loop goes on between them.
 */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let spentMs = 0;
  const pause = async (): Promise<void> => {
    if (spentMs < longMs) return;
    spentMs = 0;
    await nextTurn();
  };
  return (work) => {
    const outcome = last.then(() => {
      const from = performance.now();
      try {
        return work();
      } finally {
        spentMs += performance.now() - from;
      }
    });
    last = outcome.then(pause, pause);
    return outcome;
  };
}
