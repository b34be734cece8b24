import { type ChildProcess, fork } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Starts a program as a renderer process: with little memory, and with nothing of ours but its own source. */
export function forkRenderer(entry: URL, maxMemoryMb: number): ChildProcess {
  return fork(entry, [String(process.pid)], {
    cwd: tmpdir(),
    env: environment,
    execArgv: [`--max-old-space-size=${Math.floor(maxMemoryMb * heapShare)}`, ...permissions(entry)],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

/** The rest is for the typesetter, which is no JavaScript. */
const heapShare = 0.6;

/** None of ours: it holds secrets. There are as many processes as cores, so more threads would only take turns. */
const environment = { TZ: "UTC", RAYON_NUM_THREADS: "1" };

/**
 * It may read the source and the packages; it may neither write nor start programs. The native typesetter is not bound
 * by that. It gets its files from us and is told of a folder that there is not.
 */
function permissions(entry: URL): string[] {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const readable = new Set([root, realpathSync(root), realpathSync(join(root, "node_modules")), fileURLToPath(entry)]);
  return [
    "--permission",
    ...Array.from(readable, (path) => `--allow-fs-read=${path}`),
    "--allow-addons",
    "--allow-worker",
    "--disable-warning=SecurityWarning",
    "--disable-warning=ExperimentalWarning",
  ];
}
