import { randomBytes } from "node:crypto";
import { createSeedVault, type SeedVault } from "#platform/vault/seed-vault.ts";

/** A vault with keys of its own. */
export function testVault(): SeedVault {
  const key = randomBytes(32);
  return createSeedVault("sign", [key], () => key);
}
