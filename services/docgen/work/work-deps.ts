import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Tracer } from "#platform/telemetry.ts";
import type { Renderer } from "../renderer/render-job.ts";

/** What the rendering of documents needs. */
export interface WorkDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that chooses what is to be done next among all organizations. */
  readonly claimerPool: pg.Pool;
  readonly blobs: BlobStore;
  readonly renderer: Renderer;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  readonly tracer?: Tracer | undefined;
  /** Tells the relay that there are new events. */
  wakeRelay(): void;
}
