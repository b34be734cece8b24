import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { canonicalJson } from "#platform/canonical-json.ts";
import { digestOf, parseDisclosure } from "#platform/vault/disclosures.ts";
import type { ConsentEvent, ConsentEventType } from "../consent/consent.ts";
import { type ConsentLeaf, withheldConsentReceipt } from "../consent/consent-receipt.ts";
import { epochOf, type LeafPayload, leafHashOf, receiptTyp } from "../log/leaf.ts";
import { type ParsedJws, parseJws } from "../receipts/compact-jws.ts";
import { type AcceptanceLeaf, answerReceipt, type LoggedReceipt, withheldReceipt } from "../receipts/receipt.ts";
import type { Terms } from "../terms/terms.ts";

/** The receipt to verify: exactly one of the two. */
export interface GivenReceipt {
  /** As the API returned it. */
  readonly receipt: JsonObject | undefined;
  /** Compact. */
  readonly jws: string | undefined;
}

/** A well-formed receipt. Its payload is trustworthy only after the signature has been verified. */
export interface ReadReceipt {
  /** Undefined when only its JWS was given. */
  readonly receipt: JsonObject | undefined;
  readonly jws: string;
  readonly signed: ParsedJws;
  readonly payload: ReceiptPayload;
  /** The exact bytes that were signed. */
  readonly leaf: Buffer;
}

/** The member that names the record depends on the kind of leaf. */
export interface ReceiptPayload extends LeafPayload {
  readonly rid?: string;
  readonly eid?: string;
  readonly sid?: string;
  readonly _sd?: readonly string[];
}

export type ReceiptForm =
  | { readonly kind: "read"; readonly read: ReadReceipt }
  | { readonly kind: "malformed"; readonly message: string };

const maxJwsLength = 65_536;

/** Reads a receipt, or only its JWS. */
export function readReceipt({ receipt, jws: given }: GivenReceipt): ReceiptForm {
  const jws = given ?? (isObject(receipt?.signature) ? receipt.signature.jws : undefined);
  if (typeof jws !== "string") return malformed("The receipt has no signature.jws.");
  const signed = parseJws(jws, { typ: receiptTyp, maxLength: maxJwsLength });
  if (signed === undefined || !isObject(signed.payload)) {
    return malformed(`It is not a compact JWS of the type ${receiptTyp} with a JSON object in it.`);
  }
  const payload = signed.payload as unknown as ReceiptPayload;
  return { kind: "read", read: { receipt, jws, signed, payload, leaf: payloadBytes(jws) } };
}

const malformed = (message: string): ReceiptForm => ({ kind: "malformed", message });

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const payloadBytes = (jws: string): Buffer => Buffer.from(jws.split(".")[1] ?? "", "base64url");

export const isDecision = ({ kind }: Pick<LeafPayload, "kind">): boolean =>
  kind === "click.acceptance" || kind === "click.decline";

export const isConsentChange = ({ kind }: Pick<LeafPayload, "kind">): boolean => kind.startsWith("click.consent.");

/** The possible ids of the record in the log. */
export const recordIds = ({ rid, eid, sid }: ReceiptPayload): string[] =>
  [rid, eid, sid].filter((id) => id !== undefined);

/** A receipt's names for the template; its leaf only holds the hash of the terms. */
export type TemplateWords = Pick<Terms, "slug" | "name" | "type">;

/** A complete receipt. */
export type WholeReceipt = ReadReceipt & { readonly receipt: JsonObject };

/**
 * Members of a receipt that differ from its leaf or that no receipt has. Personal members and their erasure
 * status are not compared. Without `words`, neither are the names of the template.
 */
export function wrongMembers(read: WholeReceipt, words: TemplateWords | undefined): string[] {
  const { receipt } = read;
  const expected = JSON.parse(expectedReceipt(read, words ?? statedWords(receipt))) as JsonObject;
  const free = new Set(["erased", "restricted", ...personalMembers(read).map(({ member }) => member)]);
  const names = new Set([...Object.keys(expected), ...Object.keys(receipt)]);
  return [...names].filter((name) => {
    const isFree = free.has(name) && Object.hasOwn(receipt, name);
    return !isFree && !isSame(receipt[name], expected[name]);
  });
}

