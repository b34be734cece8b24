import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

/** Calls back once when the process has more physical memory than this. Returns what stops the watch. */
export function watchMemory(pid: number, maxBytes: number, onExceeded: () => void): () => void {
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    const bytes = await residentBytes(pid);
    isAsking = false;
    if (bytes === undefined || bytes <= maxBytes || !isOn) return;
    stop();
    onExceeded();
  };
  let isOn = true;
  const timer = setInterval(() => void look(), everyMs).unref();
  const stop = () => {
    isOn = false;
    clearInterval(timer);
  };
  return stop;
}

/** A process that fills memory as fast as it can gets some hundred megabytes in this time. */
const everyMs = 100;

/** Undefined when the process is gone or the machine does not tell. */
async function residentBytes(pid: number): Promise<number | undefined> {
  try {
    return process.platform === "linux" ? readStatus(pid) : await askPs(pid);
  } catch {
    return undefined;
  }
}

/** The kernel answers from memory, so this is faster than anything that does not block. */
function readStatus(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const run = promisify(execFile);

async function askPs(pid: number): Promise<number | undefined> {
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)]);
  const kilobytes = Number.parseInt(stdout, 10);
  return Number.isNaN(kilobytes) ? undefined : kilobytes * 1024;
}
