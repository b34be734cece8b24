// Starts a distributed copy of the release in the folder that it is given, for a process that measures it: says where the
// copy is, answers each message with the CPU that its parts have used so far, and stops when that process goes. Run by the
// dev/bootstrap.mjs of the same folder, which builds what is missing there.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as benchSystem from "../system.ts";
import type { HeldMessage } from "./side.ts";

// Ctrl-C reaches this process too, which has others to stop first.
process.on("SIGINT", () => {});
const file = pathToFileURL(join(process.argv[2] ?? "", "bench/system.ts"));
const { startBenchSystem } = (await import(file.href)) as typeof benchSystem;
const starting = startBenchSystem();
process.on("disconnect", async () => {
  const system = await starting.catch(() => undefined);
  await system?.stop();
  process.exit(0);
});
const { demo, accessToken, superuserUrl, cpu } = await starting;
const tell = (message: HeldMessage): void => {
  process.send?.(message);
};
process.on("message", () => tell({ kind: "cpu", times: cpu.read() }));
tell({ kind: "ready", system: { demo, accessToken, superuserUrl } });
