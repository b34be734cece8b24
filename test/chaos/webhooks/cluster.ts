import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { migrate } from "#platform/db/migrate.ts";
import { createPool } from "#platform/db/pool.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { createLogger, type Logger } from "#platform/logger.ts";
import { createFaultProxy, type FaultProxy } from "#platform/net/fault-proxy.ts";
import { openOwnedDatabase } from "../../../dev/own-postgres.ts";
import { startPostgres } from "../../../dev/postgres.ts";
import { webhooksMigrations } from "../../../services/webhooks/migrations/index.ts";
import { type EventStore, startEventStore } from "../events/event-store.ts";
import { createMortalProcess, type MortalProcess } from "../events/mortal-process.ts";

/** Two processes of the webhooks service, with servers of their own, and something between them and the database. */
export interface Cluster {
  readonly store: EventStore;
  readonly databases: readonly FaultProxy[];
  readonly bus: EventBus;
  /** Sees everything. */
  readonly inspector: pg.Pool;
  readonly databaseUrl: string;
  readonly masterKey: string;
  readonly logger: Logger;
  /** Starts the process of this number, or starts it anew, with a clock that is so far ahead. */
  start(number: number, life: Life): Promise<void>;
  kill(number: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Life {
  readonly aheadMs: number;
  readonly seed: number;
}

export const processCount = 2;
const database = "assent";

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "assent-webhooks-"));
  const stops: Array<() => Promise<void>> = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const undo of stops.splice(0).reverse()) await undo();
  };
  try {
    return { ...(await startParts(folder, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(folder: string, stops: Array<() => Promise<void>>): Promise<Omit<Cluster, "stop">> {
  const logger = createLogger("webhooks-history", "silent");
  const postgres = await startPostgres({ dataDir: join(folder, "postgres"), durable: false });
  stops.push(postgres.stop);
  const store = await startEventStore(join(folder, "nats"));
  stops.push(store.stop);
  const databaseUrl = await openOwnedDatabase(postgres.url, database, "assent_owner");
  await migrate({ url: databaseUrl, services: [webhooksMigrations], logger });

  const inspectUrl = new URL(postgres.url);
  inspectUrl.pathname = `/${database}`;
  const inspector = createPool({ url: inspectUrl.href, name: "inspector", max: 2, statementTimeoutMs: 60_000 });
  const bus = createNatsBus({ url: store.url, logger });
  stops.push(async () => {
    await Promise.all([inspector.end(), bus.close()]);
  });
  const databases: FaultProxy[] = [];
  for (let n = 0; n < processCount; n += 1) {
    const proxy = await createFaultProxy({ host: "127.0.0.1", port: postgres.port });
    stops.push(proxy.close);
    databases.push(proxy);
  }
  const masterKey = randomBytes(32).toString("base64");
  const running = new Map<number, MortalProcess>();
  const kill = async (number: number): Promise<void> => running.get(number)?.kill();
  stops.push(async () => {
    await Promise.all([...running.values()].map((one) => one.kill()));
  });
  const start = async (number: number, { aheadMs, seed }: Life): Promise<void> => {
    const url = new URL(databaseUrl);
    url.port = String(databases[number]?.port);
    const one = createMortalProcess({
      name: `webhooks ${number}`,
      entry: new URL("service-process.ts", import.meta.url),
      env: {
        ...{ DATABASE_URL: url.href, NATS_URL: store.url, MASTER_KEY: masterKey },
        ...{ AHEAD_MS: String(aheadMs), SEED: String(seed) },
      },
      logFile: join(folder, `webhooks-${number}.log`),
    });
    running.set(number, one);
    await one.start();
  };
  return { store, databases, bus, inspector, databaseUrl, masterKey, logger, start, kill };
}
