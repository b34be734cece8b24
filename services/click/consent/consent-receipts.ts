import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { receiptJws } from "../log/leaf.ts";
import { findLeaves, type LoggedLeaf } from "../log/log-store.ts";
import { answerReceipt } from "../receipts/receipt.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { withheldConsentReceipt } from "./consent-receipt.ts";
import { findChange, type StoredChange } from "./consent-store.ts";
import { mapInTurns, openChange } from "./sealed-change.ts";

/** A change of consent with its leaf. */
export interface LoggedChange {
  readonly change: StoredChange;
  readonly leaf: LoggedLeaf;
}

export interface ConsentReceiptDeps {
  readonly vault: SubjectVault;
  readonly receiptKeys: Pick<SigningKeys, "byGeneration">;
  readonly issuer: string;
}

/** The receipts, as JSON, of changes made without an acceptance. Must not be called within a transaction. */
export const writeConsentReceipts = (
  deps: ConsentReceiptDeps,
  orgId: OrgId,
  changes: readonly LoggedChange[],
): Promise<string[]> => mapInTurns(changes, (change) => writeReceipt(deps, orgId, change));

/** The change with this receipt, unless an acceptance made it. */
export async function findConsentReceipt(tenant: Tenant, receiptId: string): Promise<LoggedChange | undefined> {
  const change = await findChange(tenant, receiptId);
  return change && (await withLeaves(tenant, [change]))[0];
}

/** Finds the leaves of recorded changes. */
export async function withLeaves(tenant: Tenant, changes: readonly StoredChange[]): Promise<LoggedChange[]> {
  const receiptIds = changes.map(({ receiptId }) => receiptId);
  const leaves = await findLeaves(tenant, receiptIds);
  return changes.map((change) => {
    const leaf = leaves.get(change.receiptId);
    if (leaf === undefined) throw new Error(`the change of consent ${change.receiptId} is not in the log`);
    return { change, leaf };
  });
}

async function writeReceipt(
  { vault, receiptKeys, issuer }: ConsentReceiptDeps,
  organizationId: OrgId,
  { change, leaf }: LoggedChange,
): Promise<string> {
  const key = await receiptKeys.byGeneration(leaf.signedBy);
  if (key === undefined) throw new Error(`there is no receipt key of generation ${leaf.signedBy}`);
  const opened = openChange(vault, organizationId, change);
  const receipt = opened.secrets?.receipt ?? withheldConsentReceipt(organizationId, change);
  const logged = {
    issuer,
    organizationId,
    recordedAt: change.recordedAt,
    leafIndex: leaf.leafIndex,
    epoch: leaf.epoch,
    leafHash: leaf.leafHash,
    kid: key.kid,
    jws: receiptJws(key, leaf.leaf, leaf.signature),
  };
  return answerReceipt(JSON.stringify(receipt), logged, opened);
}
