import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createLogger } from "#platform/logger.ts";
import { openHome } from "../../dev/home.ts";
import { migrateAll } from "../../dev/migrations.ts";
import { openOwnedDatabase } from "../../dev/own-postgres.ts";
import { startPostgres } from "../../dev/postgres.ts";
import { adminClient, startSingleProcess } from "../../dev/single-process.ts";
import { rowsSql, schemaSql } from "./dump.ts";
import { fill } from "./fill.ts";
import { keepRelease, type Statement } from "./release.ts";

const database = "assent";

/**
 * Keeps what an installation of now leaves behind, for the upgrade test of later releases: it starts a copy of its own,
 * uses everything, and stops it before rows are read. The keys in it are of that copy, which is gone. Answers the tables
 * that are empty: whoever adds one makes `fill` use it.
 */
export async function keepInstallation(version: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "assent-keep-"));
  const postgres = await startPostgres({ dataDir: join(folder, "postgres"), durable: false });
  try {
    const databaseUrl = await openOwnedDatabase(postgres.url, database, "assent_owner");
    const listening = listenToStatements();
    const facts = await useEverything(databaseUrl, folder).finally(listening.stop);
    const superuserUrl = new URL(postgres.url);
    superuserUrl.pathname = `/${database}`;
    const superuser = new pg.Pool({ connectionString: superuserUrl.href, max: 1 });
    superuser.on("error", () => {});
    try {
      const { sql, empty } = await rowsSql(superuser);
      keepRelease(version, {
        schema: await schemaSql(databaseUrl),
        rows: sql,
        facts,
        statements: listening.statements(),
      });
      return empty;
    } finally {
      await superuser.end();
    }
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function useEverything(databaseUrl: string, folder: string) {
  const logger = createLogger("keep", "error");
  const { secrets } = openHome({ ASSENT_HOME: folder });
  await migrateAll(databaseUrl, logger);
  const running = await startSingleProcess({
    ...{ databaseUrl, natsUrl: "", host: "127.0.0.1", port: 0, logger, secrets },
  });
  running.open();
  try {
    const said = await fill(adminClient(running.admin), `http://127.0.0.1:${running.port}`);
    const { authMasterKey, clickMasterKey, webhooksMasterKey, signMasterKey } = secrets;
    return { ...said, authMasterKey, clickMasterKey, webhooksMasterKey, signMasterKey };
  } finally {
    await running.stop();
  }
}

/** What may be planned without values: not what begins and ends transactions, nor what migrations do. */
const planned = /^\s*(select|insert|update|delete|with|merge)\b/i;

/** The ORM has a client of its own. */
const ormPg = createRequire(createRequire(import.meta.url).resolve("@mikro-orm/postgresql"))("pg") as typeof pg;

interface Asking {
  query(config: string | { readonly text: string }, ...rest: unknown[]): unknown;
}

/** Notes what clients of this process ask from now on. */
function listenToStatements(): { statements(): Statement[]; stop(): void } {
  const heard = new Map<string, Statement>();
  const undo = [...new Set([pg, ormPg])].map(({ Client }) => {
    const prototype = Client.prototype as Asking;
    const { query } = prototype;
    prototype.query = function (this: pg.Client, config, ...rest) {
      const text = typeof config === "string" ? config : config.text;
      const { options = "" } = (this as unknown as { connectionParameters: { options?: string } }).connectionParameters;
      const role = /role=(\w+)/.exec(options)?.[1];
      if (role !== undefined && planned.test(text)) heard.set(`${role} ${text}`, { role, text });
      return query.call(this, config, ...rest);
    };
    return () => {
      prototype.query = query;
    };
  });
  return {
    statements: () => [...heard.values()].sort((a, b) => (`${a.role} ${a.text}` < `${b.role} ${b.text}` ? -1 : 1)),
    stop: () => {
      for (const one of undo) one();
    },
  };
}
