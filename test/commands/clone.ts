import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { judges } from "#platform/testing/judges.ts";
import { until } from "#platform/testing/until.ts";
import { findFreePort } from "../../dev/ports.ts";
import { root } from "./printed.ts";

/** What a new user has after `git clone` and the first command: the files as they are now, and what was installed and built. */
export interface Clone {
  readonly folder: string;
  /** Runs lines in a shell there, and resolves with what they printed; rejects when one of them fails. */
  shell(lines: string, env?: Readonly<Record<string, string>>): Promise<string>;
  start(script: string, env?: Readonly<Record<string, string>>): Promise<Started>;
  remove(): void;
}

export interface Started {
  readonly port: number;
  /** Everything that it printed so far. */
  output(): string;
  /** As Ctrl-C does; resolves when everything that it started has ended, with what was printed since. */
  interrupt(): Promise<string>;
  kill(): void;
}

/** Tell what they were called with, in place of what changes clusters and registries, and of what is not here. */
const fakes = ["docker", "kubectl", "kustomize", "nats", ...(existsSync(judges.grpcurl) ? [] : ["grpcurl"])];

/** Root may run the suite in somebody else's folder. */
const anyOwner = ["-c", "safe.directory=*"];

export function makeClone(): Clone {
  const folder = mkdtempSync(join(tmpdir(), "assent-clone-"));
  const listed = spawnSync("git", [...anyOwner, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  if (listed.status !== 0) throw new Error(`git ls-files: ${listed.stderr}`);
  for (const file of new Set(
    listed.stdout
      .toString()
      .split("\0")
      .filter((name) => name !== ""),
  )) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    // Deleted files are still listed.
    copyFile(join(root, file), join(folder, file));
  }
  // Formatters and archives look at what git knows.
  const author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  for (const args of [["init"], ["add", "--all"], [...author, "commit", "--message", "A clone"]]) {
    spawnSync("git", args, { cwd: folder, stdio: "ignore" });
  }
  linkPackages(folder);
  // Programs write into these.
  for (const made of ["gen", "web/dist"]) spawnSync("cp", ["-r", join(root, made), join(folder, made)]);
  const programs = join(folder, ".fakes");
  mkdirSync(programs);
  for (const name of fakes) {
    writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} $*"\n`);
    chmodSync(join(programs, name), 0o755);
  }
  // What units say is done, below a folder.
  const systemctl = join(folder, "test/commands/systemctl.ts");
  writeFileSync(join(programs, "systemctl"), `#!/bin/sh\nexec "${process.execPath}" "${systemctl}" "$@"\n`, {
    mode: 0o755,
  });
  const env = {
    // What was installed before need not be fetched again.
    npm_config_prefer_offline: "true",
    PATH: [programs, dirname(judges.grpcurl), process.env.PATH ?? ""].join(delimiter),
    HOME: process.env.HOME ?? folder,
    LANG: "C.UTF-8",
  };
  return {
    folder,
    shell: (lines, more = {}) => runShell(folder, lines, { ...env, ...more }),
    start: (script, more = {}) => startScript(folder, script, { ...env, ...more }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Hard links where that is possible: what renders may read the files of the clone only, so no link may lead out of it. */
function linkPackages(folder: string): void {
  const [ours, theirs] = [join(root, "node_modules"), join(folder, "node_modules")];
  const linked = spawnSync("cp", ["-al", ours, theirs]).status === 0;
  if (!linked && spawnSync("cp", ["-a", ours, theirs]).status !== 0) throw new Error("node_modules cannot be copied");
  // Written in place when something is installed, and ours must stay as it is.
  const stamp = readFileSync(join(ours, ".assent-stamp"));
  rmSync(join(theirs, ".assent-stamp"));
  writeFileSync(join(theirs, ".assent-stamp"), stamp);
}

function copyFile(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

const tail = (text: string): string => text.slice(-6_000);

async function runShell(cwd: string, lines: string, env: Record<string, string>): Promise<string> {
  const child = spawn("bash", ["-e", "-c", lines], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const read = collect(child);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`ended with ${code}:\n${tail(read())}`);
  return read();
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

async function startScript(cwd: string, script: string, env: Record<string, string>): Promise<Started> {
  const port = await findFreePort();
  const child = spawn("npm", ["run", "-s", script], {
    ...{ cwd, env: { ...env, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] },
    // As in a terminal, where Ctrl-C reaches npm and what it runs.
    detached: true,
  });
  const output = collect(child);
  const ended = once(child, "close") as Promise<[number | null]>;
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
  };
  try {
    await until(() => {
      if (child.exitCode !== null)
        throw new Error(`npm run ${script} ended with ${child.exitCode}:\n${tail(output())}`);
      return output().includes("Stop with Ctrl-C.");
    }, 120_000);
  } catch (error) {
    signal("SIGINT");
    throw error;
  }
  return {
    port,
    output,
    interrupt: async () => {
      const { length } = output();
      signal("SIGINT");
      // npm ends by the signal itself, whatever its script ended with.
      await ended;
      return output().slice(length);
    },
    kill: () => signal("SIGINT"),
  };
}

export const readJson = <T>(clone: Clone, file: string): T =>
  JSON.parse(readFileSync(join(clone.folder, file), "utf8")) as T;
