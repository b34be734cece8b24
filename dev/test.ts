// `npm test`: everything that proves the product. Arguments go to Jest: npm test -- services/click
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("..", import.meta.url).pathname;
const binaries = join(root, "node_modules", ".bin");
const jestArguments = process.argv.slice(2);

interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const checks: readonly Check[] = [
  // With one thread: several check much of it again each, and the tests beside them have work for every core.
  { name: "types", command: "tsc", args: ["--singleThreaded", "--project", root] },
  { name: "types of the browser code", command: "tsc", args: ["--singleThreaded", "--project", join(root, "web")] },
  { name: "lint and format", command: "biome", args: ["ci", "--colors=off", "."] },
  { name: "contracts", command: "buf", args: ["lint"] },
  // test/released/keep.ts makes the file; docs/releasing.md says when.
  {
    name: "contracts against those of the last release",
    command: "buf",
    args: ["breaking", "proto", "--against", "test/released/contracts.binpb.gz"],
  },
];

// A focused run is for working on one part; the whole run proves everything.
const checking = jestArguments.length > 0 ? [] : checks.map(start);
const folder = mkdtempSync(join(tmpdir(), "assent-result-"));
const resultFile = join(folder, "result.txt");
const jest = spawn(process.execPath, [join(root, "node_modules", "jest", "bin", "jest.js"), ...jestArguments], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ASSENT_RESULT_FILE: resultFile },
});
const [jestStatus] = await once(jest, "exit");
const failed = (await Promise.all(checking)).filter((passed) => !passed).length;
if (existsSync(resultFile)) process.stdout.write(withFailed(readFileSync(resultFile, "utf8"), failed));
rmSync(folder, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : (jestStatus ?? 1));

/** Runs a check beside the tests. What it says is printed at once when it is done. */
async function start(check: Check): Promise<boolean> {
  const child = spawn(join(binaries, check.command), check.args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  // What the tests start has limits of time; checks have none, and take what is left.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [status] = await once(child, "close");
  process.stdout.write(`assent: checked ${check.name}\n`);
  if (status === 0) return true;
  process.stderr.write(`${output}assent: the check '${check.name}' failed\n`);
  return false;
}

/** A check that failed counts as a test that failed. */
function withFailed(line: string, more: number): string {
  return line.replace(/(\d+) failed/, (_, count: string) => `${Number(count) + more} failed`);
}
