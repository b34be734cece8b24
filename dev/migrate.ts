// `npm run migrate`: brings the database in DATABASE_URL up to date; connects as the owner of the database.
import { ConfigError, readSettings, stringSetting, urlSetting } from "#platform/config.ts";
import { createLogger } from "#platform/logger.ts";
import { migrateAll } from "./migrations.ts";
import { allowServiceRoles } from "./service-login.ts";

const settings = {
  DATABASE_URL: urlSetting("The database to migrate, with a login that owns it and may create roles.", undefined, {
    secret: true,
  }),
  SERVICE_LOGIN: stringSetting(
    "A login that exists and may take on the roles of the services afterwards: what they connect with, or a role that it is a member of. Empty grants nothing: they connect as the owner.",
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