const isSame = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b);

const statedWords = ({ templateSlug: slug, templateName: name, templateType: type }: JsonObject): TemplateWords =>
  ({ slug, name, type }) as unknown as TemplateWords;

/** The receipt as it would be returned if nothing personal could be read. */
function expectedReceipt(read: WholeReceipt, words: TemplateWords): string {
  const { payload } = read;
  if (isDecision(payload)) {
    const leaf = payload as unknown as AcceptanceLeaf;
    return answerReceipt(JSON.stringify(withheldReceipt(leaf, words as Terms)), loggedAs(read, leaf.acceptedAt));
  }
  const leaf = payload as unknown as ConsentLeaf;
  const receipt = withheldConsentReceipt(leaf.org, consentEvent(leaf));
  return answerReceipt(JSON.stringify(receipt), loggedAs(read, leaf.recordedAt));
}

function loggedAs({ payload, leaf, jws, signed, receipt }: WholeReceipt, recordedAt: string): LoggedReceipt {
  return {
    issuer: payload.iss,
    organizationId: payload.org,
    recordedAt: new Date(recordedAt),
    // Only the log can confirm this.
    leafIndex: statedIndex(receipt) as number,
    epoch: statedEpoch(payload, receipt) ?? null,
    leafHash: leafHashOf(leaf),
    kid: signed.kid,
    jws,
  };
}

/** The leaf's log index according to the receipt. */
export const statedIndex = (receipt: JsonObject): JsonValue => logMember(receipt, "leafIndex");

/** The epoch of the log according to the receipt; undefined when it names another log. */
export function statedEpoch({ iss, org }: LeafPayload, receipt: JsonObject): number | undefined {
  const origin = logMember(receipt, "origin");
  return typeof origin === "string" ? epochOf(iss, org, origin) : undefined;
}

const logMember = ({ log }: JsonObject, name: string): JsonValue =>
  (typeof log === "object" && log !== null && !Array.isArray(log) ? log[name] : undefined) ?? null;

function consentEvent(leaf: ConsentLeaf): ConsentEvent {
  const { tpl, ver, rev, locale, contentHash } = leaf;
  const isKnown = tpl !== null && ver !== null && rev !== null && locale !== null && contentHash !== null;
  return {
    revision: leaf.consentRevision,
    eventId: leaf.eid,
    // Values outside the leaf are compared by their disclosures.
    purpose: leaf.purpose ?? "",
    type: leaf.kind.slice("click.consent.".length).toUpperCase() as ConsentEventType,
    recordedAt: new Date(leaf.recordedAt),
    occurredAt: dateOrNull(leaf.occurredAt),
    source: leaf.source,
    method: leaf.method,
    actorType: "USER",
    text: isKnown ? { templateId: tpl, versionId: ver, revision: rev, locale, contentHash } : null,
    legalBasis: leaf.legalBasis,
    jurisdiction: leaf.jurisdiction,
    grantedAt: dateOrNull(leaf.grantedAt),
    expiresAt: dateOrNull(leaf.expiresAt),
    receiptId: leaf.rid,
  };
}

const dateOrNull = (time: string | null): Date | null => (time === null ? null : new Date(time));

/** Values the leaf commits to, by name. */
type DisclosedValues = ReadonlyMap<string, unknown>;

type ReadDisclosures =
  | { readonly kind: "committed"; readonly values: DisclosedValues }
  | { readonly kind: "refused"; readonly message: string };

/** Reads given disclosures (RFC 9901); rejects them all when one does not belong to this leaf. */
export function readDisclosures({ _sd = [] }: ReceiptPayload, disclosures: readonly string[]): ReadDisclosures {
  const digests = new Set(_sd);
  const values = new Map<string, unknown>();
  for (const [index, disclosure] of disclosures.entries()) {
    const place = `Disclosure ${index + 1}`;
    const disclosed = parseDisclosure(disclosure);
    if (disclosed === undefined) return refused(`${place} is not a salt, a name and a value.`);
    if (!digests.has(digestOf(disclosure))) return refused(`${place} is not one that the record commits to.`);
    if (values.has(disclosed.name)) return refused(`${place} discloses ${disclosed.name} a second time.`);
    values.set(disclosed.name, disclosed.value);
  }
  return { kind: "committed", values };
}

