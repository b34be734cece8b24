import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventBus } from "#platform/events/bus.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { createLogger } from "#platform/logger.ts";
import { createFaultProxy, type FaultProxy } from "#platform/net/fault-proxy.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { createAdminTransport } from "../../../dev/admin-transport.ts";
import type { AdminClient } from "../../../dev/demo.ts";
import { type Distributed, type DistributedOptions, startDistributed } from "../../../dev/distributed.ts";
import { type Home, openHome } from "../../../dev/home.ts";
import { migrateAll } from "../../../dev/migrations.ts";
import { type RunningNats, startNats } from "../../../dev/nats.ts";
import { openOwnedDatabase } from "../../../dev/own-postgres.ts";
import { type RunningPostgres, startPostgres } from "../../../dev/postgres.ts";
import { adminClient } from "../../../dev/single-process.ts";
import type { Api } from "../../support/api.ts";
import { newOrganization, noneKept, signVaultOf } from "../../support/copies.ts";

/** Two of each process that takes part in an acceptance, with a server of their own of each kind. */
export interface Cluster {
  readonly running: Distributed;
  readonly postgres: RunningPostgres;
  readonly nats: RunningNats;
  /** What stands between the processes, by what it joins. */
  readonly links: readonly Link[];
  readonly admin: AdminClient;
  /** Where the domain events arrive, past every proxy. */
  readonly bus: EventBus;
  /** A superuser's view of the database, past every proxy and row-level security. */
  readonly inspectUrl: string;
  /** The way of its owner. */
  readonly databaseUrl: string;
  /** Opens what the sign service has sealed. */
  readonly signVault: SeedVault;
  /** A new organization with an API key, ready to call. */
  newOrganization(): Promise<Api>;
  stop(): Promise<void>;
}

export interface Link {
  /** For example `click-2 and postgres`. */
  readonly name: string;
  readonly proxy: FaultProxy;
}

/** How many processes there are, and which of them have something between them and the servers. */
export interface ClusterShape {
  readonly gateways: number;
  readonly clicks: number;
  /** One of each other service when absent. */
  readonly others?: Pick<DistributedOptions, "auths" | "templates" | "docgens" | "signs" | "webhooks">;
  /** The folder whose release each process runs, and what migrates the database before; this one when absent. */
  readonly folderOf?: ((process: string) => string) | undefined;
  migrate?(databaseUrl: string): Promise<void>;
  /** How events are listened to when NATS asks for a login. */
  natsUrlOf?(natsUrl: string): string;
  /** Whether processes for documents start with the services; else when they are needed. */
  readonly keepsProcesses?: boolean;
  /** Starts something else than separate processes. */
  start?(parts: StartParts): Promise<Distributed>;
  /** Environment variables of single processes, by their names. */
  environments(parts: ClusterParts): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>;
}

export interface ClusterParts {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** A superuser's way to the database. */
  readonly inspectUrl: string;
  /** Has nats.conf and nats.pid. */
  readonly natsFolder: string;
  /** The same URL through a proxy of this name. */
  link(name: string, url: string): Promise<string>;
}

export interface StartParts {
  readonly home: Home;
  readonly databaseUrl: string;
  readonly natsUrl: string;
}

const database = "assent";

/** Two of each that takes part; the clicks each have their own ways to the servers. */
export const historyShape: ClusterShape = {
  gateways: 2,
  clicks: 2,
  others: { templates: 2 },
  environments: async ({ databaseUrl, natsUrl, link }) => {
    const environments = new Map<string, Record<string, string>>();
    for (const copy of ["click", "click-2"]) {
      environments.set(copy, {
        DATABASE_URL: await link(`${copy} and postgres`, databaseUrl),
        NATS_URL: await link(`${copy} and nats`, natsUrl),
      });
    }
    return environments;
  },
};

export async function startCluster(shape: ClusterShape = historyShape): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "assent-history-"));
  const stops: Array<() => Promise<void>> = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const undo of stops.splice(0).reverse()) await undo();
  };
  try {
    return { ...(await startParts(shape, folder, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  shape: ClusterShape,
  folder: string,
  stops: Array<() => Promise<void>>,
): Promise<Omit<Cluster, "stop">> {
  const home = openHome({ ASSENT_HOME: folder });
  const logger = createLogger("history", "silent");
  const postgres = await startPostgres({ dataDir: home.postgresFolder, durable: true });
  stops.push(postgres.stop);
  const databaseUrl = await openOwnedDatabase(postgres.url, database, "assent_owner");
  await (shape.migrate?.(databaseUrl) ?? migrateAll(databaseUrl, logger));
  const natsFolder = join(folder, "nats");
  const nats = await startNats({ storeDir: natsFolder });
  if (nats === undefined) throw new Error("nats-server is missing");
  stops.push(nats.stop);

  const links: Link[] = [];
  const link = async (name: string, port: number): Promise<number> => {
    const proxy = await createFaultProxy({ host: "127.0.0.1", port });
    stops.push(proxy.close);
    links.push({ name, proxy });
    return proxy.port;
  };
  const inspectUrl = new URL(postgres.url);
  inspectUrl.pathname = `/${database}`;
  const environments = await shape.environments({
    databaseUrl,
    natsUrl: nats.url,
    inspectUrl: inspectUrl.href,
    natsFolder,
    link: async (name, url) => withPort(url, await link(name, Number(new URL(url).port))),
  });
  const servers = { databaseUrl, natsUrl: nats.url };
  const separate = () =>
    startDistributed({
      ...servers,
      secrets: home.secrets,
      logFolder: home.logFolder,
      port: 0,
      gateways: shape.gateways,
      clicks: shape.clicks,
      ...shape.others,
      folderOf: shape.folderOf,
      interpose: async (service, port) => (service.startsWith("click") ? link(`gateways and ${service}`, port) : port),
      environmentOf: (process) => ({
        ...(shape.keepsProcesses ? {} : noneKept(process)),
        ...environments.get(process),
      }),
    });
  const running = await (shape.start?.({ ...servers, home }) ?? separate());
  stops.push(running.stop);
  // A process that a failed run left paused would not hear that it should stop.
  stops.push(async () => {
    for (const process of running.processes) process.kill("SIGCONT");
  });
  const bus = createNatsBus({ url: shape.natsUrlOf?.(nats.url) ?? nats.url, logger });
  stops.push(bus.close);
  const admin = adminClient(createAdminTransport(running.adminUrl, home.secrets.adminToken));
  return {
    ...{ running, postgres, nats, links, admin, bus, inspectUrl: inspectUrl.href, databaseUrl },
    signVault: signVaultOf(home.secrets),
    newOrganization: () => newOrganization(admin, running.baseUrls[0] ?? ""),
  };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
