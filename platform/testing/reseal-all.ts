import type { Resealer, ResealRun } from "../master-keys/reseal.ts";
import { until } from "./until.ts";

/** Seals everything with the newest master key, and resolves when that is finished. */
export async function resealAll(resealer: Resealer | undefined): Promise<ResealRun> {
  if (resealer === undefined) throw new Error("the service seals nothing anew");
  await resealer.start();
  return until(async () => {
    const { run } = await resealer.state();
    return run !== undefined && run.finishedAt !== null && run;
  }, 30_000);
}
