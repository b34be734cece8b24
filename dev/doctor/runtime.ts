import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import type { Environment } from "#platform/config.ts";
import { createAdminTransport } from "../admin-transport.ts";
import { type RuntimeFile, readJson } from "../home.ts";
import { temporaryFolder } from "./disk.ts";
import { erasuresOfRunning } from "./erasures.ts";
import { type Finding, notice, ok, reasonOf, skipped, wrong } from "./finding.ts";
import { epochsOfRunning } from "./keys.ts";

/** The Node that runs this, which is the one that runs the processes, and where temporary files go. */
export const checkRuntime = (version: string = process.versions.node, folder?: string): Finding[] => [
  nodeFinding(version),
  temporaryFolder(folder),
];

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    return wrong(
      "node",
      `Node ${version} cannot run TypeScript as it is`,
      "Install Node 24, or run it by npm run doctor.",
    );
  }
  if (major !== 24) {
    return notice("node", `Node ${version}; everything is tested with Node 24`, "Use Node 24, as the image does.");
  }
  return ok("node", `Node ${version}`);
}

const patienceMs = 5_000;

/**
 * The copy that `npm start` runs in the data folder. Undefined where there is none, and where a database is set: then
 * the settings of the environment are meant.
 */
export async function checkCopy(env: Environment, folder: string): Promise<Finding[] | undefined> {
  if (env.DATABASE_URL || env.DATABASE_URL_FILE) return undefined;
  const runtime = readJson<RuntimeFile>(join(folder, "runtime.json"));
  if (runtime?.baseUrl === undefined) return undefined;
  return [
    await ready(runtime.baseUrl, join(folder, "logs")),
    ...(await afterRestore(runtime)),
    skipped("settings", "the copy has chosen them itself; name processes to look at those of this environment"),
  ];
}

async function ready(baseUrl: string, logs: string): Promise<Finding> {
  try {
    const answer = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(patienceMs) });
    if (answer.ok) return ok("copy", `the one at ${baseUrl} is ready`);
    const { message = `it answers ${answer.status}` } = (await answer.json()) as { message?: string };
    return wrong(
      "copy",
      `the one at ${baseUrl} is not ready. ${message}`,
      `Look at what it printed, and into ${logs}.`,
    );
  } catch (error) {
    const says = `the one at ${baseUrl} does not answer: ${reasonOf(error)}`;
    return wrong("copy", says, "Start it again with npm start.");
  }
}

/** What a database of before lacks: the copy knows it, and whoever restores it must act. */
async function afterRestore({ adminUrl, clickAdminUrl = adminUrl, adminToken }: RuntimeFile): Promise<Finding[]> {
  const auth = createClient(AdminService, createAdminTransport(adminUrl, adminToken));
  const click = createClient(EvidenceAdminService, createAdminTransport(clickAdminUrl, adminToken));
  const options = { timeoutMs: patienceMs };
  const unknown = (check: string) => (error: unknown) => [skipped(check, `the copy does not tell: ${reasonOf(error)}`)];
  const found = await Promise.all([
    click.listLogEpochs({}, options).then(epochsOfRunning, unknown("log witness")),
    auth.applyErasureList({ dryRun: true }, options).then(erasuresOfRunning, unknown("erasures")),
  ]);
  return found.flat();
}
