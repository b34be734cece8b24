import type { LeafPayload } from "../log/leaf.ts";

/** Who keeps the trail. */
export type HeadSource = "sign";

/** The last event of a trail that another service keeps. */
export interface ExternalHead {
  readonly source: HeadSource;
  /** What the trail tells of. */
  readonly agreementId: string;
  /** SHA-256 of the event, in which the hash of the one before it stands. */
  readonly headHash: Buffer;
  /** Of the event in its trail, from 1. */
  readonly sequence: number;
  /** Of the event. */
  readonly completedAt: Date;
}

/** What the log says of such a head: ids, a hash and times. Who took part is in the trail, which is kept elsewhere. */
export interface ExternalHeadLeaf extends LeafPayload {
  readonly kind: "click.external.head";
  /** The entry. */
  readonly eid: string;
  readonly source: HeadSource;
  readonly agreement: string;
  /** `sha256:` and hexadecimal digits. */
  readonly head: string;
  readonly sequence: number;
  readonly completedAt: string;
  /** Later than completedAt by as long as the log could not be reached. */
  readonly recordedAt: string;
}

export interface HeadEntry {
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

/** Whether both are the same event of the same trail. */
export const isSameHead = (one: ExternalHead, other: ExternalHead): boolean =>
  one.headHash.equals(other.headHash) &&
  one.sequence === other.sequence &&
  one.completedAt.getTime() === other.completedAt.getTime();
