import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "#platform/logger.ts";
import type { InternalTokens } from "#platform/rpc/callers.ts";
import { createAdminTransport } from "../dev/admin-transport.ts";
import { type AdminClient, type Demo, prepareDemo } from "../dev/demo.ts";
import { type Distributed, type DistributedOptions, startDistributed } from "../dev/distributed.ts";
import { internalTokensOf, openHome } from "../dev/home.ts";
import { migrateAll } from "../dev/migrations.ts";
import { startNats } from "../dev/nats.ts";
import { openOwnedDatabase } from "../dev/own-postgres.ts";
import { startPostgres } from "../dev/postgres.ts";
import { adminClient } from "../dev/single-process.ts";
import { type CpuMeter, createCpuMeter } from "./cpu.ts";

/** A distributed copy in a folder of its own, with limits that no load here reaches. */
export interface BenchSystem {
  readonly demo: Demo;
  readonly admin: AdminClient;
  readonly databaseUrl: string;
  /** What makes a program a process of this copy. */
  readonly internalTokens: InternalTokens;
  /** What the click service seals records of people with. */
  readonly clickMasterKey: Buffer;
  /** Past row-level security, for filling tables. */
  readonly superuserUrl: string;
  readonly running: Distributed;
  /** Where the first process of a service answers gRPC. */
  portOf(service: string): number;
  /** An OAuth access token of the demo client. */
  readonly accessToken: string;
  /** Of every process that has a part in a request. */
  readonly cpu: CpuMeter;
  stop(): Promise<void>;
}

export interface BenchSystemOptions extends Pick<DistributedOptions, "gateways" | "clicks"> {
  /** The processes of gateway, click, sign and webhooks leave CPU profiles of their whole lives in folders of their names. */
  readonly profileFolder?: string | undefined;
}

const database = "assent";

export async function startBenchSystem({ profileFolder, ...processes }: BenchSystemOptions = {}): Promise<BenchSystem> {
  const folder = mkdtempSync(join(tmpdir(), "assent-bench-"));
  const home = openHome({ ASSENT_HOME: folder });
  const postgres = await startPostgres({ dataDir: home.postgresFolder, durable: true });
  const databaseUrl = await openOwnedDatabase(postgres.url, database, "assent_owner");
  const nats = await startNats({ storeDir: join(folder, "nats") });
  if (nats === undefined) throw new Error("nats-server is not on PATH; the distributed mode needs it");
  await migrateAll(databaseUrl, createLogger("bench", "warn"));
  const ports = new Map<string, number>();
  const running = await startDistributed({
    ...processes,
    databaseUrl,
    natsUrl: nats.url,
    secrets: home.secrets,
    logFolder: home.logFolder,
    port: 0,
    interpose: async (service, port) => {
      ports.set(service, port);
      return port;
    },
    environmentOf: (process) => profiling(process, profileFolder),
  });
  const admin = adminClient(createAdminTransport(running.adminUrl, home.secrets.adminToken));
  const demo = await prepareDemo(home, admin, running.baseUrls[0] ?? "");
  await liftLimits(admin, demo.organizationId);
  const superuserUrl = new URL(postgres.url);
  superuserUrl.pathname = `/${database}`;
  return {
    demo,
    admin,
    databaseUrl,
    internalTokens: internalTokensOf(home.secrets),
    clickMasterKey: Buffer.from(home.secrets.clickMasterKey, "base64"),
    superuserUrl: superuserUrl.href,
    running,
    portOf: (service) => ports.get(service) ?? 0,
    accessToken: await fetchAccessToken(demo),
    cpu: createCpuMeter({
      running,
      postgresPidFile: join(home.postgresFolder, "cluster", "postmaster.pid"),
      natsPidFile: join(folder, "nats", "nats.pid"),
    }),
    stop: async () => {
      await running.stop();
      await nats.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const unreachable = 1_000_000_000;

/** What no load here reaches. */
export async function liftLimits(admin: AdminClient, organizationId: string): Promise<void> {
  const limits = { accept: unreachable, render: unreachable, other: unreachable, sign: unreachable };
  await admin.setOrganizationLimits({ organizationId, limits });
}

function profiling(process: string, folder: string | undefined): Record<string, string> {
  if (folder === undefined || !/^(gateway|click|sign|webhooks)/.test(process)) return {};
  const own = join(folder, process);
  mkdirSync(own, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${own}` };
}

async function fetchAccessToken(demo: Demo): Promise<string> {
  const response = await fetch(`${demo.baseUrl}/oauth2/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      grant_type: "client_credentials",
      client_id: demo.clientId,
      client_secret: demo.clientSecret,
      scope: "click:read click:accept",
    }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}
