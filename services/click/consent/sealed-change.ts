import type { RecordState } from "../receipts/receipt-answer.ts";
import { newSeed, readSeed, type SubjectVault } from "../vault/subject-vault.ts";
import type { ConsentEvent, ExplainedEvent } from "./consent.ts";
import type { ConsentReceipt } from "./consent-receipt.ts";
import type { StoredChange } from "./consent-store.ts";
import { mapInTurns } from "./map-in-turns.ts";

/** What is sealed of a change of consent that was no acceptance: every personal value is in one of them. */
export interface ChangeSecrets {
  readonly receipt: ConsentReceipt;
  /** Of its leaf (RFC 9901). */
  readonly disclosures: readonly string[];
}

/** Seals them under a seed of their own. */
export function sealChange(
  vault: SubjectVault,
  organizationId: string,
  { receiptId }: Pick<ConsentEvent, "receiptId">,
  secrets: ChangeSecrets,
): { readonly sealed: Buffer; readonly seed: Buffer } {
  const seed = newSeed();
  return { seed, sealed: vault.seal({ organizationId, recordId: receiptId }, seed, JSON.stringify(secrets)) };
}

export interface OpenedChange extends RecordState {
  /** Null when an acceptance made the change, and when nothing personal may be read. */
  readonly secrets: ChangeSecrets | null;
}

export function openChange(
  vault: SubjectVault,
  organizationId: string,
  { receiptId, sealed, seed: stored }: StoredChange,
): OpenedChange {
  const record = { organizationId, recordId: receiptId };
  const { seed, erased, restricted } = readSeed(vault, record, stored);
  if (sealed === null || seed === null) return { secrets: null, erased, restricted };
  const plain = vault.open(record, seed, sealed);
  return { secrets: JSON.parse(plain.toString("utf8")) as ChangeSecrets, erased, restricted };
}

/** Changes with what was said about them, as far as it may be read. */
export const explainChanges = (
  vault: SubjectVault,
  organizationId: string,
  changes: readonly StoredChange[],
): Promise<ExplainedEvent[]> =>
  mapInTurns(changes, (change) => ({
    ...change,
    reason: openChange(vault, organizationId, change).secrets?.receipt.reason ?? null,
  }));
