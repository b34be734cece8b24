import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface Echo {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

/** Bare Express in a process of its own. */
export async function startEcho(): Promise<Echo> {
  const entry = join(import.meta.dirname, "express-echo.ts");
  const child = spawn(process.execPath, [entry], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return {
    url: `http://127.0.0.1:${port.toString().trim()}/echo`,
    pid: child.pid ?? 0,
    stop: () => child.kill("SIGTERM"),
  };
}
