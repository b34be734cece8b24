import { setImmediate } from "node:timers/promises";
import type { Receipt } from "#api/receipts.ts";
import type { OrgId } from "#platform/ids.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { compactJws, jwsHeader } from "../log/leaf.ts";
import type { ContentKeeper } from "../terms/content-keeper.ts";
import type { Terms } from "../terms/terms.ts";
import { openAcceptance, openReceipt } from "../vault/seals.ts";
import { type RecordSeed, readSeed, type SubjectVault } from "../vault/subject-vault.ts";
import type { AcceptanceEvidence } from "./acceptance-evidence.ts";
import type { SealedAcceptance } from "./acceptance-store.ts";
import { type AcceptanceLeaf, answerReceipt, type LoggedReceipt, withheldReceipt } from "./receipt.ts";

/** What the log adds to receipts. */
export interface ReceiptLogDeps {
  readonly receiptKeys: Pick<SigningKeys, "byGeneration">;
  readonly issuer: string;
}

export interface ReadAcceptanceDeps extends ReceiptLogDeps {
  readonly vault: SubjectVault;
}

export interface ReceiptDeps extends ReadAcceptanceDeps {
  readonly content: Pick<ContentKeeper, "loadTerms">;
}

/** An acceptance that has its place in the log. */
export type PlacedAcceptance = Omit<SealedAcceptance, "receiptId" | "sealed" | "seed">;

/** The receipts of acceptances that were just recorded, from the texts that were sealed. */
export async function answerRecorded(
  deps: ReceiptLogDeps,
  recorded: readonly (PlacedAcceptance & { readonly receipt: string })[],
): Promise<string[]> {
  const keys = await findKeys(deps, recorded);
  return recorded.map((one) => answerReceipt(one.receipt, logged(deps, one, keys)));
}

/** Opening a thousand records takes some 50 ms of CPU; pauses let other requests run in between. */
const openedAtOnce = 50;

/**
 * The receipts of stored acceptances, in their order; when all would exceed `maxBytes`, only the first ones, but at
 * least one. Uses connections of its own, so it must not be awaited inside a transaction.
 */
export async function writeReceipts(
  deps: ReceiptDeps,
  acceptances: readonly SealedAcceptance[],
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const keys = await findKeys(deps, acceptances);
  const receipts: string[] = [];
  let bytes = 0;
  for (const [index, acceptance] of acceptances.entries()) {
    if (index > 0 && index % openedAtOnce === 0) await setImmediate();
    const known = seedOf(deps, acceptance);
    const text = openText(deps, acceptance, known) ?? (await rebuildText(deps, acceptance));
    const receipt = answerReceipt(text, logged(deps, acceptance, keys), known);
    bytes += Buffer.byteLength(receipt);
    if (bytes > maxBytes && receipts.length > 0) break;
    receipts.push(receipt);
  }
  return receipts;
}

function openText({ vault }: ReceiptDeps, acceptance: SealedAcceptance, { seed }: RecordSeed): string | undefined {
  const { sealed } = acceptance;
  return seed === null || sealed === null ? undefined : openReceipt(vault, nameOf(acceptance), seed, sealed);
}

async function rebuildText({ content }: ReceiptDeps, { organizationId, leaf }: SealedAcceptance): Promise<string> {
  const payload = parseLeaf(leaf);
  const termsHash = Buffer.from(payload.termsHash.slice("sha256:".length), "hex");
  const { terms } = await content.loadTerms(organizationId as OrgId, termsHash);
  return JSON.stringify(withheldReceipt(payload, terms));
}

/** An acceptance as its readers may see it. */
export interface OpenedAcceptance {
  readonly receipt: Receipt;
  /** The receipt as it is answered: the same bytes for ever, until it is erased or restricted. */
  readonly receiptJson: string;
  /** Null when no personal data may be read. */
  readonly evidence: AcceptanceEvidence | null;
  /** The disclosures of its leaf (RFC 9901); empty when no personal data may be read. */
  readonly disclosures: readonly string[];
  /** The compact JWS of its leaf. */
  readonly jws: string;
}

/** An acceptance with everything that is stored about it; restricted data only if requested. */
export async function readAcceptance(
  deps: ReadAcceptanceDeps,
  acceptance: SealedAcceptance & { readonly terms: string },
  opensRestricted = false,
): Promise<OpenedAcceptance> {
  const known = seedOf(deps, acceptance, opensRestricted);
  const log = logged(deps, acceptance, await findKeys(deps, [acceptance]));
  const { seed } = known;
  const { sealed } = acceptance;
  const opened = seed && sealed && openAcceptance(deps.vault, nameOf(acceptance), seed, sealed);
  const readable = opened
    ? opened.receipt
    : withheldReceipt(parseLeaf(acceptance.leaf), JSON.parse(acceptance.terms) as Terms);
  const receiptJson = answerReceipt(JSON.stringify(readable), log, known);
  return {
    receipt: JSON.parse(receiptJson) as Receipt,
    receiptJson,
    evidence: opened ? opened.evidence : null,
    disclosures: opened ? opened.disclosures : [],
    jws: log.jws,
  };
}

const nameOf = ({ organizationId, receiptId }: SealedAcceptance) => ({ organizationId, recordId: receiptId });

const seedOf = ({ vault }: ReadAcceptanceDeps, acceptance: SealedAcceptance, opensRestricted = false): RecordSeed =>
  readSeed(vault, nameOf(acceptance), acceptance.seed, opensRestricted);

const parseLeaf = (leaf: Buffer): AcceptanceLeaf => JSON.parse(leaf.toString("utf8")) as AcceptanceLeaf;

interface JwsKey {
  readonly kid: string;
  readonly header: string;
}

/** By generation. */
type JwsKeys = ReadonlyMap<number, JwsKey>;

async function findKeys(
  { receiptKeys }: ReceiptLogDeps,
  leaves: readonly Pick<PlacedAcceptance, "signedBy">[],
): Promise<JwsKeys> {
  const keys = new Map<number, JwsKey>();
  for (const { signedBy } of leaves) {
    if (keys.has(signedBy)) continue;
    const key = await receiptKeys.byGeneration(signedBy);
    if (key === undefined) throw new Error(`there is no receipt key of generation ${signedBy}`);
    keys.set(signedBy, { kid: key.kid, header: jwsHeader(key) });
  }
  return keys;
}

function logged({ issuer }: ReceiptLogDeps, placed: PlacedAcceptance, keys: JwsKeys): LoggedReceipt {
  const { organizationId, acceptedAt, leafIndex, epoch, leafHash, signedBy, leaf, signature } = placed;
  const { kid, header } = keys.get(signedBy) as JwsKey;
  const jws = compactJws(header, leaf, signature);
  return { issuer, organizationId, recordedAt: acceptedAt, leafIndex, epoch, leafHash, kid, jws };
}
