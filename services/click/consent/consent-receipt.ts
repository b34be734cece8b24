import type { ConsentReceipt as AnsweredReceipt, ReceiptProof } from "#api/receipts.ts";
import type { NewId } from "#platform/ids.ts";
import { digestAlgorithm, disclose } from "#platform/vault/disclosures.ts";
import type { ClaimedContext } from "../accept/accept-body.ts";
import type { LeafKind, LeafPayload } from "../log/leaf.ts";
import type { ObservedContext } from "../receipts/acceptance-evidence.ts";
import type { ActorType, ConsentEvent, ConsentEventType } from "./consent.ts";
import type { ConsentDecision, PlannedChange } from "./consent-plan.ts";

/** The API's receipt for a consent change without the log's members; sealed when the change is recorded. */
export type ConsentReceipt = Omit<AnsweredReceipt, keyof ReceiptProof>;

/** The personal members of the receipt. */
export type PersonalMembers = Pick<ConsentReceipt, "userRef" | "actor" | "reason" | "idempotencyKey">;

const decisions: Readonly<Record<ConsentEventType, ConsentDecision>> = {
  GRANTED: "GRANT",
  RENEWED: "RENEW",
  DENIED: "DENY",
  WITHDRAWN: "WITHDRAW",
};

export const consentReceipt = (
  organizationId: string,
  event: ConsentEvent,
  personal: PersonalMembers,
): ConsentReceipt => ({
  receiptId: event.receiptId,
  status: "RECORDED",
  kind: "CONSENT",
  decision: decisions[event.type],
  organizationId,
  userRef: personal.userRef,
  purpose: event.purpose,
  consentStatus: event.type,
  consentRevision: event.revision,
  eventId: event.eventId,
  templateId: event.text?.templateId ?? null,
  versionId: event.text?.versionId ?? null,
  revision: event.text?.revision ?? null,
  locale: event.text?.locale ?? null,
  contentHash: event.text?.contentHash ?? null,
  legalBasis: event.legalBasis,
  jurisdiction: event.jurisdiction,
  recordedAt: event.recordedAt.toISOString(),
  occurredAt: event.occurredAt?.toISOString() ?? null,
  grantedAt: event.grantedAt?.toISOString() ?? null,
  expiresAt: event.expiresAt?.toISOString() ?? null,
  source: event.source,
  method: event.method,
  actor: personal.actor,
  reason: personal.reason,
  idempotencyKey: personal.idempotencyKey,
});

/** The receipt of a change that was erased or restricted, without its personal members. */
export const withheldConsentReceipt = (organizationId: string, event: ConsentEvent): ConsentReceipt =>
  consentReceipt(organizationId, event, {
    userRef: null,
    actor: { type: event.actorType, id: null },
    reason: null,
    idempotencyKey: null,
  });

/** What all changes of one request share. */
export interface UpdateFacts {
  readonly userRef: string;
  readonly source: string;
  readonly method: string | null;
  readonly actor: { readonly type: ActorType; readonly id: string | null };
  readonly reason: string | null;
  readonly occurredAt: Date | null;
  readonly idempotencyKey: string | null;
  /** What the caller says about the end user's context, as far as it may be stored. */
  readonly context: ClaimedContext | null;
  readonly observed: ObservedContext & { readonly clientId: string; readonly requestId: string };
  readonly metadata: Readonly<Record<string, string>>;
}

/** Numbers the changes after this revision. */
export const numberChanges = (
  changes: readonly PlannedChange[],
  facts: UpdateFacts,
  head: { readonly revision: number; readonly clock: Date },
  newId: NewId,
): ConsentEvent[] =>
  changes.map((change, index) => ({
    ...change,
    revision: head.revision + index + 1,
    eventId: newId(),
    recordedAt: head.clock,
    occurredAt: facts.occurredAt,
    source: facts.source,
    method: facts.method,
    actorType: facts.actor.type,
    receiptId: newId(),
  }));

/** The log leaf of a consent change made without an acceptance. */
export interface ConsentLeaf extends LeafPayload {
  readonly rid: string;
  readonly eid: string;
  /** Null when it cannot be a template's purpose key: such a key may contain anything, so it is a disclosure. */
  readonly purpose: string | null;
  readonly tpl: string | null;
  readonly ver: string | null;
  readonly rev: number | null;
  readonly locale: string | null;
  readonly contentHash: string | null;
  readonly legalBasis: string | null;
  readonly jurisdiction: string | null;
  /** Its position among the user's changes. */
  readonly consentRevision: number;
  readonly recordedAt: string;
  readonly occurredAt: string | null;
  readonly grantedAt: string | null;
  readonly expiresAt: string | null;
  readonly source: string;
  /** Null when absent or free text; free text is a disclosure. */
  readonly method: string | null;
  readonly _sd: readonly string[];
  readonly _sd_alg: typeof digestAlgorithm;
}

const kinds: Readonly<Record<ConsentEventType, LeafKind>> = {
  GRANTED: "click.consent.granted",
  RENEWED: "click.consent.renewed",
  DENIED: "click.consent.denied",
  WITHDRAWN: "click.consent.withdrawn",
};

/** One more than there are values, so that no leaf reveals whether all were given. */
const places = 10;

/** Builds the leaf of a change, with the disclosures of the personal values it commits to. */
export function consentLeaf(
  log: { readonly issuer: string; readonly organizationId: string },
  event: ConsentEvent,
  facts: UpdateFacts,
): { readonly payload: ConsentLeaf; readonly disclosures: readonly string[] } {
  const { digests, disclosures } = disclose(personalValues(event, facts), places);
  const { text } = event;
  const payload: ConsentLeaf = {
    v: 1,
    kind: kinds[event.type],
    iss: log.issuer,
    org: log.organizationId,
    rid: event.receiptId,
    eid: event.eventId,
    purpose: isKey(event.purpose) ? event.purpose : null,
    tpl: text?.templateId ?? null,
    ver: text?.versionId ?? null,
    rev: text?.revision ?? null,
    locale: text?.locale ?? null,
    contentHash: text?.contentHash ?? null,
    legalBasis: event.legalBasis,
    jurisdiction: event.jurisdiction,
    consentRevision: event.revision,
    recordedAt: event.recordedAt.toISOString(),
    occurredAt: event.occurredAt?.toISOString() ?? null,
    grantedAt: event.grantedAt?.toISOString() ?? null,
    expiresAt: event.expiresAt?.toISOString() ?? null,
    source: event.source,
    method: isToken(event.method) ? event.method : null,
    _sd: digests,
    _sd_alg: digestAlgorithm,
  };
  return { payload, disclosures };
}

/** Whether it has the form of a template's purpose key. */
const isKey = (purpose: string): boolean => /^[a-z][a-z0-9_]{0,63}$/.test(purpose);

const isToken = (method: string | null): boolean => method !== null && /^[A-Z][A-Z0-9_]{0,49}$/.test(method);

/** A leaf can never be erased, so values under the sender's control are only committed to. */
const personalValues = ({ purpose, method }: ConsentEvent, facts: UpdateFacts): Record<string, unknown> => ({
  purpose: isKey(purpose) ? null : purpose,
  method: isToken(method) ? null : method,
  userRef: facts.userRef,
  idempotencyKey: facts.idempotencyKey,
  actor: facts.actor,
  reason: facts.reason,
  context: unlessEmpty(facts.context),
  observed: facts.observed,
  metadata: unlessEmpty(facts.metadata),
});

const unlessEmpty = (value: object | null): object | null =>
  value === null || Object.values(value).every((member) => member === undefined) ? null : value;
