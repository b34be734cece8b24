import { spawnSync } from "node:child_process";
import { describe, test } from "@jest/globals";

/** Needs these programs: skipped with one line where one is missing, an error in CI. */
export function describeWithTools(tools: readonly string[], name: string, tests: () => void): void {
  const missing = tools.filter((tool) => spawnSync("which", [tool]).status !== 0);
  if (missing.length === 0) {
    describe(name, tests);
    return;
  }
  if (process.env.CI === "true") throw new Error(`${missing.join(", ")} must be installed where CI is true: ${name}`);
  process.stderr.write(`skipped without ${missing.join(", ")}: ${name}\n`);
  describe.skip(name, () => test(`needs ${missing.join(", ")}`, () => undefined));
}
