import { type AcceptanceEvidence, type KeptEvidence, restoreEvidence } from "../domain/acceptance-evidence.ts";
import type { RecordedReceipt } from "../domain/receipt.ts";
import type { RecordName, SubjectVault } from "./subject-vault.ts";

/** What is sealed of an acceptance. */
export interface AcceptanceContent {
  /** JSON, up to what the log adds. */
  readonly receipt: string;
  /** Of its leaf (RFC 9901). */
  readonly disclosures: readonly string[];
  readonly evidence: KeptEvidence;
}

/** What was sealed of an acceptance, taken apart. */
export interface OpenedContent {
  readonly receipt: RecordedReceipt;
  readonly disclosures: readonly string[];
  readonly evidence: AcceptanceEvidence;
}

export const sealAcceptance = (
  vault: SubjectVault,
  record: RecordName,
  seed: Buffer,
  { receipt, disclosures, evidence }: AcceptanceContent,
): Buffer => {
  // Disclosures are base64url and need no escapes: 0.2 µs instead of 1.5 µs with JSON.stringify.
  const list = disclosures.length === 0 ? "[]" : `["${disclosures.join('","')}"]`;
  const text = `{"receipt":${receipt}${afterReceipt}${list},"evidence":${JSON.stringify(evidence)}}`;
  return vault.seal(record, seed, text);
};

/** No receipt has this in it: within a string each quotation mark follows a backslash. */
const afterReceipt = ',"disclosures":';

/** The very text that was sealed of a receipt. Throws when the acceptance was sealed otherwise. */
export function openReceipt(vault: SubjectVault, record: RecordName, seed: Buffer, sealed: Buffer): string {
  const text = vault.open(record, seed, sealed).toString("utf8");
  return text.slice('{"receipt":'.length, text.indexOf(afterReceipt));
}

/** Throws like openReceipt. */
export function openAcceptance(vault: SubjectVault, record: RecordName, seed: Buffer, sealed: Buffer): OpenedContent {
  const { receipt, disclosures, evidence } = JSON.parse(vault.open(record, seed, sealed).toString("utf8")) as {
    readonly receipt: RecordedReceipt;
    readonly disclosures: readonly string[];
    readonly evidence: KeptEvidence;
  };
  return { receipt, disclosures, evidence: restoreEvidence(evidence, disclosures, receipt.renderHash) };
}
