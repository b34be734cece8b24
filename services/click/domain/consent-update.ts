import type { NewId } from "#platform/ids.ts";
import type { ClaimedContext } from "./accept-body.ts";
import type { ObservedContext } from "./capture.ts";
import type { ActorType, ConsentEvent } from "./consent.ts";
import type { PlannedChange } from "./consent-plan.ts";

/** What holds for all changes of one request. */
export interface UpdateFacts {
  readonly userRef: string;
  readonly source: string;
  readonly method: string | null;
  readonly actor: { readonly type: ActorType; readonly id: string | null };
  readonly reason: string | null;
  readonly occurredAt: Date | null;
  readonly idempotencyKey: string | null;
  /** What the caller says of the end user's side, as far as it may be kept. */
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