const refused = (message: string): ReadDisclosures => ({ kind: "refused", message });

/** A personal member of a receipt, with the leaf's value that it shows. */
interface PersonalMember {
  readonly member: string;
  readonly disclosed: string;
}

/** A receipt's personal members, erased or not. */
function personalMembers({ payload, receipt }: ReadReceipt): PersonalMember[] {
  if (!isDecision(payload)) return consentPersonal(payload as unknown as ConsentLeaf);
  // The hash of a text with personal values.
  const { renderHash } = payload as unknown as AcceptanceLeaf;
  const isPersonalized = renderHash === null && receipt?.templateType === "GENERATED";
  return isPersonalized ? [...decisionMembers, { member: "renderHash", disclosed: "renderHash" }] : decisionMembers;
}

const decisionMembers: PersonalMember[] = [
  { member: "userRef", disclosed: "userRef" },
  { member: "idempotencyKey", disclosed: "idempotencyKey" },
  { member: "purposes", disclosed: "consents" },
  { member: "verification", disclosed: "verification" },
];

const consentMembers: PersonalMember[] = [
  { member: "userRef", disclosed: "userRef" },
  { member: "idempotencyKey", disclosed: "idempotencyKey" },
  { member: "actor", disclosed: "actor" },
  { member: "reason", disclosed: "reason" },
];

/** A purpose or method outside the leaf may be any text a person entered. */
const consentPersonal = ({ purpose, method }: ConsentLeaf): PersonalMember[] => [
  ...consentMembers,
  ...(purpose === null ? [{ member: "purpose", disclosed: "purpose" }] : []),
  ...(method === null ? [{ member: "method", disclosed: "method" }] : []),
];

interface PersonalProblems {
  /** Members that contradict the leaf's commitments. */
  readonly wrong: readonly string[];
  /** Members nothing confirms: their values are neither stored nor disclosed. */
  readonly unconfirmed: readonly string[];
}

/**
 * Compares a receipt's personal members with the values its leaf commits to. `isComplete` says that these are
 * all of them. A receipt that states it is erased or restricted may omit known values.
 */
export function comparePersonal(
  read: ReadReceipt & { readonly receipt: JsonObject },
  known: DisclosedValues,
  isComplete: boolean,
): PersonalProblems {
  const { receipt } = read;
  const maySaySo = receipt.erased === true || receipt.restricted === true;
  const problems: { wrong: string[]; unconfirmed: string[] } = { wrong: [], unconfirmed: [] };
  for (const { member, disclosed } of personalMembers(read)) {
    const shown = receipt[member] ?? null;
    const isEqual = said(member, shown) === said(member, (known.get(disclosed) ?? null) as JsonValue);
    if (isEqual || (maySaySo && isSilent(member, shown))) continue;
    const isOpen = !isComplete && !known.has(disclosed);
    (isOpen ? problems.unconfirmed : problems.wrong).push(member);
  }
  return problems;
}

/** The value of a member in normal form; an empty list equals null. */
function said(member: string, value: JsonValue): string {
  if (!Array.isArray(value)) return canonicalJson(value);
  if (value.length === 0) return "null";
  return canonicalJson(member === "verification" ? value.map(shortClaim) : value);
}

/** An erased change keeps only the kind of its actor. */
const isSilent = (member: string, value: JsonValue): boolean =>
  said(member, value) === "null" || (member === "actor" && isObject(value) && value.id === null);

/** Receipts omit the reference of a verification. */
const shortClaim = (claim: JsonValue): JsonValue =>
  isObject(claim) ? { method: claim.method ?? null, verifiedAt: claim.verifiedAt ?? null } : claim;
