// `npm start`: the whole product in one process, with a database of its own in the data folder.
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { createDeliveriesPage } from "./deliveries-page.ts";
import { prepareDemo, welcomeText } from "./demo.ts";
import { createDemoPage } from "./demo-page/demo-page.ts";
import { openHome, removeHomeFile, writeHomeFile } from "./home.ts";
import { openLocalMail } from "./local-mail.ts";
import { migrateAll } from "./migrations.ts";
import { startOwnPostgres } from "./own-postgres.ts";
import { isFree } from "./ports.ts";
import { openSeal } from "./seal.ts";
import { adminClient, startSingleProcess } from "./single-process.ts";
import { createWebhookInbox } from "./webhook-inbox.ts";

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
    const demoPage = createDemoPage();
    const mail = openLocalMail(process.env);
    const deliveriesPage = createDeliveriesPage();
    const inbox = createWebhookInbox();
    const pages = [mail.handlePage, deliveriesPage.handle, inbox.handle, demoPage.handle];
    const running = await startSingleProcess({
      databaseUrl: database.url,
      natsUrl: process.env.NATS_URL ?? "",
      host: "127.0.0.1",
      port: await choosePort(process.env.PORT),
      secrets: home.secrets,
      seal: await openSeal(home),
      mail: mail.setup,
      logger,
      handlePage: (req, res) => pages.some((handle) => handle(req, res)),
    });
    const baseUrl = `http://127.0.0.1:${running.port}`;
    mail.open(baseUrl);
    const demo = await prepareDemo(home, adminClient(running.admin), baseUrl);
    writeHomeFile(home, "runtime.json", { adminUrl: running.adminUrl, adminToken: home.secrets.adminToken });
    demoPage.open(demo);
    deliveriesPage.open(running.webhooks, demo.organizationId);
    running.open();
    stopOnSignals(async () => {
      removeHomeFile(home, "runtime.json");
      await running.stop();
      await database.stop();
    }, logger);
    process.stdout.write(welcomeText(demo, home, { mailbox: mail.hasMailbox, webhooks: true }));
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
