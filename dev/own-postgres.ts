import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";
import { openOwnedDatabase } from "./owned-database.ts";
import { startPostgres } from "./postgres.ts";
import type { Part } from "./supervisor.ts";

export interface OwnPostgres {
  /** Connects as the owner of the database, who is no superuser: row-level security holds as on any installation. */
  readonly url: string;
  stop(): Promise<void>;
  /** What the supervisor starts again. */
  readonly part: Part;
}

/** The Postgres in the data folder of a copy, started. */
export async function startOwnPostgres(home: Home): Promise<OwnPostgres> {
  mkdirSync(home.logFolder, { recursive: true });
  const logFile = join(home.logFolder, "postgres.log");
  const server = await startPostgres({ dataDir: home.postgresFolder, durable: true, logFile });
  try {
    const url = await openOwnedDatabase(server.url, "assent", "assent_owner");
    return { url, stop: server.stop, part: { name: "Postgres", ended: server.exited, start: server.restart } };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
