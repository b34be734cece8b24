import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { CpuTimes } from "../cpu.ts";
import type { BenchSystem } from "../system.ts";

/** What measures need of a copy. */
export type HeldSystem = Pick<BenchSystem, "demo" | "accessToken" | "superuserUrl">;

export type HeldMessage =
  | { readonly kind: "ready"; readonly system: HeldSystem }
  | { readonly kind: "cpu"; readonly times: CpuTimes | undefined };

/** A running copy of some commit. */
export interface Held extends HeldSystem {
  readCpu(): Promise<CpuTimes | undefined>;
  stop(): Promise<void>;
}

/** Building a commit and starting it on a busy machine. */
const startMs = 10 * 60_000;
const answerMs = 10_000;

/** A distributed copy of the release in a folder, with its own database, bus and ports. */
export async function holdSystem(folder: string): Promise<Held> {
  const program = join(import.meta.dirname, "hold.ts");
  const child = fork(join(folder, "dev/bootstrap.mjs"), [program, folder], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    if (child.connected) child.disconnect();
    await exited;
  };
  try {
    const ready = await nextMessage(child, startMs);
    if (ready.kind !== "ready") throw new Error("the copy answered before it was ready");
    const readCpu = async (): Promise<CpuTimes | undefined> => {
      const answered = nextMessage(child, answerMs);
      child.send("cpu");
      const message = await answered;
      return message.kind === "cpu" ? message.times : undefined;
    };
    return { ...ready.system, readCpu, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function nextMessage(child: ChildProcess, timeoutMs: number): Promise<HeldMessage> {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(timeoutMs)]);
  const ended = async (): Promise<never> => {
    await once(child, "exit", { signal });
    throw new Error("the copy ended by itself");
  };
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended()]);
    return message as HeldMessage;
  } finally {
    abort.abort();
  }
}

/** The files of a commit, or of a folder that somebody else has checked out. */
export interface Checkout {
  readonly folder: string;
  readonly commit: string;
  remove(): void;
}

const root = resolve(import.meta.dirname, "../..");
const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim();

/** A worktree in a folder for temporary files; the packages are those of this one when both ask for the same. */
export function checkOut(commitOrFolder: string): Checkout {
  if (existsSync(join(commitOrFolder, "dev/bootstrap.mjs"))) {
    const folder = resolve(commitOrFolder);
    return { folder, commit: git(folder, "rev-parse", "--short", "HEAD"), remove: () => {} };
  }
  const commit = git(root, "rev-parse", "--short", "--verify", `${commitOrFolder}^{commit}`);
  const parent = mkdtempSync(join(tmpdir(), "assent-compare-"));
  const folder = join(parent, "tree");
  const remove = (): void => {
    rmSync(parent, { recursive: true, force: true });
    git(root, "worktree", "prune");
  };
  try {
    git(root, "worktree", "add", "--quiet", "--detach", folder, commit);
    const lock = (of: string): string => readFileSync(join(of, "package-lock.json"), "utf8");
    if (lock(folder) === lock(root)) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    return { folder, commit, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
