// `npm run keep-release`: keeps what the next releases are compared with, the contracts and the interface as they are now.
// Run it when a release is made, and commit what it writes.
// npm run keep-release -- --only contracts
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compressed, interfaceFile, interfaceOfNow } from "./released-interface.ts";

const { values } = parseArgs({ options: { only: { type: "string", default: "contracts,interface" } } });
const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

const keepers: Readonly<Record<string, () => void | Promise<void>>> = {
  contracts: keepContracts,
  interface: () => writeFileSync(interfaceFile, compressed(interfaceOfNow())),
};
for (const name of values.only.split(",")) {
  const keep = keepers[name];
  if (keep === undefined) throw new Error(`there is no ${name}; there are ${Object.keys(keepers).join(", ")}`);
  await keep();
  process.stdout.write(`kept of ${version}: ${name}\n`);
}

/** With everything that they import, so that a comparison needs nothing else. */
function keepContracts(): void {
  const file = join(import.meta.dirname, "contracts.binpb.gz");
  const args = ["build", "proto", "--exclude-source-info", "--output", file];
  const { status } = spawnSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("buf build failed");
}
