import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { parseCheckpoint } from "#platform/transparency/checkpoint.ts";
import { verifyNote } from "#platform/transparency/signed-note.ts";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { findChange } from "../consent/consent-store.ts";
import { openChange } from "../consent/sealed-change.ts";
import { originVerifierKeys } from "../keys/evidence-parts.ts";
import type { SigningKey } from "../keys/signing-keys.ts";
import { listEpochs } from "../log/epoch-store.ts";
import { epochOf, leafHashOf } from "../log/leaf.ts";
import { findLeaves, findNewestCheckpoint, type LeafPlace, type StoredCheckpoint } from "../log/log-store.ts";
import { findAcceptance } from "../receipts/acceptance-store.ts";
import { isSignedBy } from "../receipts/compact-jws.ts";
import type { AcceptanceLeaf } from "../receipts/receipt.ts";
import { findTerms } from "../terms/content-store.ts";
import type { Terms } from "../terms/terms.ts";
import { openAcceptance } from "../vault/seals.ts";
import { readSeed, type SubjectVault } from "../vault/subject-vault.ts";
import { madeAt, promisedTime } from "./evidence-integrity.ts";
import {
  comparePersonal,
  type GivenReceipt,
  isConsentChange,
  isDecision,
  type ReadReceipt,
  readDisclosures,
  readReceipt,
  recordIds,
  statedEpoch,
  statedIndex,
  type TemplateWords,
  type WholeReceipt,
  wrongMembers,
} from "./evidence-receipt.ts";
import type { EvidenceDeps } from "./write-bundle.ts";

type Deps = Pick<EvidenceDeps, "pool" | "vault" | "issuer" | "receiptKeys" | "logKeys" | "proofs">;

export interface VerificationRequest extends GivenReceipt {
  readonly disclosures: readonly string[];
  readonly now: Date;
}

/**
 * Verifies a receipt against the keys and against one organization's log and records; other organizations'
 * receipts count as unknown. A receipt not signed by this installation is not checked further. Must not be
 * called within a transaction.
 */
export async function verifyReceipt(deps: Deps, orgId: OrgId, request: VerificationRequest): Promise<Check[]> {
  const form = readReceipt(request);
  if (form.kind === "malformed") return [failed("FORM", form.message)];
  const { read } = form;
  const wellFormed = passed("FORM", "It is a receipt with a signature.");
  const key = await deps.receiptKeys.find(read.signed.kid);
  if (key === undefined || !isSignedBy(read.signed, key.publicKey)) {
    return [wellFormed, failed("SIGNATURE", "It is not signed by a receipt key of this installation.")];
  }
  const isOwn = read.payload.org === orgId;
  const recorded = isOwn
    ? await withOrg(deps.pool, orgId, (tenant) => findRecorded(deps.vault, tenant, read))
    : undefined;
  const checks = [
    wellFormed,
    passed("SIGNATURE", `It is signed by the key ${key.kid}.`),
    checkKey(deps, key, read),
    checkLeaf(read, recorded?.words),
    checkOrganization(read, orgId),
    checkDisclosures(read, request.disclosures, recorded?.values),
    checkRecorded(read, recorded, isOwn && recorded === undefined ? await findLoss(deps, orgId, read) : undefined),
    recorded && (await checkInclusion(deps, orgId, { read, recorded, now: request.now })),
  ];
  return checks.filter((check) => check !== undefined);
}

function checkKey({ receiptKeys }: Deps, key: SigningKey, { payload }: ReadReceipt): Check {
  const time = madeAt(payload);
  if (receiptKeys.signedAt(key, time)) return passed("KEY_VALIDITY", `The key was in use at ${time.toISOString()}.`);
  const revoked = key.revokedAt === null ? "" : ` It was revoked as of ${key.revokedAt.toISOString()}.`;
  return failed("KEY_VALIDITY", `The key was not in use at ${time.toISOString()}.${revoked}`);
}

interface ToInclude {
  readonly read: ReadReceipt;
  readonly recorded: Recorded;
  readonly now: Date;
}

async function checkInclusion(deps: Deps, orgId: OrgId, { read, recorded, now }: ToInclude): Promise<Check> {
  const { leafIndex, checkpoint } = recorded;
  if (checkpoint === undefined || leafIndex >= checkpoint.size) return checkPromise(read, now);
  const [origin = ""] = checkpoint.note.split("\n", 1);
  const logKeys = originVerifierKeys(await deps.logKeys.all(), [origin]);
  const tree = parseCheckpoint(verifyNote(checkpoint.note, logKeys)?.text ?? "");
  if (tree === undefined || epochOf(deps.issuer, orgId, origin) === undefined)
    return failed("INCLUSION", "The newest checkpoint of the log is not signed by the log.");
  const { path } = await deps.proofs.inclusion(orgId, leafIndex, tree.size);
  return verifyInclusion(leafIndex, tree.size, leafHashOf(read.leaf), path, tree.root)
    ? passed("INCLUSION", `The published checkpoint of the log at ${tree.size} records covers it.`)
    : failed("INCLUSION", `The published checkpoint of the log at ${tree.size} records does not cover it.`);
}

