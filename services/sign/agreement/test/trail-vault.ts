import { randomBytes } from "node:crypto";
import type pg from "pg";
import { createPostgresBlobStore } from "#platform/blobs/blob-store.ts";
import { createLogger } from "#platform/logger.ts";
import { createSeedVault, type SeedVault } from "#platform/vault/seed-vault.ts";
import type { SignDeps } from "../../deps.ts";
import { createAgreementFiles } from "../../files/agreement-files.ts";
import { createIdentityCodes } from "../../identity/codes.ts";
import { createReportTokens } from "../../mail/report-tokens.ts";
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
): Pick<SignDeps, "vault" | "files" | "records" | "reportTokens" | "codes"> {
  const blobs = createPostgresBlobStore({ pool, schema: "sign" });
  const files = createAgreementFiles({ blobs, vault, logger: createLogger("sign", "silent") });
  const key = randomBytes(32);
  return {
    ...{ vault, files, records: createFakeRecords().holders },
    ...{ reportTokens: createReportTokens(() => key), codes: createIdentityCodes(() => key) },
  };
}
