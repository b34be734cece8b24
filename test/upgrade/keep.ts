import { mkdtempSync, rmSync } from "node:fs";
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
import { keepRelease } from "./release.ts";

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
    const facts = await useEverything(databaseUrl, folder);
    const superuserUrl = new URL(postgres.url);
    superuserUrl.pathname = `/${database}`;
    const superuser = new pg.Pool({ connectionString: superuserUrl.href, max: 1 });
    superuser.on("error", () => {});
    try {
      const { sql, empty } = await rowsSql(superuser);
      keepRelease(version, { schema: await schemaSql(databaseUrl), rows: sql, facts });
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
