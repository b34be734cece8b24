// `npm test`: everything that proves the product. Arguments go to Jest: npm test -- services/click
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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
  { name: "types", command: "tsc", args: ["--project", root] },
  { name: "types of the browser code", command: "tsc", args: ["--project", join(root, "web")] },
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
if (jestArguments.length === 0) {
  for (const check of checks) {
    process.stdout.write(`assent: checking ${check.name} …\n`);
    const result = spawnSync(join(binaries, check.command), check.args, { cwd: root, stdio: "inherit" });
    if (result.status !== 0) {
      process.stderr.write(`assent: the check '${check.name}' failed\n`);
      process.exit(1);
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "assent-result-"));
const resultFile = join(folder, "result.txt");
const jest = spawnSync(process.execPath, [join(root, "node_modules", "jest", "bin", "jest.js"), ...jestArguments], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    ASSENT_RESULT_FILE: resultFile,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --experimental-vm-modules --disable-warning=ExperimentalWarning`,
  },
});
if (existsSync(resultFile)) process.stdout.write(readFileSync(resultFile, "utf8"));
rmSync(folder, { recursive: true, force: true });
process.exit(jest.status ?? 1);
