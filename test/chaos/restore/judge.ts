/** An acceptance that a client was answered. Times in milliseconds. */
export interface Answered {
  readonly key: string;
  readonly receiptId: string;
  /** Its place in the log of its organization, or in an epoch of it, by the log's origin. */
  readonly leaf: string;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** What a restore was to bring back. */
export type Goal =
  | { readonly kind: "the whole log" }
  /** The server's disk is gone: what was archived. */
  | { readonly kind: "the archive"; readonly promisedMs: number }
  | { readonly kind: "a point in time"; readonly at: number };

export interface Restored {
  readonly goal: Goal;
  readonly killedAt: number;
  /** Receipts that are in the database when it is back. */
  readonly stored: ReadonlySet<string>;
}

export interface Verdict {
  readonly lost: readonly Answered[];
  /** How long before the end the oldest answer was given that is lost; 0 when none is. */
  readonly lostMs: number;
  readonly problems: readonly string[];
}

/** Compares what clients were answered with what is there. */
export function judge(answered: readonly Answered[], { goal, killedAt, stored }: Restored): Verdict {
  const lost = answered.filter(({ receiptId }) => !stored.has(receiptId));
  const lostMs = Math.max(0, ...lost.map(({ answeredAt }) => killedAt - answeredAt));
  const there = (count: number): string => `${count} of ${answered.length} acceptances that were answered`;
  switch (goal.kind) {
    case "the whole log":
      return { lost, lostMs, problems: lost.length === 0 ? [] : [`${there(lost.length)} are lost`] };
    case "the archive":
      return {
        ...{ lost, lostMs },
        problems:
          lostMs <= goal.promisedMs ? [] : [`${there(lost.length)} are lost, the oldest ${lostMs} ms before the end`],
      };
    case "a point in time": {
      const early = lost.filter(({ answeredAt }) => answeredAt < goal.at);
      const late = answered.filter(({ sentAt, receiptId }) => sentAt > goal.at && stored.has(receiptId));
      return {
        ...{ lost, lostMs },
        problems: [
          ...(early.length === 0 ? [] : [`${there(early.length)} before the point are lost`]),
          ...(late.length === 0 ? [] : [`${there(late.length)} after the point are there`]),
        ],
      };
    }
  }
}

/** Clients sent everything again: whoever had a receipt that is still there has the same one, nobody has none. */
export function judgeRepeated(
  answered: readonly Answered[],
  repeated: ReadonlyMap<string, string>,
  stored: ReadonlySet<string>,
): string[] {
  const unanswered = answered.filter(({ key }) => !repeated.has(key));
  const changed = answered.filter(({ key, receiptId }) => stored.has(receiptId) && repeated.get(key) !== receiptId);
  return [
    ...(unanswered.length === 0 ? [] : [`${unanswered.length} repeated requests were not answered`]),
    ...(changed.length === 0 ? [] : [`${changed.length} repeated requests got another receipt`]),
  ];
}

/** Two receipts with one place in one log would be two histories, whether they are there or lost. */
export function judgeLeaves(everAnswered: readonly Answered[]): string[] {
  const receipts = new Map<string, Set<string>>();
  for (const { leaf, receiptId } of everAnswered) {
    receipts.set(leaf, (receipts.get(leaf) ?? new Set()).add(receiptId));
  }
  const twice = [...receipts].filter(([, ids]) => ids.size > 1).map(([leaf]) => leaf);
  return twice.length === 0 ? [] : [`${twice.length} places in logs were given twice, such as ${twice[0]}`];
}
