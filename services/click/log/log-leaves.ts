import { digestAlgorithm, disclose } from "#platform/vault/disclosures.ts";
import type { SessionOutcome } from "../sessions/session.ts";
import type { BoundText } from "../terms/agreement.ts";
import type { LeafPayload } from "./leaf.ts";

/** The log leaf of a revision's first publication. */
interface PublicationLeaf extends LeafPayload {
  readonly kind: "click.version.published";
  /** The id of the event that reported it. */
  readonly eid: string;
  readonly tpl: string;
  readonly ver: string;
  readonly rev: number;
  readonly locale: string;
  readonly label: string;
  readonly contentHash: string;
  readonly requiresReacceptance: boolean;
  readonly publishedAt: string;
}

interface PublishedRevision {
  readonly eventId: string;
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly locale: string;
  readonly label: string;
  readonly contentHash: string;
  readonly requiresReacceptance: boolean;
  readonly publishedAt: Date;
}

export const publicationLeaf = (
  issuer: string,
  organizationId: string,
  published: PublishedRevision,
): PublicationLeaf => ({
  v: 1,
  kind: "click.version.published",
  iss: issuer,
  org: organizationId,
  eid: published.eventId,
  tpl: published.templateId,
  ver: published.versionId,
  rev: published.revision,
  locale: published.locale,
  label: published.label,
  contentHash: published.contentHash,
  requiresReacceptance: published.requiresReacceptance,
  publishedAt: published.publishedAt.toISOString(),
});

/** The service that keeps the trail, and after a dot what became of it. */
export type HeadSource = "sign" | "sign.deletion" | "sign.erasure" | "sign.records";

/** The latest event of a trail that another service keeps. */
export interface ExternalHead {
  readonly source: HeadSource;
  /** The agreement the trail is about. */
  readonly agreementId: string;
  /** SHA-256 of the event, which includes the hash of the one before. */
  readonly headHash: Buffer;
  /** The event's position in its trail, from 1. */
  readonly sequence: number;
  /** Of the event, or of the deletion. */
  readonly completedAt: Date;
}

/** The log leaf of an external head: ids, a hash and times. The participants are only in the trail itself. */
interface ExternalHeadLeaf extends LeafPayload {
  readonly kind: "click.external.head";
  /** The entry's id. */
  readonly eid: string;
  readonly source: HeadSource;
  readonly agreement: string;
  /** `sha256:` and hexadecimal digits. */
  readonly head: string;
  readonly sequence: number;
  readonly completedAt: string;
  /** Later than completedAt if the log could not be reached at once. */
  readonly recordedAt: string;
}

interface HeadEntry {
  readonly issuer: string;
  readonly organizationId: string;
  readonly recordId: string;
  readonly recordedAt: Date;
}

export const externalHeadLeaf = (
  { issuer, organizationId, recordId, recordedAt }: HeadEntry,
  { source, agreementId, headHash, sequence, completedAt }: ExternalHead,
): ExternalHeadLeaf => ({
  v: 1,
  kind: "click.external.head",
  iss: issuer,
  org: organizationId,
  eid: recordId,
  source,
  agreement: agreementId,
  head: `sha256:${headHash.toString("hex")}`,
  sequence,
  completedAt: completedAt.toISOString(),
  recordedAt: recordedAt.toISOString(),
});

/** Whether both name the same event of the same trail. */
export const isSameHead = (one: ExternalHead, other: ExternalHead): boolean =>
  one.headHash.equals(other.headHash) &&
  one.sequence === other.sequence &&
  one.completedAt.getTime() === other.completedAt.getTime();

/** The log leaf of a completed session. */
interface CompletionLeaf extends LeafPayload {
  readonly kind: "click.session.completed";
  /** The session. */
  readonly sid: string;
  readonly outcome: SessionOutcome;
  readonly tpl: string;
  readonly ver: string;
  readonly rev: number;
  readonly label: string;
  readonly locale: string;
  readonly contentHash: string;
  readonly termsHash: string;
  readonly createdAt: string;
  readonly completedAt: string;
  /** Its acceptances, oldest first, including a decline. */
  readonly receipts: readonly string[];
  readonly _sd: readonly string[];
  readonly _sd_alg: typeof digestAlgorithm;
}

export interface CompletionInput {
  readonly issuer: string;
  readonly organizationId: string;
  readonly sessionId: string;
  readonly outcome: SessionOutcome;
  readonly text: BoundText;
  readonly termsHash: Buffer;
  readonly createdAt: Date;
  readonly completedAt: Date;
  readonly receiptIds: readonly string[];
  /** The personal part; null when it was erased or is restricted. */
  readonly person: CompletedBy | null;
}

interface CompletedBy {
  readonly userRef: string | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly context: object | null;
}

/** The leaf, with the disclosures of the personal values it commits to. Its record id is the session's. */
export function completionLeaf(input: CompletionInput): {
  readonly payload: CompletionLeaf;
  readonly disclosures: readonly string[];
} {
  const { text } = input;
  const { digests, disclosures } = disclose(personalValues(input.person), disclosurePlaces);
  const payload: CompletionLeaf = {
    v: 1,
    kind: "click.session.completed",
    iss: input.issuer,
    org: input.organizationId,
    sid: input.sessionId,
    outcome: input.outcome,
    tpl: text.templateId,
    ver: text.versionId,
    rev: text.revision,
    label: text.label,
    locale: text.locale,
    contentHash: text.contentHash,
    termsHash: `sha256:${input.termsHash.toString("hex")}`,
    createdAt: input.createdAt.toISOString(),
    completedAt: input.completedAt.toISOString(),
    receipts: input.receiptIds,
    _sd: digests,
    _sd_alg: digestAlgorithm,
  };
  return { payload, disclosures };
}

/** userRef, reason, metadata, context. */
const disclosurePlaces = 4;

function personalValues(person: CompletedBy | null): Readonly<Record<string, unknown>> {
  if (person === null) return {};
  const { userRef, reason, metadata, context } = person;
  return { userRef, reason, metadata: Object.keys(metadata).length === 0 ? null : metadata, context };
}
