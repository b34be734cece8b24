// Runs one test file in this process, with Jest's own circus: hooks, timeouts and results are Jest's.
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import * as globals from "./globals.mjs";
import { watchForTraces } from "./traces.mjs";

const globalsUrl = new URL("globals.mjs", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@jest/globals" ? { url: globalsUrl, shortCircuit: true } : next(specifier, context),
});
const require = createRequire(import.meta.url);
// Without --expose-internals there is none, and files are kept.
const { loadCache } = internals("internal/modules/esm/loader")?.getOrInitializeCascadedLoader() ?? {};
// Assertions are often in helpers of helpers, below which the line of the test is of interest.
Error.stackTraceLimit = 15;

export async function runFile(path, config, globalConfig) {
  const { default: runCircus } = require(config.testRunner);
  globals.prepareTimers(config);
  const traces = watchForTraces();
  const start = Date.now();
  const result = await runCircus(globalConfig, config, { global: globalThis }, runtime, path);
  forgetCircus();
  // Nobody loads it again, and its variables would hold all that its tests have started.
  loadCache?.delete(pathToFileURL(path).href);
  const left = await traces.clear();
  const end = Date.now();
  if (left.length > 0) noteTraces(result, left);
  const { numPassingTests, numFailingTests, numPendingTests, numTodoTests } = result;
  return {
    ...result,
    // They may hold what no message can carry; the messages tell the same.
    testResults: result.testResults.map((test) => ({ ...test, failureDetails: [] })),
    leaks: false,
    perfStats: { ...result.perfStats, start, end, runtime: end - start, slow: false },
    skipped: numPassingTests + numFailingTests + numTodoTests === 0 && numPendingTests > 0,
  };
}

/** What circus asks of Jest's module system. */
const runtime = {
  // A new one for each file, because it keeps the tests in variables of its module.
  requireInternalModule: (path) => {
    const exported = require(path);
    const { children } = require.cache[path].parent;
    delete require.cache[path];
    // Here as well it would hold the tests of its file, and with each file one more copy of circus.
    children.length = 0;
    return exported;
  },
  requireModule: require,
  setGlobalsForRuntime: globals.setGlobals,
  unstable_shouldLoadAsEsm: () => true,
  unstable_importModule: (path) => import(pathToFileURL(path).href),
  enterTestCode: () => undefined,
  leaveTestCode: () => undefined,
};

/** It keeps handlers and the last state under global symbols, which hold the tests and all that these hold. */
function forgetCircus() {
  delete globalThis[Symbol.for("EVENT_HANDLERS")];
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (symbol.description === "JEST_STATE_SYMBOL") delete globalThis[symbol];
  }
}

function internals(name) {
  try {
    return require(name);
  } catch {
    return undefined;
  }
}

function noteTraces(result, left) {
  const message = `It leaves to the test files after it: ${left.join("; ")}.`;
  result.testExecError = { message, stack: message };
  result.failureMessage = `${result.failureMessage ?? ""}  ● Test suite failed to run\n\n    ${message}\n`;
}
