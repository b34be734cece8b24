// `npm run drill`: all drills, one after the other, each in processes of its own, and a table of what came of them.
// npm run drill -- --short      npm run drill -- --only events,lifecycle
import { spawn } from "node:child_process";
import { createWriteStream, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { type Drill, drills } from "./drills.ts";

const { values } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "assent-drill-"));
const wanted = values.only === "" ? drills.map(({ name }) => name) : values.only.split(",");
const unknown = wanted.filter((name) => !drills.some((drill) => drill.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `there is no drill ${unknown.join(", ")}; there are ${drills.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort(signal));

const results: Result[] = [];
for (const drill of drills.filter(({ name }) => wanted.includes(name))) {
  if (stopped.signal.aborted) break;
  process.stderr.write(`${drill.name}: ${drill.what}\n`);
  results.push(await run(drill));
}
for (const { drill, output, seconds, passed } of results) {
  process.stdout.write(`\n${drill.name}: ${passed ? "passed" : "FAILED"} in ${Math.round(seconds)} s. ${drill.what}\n`);
  process.stdout.write(output.replaceAll(/^(?=.)/gm, "  "));
}
const failed = results.filter(({ passed }) => !passed);
process.stdout.write(
  `\n${results.length - failed.length} of ${results.length} drills passed; what they said: ${folder}\n`,
);
process.exitCode = failed.length === 0 && !stopped.signal.aborted ? 0 : 1;

interface Result {
  readonly drill: Drill;
  /** The figures, as the drill prints them. */
  readonly output: string;
  readonly seconds: number;
  readonly passed: boolean;
}

async function run(drill: Drill): Promise<Result> {
  const began = performance.now();
  const args = [join(root, drill.program), ...(values.short ? drill.short : [])];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
    ...{ cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  });
  const log = createWriteStream(join(folder, `${drill.name}.log`));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    log.write(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => log.write(chunk));
  const pass = (): boolean => child.kill(stopped.signal.reason);
  stopped.signal.addEventListener("abort", pass);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  stopped.signal.removeEventListener("abort", pass);
  log.end();
  await finished(log);
  // Those that are stopped clean up and end with 0, too.
  const passed = code === 0 && !stopped.signal.aborted;
  return { drill, output, seconds: (performance.now() - began) / 1_000, passed };
}
