import type { LeafKind, LeafPayload } from "../log/leaf.ts";
import type { ConsentEvent, ConsentEventType } from "./consent.ts";
import type { UpdateFacts } from "./consent-update.ts";
import { digestAlgorithm, disclose } from "./disclosures.ts";

/** What the log says of a change of consent that was no acceptance. */
export interface ConsentLeaf extends LeafPayload {
  readonly rid: string;
  readonly eid: string;
  readonly purpose: string;
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
const places = 8;

/** The leaf of a change, and what proves the personal values that it commits to. */
export function consentLeaf(
  log: { readonly issuer: string; readonly organizationId: string },
  event: ConsentEvent,
  facts: UpdateFacts,
): { readonly payload: ConsentLeaf; readonly disclosures: readonly string[] } {
  const { digests, disclosures } = disclose(personalValues(facts), places);
  const { text } = event;
  const payload: ConsentLeaf = {
    v: 1,
    kind: kinds[event.type],
    iss: log.issuer,
    org: log.organizationId,
    rid: event.receiptId,
    eid: event.eventId,
    purpose: event.purpose,
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
    method: event.method,
    _sd: digests,
    _sd_alg: digestAlgorithm,
  };
  return { payload, disclosures };
}

const personalValues = (facts: UpdateFacts): Record<string, unknown> => ({
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
