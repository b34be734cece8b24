// Runs test files in plain Node. Jest itself gives each file a context of its own, in which all modules are linked anew:
// half of the time that a run took. Here a few processes live as long as the run and keep the modules that they have
// loaded; what a file must not leave behind for the next is checked after it (plain-node.mjs).
import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { takesLong } from "./sequencer.mjs";

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
    // Several of the files that start many processes at once would slow each other down until time limits pass: they have
    // a lane. Beside it one takes the others, and the manuals, which start one program after the other. Both wait for
    // nearly half of their time, and further ones have what they leave: they take files with a browser and short ones,
    // since these wait most and have no limits of time. The last lanes take a file only while a core has nothing to do,
    // one after the other.
    const kinds = [
      [startsMostProcesses, anything],
      [followsManuals, startsFewProcesses, anything],
      [opensPages, isShort, startsFewProcesses],
      [opensPages, isShort, startsFewProcesses],
      [isShort, opensPages, startsFewProcesses],
    ];
    const takeNext = async (id) => {
      for (;;) {
        const isHeldBack = isPreparing() ? needsPrepared : () => false;
        let isToWait = false;
        for (const isKind of kinds[Math.min(id, kinds.length) - 1]) {
          const index = queue.findIndex(({ path }) => isKind(path) && !isHeldBack(path));
          if (index >= 0) return queue.splice(index, 1)[0];
          isToWait ||= queue.some(({ path }) => isKind(path));
        }
        if (!isToWait || watcher.isInterrupted()) return;
        await delay(idleSampleMs);
      }
    };
    const untilIdle = async () => {
      for (let earlier = timesOfCores(); queue.length > 0 && !watcher.isInterrupted(); ) {
        await delay(idleSampleMs);
        const now = timesOfCores();
        if ((now.idle - earlier.idle) * now.cores > (now.all - earlier.all) * leastIdleCores) return;
        earlier = now;
      }
    };
    let lastTurn = Promise.resolve();
    const takeNextWhenIdle = (id) => {
      // What one has taken must be seen at work before another one looks.
      const taken = lastTurn.then(untilIdle).then(() => (watcher.isInterrupted() ? undefined : takeNext(id)));
      lastTurn = taken;
      return taken;
    };
    const secondRuns = tests[0]?.context.config.testEnvironmentOptions.secondRuns ?? 0;
    const failed = [];
    /** `onFailed` gets the message of a file that failed, and what tells Jest of it. */
    const lane = async (id, next, onFailed) => {
      let running;
      for (let test = await next(); test !== undefined && !watcher.isInterrupted(); test = await next()) {
        running ??= startWorker(id);
        await onStart(test);
        try {
          const { result, isSpent } = await running.run(test, this.#globalConfig);
          if (isSpent) await running.end();
          if (result.numFailingTests === 0 && result.testExecError === undefined) await onResult(test, result);
          else await onFailed(test, result.failureMessage, () => onResult(test, result));
        } catch (error) {
          await running.end();
          await onFailed(test, error.message, () => onFailure(test, error));
        }
        if (running.hasEnded()) running = undefined;
      }
      await running?.end();
    };
    const tell = (_test, _message, report) => report();
    const keep = (test, message, report) => {
      failed.push({ test, report });
      process.stderr.write(`assent: ${test.path} failed, at first:\n${message}\n`);
    };
    const lanes = Math.min(this.#globalConfig.maxWorkers, tests.length);
    const onFailed = secondRuns > 0 ? keep : tell;
    const takeFor = (id) => () => (id < firstIdleLane ? takeNext(id) : takeNextWhenIdle(id));
    await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n + 1, takeFor(n + 1), onFailed)));
    // What fails beside others and passes alone had too little of the machine; more than a few of them are a fault.
    if (failed.length > secondRuns) for (const { report } of failed) await report();
    else {
      const again = failed.map(({ test }) => test);
      await lane(1, () => again.shift(), tell);
    }
  }
}

const anything = () => true;
const startsManyProcesses = (path) =>
  /\/test\/(browser|chaos|commands|e2e|interop)\/.*(?<!\.unit)\.test\.ts$/.test(path) && !startsNone(path);
/** The product runs in the process of these tests, or not at all. */
const startsNone = (path) =>
  /\/test\/(e2e\/(single-process|sign-errors|log-capture)|interop\/docusign\/(drafts|templates))\./.test(path);
const startsFewProcesses = (path) => !startsManyProcesses(path);
const isShort = (path) => startsFewProcesses(path) && !takesLong(path);
const followsManuals = (path) => startsManyProcesses(path) && path.includes("/test/commands/");
const opensPages = (path) => startsManyProcesses(path) && path.includes("/test/browser/");
/** Further lanes take none of these: they are begun first. */
const startsMostProcesses = (path) => startsManyProcesses(path) && !opensPages(path) && !followsManuals(path);

/** Below that of what has limits of time. */
const furtherLanePriority = 10;

const firstIdleLane = 4;
const idleSampleMs = 500;
const leastIdleCores = 0.4;

/** What the cores of the machine have spent, in all and with nothing to do. */
function timesOfCores() {
  const times = cpus().map((core) => core.times);
  const sum = (list) => list.reduce((total, one) => total + one, 0);
  return {
    cores: times.length,
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.flatMap((one) => Object.values(one))),
  };
}

/** `.ci/run` begins with what needs no programs of others while those are being installed and made. */
const isPreparing = () => existsSync(process.env.ASSENT_PREPARING ?? "");
const needsPrepared = (path) => opensPages(path) || followsManuals(path) || /\bjudge/i.test(readFileSync(path, "utf8"));

const endLimitMs = 60_000;
/** To end what its tests have started. */
const endGraceMs = 1_000;

/**
 * What one file leaves alone the next may call: its functions would be compiled again and again. And whoever waits would use
 * the time to collect what little garbage there is.
 */
const heapFlags = ["--no-flush-bytecode", "--no-memory-reducer"];

function startWorker(id) {
  const child = fork(worker, {
    env: { ...process.env, JEST_WORKER_ID: String(id) },
    // Sizes of the heap are not given here: threads would inherit them, and then end the process with their own limit.
    execArgv: ["--disable-warning=ExperimentalWarning", "--expose-internals", ...heapFlags],
    serialization: "advanced",
    // A group of its own: what its tests have started goes with it.
    detached: true,
  });
  if (id > 2) setPriority(child.pid, furtherLanePriority);
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
