import type { RecordName, SubjectVault } from "./subject-vault.ts";

/** The seed of a record, if it may be read, or why it may not. */
export interface RecordSeed {
  /** Null when what is sealed stays closed. */
  readonly seed: Buffer | null;
  readonly erased: boolean;
  readonly restricted: boolean;
}

const plainBytes = 32;

/**
 * What a row of click.subject_key comes to; null for none, which is what erasure leaves. A restricted seed is released
 * only for administrators who said why they must see it (GDPR art. 18).
 */
export function readSeed(
  vault: SubjectVault,
  record: RecordName,
  stored: Buffer | null,
  opensRestricted = false,
): RecordSeed {
  if (stored === null) return { seed: null, erased: true, restricted: false };
  if (stored.length === plainBytes) return { seed: stored, erased: false, restricted: false };
  return { seed: opensRestricted ? vault.releaseSeed(record, stored) : null, erased: false, restricted: true };
}
