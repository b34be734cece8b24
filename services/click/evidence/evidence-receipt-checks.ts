import type { LeafPlace } from "../log/log-store.ts";
import { isConsentChange, isDecision, type ReadReceipt } from "./evidence-receipt.ts";
import {
  comparePersonal,
  readDisclosures,
  statedEpoch,
  statedIndex,
  type TemplateWords,
  type WholeReceipt,
  wrongMembers,
} from "./evidence-receipt-members.ts";

export type CheckName =
  | "FORM"
  | "SIGNATURE"
  | "KEY_VALIDITY"
  | "LEAF"
  | "ORGANIZATION"
  | "DISCLOSURES"
  | "RECORDED"
  | "INCLUSION";

/** The result of a check. */
export interface Check {
  readonly check: CheckName;
  readonly ok: boolean;
  readonly message: string;
}

export const passed = (check: CheckName, message: string): Check => ({ check, ok: true, message });
export const failed = (check: CheckName, message: string): Check => ({ check, ok: false, message });

const isWhole = (read: ReadReceipt): read is WholeReceipt => read.receipt !== undefined;

/** Checks that a receipt says what was signed. Undefined when only the JWS was given. */
export function checkLeaf(read: ReadReceipt, words: TemplateWords | undefined): Check | undefined {
  if (!isWhole(read)) return undefined;
  const { payload } = read;
  if (!isDecision(payload) && !isConsentChange(payload)) {
    return failed("LEAF", `What was signed is of the kind ${payload.kind}, of which there are no receipts.`);
  }
  const wrong = wrongMembers(read, words);
  return wrong.length === 0
    ? passed("LEAF", "The receipt says what was signed.")
    : failed("LEAF", `The receipt says something else than what was signed: ${list(wrong)}.`);
}

export const checkOrganization = ({ payload }: ReadReceipt, organizationId: string): Check =>
  payload.org === organizationId
    ? passed("ORGANIZATION", "It belongs to your organization.")
    : failed("ORGANIZATION", "It does not belong to your organization.");

/** The stored personal part of a record. */
export interface StoredValues {
  /** Null when it may not be read. */
  readonly disclosures: readonly string[] | null;
}

/** Checks personal values against the leaf's commitments. Undefined when there is nothing to check. */
export function checkDisclosures(
  read: ReadReceipt,
  given: readonly string[],
  stored: StoredValues | undefined,
): Check | undefined {
  const disclosed = readDisclosures(read.payload, given);
  if (disclosed.kind === "refused") return failed("DISCLOSURES", disclosed.message);
  const names = [...disclosed.values.keys()];
  if (!isWhole(read)) {
    if (names.length === 0) return undefined;
    return passed("DISCLOSURES", `The record commits to what is disclosed: ${list(names)}.`);
  }
  const known = readDisclosures(read.payload, stored?.disclosures ?? []);
  const values = new Map([...(known.kind === "committed" ? known.values : []), ...disclosed.values]);
  const isComplete = known.kind === "committed" && stored?.disclosures != null;
  const { wrong, unconfirmed } = comparePersonal(read, values, isComplete);
  if (wrong.length > 0) {
    return failed("DISCLOSURES", `The receipt shows something else than the record commits to: ${list(wrong)}.`);
  }
  if (unconfirmed.length > 0) {
    const how = "Send their disclosures with it, which still prove them.";
    return failed("DISCLOSURES", `Nothing here confirms what the receipt shows as ${list(unconfirmed)}. ${how}`);
  }
  return passed("DISCLOSURES", "What the receipt shows of a person is what the record commits to.");
}

/** Checks that the log of the caller's organization holds the record where the receipt says. */
export function checkRecorded(
  { receipt, payload }: ReadReceipt,
  place: LeafPlace | undefined,
  lostAt: Date | undefined,
): Check {
  if (lostAt !== undefined) {
    const when = `by a restore of the database, which was noticed at ${lostAt.toISOString()}`;
    return failed("RECORDED", `It was signed, then lost ${when}: the log of your organization does not hold it.`);
  }
  if (place === undefined) return failed("RECORDED", "The log of your organization holds no such record.");
  const { leafIndex, epoch } = place;
  const isThere =
    receipt === undefined || (statedIndex(receipt) === leafIndex && statedEpoch(payload, receipt) === (epoch ?? 1));
  return isThere
    ? passed("RECORDED", `The log of your organization holds the record at index ${leafIndex}.`)
    : failed("RECORDED", `The log holds the record at index ${leafIndex}, not at the one that the receipt states.`);
}

const list = (names: readonly string[]): string =>
  names
    .map((name) => name.slice(0, 50))
    .slice(0, 20)
    .join(", ");
