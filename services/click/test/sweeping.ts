import type { ClickInstance } from "./harness.ts";

/** Lets the sweeper of this process come by once, to the end. */
export async function sweepNow({ service }: ClickInstance): Promise<void> {
  const sweeper = service.workers.find((worker) => worker.name === "sweeper click");
  if (sweeper === undefined) throw new Error("the service has no sweeper");
  await sweeper.start();
  await sweeper.stop();
}
