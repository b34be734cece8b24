// `npm run start:distributed`: every service as a process of its own, with gRPC, NATS and Postgres between them.
// --gateways N, --clicks N, --docgens N, --signs N and --webhooks N start more than one of these.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { createAdminTransport } from "./admin-transport.ts";
import { prepareDemo, welcomeText } from "./demo.ts";
import { startDistributed } from "./distributed.ts";
import { openHome, removeHomeFile, writeHomeFile } from "./home.ts";
import { migrateAll } from "./migrations.ts";
import { startNats } from "./nats.ts";
import { startOwnPostgres } from "./own-postgres.ts";
import { openSeal } from "./seal.ts";
import { adminClient } from "./single-process.ts";

const { values } = parseArgs({
  options: {
    gateways: { type: "string", default: "1" },
    clicks: { type: "string", default: "1" },
    docgens: { type: "string", default: "1" },
    signs: { type: "string", default: "1" },
    webhooks: { type: "string", default: "1" },
  },
});
const home = openHome(process.env);
const logger = createLogger("assent", process.env.LOG_LEVEL || "warn");
const stops: Array<() => Promise<void>> = [];
const stopAll = async (): Promise<void> => {
  for (const stop of stops.reverse()) await stop();
};

try {
  await start();
} catch (error) {
  process.stderr.write(`assent: ${error instanceof Error ? error.message : String(error)}\n`);
  await stopAll();
  process.exit(1);
}

async function start(): Promise<void> {
  mkdirSync(home.logFolder, { recursive: true });
  const databaseUrl = process.env.DATABASE_URL || (await ownPostgres());
  const natsUrl = process.env.NATS_URL || (await ownNats());
  await migrateAll(databaseUrl, logger);
  const { secrets, logFolder } = home;
  const running = await startDistributed({
    databaseUrl,
    natsUrl,
    secrets,
    seal: await openSeal(home),
    logFolder,
    port: Number(process.env.PORT || 8080),
    gateways: Number(values.gateways),
    clicks: Number(values.clicks),
    docgens: Number(values.docgens),
    signs: Number(values.signs),
    webhooks: Number(values.webhooks),
    logLevel: process.env.LOG_LEVEL || "info",
    environmentOf: (name) => (name === "auth" || name.startsWith("sign") ? mailEnvironment() : {}),
  });
  stops.push(running.stop);
  const { adminUrl, clickAdminUrl, webhooksAdminUrl, baseUrls } = running;
  const demo = await prepareDemo(
    home,
    adminClient(createAdminTransport(adminUrl, secrets.adminToken)),
    baseUrls[0] ?? "",
  );
  writeHomeFile(home, "runtime.json", {
    ...{ adminUrl, clickAdminUrl, webhooksAdminUrl },
    adminToken: secrets.adminToken,
  });
  stops.push(async () => removeHomeFile(home, "runtime.json"));
  stopOnSignals(stopAll, logger);
  process.stdout.write(welcomeText(demo, home));
  for (const { name, pid } of running.processes) process.stdout.write(`  ${name.padEnd(12)} process ${pid}\n`);
}

/** The processes see nothing of ours but what they are given. */
function mailEnvironment(): Record<string, string> {
  const names = ["SMTP_URL", "SMTP_URL_FILE", "MAIL_FROM", "PUBLIC_URL"];
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]));
}

async function ownPostgres(): Promise<string> {
  const database = await startOwnPostgres(home);
  stops.push(database.stop);
  return database.url;
}

async function ownNats(): Promise<string> {
  const nats = await startNats({ storeDir: join(home.folder, "nats"), logFile: join(home.logFolder, "nats.log") });
  if (nats === undefined) throw new Error("nats-server is not on PATH; install it or set NATS_URL");
  stops.push(nats.stop);
  return nats.url;
}
