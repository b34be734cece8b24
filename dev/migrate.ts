// `npm run migrate`: brings the database in DATABASE_URL up to date; connects as the owner of the database.

import pg from "pg";
import { ConfigError, readSettings, stringSetting, urlSetting } from "#platform/config.ts";
import { identifier, literal } from "#platform/db/ddl.ts";
import { createLogger } from "#platform/logger.ts";
import { migrateAll } from "./migrations.ts";

const settings = {
  DATABASE_URL: urlSetting("The database to migrate, with a login that owns it and can create roles.", undefined, {
    secret: true,
  }),
  SERVICE_LOGIN: stringSetting(
    "An existing login, or a role that it is a member of, that gets the roles of the services for connecting. Empty: nothing is granted, and the services connect as the owner.",
    "",
  ),
  LOG_LEVEL: stringSetting("trace, debug, info, warn, error or silent.", "info"),
};

try {
  const { DATABASE_URL: url, LOG_LEVEL: level, SERVICE_LOGIN: login } = readSettings(settings, process.env);
  const logger = createLogger("migrate", level);
  const applied = await migrateAll(url, logger);
  if (login !== "") await allowServiceRoles(url, login);
  if (applied.length === 0) logger.info("the database is up to date");
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack ?? error)}\n`);
  process.exitCode = 1;
}

/**
 * Lets a login take on every role of the services, and nothing else: it inherits none of their rights and owns nothing.
 * What the services log in with, so that only the migration knows the owner. Safe to run again. `ownerUrl` is the
 * migration's login, which made the roles; fails when the login does not exist.
 */
export async function allowServiceRoles(ownerUrl: string, login: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: "assent-migrate" });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select role.rolname as name from pg_catalog.pg_auth_members as made
       join pg_catalog.pg_roles as role on role.oid = made.roleid
       where made.member = current_user::regrole and made.admin_option and role.rolname like 'assent\\_%'
         and not role.rolcanlogin and not pg_catalog.pg_has_role(${literal(login)}, role.oid, 'set')
       order by 1`,
    );
    for (const { name } of rows) {
      await client.query(`grant ${identifier(name)} to ${identifier(login)} with inherit false, set true`);
    }
  } finally {
    await client.end();
  }
}
