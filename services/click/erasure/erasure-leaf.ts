import type { LeafPayload } from "../log/leaf.ts";
import type { Restriction } from "./plan-erasure.ts";

export const erasureReasons = ["DATA_SUBJECT_REQUEST", "WITHDRAWAL", "RETENTION_OVER", "OTHER"] as const;
export type ErasureReason = (typeof erasureReasons)[number];

/** Why something is kept: for the establishment, exercise or defence of legal claims. */
export const retentionBasis = "GDPR_17_3_E";

/** What the log says of an erasure: names of records, and not whose they were. */
export interface ErasureLeaf extends LeafPayload {
  readonly kind: "click.erasure";
  /** The erasure. */
  readonly eid: string;
  readonly receipts: readonly string[];
  readonly sessions: readonly string[];
  readonly restricted: readonly string[];
  readonly kept: readonly { readonly rid: string; readonly basis: string }[];
  readonly reason: ErasureReason;
  readonly requestedAt: string;
}

/** The names of records that an erasure was about. */
export interface ErasureNames {
  readonly receipts: readonly string[];
  readonly sessions: readonly string[];
  readonly restricted: readonly string[];
}

export interface ErasureFacts {
  readonly issuer: string;
  readonly organizationId: string;
  readonly erasureId: string;
  readonly reason: ErasureReason;
  readonly requestedAt: Date;
}

export const erasureLeaf = (facts: ErasureFacts, { receipts, sessions, restricted }: ErasureNames): ErasureLeaf => ({
  v: 1,
  kind: "click.erasure",
  iss: facts.issuer,
  org: facts.organizationId,
  eid: facts.erasureId,
  receipts,
  sessions,
  restricted,
  kept: restricted.map((rid) => ({ rid, basis: retentionBasis })),
  reason: facts.reason,
  requestedAt: facts.requestedAt.toISOString(),
});

/** Names in one leaf or event at most, so that none gets too large for those who read them. */
const maxNames = 1_000;

/** The names in portions that fit into one leaf, and one event, each. */
export function portionsOf(names: ErasureNames, size = maxNames): ErasureNames[] {
  const all = (["receipts", "sessions", "restricted"] as const).flatMap((list) =>
    names[list].map((id) => ({ list, id })),
  );
  const portions: ErasureNames[] = [];
  for (let start = 0; start < all.length; start += size) {
    const portion = all.slice(start, start + size);
    const of = (list: keyof ErasureNames) => portion.filter((name) => name.list === list).map((name) => name.id);
    portions.push({ receipts: of("receipts"), sessions: of("sessions"), restricted: of("restricted") });
  }
  return portions;
}

/** The names of what was erased and restricted. */
export const erasureNames = (
  erased: {
    readonly receiptIds: readonly string[];
    readonly sessionIds: readonly string[];
    readonly changeIds: readonly string[];
  },
  restrictions: readonly Restriction[],
): ErasureNames => ({
  receipts: [...erased.receiptIds, ...erased.changeIds],
  sessions: erased.sessionIds,
  restricted: restrictions.map(({ recordId }) => recordId),
});
