import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";
import { openOwnedDatabase } from "./owned-database.ts";
import { startPostgres } from "./postgres.ts";

export interface OwnPostgres {
  /** Connects as the owner of the database, who is no superuser: row-level security holds as on any installation. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The Postgres in the data folder of a copy, started. */
export async function startOwnPostgres(home: Home): Promise<OwnPostgres> {
  mkdirSync(home.logFolder, { recursive: true });
  const logFile = join(home.logFolder, "postgres.log");
  const server = await startPostgres({ dataDir: home.postgresFolder, durable: true, logFile });
  try {
    return { url: await openOwnedDatabase(server.url, "assent", "assent_owner"), stop: server.stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
