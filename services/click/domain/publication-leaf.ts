import type { LeafPayload } from "../log/leaf.ts";

/** What the log says of the first publication of a revision. */
export interface PublicationLeaf extends LeafPayload {
  readonly kind: "click.version.published";
  /** The event that told of it. */
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

export interface PublishedRevision {
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
