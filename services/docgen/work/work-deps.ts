import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import type { Clock } from "#platform/clock.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Tracer } from "#platform/telemetry.ts";
import type { Document } from "../domain/document.ts";
import type { Renderer } from "../renderer/render-job.ts";
import type { WordPrinter } from "./word-printer.ts";

/** What the rendering of documents needs. */
export interface WorkDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that chooses what is to be done next among all organizations. */
  readonly claimerPool: pg.Pool;
  readonly blobs: BlobStore;
  readonly renderer: Renderer;
  /** Absent where Word files are not printed. */
  readonly word?: WordPrinter | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  readonly tracer?: Tracer | undefined;
  /** By which processes tell each other that documents wait. */
  readonly bus?: NudgeBus | undefined;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
}

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
