import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { openOwnedDatabase } from "../../../dev/own-postgres.ts";
import { startPostgres } from "../../../dev/postgres.ts";
import { type EventStore, startEventStore } from "./event-store.ts";
import { createMortalProcess, type MortalProcess } from "./mortal-process.ts";
import { schemaSql, writerRole } from "./shop.ts";

/** Two relays, two consumers, and a server of their own of each kind. */
export interface Cluster {
  readonly store: EventStore;
  readonly relays: readonly MortalProcess[];
  readonly consumers: readonly MortalProcess[];
  /** Writes to the outbox. */
  readonly writer: pg.Pool;
  /** Sees everything. */
  readonly inspector: pg.Pool;
  stop(): Promise<void>;
}

const database = "shop";

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "assent-events-"));
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
  const postgres = await startPostgres({ dataDir: join(folder, "postgres"), durable: false });
  stops.push(postgres.stop);
  const store = await startEventStore(join(folder, "nats"));
  stops.push(store.stop);
  const databaseUrl = await openOwnedDatabase(postgres.url, database, "assent_owner");
  const owner = createPool({ url: databaseUrl, name: "owner", max: 1 });
  for (const statement of schemaSql) await owner.query(statement);
  await owner.end();

  const inspectUrl = new URL(postgres.url);
  inspectUrl.pathname = `/${database}`;
  const writer = createPool({ url: databaseUrl, role: writerRole, name: "writer", max: 6, statementTimeoutMs: 60_000 });
  const inspector = createPool({ url: inspectUrl.href, name: "inspector", max: 2, statementTimeoutMs: 60_000 });
  stops.push(async () => {
    await Promise.all([writer.end(), inspector.end()]);
  });
  const launch = (kind: "relay" | "consumer") =>
    [1, 2].map((n) =>
      createMortalProcess({
        name: `${kind} ${n}`,
        entry: new URL(`${kind}-process.ts`, import.meta.url),
        env: { DATABASE_URL: databaseUrl, NATS_URL: store.url },
        logFile: join(folder, `${kind}-${n}.log`),
      }),
    );
  const [relays, consumers] = [launch("relay"), launch("consumer")];
  const all = [...relays, ...consumers];
  stops.push(async () => {
    await Promise.all(all.map((one) => one.kill()));
  });
  await Promise.all(all.map((one) => one.start()));
  return { store, relays, consumers, writer, inspector };
}
