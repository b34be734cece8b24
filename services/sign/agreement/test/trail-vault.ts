import { randomBytes } from "node:crypto";
import type pg from "pg";
import { createPostgresBlobStore } from "#platform/blobs/blob-store.ts";
import { createLogger } from "#platform/logger.ts";
import { createSeedVault, type SeedVault } from "#platform/vault/seed-vault.ts";
import { type AgreementFiles, createAgreementFiles } from "../../files/agreement-files.ts";
import type { RecordHolders } from "../../retention/periods.ts";
import { createFakeRecords } from "../../test/fake-click.ts";

/** A vault with keys of its own. */
function testVault(): SeedVault {
  const key = randomBytes(32);
  return createSeedVault("sign", [key], () => key);
}

/** What agreements are sealed with, and the store of their files. */
export function testSeals(
  pool: pg.Pool,
  vault = testVault(),
): { readonly vault: SeedVault; readonly files: AgreementFiles; readonly records: RecordHolders } {
  const blobs = createPostgresBlobStore({ pool, schema: "sign" });
  const files = createAgreementFiles({ blobs, vault, logger: createLogger("sign", "silent") });
  return { vault, files, records: createFakeRecords().holders };
}