/** A receipt promises that its leaf will be logged. */
function checkPromise({ payload }: ReadReceipt, now: Date): Check {
  const promised = promisedTime(payload);
  const until = promised.toISOString();
  return now > promised
    ? failed("INCLUSION", `It was promised to be in a published checkpoint by ${until}, and is not.`)
    : passed("INCLUSION", `No published checkpoint covers it yet; that is promised by ${until}.`);
}

/**
 * When the record was lost: the first epoch that was opened after the one in which it was recorded, as its receipt says,
 * or after its time.
 */
async function findLoss({ pool }: Deps, orgId: OrgId, { payload, receipt }: ReadReceipt): Promise<Date | undefined> {
  const epochs = await withOrg(pool, orgId, listEpochs);
  const stated = receipt && statedEpoch(payload, receipt);
  const index = receipt && Number(statedIndex(receipt));
  const lost = epochs.find(({ epoch, openedAt, missing }) =>
    stated === undefined || index === undefined ? madeAt(payload) <= openedAt : epoch > stated && index >= missing.from,
  );
  return lost?.openedAt;
}

/** The recorded data of a receipt. */
interface Recorded extends LeafPlace {
  readonly values: StoredValues;
  /** Undefined for a record without terms. */
  readonly words: TemplateWords | undefined;
  /** The log's latest checkpoint. */
  readonly checkpoint: StoredCheckpoint | undefined;
}

/** Undefined when the organization's log does not contain exactly what was signed. */
async function findRecorded(vault: SubjectVault, tenant: Tenant, read: ReadReceipt): Promise<Recorded | undefined> {
  const leaves = await findLeaves(tenant, recordIds(read.payload).filter(isUuid));
  const leaf = [...leaves.values()].find((one) => one.leaf.equals(read.leaf));
  if (leaf === undefined) return undefined;
  const disclosures = isDecision(read.payload)
    ? await acceptanceDisclosures(vault, tenant, leaf.recordId)
    : await changeDisclosures(vault, tenant, leaf.recordId);
  return {
    leafIndex: leaf.leafIndex,
    epoch: leaf.epoch,
    values: { disclosures },
    words: await findWords(tenant, read),
    checkpoint: await findNewestCheckpoint(tenant),
  };
}

async function acceptanceDisclosures(vault: SubjectVault, tenant: Tenant, recordId: string) {
  const acceptance = await findAcceptance(tenant, recordId);
  if (acceptance === undefined) return null;
  const record = { organizationId: tenant.orgId, recordId };
  const { seed } = readSeed(vault, record, acceptance.seed);
  const { sealed } = acceptance;
  return seed === null || sealed === null ? null : openAcceptance(vault, record, seed, sealed).disclosures;
}

async function changeDisclosures(vault: SubjectVault, tenant: Tenant, recordId: string) {
  const change = await findChange(tenant, recordId);
  return (change && openChange(vault, tenant.orgId, change).secrets?.disclosures) ?? null;
}

/** The template's names in its terms. */
async function findWords(tenant: Tenant, { payload }: ReadReceipt) {
  if (!isDecision(payload)) return undefined;
  const { termsHash } = payload as unknown as AcceptanceLeaf;
  const [terms] = await findTerms(tenant, [Buffer.from(termsHash.slice("sha256:".length), "hex")]);
  return terms && (JSON.parse(terms.text) as Terms);
}

type CheckName =
  | "FORM"
  | "SIGNATURE"
  | "KEY_VALIDITY"
  | "LEAF"
  | "ORGANIZATION"
  | "DISCLOSURES"
  | "RECORDED"
  | "INCLUSION";

/** The result of a check. */
interface Check {
  readonly check: CheckName;
  readonly ok: boolean;
  readonly message: string;
}

const passed = (check: CheckName, message: string): Check => ({ check, ok: true, message });
const failed = (check: CheckName, message: string): Check => ({ check, ok: false, message });

const isWhole = (read: ReadReceipt): read is WholeReceipt => read.receipt !== undefined;

/** Checks that a receipt says what was signed. Undefined when only the JWS was given. */
function checkLeaf(read: ReadReceipt, words: TemplateWords | undefined): Check | undefined {
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

const checkOrganization = ({ payload }: ReadReceipt, organizationId: string): Check =>
  payload.org === organizationId
    ? passed("ORGANIZATION", "It belongs to your organization.")
    : failed("ORGANIZATION", "It does not belong to your organization.");

/** The stored personal part of a record. */
interface StoredValues {
  /** Null when it may not be read. */
  readonly disclosures: readonly string[] | null;
}

/** Checks personal values against the leaf's commitments. Undefined when there is nothing to check. */
function checkDisclosures(
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
function checkRecorded(
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
