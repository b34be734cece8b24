/**
 * How far an outbox is published: everything up to `position` but what may still come in the gaps. Positions are given
 * out before commit, so a lower one may appear after a higher one; a transaction that was rolled back leaves its gap.
 */
export interface Cursor {
  readonly position: number;
  /** In their order. */
  readonly gaps: readonly Gap[];
}

/** Positions, both ends included, that were not there when a higher one was published. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** Transactions that were under way when it was found have ids below this (xid8). */
  readonly before: string;
  /** When it was found, in milliseconds. */
  readonly since: number;
}

/** What a look at the outbox found. */
export interface Look {
  /** Of the rows found, in their order. */
  readonly positions: readonly number[];
  /** Whether there may be more rows beyond the last. */
  readonly isCut: boolean;
  /** No transaction below this id is under way (pg_snapshot_xmin). */
  readonly oldestRunning: string;
  /** The next transaction has at least this id (pg_snapshot_xmax). */
  readonly nextId: string;
  readonly now: number;
}

export const startOfOutbox: Cursor = { position: 0, gaps: [] };

/**
 * A transaction may get its position a moment before it gets its id, so the ids alone do not tell that nothing will come.
 * Far longer than any statement may take.
 */
const settleMs = 60_000;
/** Ids begin anew in a database that was restored from a dump; nothing is under way for a day. */
const forgetMs = 24 * 3_600_000;

/** The cursor once the rows that a look found are published. */
export function advance(cursor: Cursor, look: Look): Cursor {
  const last = look.positions.at(-1);
  const position = Math.max(cursor.position, last ?? 0);
  // Rows come in their order, so of what lies beyond the last row of a look that was cut nothing is known.
  const seenTo = look.isCut ? (last ?? 0) : position;
  const open = cursor.gaps.filter((gap) => gap.to > seenTo || !isDead(gap, look));
  const found = { from: cursor.position + 1, to: position, before: look.nextId, since: look.now };
  const gaps = position > cursor.position ? [...open, found] : open;
  return { position, gaps: withoutPublished(gaps, look.positions) };
}

/** Everything that could have come in this gap has been seen. */
const isDead = ({ before, since }: Gap, { oldestRunning, now }: Look): boolean =>
  (now - since > settleMs && BigInt(oldestRunning) >= BigInt(before)) || now - since > forgetMs;

/** Gaps and positions are in their order. */
function withoutPublished(gaps: readonly Gap[], positions: readonly number[]): Gap[] {
  const left: Gap[] = [];
  let next = 0;
  for (const gap of gaps) {
    let { from } = gap;
    while (next < positions.length && (positions[next] as number) < from) next += 1;
    for (; next < positions.length && (positions[next] as number) <= gap.to; next += 1) {
      const taken = positions[next] as number;
      if (taken > from) left.push({ ...gap, from, to: taken - 1 });
      from = taken + 1;
    }
    if (from <= gap.to) left.push({ ...gap, from });
  }
  return left;
}
