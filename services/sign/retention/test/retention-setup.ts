import { createPostgresBlobStore } from "#platform/blobs/blob-store.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createHashKey } from "#platform/master-keys/hash-key.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import { createSeedVault } from "#platform/vault/seed-vault.ts";
import type { SignHarness } from "../../test/harness.ts";
import type { RecordRemoverDeps } from "../record-remover.ts";
import type { RemoverDeps } from "../remover.ts";

export const dayMs = 86_400_000;

/** What deletes agreements beside the process that serves. */
export async function removal(
  sign: SignHarness,
): Promise<RemoverDeps & RecordRemoverDeps & { close(): Promise<void> }> {
  const pool = createPool({ url: sign.database.url, role: "assent_sign", max: 1, name: "sign" });
  const removerPool = createPool({ url: sign.database.url, role: "assent_sign_remover", max: 4, name: "sign-remover" });
  const masterKeys = parseMasterKeys(sign.masterKey);
  const logger = createLogger("sign", "silent");
  const hashKey = createHashKey({ pool, schema: "sign", masterKeys, logger, findFormer: async () => undefined });
  await hashKey.load();
  return {
    ...{ removerPool, clock: sign.clock, newId, perMinute: 1_000, onDeleted: () => {} },
    ...{ records: sign.records.holders, logger },
    blobs: createPostgresBlobStore({ pool: removerPool, schema: "sign" }),
    vault: createSeedVault("sign", masterKeys, hashKey.value),
    close: async () => {
      await Promise.all([pool.end(), removerPool.end()]);
    },
  };
}
