import type pg from "pg";
import type { Runtime, Worker } from "#platform/service.ts";
import type { TimestampSettings } from "../config.ts";
import { createIntegrator } from "../integrator/integrator.ts";
import type { EvidenceParts } from "../keys/evidence-parts.ts";
import { createAnchorWorker } from "./anchor-worker.ts";
import { createStamper } from "./stamper.ts";

export interface LogWorkersDeps extends Pick<EvidenceParts, "logKeys" | "issuer"> {
  /** Connects as the integrator; needs two connections, one of them for the leader of anchoring. */
  readonly pool: pg.Pool;
  readonly runtime: Runtime;
  readonly tsa: TimestampSettings | undefined;
  readonly anchorIntervalSeconds: number | undefined;
  wakeRelay(): void;
}

export interface LogWorkers {
  readonly workers: readonly Worker[];
  /** Says that leaves were added to this organization's log, after their commit. Costs next to nothing. */
  wakeIntegrator(organizationId: string): void;
}

const defaultIntervalSeconds = 60;

/** What builds, publishes and anchors the logs. */
export async function createLogWorkers(deps: LogWorkersDeps): Promise<LogWorkers> {
  const { pool, runtime, tsa, logKeys, issuer } = deps;
  const { clock, logger, metrics, newId } = runtime;
  const intervalMs = (deps.anchorIntervalSeconds ?? defaultIntervalSeconds) * 1000;
  const common = { pool, logKeys, issuer, clock, logger, metrics };
  const integrator = createIntegrator(common);
  // What reads tokens takes 35 MB and 0.2 s to load: only for those who have an authority.
  const authority = tsa && (await import("#platform/timestamps/timestamp-authority.ts")).createTimestampAuthority(tsa);
  const stamper = authority && createStamper({ ...common, authority, retryMs: intervalMs });
  const anchor = createAnchorWorker({ ...common, newId, stamper, intervalMs, onPublished: deps.wakeRelay });
  return { workers: [integrator, anchor], wakeIntegrator: integrator.touched };
}
