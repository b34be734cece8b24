// `npm start`: the whole product in one process, with a database of its own in the data folder.
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { welcomeText } from "./demo.ts";
import { openHome } from "./home.ts";
import { startLocalCopy } from "./local-copy.ts";
import { migrateAll } from "./migrations.ts";
import { startOwnPostgres } from "./own-postgres.ts";
import { isFree } from "./ports.ts";

const home = openHome(process.env);
const logger = createLogger("assent", process.env.LOG_LEVEL || "warn");

try {
  await start();
} catch (error) {
  process.stderr.write(`assent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function start(): Promise<void> {
  const database = await openDatabase();
  try {
    await migrateAll(database.url, logger);
    const copy = await startLocalCopy({
      ...{ home, logger, env: process.env, databaseUrl: database.url },
      natsUrl: process.env.NATS_URL ?? "",
      port: await choosePort(process.env.PORT),
    });
    stopOnSignals(async () => {
      await copy.stop();
      await database.stop();
    }, logger);
    process.stdout.write(welcomeText(copy.demo, home, { mailbox: copy.hasMailbox, webhooks: true }));
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function openDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.DATABASE_URL;
  return given ? { url: given, stop: async () => undefined } : startOwnPostgres(home);
}

/** The port that was asked for; without a wish 8080, or a free one when another program has it. */
async function choosePort(wish: string | undefined): Promise<number> {
  if (wish) {
    const port = /^\d{1,5}$/.test(wish) ? Number(wish) : Number.NaN;
    if (!(port <= 65_535)) throw new Error(`PORT must be a number from 0 to 65535, not '${wish}'`);
    return port;
  }
  if (await isFree(8080)) return 8080;
  process.stderr.write("assent: port 8080 is taken, using a free one\n");
  return 0;
}
