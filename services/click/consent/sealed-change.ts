import { setImmediate } from "node:timers/promises";
import { newSeed } from "#platform/vault/sealed-box.ts";
import type { RecordState } from "../receipts/receipt.ts";
import { readSeed, type SubjectVault } from "../vault/subject-vault.ts";
import type { ConsentEvent, ExplainedEvent } from "./consent.ts";
import type { ConsentReceipt } from "./consent-receipt.ts";
import type { StoredChange } from "./consent-store.ts";

/** Opening a thousand records takes about 50 ms of CPU, so yield to other requests in between. */
const mappedAtOnce = 50;

/** Like Array.map, but yields to other work between slices. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R | Promise<R>): Promise<R[]> {
  const mapped: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % mappedAtOnce === 0) await setImmediate();
    mapped.push(await map(item));
  }
  return mapped;
}

/** The sealed part of a consent change made without an acceptance: all personal values are in it. */
export interface ChangeSecrets {
  readonly receipt: ConsentReceipt;
  /** The disclosures of its leaf (RFC 9901). */
  readonly disclosures: readonly string[];
}

/** Seals changes, each with a seed of its own. */
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
  /** Null when an acceptance made the change, or when nothing personal may be read. */
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

/** Adds the stated reasons to changes, as far as they may be read. */
export const explainChanges = (
  vault: SubjectVault,
  organizationId: string,
  changes: readonly StoredChange[],
): Promise<ExplainedEvent[]> =>
  mapInTurns(changes, (change) => ({
    ...change,
    reason: openChange(vault, organizationId, change).secrets?.receipt.reason ?? null,
  }));
