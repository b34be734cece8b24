// A process that runs one test file after the other for runner.mjs.
import { enableCompileCache, flushCompileCache } from "node:module";

enableCompileCache(new URL("../../node_modules/.cache/compiled", import.meta.url).pathname);
const { runFile } = await import("./plain-node.mjs");

process.on("message", async ({ end, path, config, globalConfig }) => {
  if (end) {
    flushCompileCache();
    process.exit(0);
  }
  try {
    const result = await runFile(path, config, globalConfig);
    flushCompileCache();
    process.send({ result, isSpent: process.memoryUsage().heapUsed > globalConfig.workerIdleMemoryLimit });
  } catch (error) {
    process.send({ error: { message: error.message ?? String(error), stack: error.stack, type: "Error" } });
  }
});
// Without the run nobody waits for results.
process.on("disconnect", () => process.exit(1));
