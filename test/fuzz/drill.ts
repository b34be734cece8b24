// `npm run drill:fuzz`: many more requests than `npm test` sends, seed after seed.
// npm run drill:fuzz -- --seeds 5 --requests 20000      npm run drill:fuzz -- --seed 7    one seed again
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "3" },
    requests: { type: "string", default: "20000" },
    seed: { type: "string" },
  },
});
const root = new URL("../..", import.meta.url).pathname;
const first = Number(values.seed ?? 1);
const seeds = values.seed === undefined ? Number(values.seeds) : 1;

let failed = 0;
for (let seed = first; seed < first + seeds; seed += 1) {
  const environment = { FUZZ_SEED: String(seed), FUZZ_REQUESTS: values.requests, FUZZ_REPORT: "true" };
  const run = spawnSync(process.execPath, [join(root, "dev", "test.ts"), "test/fuzz/fuzz.test.ts"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  if (run.status !== 0) failed += 1;
}
process.stdout.write(failed === 0 ? "nothing found\n" : `${failed} of ${seeds} seeds found something\n`);
process.exitCode = failed === 0 ? 0 : 1;
