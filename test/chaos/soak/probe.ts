// Loaded into every process of the soak by --import, with --expose-gc: on SIGUSR2 it writes down what is still in use after
// a collection, and how late the event loop was since the last time. It holds nothing open and keeps nothing.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 20 });
delay.enable();

process.on("SIGUSR2", () => {
  const loopP99Ms = delay.percentile(99) / 1e6;
  // What the first collection finalizes, the second takes away.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  const said = { heapUsed, external, arrayBuffers, loopP99Ms, resources: process.getActiveResourcesInfo().length };
  appendFileSync(join(process.env.SOAK_FOLDER ?? ".", `${process.pid}.jsonl`), `${JSON.stringify(said)}\n`);
  delay.reset();
});
