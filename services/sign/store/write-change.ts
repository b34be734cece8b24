import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import type { Caller } from "#platform/caller.ts";
import type { Clock } from "#platform/clock.ts";
import type { NewId } from "#platform/ids.ts";
import { type OutboxRecord, outboxInsertSql } from "#platform/outbox/outbox.ts";
import type { Agreement } from "../domain/agreement.ts";
import { chain } from "../domain/audit-chain.ts";
import type { Change, SignEvent } from "../domain/change.ts";
import { outboxRecord } from "../events.ts";
import { auditInsertion } from "./audit-store.ts";
import { jobInsertion } from "./job-store.ts";
import { filesOf, moveBytes, type NewBytes } from "./move-bytes.ts";
import { insertionOf, removeParts, updateOf } from "./save-agreement.ts";
import { type Write, writeTogether } from "./write-together.ts";

/** Who asked, as the events tell. */
export interface CallerContext extends Pick<Caller, "orgId" | "requestId" | "traceparent"> {
  /** Aborted when nobody waits for the answer any more: nothing is written then, for it was told to come again. */
  readonly signal?: AbortSignal;
}

export interface WriteDeps {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Undefined without a mail server: nobody is mailed, and no work is left for mails that nobody would send. */
  readonly mail?: object | undefined;
}

export const schema = "sign";

/**
 * Writes all of a change of a locked agreement, or of a new one when there is none before; answers the agreement as it is
 * stored. Rows are locked in the order agreement, blobs, jobs; a new agreement is nobody else's to lock.
 */
export async function writeChange(
  deps: WriteDeps,
  client: pg.PoolClient,
  caller: CallerContext,
  {
    before,
    change,
    bytes,
  }: { readonly before: Agreement | undefined; readonly change: Change; readonly bytes: NewBytes },
): Promise<Agreement> {
  if (before !== undefined && isNothing(before, change)) return before;
  const { orgId } = caller;
  const now = deps.clock.now();
  const head = (before ?? change.agreement).audit;
  const { id: agreementId, status: agreementStatus } = change.agreement;
  const trail = chain(change.audit, { agreementId, head, occurredAt: now, agreementStatus });
  const after = { ...change.agreement, version: (before?.version ?? 0) + 1, audit: trail.head };

  const isDeleted = change.events.some(isDeletion);
  const kept = isDeleted ? emptied(after) : after;
  if (before !== undefined) await removeParts(client, orgId, before, kept);
  await moveBytes(
    { blobs: deps.blobs, client, orgId },
    {
      before: before === undefined ? [] : filesOf(before),
      after: filesOf(kept),
      bytes,
    },
  );
  const jobs = deps.mail === undefined ? change.jobs.filter(({ kind }) => kind !== "mail") : change.jobs;
  const records = change.events.map((event) => outboxRecord({ caller, eventId: deps.newId(), now }, after, event));
  const written = await writeTogether(client, [
    ...(before === undefined ? insertionOf(orgId, kept) : updateOf(orgId, before, kept, isDeleted ? now : null)),
    ...auditInsertion(orgId, agreementId, trail.events),
    ...jobInsertion({ caller, agreementId, newId: deps.newId, now }, jobs),
    ...outboxInsertion(records),
  ]);
  if (written !== 1) throw new Error(`agreement ${agreementId} was changed by somebody who had not locked it`);
  return after;
}

const isNothing = (before: Agreement, { agreement, audit, events, jobs }: Change): boolean =>
  agreement === before && audit.length + events.length + jobs.length === 0;

const isDeletion = ({ kind }: SignEvent): boolean => kind === "agreement.deleted" || kind === "template.deleted";

/** What was deleted keeps its row and its trail, and nothing of what people have written into it. */
const emptied = (agreement: Agreement): Agreement => ({
  ...agreement,
  documents: [],
  certificate: null,
  recipients: [],
  customFields: [],
  emailSubject: "",
  emailBlurb: "",
  name: "",
  description: "",
  metadata: null,
  subscription: null,
});

const outboxInsertion = (records: readonly OutboxRecord[]): Write[] =>
  records.length === 0 ? [] : [{ name: "outbox", text: (parameter) => outboxInsertSql(schema, records, parameter) }];
