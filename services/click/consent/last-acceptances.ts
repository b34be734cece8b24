import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { LastAcceptance } from "../domain/agreement-state.ts";
import type { RecordedReceipt } from "../domain/receipt.ts";
import { findLastAcceptances, type LastQuery } from "../store/acceptance-list.ts";
import { openReceipt } from "../vault/acceptance-seal.ts";
import { readSeed } from "../vault/record-seed.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";

/** The last acceptance or decline of each template, newest first; none that may not be read. */
export async function readLastAcceptances(
  vault: SubjectVault,
  orgId: OrgId,
  client: pg.ClientBase,
  query: LastQuery,
): Promise<LastAcceptance[]> {
  const found = await findLastAcceptances(orgId, client, query);
  return found.flatMap(({ receiptId: recordId, sealed, seed: stored }) => {
    const record = { organizationId: orgId, recordId };
    const { seed } = readSeed(vault, record, stored);
    if (seed === null || sealed === null) return [];
    return [lastAcceptance(JSON.parse(openReceipt(vault, record, seed, sealed)) as RecordedReceipt)];
  });
}

const lastAcceptance = (receipt: RecordedReceipt): LastAcceptance => ({
  templateId: receipt.templateId,
  templateSlug: receipt.templateSlug,
  versionId: receipt.versionId,
  revision: receipt.revision,
  label: receipt.versionLabel,
  locale: receipt.locale,
  decision: receipt.decision,
  acceptedAt: new Date(receipt.acceptedAt),
  receiptId: receipt.receiptId,
  purposes: receipt.purposes,
});
