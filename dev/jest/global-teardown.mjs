import { rmSync } from "node:fs";

export default async function globalTeardown() {
  const { folder, postgres } = globalThis.assentTestCluster;
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
