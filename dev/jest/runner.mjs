// Runs test files in plain Node. Jest itself gives each file a context of its own, in which all modules are linked anew:
// half of the time that a run took. Here a few processes live as long as the run and keep the modules that they have
// loaded; what a file must not leave behind for the next is checked after it (plain-node.mjs).
import { fork } from "node:child_process";

const worker = new URL("worker.mjs", import.meta.url).pathname;

export default class PlainNodeRunner {
  isSerial = false;
  supportsEventEmitters = false;
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const queue = [...tests];
    // Several of the files that start many processes at once would slow each other down until time limits pass.
    const takeNext = (isFirst) => {
      const index = queue.findIndex(({ path }) => startsManyProcesses.test(path) === isFirst);
      return queue.splice(Math.max(index, 0), 1)[0];
    };
    const lane = async (id) => {
      let running;
      const next = () => takeNext(id === 1);
      for (let test = next(); test !== undefined && !watcher.isInterrupted(); test = next()) {
        running ??= startWorker(id);
        await onStart(test);
        try {
          const { result, isSpent } = await running.run(test, this.#globalConfig);
          if (isSpent) await running.end();
          await onResult(test, result);
        } catch (error) {
          await running.end();
          await onFailure(test, error);
        }
        if (running.hasEnded()) running = undefined;
      }
      await running?.end();
    };
    const lanes = Math.min(this.#globalConfig.maxWorkers, tests.length);
    await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index + 1)));
  }
}

const startsManyProcesses = /\/test\/(browser|chaos|commands|e2e|interop)\//;

const endLimitMs = 60_000;
/** To end what its tests have started. */
const endGraceMs = 1_000;

function startWorker(id) {
  const child = fork(worker, {
    env: { ...process.env, JEST_WORKER_ID: String(id) },
    // Sizes of the heap are not given here: threads would inherit them, and then end the process with their own limit.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    serialization: "advanced",
    // A group of its own: what its tests have started goes with it.
    detached: true,
  });
  const killGroup = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nothing is left of it.
    }
  };
  process.once("exit", killGroup);
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      process.off("exit", killGroup);
      killGroup();
      resolve(signal ?? `exit code ${code}`);
    });
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  /** Rejects when the process ends before the file does, or the file does not end. */
  const run = ({ path, context: { config } }, globalConfig) =>
    new Promise((resolve, reject) => {
      const limitSeconds = config.testEnvironmentOptions.fileLimitSeconds;
      const limit = setTimeout(() => {
        child.kill("SIGTERM");
        setTimeout(killGroup, endGraceMs);
        finish(reject, new Error(`It did not end within ${limitSeconds} s, and was killed.`));
      }, limitSeconds * 1000);
      const finish = (settle, value) => {
        clearTimeout(limit);
        child.off("message", onMessage);
        settle(value);
      };
      const onMessage = (message) => {
        const answer = message?.answerOfFile;
        if (answer?.error !== undefined) finish(reject, answer.error);
        else if (answer !== undefined) finish(resolve, answer);
      };
      child.on("message", onMessage);
      void ended.then((how) => finish(reject, new Error(`The process that ran it ended: ${how}.`)));
      child.send({ path, config, globalConfig }, () => undefined);
    });

  const end = async () => {
    if (hasEnded()) return;
    const limit = setTimeout(killGroup, endLimitMs);
    child.send({ end: true }, () => undefined);
    await ended;
    clearTimeout(limit);
  };

  return { run, end, hasEnded };
}
