// What a test file must not leave behind in its process for the files after it.
import { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { jest } from "./globals.mjs";

const { setTimeout: realSetTimeout } = globalThis;
const { now: realNow } = Date;
const folder = process.cwd();
/** Modules may listen for other things as long as the process lives; these decide how it ends. */
const events = ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "unhandledRejection"];
/** What serves, runs or watches. Connections may stay open for a moment to be used again. */
const handles = ["TCPServerWrap", "PipeServerWrap", "ProcessWrap", "FSEvent", "Worker", "UDPWrap"];
/** What is being closed is closed by then. */
const closingMs = 1_500;

export function watchForTraces() {
  const environment = { ...process.env };
  const listeners = new Map(events.map((event) => [event, process.rawListeners(event)]));
  const before = countHandles();
  return {
    /** Undoes what can be undone, and answers in words what was left. */
    clear: async () => {
      const left = [];
      jest.restoreAllMocks();
      if (globalThis.setTimeout !== realSetTimeout || Date.now !== realNow) {
        jest.useRealTimers();
        left.push("a clock or timers that are not real");
      }
      if (process.cwd() !== folder) {
        left.push(`the working folder ${process.cwd()}`);
        process.chdir(folder);
      }
      const changed = restoreEnvironment(environment);
      if (changed.length > 0) left.push(`other values in process.env (${changed.join(", ")})`);
      for (const [event, known] of listeners) {
        for (const listener of process.rawListeners(event)) {
          if (known.includes(listener)) continue;
          process.off(event, listener);
          left.push(`a listener for ${event} of the process`);
        }
      }
      left.push(...(await newHandles(before)));
      return left;
    },
  };
}

function restoreEnvironment(before) {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => process.env[name] !== before[name]);
  for (const name of changed) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  return changed;
}

function countHandles() {
  const active = process.getActiveResourcesInfo();
  return new Map(handles.map((name) => [name, active.filter((one) => one === name).length]));
}

async function newHandles(before) {
  const deadline = performance.now() + closingMs;
  for (;;) {
    const more = [...countHandles()].filter(([name, count]) => count > before.get(name));
    if (more.length === 0) return [];
    if (performance.now() > deadline) return more.map(([name, count]) => `${count - before.get(name)} open ${name}`);
    await delay(20);
  }
}

/** Kills what this process has started and not ended, with all that belongs to it. Returns how many there were. */
export function endChildren() {
  const children = process._getActiveHandles().filter((handle) => handle instanceof ChildProcess);
  for (const { pid } of children) {
    for (const target of [-pid, pid]) {
      try {
        process.kill(target, "SIGKILL");
      } catch {
        // It has no group of its own, or is gone.
      }
    }
  }
  return children.length;
}
