import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Demo } from "../dev/demo.ts";

/** `npm start` as a child process with a data folder of its own. */
export interface SingleProcessCopy {
  readonly folder: string;
  start(): Promise<{ process: ChildProcess; demo: Demo }>;
  stop(): Promise<void>;
  remove(): void;
}

/** Of the release in the folder `root`. */
export function singleProcessCopy(root = join(import.meta.dirname, "..")): SingleProcessCopy {
  const folder = mkdtempSync(join(tmpdir(), "assent-bench-"));
  // node, and what it is started with.
  const [, ...args] = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.start as string).split(" ");
  let child: ChildProcess | undefined;
  return {
    folder,
    start: async () => {
      child = spawn(process.execPath, args, {
        cwd: root,
        env: { ...process.env, ASSENT_HOME: folder, PORT: "0" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const { stdout } = child;
      if (stdout === null) throw new Error("the copy has no output");
      let output = "";
      for await (const chunk of stdout) {
        output += String(chunk);
        if (output.includes("Assent is ready")) break;
      }
      const demo = JSON.parse(readFileSync(join(folder, "demo.json"), "utf8")) as Demo;
      return { process: child, demo };
    },
    stop: async () => {
      if (child === undefined || child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
