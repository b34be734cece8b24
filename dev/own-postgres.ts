import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { identifier, literal } from "#platform/db/ddl.ts";
import type { Home } from "./home.ts";
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

/**
 * A login that may create roles but is no superuser, and a database that it owns: what an operator gives the product.
 * Makes what does not exist; the login gets a new password each time. Returns the owner's URL.
 */
export async function openOwnedDatabase(superuserUrl: string, database: string, owner: string): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const known = await client.query("select from pg_catalog.pg_roles where rolname = $1", [owner]);
    const verb = known.rowCount === 0 ? "create" : "alter";
    await client.query(`${verb} role ${identifier(owner)} login createrole password ${literal(password)}`);
    const existing = await client.query("select from pg_catalog.pg_database where datname = $1", [database]);
    if (existing.rowCount === 0) {
      await client.query(`create database ${identifier(database)} owner ${identifier(owner)}`);
    }
  } finally {
    await client.end();
  }
  const url = new URL(superuserUrl);
  url.username = owner;
  url.password = password;
  url.pathname = `/${database}`;
  return url.href;
}
