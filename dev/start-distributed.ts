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
import { type Home, openHome, removeHomeFile, writeHomeFile } from "./home.ts";
import {
  decidedByDistributed,
  launchValues,
  unreadVariables,
  withAdminToken,
  withKeptApart,
  withOffice,
} from "./launch-settings.ts";
import { migrateAll } from "./migrations.ts";
import { startNats } from "./nats.ts";
import { startOwnPostgres } from "./own-postgres.ts";
import { openSeal } from "./programs.ts";
import { adminClient } from "./single-process.ts";
import { createSupervisor, type Part } from "./supervisor.ts";

const { values } = parseArgs({
  options: {
    gateways: { type: "string", default: "1" },
    clicks: { type: "string", default: "1" },
    docgens: { type: "string", default: "1" },
    signs: { type: "string", default: "1" },
    webhooks: { type: "string", default: "1" },
  },
});
const say = (line: string): void => void process.stderr.write(`assent: ${line}\n`);
const stops: Array<() => Promise<void>> = [];
const stopAll = async (): Promise<void> => {
  for (const stop of stops.reverse()) await stop();
};

try {
  await start();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  await stopAll();
  process.exit(1);
}

async function start(): Promise<void> {
  const given = launchValues(process.env);
  const home = openHome(process.env);
  const logger = createLogger("assent", given.LOG_LEVEL);
  for (const line of unreadVariables(process.env, "npm run start:distributed", decidedByDistributed)) say(line);
  mkdirSync(home.logFolder, { recursive: true });
  const parts: Part[] = [];
  say("preparing the database …");
  const databaseUrl = given.DATABASE_URL || (await ownPostgres(home, parts));
  const natsUrl = given.NATS_URL || (await ownNats(home, parts));
  await migrateAll(databaseUrl, logger);
  say("starting the services …");
  const secrets = withAdminToken(home.secrets, process.env);
  const running = await startDistributed({
    ...{ databaseUrl, natsUrl, secrets, seal: await openSeal(home), logFolder: home.logFolder },
    env: withOffice(withKeptApart(home, process.env)),
    port: given.PORT ?? 8080,
    gateways: Number(values.gateways),
    clicks: Number(values.clicks),
    docgens: Number(values.docgens),
    signs: Number(values.signs),
    webhooks: Number(values.webhooks),
  });
  stops.push(running.stop);
  const supervisor = createSupervisor({ say });
  stops.push(async () => supervisor.stop());
  for (const part of [...parts, ...running.processes]) supervisor.watch(part);
  const { adminUrl, clickAdminUrl, signAdminUrl, webhooksAdminUrl, baseUrls } = running;
  const demo = await prepareDemo(
    home,
    adminClient(createAdminTransport(adminUrl, secrets.adminToken)),
    baseUrls[0] ?? "",
  );
  writeHomeFile(home, "runtime.json", {
    ...{ adminUrl, clickAdminUrl, signAdminUrl, webhooksAdminUrl },
    adminToken: secrets.adminToken,
    baseUrl: demo.baseUrl,
  });
  stops.push(async () => removeHomeFile(home, "runtime.json"));
  stopOnSignals(stopAll, logger);
  process.stdout.write(welcomeText(demo, home));
  for (const { name, pid } of running.processes) process.stdout.write(`  ${name.padEnd(12)} process ${pid}\n`);
}

async function ownPostgres(home: Home, parts: Part[]): Promise<string> {
  const database = await startOwnPostgres(home);
  stops.push(database.stop);
  parts.push(database.part);
  return database.url;
}

async function ownNats(home: Home, parts: Part[]): Promise<string> {
  const nats = await startNats({ storeDir: join(home.folder, "nats"), logFile: join(home.logFolder, "nats.log") });
  if (nats === undefined) throw new Error("nats-server is not on PATH; install it or set NATS_URL");
  stops.push(nats.stop);
  parts.push({ name: "NATS", ended: nats.exited, start: nats.restart });
  return nats.url;
}
