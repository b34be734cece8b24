import { describe, test } from "@jest/globals";
import { findNatsServer } from "../nats.ts";

/**
 * A suite that needs nats-server. On a machine without one it is skipped with one line, except where CI=true says that
 * everything must be proven: there it fails.
 */
export function describeWithNats(name: string, suite: () => void): void {
  if (findNatsServer() !== undefined) {
    describe(name, suite);
    return;
  }
  if (process.env.CI === "true") {
    test(`${name} needs nats-server`, () => {
      throw new Error("nats-server is not on PATH, and CI=true does not allow skipping");
    });
    return;
  }
  process.stderr.write(`assent: nats-server was not found, skipping the suite '${name}'\n`);
  describe.skip(name, suite);
}
