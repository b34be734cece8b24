import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What came to the receivers that answer, and how often others were asked. */
export interface ReceivedText {
  /** From when it happened to when it came, for each event and receiver the first time. */
  readonly latenciesMs: readonly number[];
  readonly hanging: number;
  /** What came for the second time. */
  readonly again: number;
}

export interface Receivers {
  readonly url: string;
  readonly pid: number;
  /** What came since the last reading. */
  read(): Promise<ReceivedText>;
  stop(): void;
}

/** Servers of customers in a process of their own. */
export async function startReceivers(): Promise<Receivers> {
  const entry = join(import.meta.dirname, "receivers.ts");
  const child = spawn(process.execPath, [entry], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  if (child.stdout === null) throw new Error("the receivers have no output");
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return {
    url: `http://127.0.0.1:${port.toString().trim()}`,
    pid: child.pid ?? 0,
    read: async () => {
      const answer = once(child, "message");
      child.send("read");
      const [received] = (await answer) as [ReceivedText];
      return received;
    },
    stop: () => child.kill("SIGTERM"),
  };
}
