import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { findSealedRendering } from "../store/shown-store.ts";
import { readSeed } from "./record-seed.ts";
import type { RecordName, SubjectVault } from "./subject-vault.ts";

/** The HTML of a GENERATED text with somebody's values. */
export const sealRendering = (vault: SubjectVault, record: RecordName, seed: Buffer, html: string): Buffer =>
  vault.seal(record, seed, html);

/**
 * What was shown with the values of this session, or of this acceptance without one; null when there is nothing or it may
 * not be read. Throws when it was sealed otherwise.
 */
export async function readSealedRendering(
  vault: SubjectVault,
  orgId: OrgId,
  client: pg.ClientBase,
  recordId: string,
  opensRestricted = false,
): Promise<string | null> {
  const found = await findSealedRendering(orgId, client, recordId);
  if (found === undefined) return null;
  const record = { organizationId: orgId, recordId };
  const { seed } = readSeed(vault, record, found.seed, opensRestricted);
  return seed === null ? null : vault.open(record, seed, found.sealed).toString("utf8");
}
