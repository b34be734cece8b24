import { join } from "node:path";
import type { Environment } from "#platform/config.ts";
import { type RuntimeFile, readJson } from "../home.ts";
import { type Finding, ok, reasonOf, skipped, wrong } from "./finding.ts";

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
