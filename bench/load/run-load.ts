import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { LoadPlan, LoadResult } from "./plan.ts";

/** Runs a plan in a process of its own. Fails when an answer has a status other than the expected ones. */
export async function runLoad(plan: LoadPlan, expectedStatuses: readonly number[]): Promise<LoadResult> {
  const result = await performLoad(plan);
  const unexpected = Object.keys(result.statuses).filter((status) => !expectedStatuses.includes(Number(status)));
  if (unexpected.length > 0) throw new Error(`unexpected answers: ${JSON.stringify(result.statuses)}`);
  return result;
}

/** The same, for whoever looks at the statuses of the answers. */
export async function performLoad(plan: LoadPlan): Promise<LoadResult> {
  const entry = join(import.meta.dirname, "generate.ts");
  const child = spawn(process.execPath, [entry], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(plan));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`the load generator ended with exit code ${code}`);
  return JSON.parse(output) as LoadResult;
}
