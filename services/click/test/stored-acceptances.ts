import { leafAndSeed, type SealedAcceptance, sealedColumns } from "../receipts/acceptance-store.ts";
import type { AcceptanceLeaf } from "../receipts/receipt.ts";
import { type OpenedContent, openAcceptance } from "../vault/seals.ts";
import { createSubjectVault } from "../vault/subject-vault.ts";
import { type ClickHarness, rows } from "./harness.ts";

/** An acceptance as it is stored. */
export async function storedAcceptance(click: ClickHarness, receiptId: string): Promise<SealedAcceptance> {
  const sql = `select ${sealedColumns} from click.acceptance a ${leafAndSeed} where a.receipt_id = $1`;
  const [row] = await rows<SealedAcceptance>(click, sql, [receiptId]);
  if (row === undefined) throw new Error(`the acceptance ${receiptId} is not stored`);
  return row;
}

/** What is sealed of an acceptance. */
export async function openedAcceptance(click: ClickHarness, receiptId: string): Promise<OpenedContent> {
  const { organizationId, sealed, seed } = await storedAcceptance(click, receiptId);
  if (sealed === null || seed === null) throw new Error(`the acceptance ${receiptId} was erased`);
  const vault = createSubjectVault([click.masterKey], () => click.masterKey);
  return openAcceptance(vault, { organizationId, recordId: receiptId }, seed, sealed);
}

export async function acceptanceLeafOf(click: ClickHarness, receiptId: string): Promise<AcceptanceLeaf> {
  const { leaf } = await storedAcceptance(click, receiptId);
  return JSON.parse(leaf.toString("utf8")) as AcceptanceLeaf;
}

/** Everything of the rows of a record that somebody finds who has the database, but no master key. */
export async function storedText(click: ClickHarness, recordId: string): Promise<string> {
  const found = await rows<{ text: string }>(
    click,
    `select a::text as text from click.acceptance a where receipt_id = $1
     union all select convert_from(leaf, 'UTF8') from click.log_leaf where record_id = $1
     union all select s::text from click.session s where id in (select session_id from click.acceptance where receipt_id = $1)
     union all select o::text from click.outbox o where data like '%' || $1 || '%'`,
    [recordId],
  );
  return found.map(({ text }) => text).join("\n");
}

/** Makes the stored receipt longer by so many characters. */
export const padReceipt = (click: ClickHarness, receiptId: string, characters: number): Promise<void> =>
  padSealed(click, receiptId, '{"receipt":{', characters);

/** The same with what is sealed besides the receipt. */
export const padEvidence = (click: ClickHarness, receiptId: string, characters: number): Promise<void> =>
  padSealed(click, receiptId, ',"evidence":{', characters);

async function padSealed(click: ClickHarness, receiptId: string, after: string, characters: number): Promise<void> {
  const { organizationId, sealed, seed } = await storedAcceptance(click, receiptId);
  const vault = createSubjectVault([click.masterKey], () => click.masterKey);
  const record = { organizationId, recordId: receiptId };
  const text = vault.open(record, seed as Buffer, sealed as Buffer).toString("utf8");
  const padded = text.replace(after, `${after}"pad":"${"x".repeat(characters)}",`);
  await rows(click, "update click.acceptance set sealed = $2 where receipt_id = $1", [
    receiptId,
    vault.seal(record, seed as Buffer, padded),
  ]);
}

/** Takes away what an erasure takes away. */
export async function eraseAcceptance(click: ClickHarness, receiptId: string): Promise<void> {
  await rows(
    click,
    `with key as (delete from click.subject_key where record_id = $1)
     update click.acceptance set sealed = null, subject_index = null, once_hash = null, erased_at = now()
     where receipt_id = $1`,
    [receiptId],
  );
}

/** Lets only administrators read an acceptance. */
export async function restrictAcceptance(click: ClickHarness, receiptId: string): Promise<void> {
  const { organizationId, seed } = await storedAcceptance(click, receiptId);
  const record = { organizationId, recordId: receiptId };
  const restricted = createSubjectVault([click.masterKey], () => click.masterKey).wrapSeed(record, seed as Buffer);
  await rows(
    click,
    "update click.subject_key set seed = $2, restricted_until = now() + interval '1 day' where record_id = $1",
    [receiptId, restricted],
  );
}
