import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, test } from "@jest/globals";

const folder = fileURLToPath(new URL("../../.assent/judges/", import.meta.url));

/** The programs that `dev/judges/prepare` makes, as describeWithTools takes them. */
export const judges = {
  conformance: `${folder}conformance`,
  signatures: `${folder}signatures`,
  /** Has what gRPC needs. */
  python: `${folder}python/bin/python`,
  /** Where Go is at hand. */
  goPrograms: `${folder}go/bin`,
  grpcurl: `${folder}go/bin/grpcurl`,
  /** The client that docs/grpc.md tells how to make, with all that it runs with. */
  javaClasses: `${folder}java/target/classes:${folder}java/target/dependency/*`,
};

const run = promisify(execFile);

/** What veraPDF finds wrong with files; a flavour is `2a` or `ua1`. */
export async function conformanceProblems(...files: (readonly [flavour: string, path: string])[]): Promise<string> {
  const { stdout } = await run(judges.conformance, files.flat());
  if (!stdout.endsWith("judged\n")) throw new Error(`veraPDF says: ${stdout}`);
  return stdout.slice(0, -"judged\n".length);
}

/** What pyHanko says of a signature. */
export interface JudgedSignature {
  readonly field: string;
  readonly isIntact: boolean;
  /** What was changed after it, by the strictest kind of change that it is. */
  readonly changes: string | null;
  readonly arePermitted: boolean;
  readonly reason: string;
}

/** The signatures of each file. */
export async function judgeSignatures(paths: readonly string[]): Promise<readonly (readonly JudgedSignature[])[]> {
  const { stdout } = await run(judges.signatures, ["judge", ...paths]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

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
