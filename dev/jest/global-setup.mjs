// Starts one Postgres for the whole run and migrates the database that test files clone.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createLogger } from "#platform/logger.ts";
import { migrateAll } from "../migrations.ts";
import { openOwnedDatabase } from "../own-postgres.ts";
import { startPostgres } from "../postgres.ts";
import { folderPrefix, removeLeftovers, serverHome } from "./leftovers.mjs";

export default async function globalSetup() {
  await removeLeftovers();
  const folder = mkdtempSync(join(serverHome(), folderPrefix));
  const postgres = await startPostgres({ dataDir: folder, durable: false });
  globalThis.assentTestCluster = { folder, postgres };
  const template = "assent_template";
  const ownerUrl = await openOwnedDatabase(postgres.localUrl, template, "assent_owner");
  await migrateAll(ownerUrl, createLogger("test", "warn"));
  process.env.ASSENT_TEST_POSTGRES = JSON.stringify({ superuserUrl: postgres.localUrl, ownerUrl, template });
}
