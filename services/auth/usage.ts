import type { Pool } from "pg";
import type { Clock } from "#platform/clock.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import { type Use, writeUses } from "./store/usage-store.ts";

/** Gathers when keys and clients are used, so that no request waits for that to be written. */
export interface UsageLog {
  note(orgId: OrgId, id: string): void;
  /** Writes what was gathered once a minute, and once more when it stops. A crash loses what was not written. */
  readonly worker: Worker;
}

export interface UsageLogDeps {
  readonly janitor: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

const flushMs = 60_000;
/** More than are used in a minute; beyond it uses are dropped rather than memory filled. */
const maxGathered = 50_000;

export function createUsageLog({ janitor, clock, logger }: UsageLogDeps): UsageLog {
  let gathered = new Map<string, Use>();

  const note = (use: Use): void => {
    const name = `${use.orgId} ${use.id}`;
    if (gathered.has(name) || gathered.size < maxGathered) gathered.set(name, use);
  };

  const flush = async (): Promise<void> => {
    if (gathered.size === 0) return;
    const uses = [...gathered.values()];
    gathered = new Map();
    try {
      await writeUses(janitor, uses);
    } catch (error) {
      const newer = [...gathered.values()];
      for (const use of [...uses, ...newer]) note(use);
      throw error;
    }
  };

  const periodic = createPeriodicWorker({ name: "auth-usage", everyMs: flushMs, logger, run: flush });
  return {
    note: (orgId, id) => note({ orgId, id, at: clock.now() }),
    worker: {
      ...periodic,
      stop: async () => {
        await periodic.stop();
        await flush().catch((error: unknown) => logger.warn({ err: error }, "the last uses of keys are not written"));
      },
    },
  };
}
