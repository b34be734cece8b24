import type { LeafKind, LeafPayload } from "../log/leaf.ts";
import type { ConsentEvent, ConsentEventType } from "./consent.ts";
import type { UpdateFacts } from "./consent-update.ts";
import { digestAlgorithm, disclose } from "./disclosures.ts";

/** What the log says of a change of consent that was no acceptance. */
export interface ConsentLeaf extends LeafPayload {
  readonly rid: string;
  readonly eid: string;
  /** Null when it is no key that a template can have: then it is a disclosure, for it may be anything. */
  readonly purpose: string | null;
  readonly tpl: string | null;
  readonly ver: string | null;
  readonly rev: number | null;
  readonly locale: string | null;
  readonly contentHash: string | null;
  readonly legalBasis: string | null;
  readonly jurisdiction: string | null;
  /** Its place among the changes of the user. */
  readonly consentRevision: number;
  readonly recordedAt: string;
  readonly occurredAt: string | null;
  readonly grantedAt: string | null;
  readonly expiresAt: string | null;
  readonly source: string;
  /** Null when there is none, or when it is free text: then it is a disclosure. */
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

/** One more than there are values: no leaf tells whether all of them were given. */
const places = 10;

/** The leaf of a change, and what proves the personal values that it commits to. */
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

/** The form of the keys of purposes in templates. */
const isKey = (purpose: string): boolean => /^[a-z][a-z0-9_]{0,63}$/.test(purpose);

const isToken = (method: string | null): boolean => method !== null && /^[A-Z][A-Z0-9_]{0,49}$/.test(method);

/** A leaf can never be erased, so what its sender can fill with anything is only committed to. */
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
