import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { createLogger } from "#platform/logger.ts";
import { createAdminTransport } from "../../../dev/admin-transport.ts";
import { type Distributed, startDistributed } from "../../../dev/distributed.ts";
import { openHome } from "../../../dev/home.ts";
import { migrateAll } from "../../../dev/migrations.ts";
import { startNats } from "../../../dev/nats.ts";
import { openOwnedDatabase } from "../../../dev/own-postgres.ts";
import { type RunningPostgres, startPostgres } from "../../../dev/postgres.ts";
import { adminClient } from "../../../dev/single-process.ts";
import { Api } from "../../support/api.ts";

/** Separate processes, two of them for document generation, with a database server of their own. */
export interface Cluster {
  readonly running: Distributed;
  readonly postgres: RunningPostgres;
  readonly bus: EventBus;
  /** A superuser's view of the database, past row-level security. */
  readonly inspectUrl: string;
  /** A new organization of the largest plan, ready to call. */
  newOrganization(): Promise<Api>;
  stop(): Promise<void>;
}

const database = "assent";

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "assent-generation-"));
  const stops: Array<() => Promise<void>> = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const undo of stops.splice(0).reverse()) await undo();
  };
  try {
    return { ...(await startParts(folder, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(folder: string, stops: Array<() => Promise<void>>): Promise<Omit<Cluster, "stop">> {
  const home = openHome({ ASSENT_HOME: folder });
  const logger = createLogger("generation", "silent");
  const postgres = await startPostgres({ dataDir: home.postgresFolder, durable: true });
  stops.push(postgres.stop);
  const databaseUrl = await openOwnedDatabase(postgres.url, database, "assent_owner");
  await migrateAll(databaseUrl, logger);
  const nats = await startNats({ storeDir: join(folder, "nats") });
  if (nats === undefined) throw new Error("nats-server is missing");
  stops.push(nats.stop);
  const running = await startDistributed({
    databaseUrl,
    natsUrl: nats.url,
    secrets: home.secrets,
    logFolder: home.logFolder,
    port: 0,
    docgens: 2,
    environmentOf: (process): Record<string, string> =>
      process.startsWith("docgen") ? { RENDERER_PROCESSES: "1" } : {},
  });
  stops.push(running.stop);
  const bus = createNatsBus({ url: nats.url, logger });
  stops.push(bus.close);
  const inspectUrl = new URL(postgres.url);
  inspectUrl.pathname = `/${database}`;
  const admin = adminClient(createAdminTransport(running.adminUrl, home.secrets.adminToken));
  const newOrganization = async (): Promise<Api> => {
    const { organization } = await admin.createOrganization({ name: "Printers", plan: Plan.GEN_PAYG });
    const organizationId = organization?.id ?? "";
    const { apiKey } = await admin.createApiKey({ organizationId, name: "chaos" });
    return new Api(running.baseUrls[0] ?? "", apiKey, organizationId);
  };
  return { running, postgres, bus, inspectUrl: inspectUrl.href, newOrganization };
}
