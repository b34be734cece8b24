// `npm run keep-release`: keeps what the next releases are compared with: the contracts, the interface, and what an
// installation leaves in its database. Run it when a release is made, and commit what it writes.
// npm run keep-release -- --only contracts,rows
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keepInstallation } from "../upgrade/keep.ts";
import { compressed, interfaceFile, interfaceOfNow } from "./released-interface.ts";

const { values } = parseArgs({ options: { only: { type: "string", default: "contracts,interface,rows" } } });
const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

const keepers: Readonly<Record<string, () => void | Promise<void>>> = {
  contracts: keepContracts,
  interface: () => writeFileSync(interfaceFile, compressed(interfaceOfNow())),
  rows: keepRows,
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

async function keepRows(): Promise<void> {
  const empty = await keepInstallation(version);
  process.stdout.write(`tables without a row: ${empty.join(", ")}\n`);
}
