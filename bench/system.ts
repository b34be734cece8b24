import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "#platform/logger.ts";
import { createAdminTransport } from "../dev/admin-transport.ts";
import { type Demo, prepareDemo } from "../dev/demo.ts";
import { type Distributed, startDistributed } from "../dev/distributed.ts";
import { openHome } from "../dev/home.ts";
import { migrateAll } from "../dev/migrations.ts";
import { startNats } from "../dev/nats.ts";
import { startOwnPostgres } from "../dev/own-postgres.ts";
import { adminClient } from "../dev/single-process.ts";

/** A distributed copy in a folder of its own, with limits that no load here reaches. */
export interface BenchSystem {
  readonly demo: Demo;
  readonly databaseUrl: string;
  readonly running: Distributed;
  /** An OAuth access token of the demo client. */
  readonly accessToken: string;
  stop(): Promise<void>;
}

const unreachableLimit = 1_000_000_000;

export async function startBenchSystem(): Promise<BenchSystem> {
  const folder = mkdtempSync(join(tmpdir(), "assent-bench-"));
  const home = openHome({ ASSENT_HOME: folder });
  const database = await startOwnPostgres(home);
  const nats = await startNats({ storeDir: join(folder, "nats"), logFile: join(folder, "nats.log") });
  if (nats === undefined) throw new Error("nats-server is not on PATH; the distributed mode needs it");
  await migrateAll(database.url, createLogger("bench", "warn"));
  const running = await startDistributed({
    databaseUrl: database.url,
    natsUrl: nats.url,
    secrets: home.secrets,
    logFolder: home.logFolder,
    port: 0,
  });
  const admin = adminClient(createAdminTransport(running.adminUrl, home.secrets.adminToken));
  const demo = await prepareDemo(home, admin, running.baseUrls[0] ?? "");
  await admin.setOrganizationLimits({
    organizationId: demo.organizationId,
    limits: { accept: unreachableLimit, render: unreachableLimit, other: unreachableLimit, sign: unreachableLimit },
  });
  return {
    demo,
    databaseUrl: database.url,
    running,
    accessToken: await fetchAccessToken(demo),
    stop: async () => {
      await running.stop();
      await nats.stop();
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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

/** CPU milliseconds that processes have used so far, user and system together; undefined where /proc is missing. */
export function cpuMilliseconds(pids: readonly (number | undefined)[]): number | undefined {
  try {
    return pids.reduce<number>((sum, pid) => sum + processCpu(pid ?? 0), 0);
  } catch {
    return undefined;
  }
}

function processCpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10; // 100 clock ticks a second on every Linux that Node runs on
}
