// A process that runs one test file after the other for runner.mjs.
import { enableCompileCache, flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

enableCompileCache(new URL("../../node_modules/.cache/compiled", import.meta.url).pathname);
const { runFile } = await import("./plain-node.mjs");
const { endChildren } = await import("./traces.mjs");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
// What tests look into has no such function.
setFlagsFromString("--no-expose-gc");

process.on("exit", endChildren);
// Before it is killed: a file that does not end may have started much.
process.on("SIGTERM", () => process.exit(1));

/** Under a name of its own: tests, and what they load, may send messages as well. */
const answer = (answerOfFile) => process.send({ answerOfFile });

process.on("message", async ({ end, path, config, globalConfig }) => {
  if (end) {
    flushCompileCache();
    process.exit(0);
  }
  try {
    const result = await runFile(path, config, globalConfig);
    flushCompileCache();
    // What was started by a file that has ended may start more.
    const isSpent = endChildren() > 0 || holdsMoreThan(globalConfig.workerIdleMemoryLimit);
    answer({ result, isSpent });
  } catch (error) {
    answer({ error: { message: error.message ?? String(error), stack: error.stack, type: "Error" } });
  }
});

/** Most of what a file leaves is garbage; to load all modules anew takes far longer than to collect it. */
function holdsMoreThan(bytes) {
  if (process.memoryUsage().heapUsed <= bytes) return false;
  collectGarbage();
  return process.memoryUsage().heapUsed > bytes;
}

// Without the run nobody waits for results.
process.on("disconnect", () => process.exit(1));
