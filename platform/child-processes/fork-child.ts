import { type ChildProcess, fork } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A program that works for this one. */
export interface ChildProgram {
  readonly entry: URL;
  /** The share of its memory that JavaScript may have; the rest is for bytes and for what is native. */
  readonly heapShare: number;
  /** Megabytes of each half of what it has for young objects, in place of what V8 takes. */
  readonly youngHalfMb?: number;
  /** Its environment. None of ours: it holds secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it may load native packages, which nothing but the memory limit binds. */
  readonly withAddons: boolean;
}

/** Starts a program with little memory, and with nothing of ours but its own source. */
export function forkChild(
  { entry, heapShare, youngHalfMb, environment, withAddons }: ChildProgram,
  maxMemoryMb: number,
): ChildProcess {
  return fork(entry, [String(process.pid)], {
    cwd: tmpdir(),
    env: environment,
    execArgv: [
      `--max-old-space-size=${Math.floor(maxMemoryMb * heapShare)}`,
      ...(youngHalfMb === undefined ? [] : [`--max-semi-space-size=${youngHalfMb}`]),
      ...permissions(entry),
      ...(withAddons ? ["--allow-addons"] : []),
    ],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

/** It may read the source and the packages; it may neither write nor start programs. */
function permissions(entry: URL): string[] {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const readable = new Set([root, realpathSync(root), realpathSync(join(root, "node_modules")), fileURLToPath(entry)]);
  return [
    "--permission",
    ...Array.from(readable, (path) => `--allow-fs-read=${path}`),
    "--allow-worker",
    "--disable-warning=SecurityWarning",
    "--disable-warning=ExperimentalWarning",
  ];
}
