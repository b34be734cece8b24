import type { Document } from "../domain/document.ts";

/** Those who wait in this process for documents to end. */
export interface Waiters {
  /** Resolves after this time, or when it is told before: with the document if it has ended in this process. */
  wait(id: string, ms: number, signal?: AbortSignal): Promise<Document | undefined>;
  /** Something has become of the document: its end, if it is given. */
  tell(id: string, ended?: Document): void;
  tellAll(): void;
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<(ended?: Document) => void>>();
  const tell = (id: string, ended?: Document): void => {
    for (const resolve of waiting.get(id) ?? []) resolve(ended);
  };
  return {
    wait: async (id, ms, signal) => {
      if (signal?.aborted === true) return undefined;
      const { promise, resolve } = Promise.withResolvers<Document | undefined>();
      const others = waiting.get(id) ?? new Set();
      waiting.set(id, others.add(resolve));
      const timer = setTimeout(() => resolve(undefined), ms);
      signal?.addEventListener("abort", () => resolve(undefined), { once: true });
      const ended = await promise;
      clearTimeout(timer);
      others.delete(resolve);
      if (others.size === 0) waiting.delete(id);
      return ended;
    },
    tell,
    tellAll: () => {
      for (const id of [...waiting.keys()]) tell(id);
    },
  };
}
