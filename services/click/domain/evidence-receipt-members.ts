import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { canonicalJson } from "#platform/canonical-json.ts";
import { leafHashOf } from "../log/leaf.ts";
import type { AcceptanceLeaf } from "./acceptance-leaf.ts";
import type { ConsentEvent, ConsentEventType } from "./consent.ts";
import type { ConsentLeaf } from "./consent-leaf.ts";
import { withheldConsentReceipt } from "./consent-receipt.ts";
import { isDecision, type ReadReceipt } from "./evidence-receipt.ts";
import { personalMembers } from "./evidence-receipt-values.ts";
import { answerReceipt, type LoggedReceipt, withheldReceipt } from "./receipt-answer.ts";
import type { Terms } from "./terms.ts";

/** What a receipt says of the template; its leaf names that by the hash of the terms only. */
export type TemplateWords = Pick<Terms, "slug" | "name" | "type">;

/** A receipt that was given as a whole. */
export type WholeReceipt = ReadReceipt & { readonly receipt: JsonObject };

/**
 * The members in which a receipt says something else than its leaf, or that no receipt has. What is personal does not
 * count, nor what has become of it. Without `words` it is not looked at what the receipt calls the template.
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

/** As it would be answered if nothing personal could be read. */
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
    // Only the log can tell whether that is right.
    leafIndex: statedIndex(receipt) as number,
    leafHash: leafHashOf(leaf),
    kid: signed.kid,
    jws,
  };
}

/** Where the receipt says that its leaf stands in the log. */
export function statedIndex({ log }: JsonObject): JsonValue {
  const stated = typeof log === "object" && log !== null && !Array.isArray(log) ? log.leafIndex : undefined;
  return stated ?? null;
}

function consentEvent(leaf: ConsentLeaf): ConsentEvent {
  const { tpl, ver, rev, locale, contentHash } = leaf;
  const isKnown = tpl !== null && ver !== null && rev !== null && locale !== null && contentHash !== null;
  return {
    revision: leaf.consentRevision,
    eventId: leaf.eid,
    // What is not in the leaf is compared by its disclosure.
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
