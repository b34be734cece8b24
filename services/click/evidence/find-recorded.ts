import type pg from "pg";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { openChange } from "../consent/sealed-change.ts";
import type { AcceptanceLeaf } from "../domain/acceptance-leaf.ts";
import { isDecision, type ReadReceipt, recordIds } from "../domain/evidence-receipt.ts";
import type { StoredValues } from "../domain/evidence-receipt-checks.ts";
import type { TemplateWords } from "../domain/evidence-receipt-members.ts";
import type { Terms } from "../domain/terms.ts";
import { findAcceptance } from "../store/acceptance-store.ts";
import { findChange } from "../store/consent-store.ts";
import { findTerms } from "../store/content-store.ts";
import { findLeaves } from "../store/log-store.ts";
import { findNewestCheckpoint, type StoredCheckpoint } from "../store/tree-store.ts";
import { openAcceptance } from "../vault/acceptance-seal.ts";
import { readSeed } from "../vault/record-seed.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";

/** What is recorded of a receipt. */
export interface Recorded {
  readonly leafIndex: number;
  readonly values: StoredValues;
  /** Undefined for a record that was made under no terms. */
  readonly words: TemplateWords | undefined;
  /** The newest checkpoint of the log. */
  readonly checkpoint: StoredCheckpoint | undefined;
}

/** Undefined when the organization's log does not hold exactly what was signed. */
export async function findRecorded(
  vault: SubjectVault,
  orgId: OrgId,
  client: pg.ClientBase,
  read: ReadReceipt,
): Promise<Recorded | undefined> {
  const leaves = await findLeaves(orgId, client, recordIds(read.payload).filter(isUuid));
  const leaf = [...leaves.values()].find((one) => one.leaf.equals(read.leaf));
  if (leaf === undefined) return undefined;
  const disclosures = isDecision(read.payload)
    ? await acceptanceDisclosures(vault, orgId, client, leaf.recordId)
    : await changeDisclosures(vault, orgId, client, leaf.recordId);
  return {
    leafIndex: leaf.leafIndex,
    values: { disclosures },
    words: await findWords(orgId, client, read),
    checkpoint: await findNewestCheckpoint(orgId, client),
  };
}

async function acceptanceDisclosures(vault: SubjectVault, orgId: OrgId, client: pg.ClientBase, recordId: string) {
  const acceptance = await findAcceptance(orgId, client, recordId);
  if (acceptance === undefined) return null;
  const record = { organizationId: orgId, recordId };
  const { seed } = readSeed(vault, record, acceptance.seed);
  const { sealed } = acceptance;
  return seed === null || sealed === null ? null : openAcceptance(vault, record, seed, sealed).disclosures;
}

async function changeDisclosures(vault: SubjectVault, orgId: OrgId, client: pg.ClientBase, recordId: string) {
  const change = await findChange(orgId, client, recordId);
  return (change && openChange(vault, orgId, change).secrets?.disclosures) ?? null;
}

/** What the terms call the template. */
async function findWords(orgId: OrgId, client: pg.ClientBase, { payload }: ReadReceipt) {
  if (!isDecision(payload)) return undefined;
  const { termsHash } = payload as unknown as AcceptanceLeaf;
  const [terms] = await findTerms(orgId, client, [Buffer.from(termsHash.slice("sha256:".length), "hex")]);
  return terms && (JSON.parse(terms.text) as Terms);
}
