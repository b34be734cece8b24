import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Caller } from "#platform/caller.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { forgetPerson } from "../campaigns/campaign-store.ts";
import { sessionCancelled } from "../events.ts";
import { forgetUser, holdCounting } from "../stats/stat-store.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { type ConcludedErasure, type ConclusionDeps, concludeErasure } from "./conclude-erasure.ts";
import type { ErasureReason, ErasureRules } from "./erasure-rules.ts";
import {
  type ErasurePlan,
  type PlannedRecord,
  planErasure,
  plannedReceipt,
  type Restriction,
} from "./erasure-rules.ts";
import {
  cancelSessions,
  deleteDeadlines,
  deleteEmptyHeads,
  type ErasedRecords,
  eraseRecords,
  findSessionRetention,
  insertErasure,
  listSeeds,
  replaceSeeds,
  type StoredSeed,
} from "./erasure-store.ts";
import {
  listReceipts,
  lockHeads,
  lockPersons,
  lockSessions,
  type PersonReceipt,
  type PersonSession,
} from "./person-store.ts";

export interface ErasePersonDeps extends ConclusionDeps {
  readonly vault: SubjectVault;
  /** The limit of records that one transaction erases or restricts. */
  readonly maxRecords: number;
}

export interface PersonToErase {
  readonly caller: Caller;
  /** The index by which the person's records are found. */
  readonly subjectIndex: Buffer;
  /** The hash that identifies the person in statistics. */
  readonly userKey: Buffer;
  readonly rules: ErasureRules;
  readonly reason: ErasureReason;
  /** A new one when absent. */
  readonly erasureId?: string | undefined;
  readonly holdMark: number;
  readonly now: Date;
}

/** The outcome for a person's records. */
export interface PersonErasure {
  readonly erased: ErasedRecords;
  /** Restricted receipts, including those restricted earlier. */
  readonly restricted: readonly Restriction[];
  /** Campaigns that do not have the person any more. */
  readonly campaignIds: readonly string[];
  /** Whether nothing is left to do. */
  readonly complete: boolean;
  /** Null when there was nothing to do. */
  readonly concluded: ConcludedErasure | null;
}

/**
 * Erases or restricts a person's records in the client's transaction, which connects as the eraser. Returns
 * undefined, having changed nothing, when there are records for which no rules were looked up.
 */
export async function erasePerson(
  deps: ErasePersonDeps,
  tenant: Tenant,
  person: PersonToErase,
): Promise<PersonErasure | undefined> {
  const { subjectIndex, holdMark, now } = person;
  await shareHolds(tenant, "click", holdMark);
  await lockPersons(tenant, [subjectIndex]);
  const sessions = await lockSessions(tenant, subjectIndex, now);
  await lockHeads(tenant, [subjectIndex]);
  const receipts = await listReceipts(tenant, { subjectIndex, now, limit: deps.maxRecords + 1 });
  const planned = applyRules(receipts, sessions, person.rules);
  if (planned === undefined) return undefined;
  const plan = planErasure(planned, now, deps.maxRecords);
  const campaignIds = await forgetPerson(tenant, subjectIndex);
  await cancelSessions(tenant, idsOf(sessions.filter(isOpen)), now);
  await restrictRecords(deps.vault, tenant, plan.restrict);
  const room = deps.maxRecords - plan.erase.length - plan.restrict.length;
  const rest = await planSessions(tenant, person, sessions, room);
  await restrictRecords(deps.vault, tenant, rest.restrict);
  const complete = plan.complete && rest.complete;
  const restricted = [...plan.restrict, ...plan.restricted];
  const work = { receipts: plan, sessions: rest, cancelled: sessions.filter(isOpen), campaignIds };
  if (plan.erase.length + plan.restrict.length + rest.erase.length === 0) {
    if (campaignIds.length > 0) await noteForgotten(deps, tenant, person, campaignIds);
    return { erased: nothing, restricted, campaignIds, complete, concluded: null };
  }
  return { ...(await takeAway(deps, tenant, person, work)), restricted, campaignIds, complete };
}

/** An erasure of somebody who was asked by campaigns alone: there is no record that a leaf could name. */
async function noteForgotten(
  { newId }: ErasePersonDeps,
  tenant: Tenant,
  { caller, reason, erasureId: id = newId(), now }: PersonToErase,
  campaignIds: readonly string[],
): Promise<void> {
  const { clientId, requestId } = caller;
  const outcome = JSON.stringify({ reason, erased: nothing, restricted: [], campaignIds });
  const audited = { action: "person.erased", actor: auditActor(caller), targetId: id, changes: { reason } } as const;
  await insertOutbox(tenant.client, "click", [auditRecord({ caller, eventId: newId(), now }, audited)]);
  await insertErasure(tenant, { id, outcome, clientId, requestId, requestedAt: now });
}

/** What erasing a person would come to. Changes nothing; undefined as above. */
export async function planPerson(
  tenant: Tenant,
  { subjectIndex, rules, now }: Pick<PersonToErase, "subjectIndex" | "rules" | "now">,
  maxRecords: number,
): Promise<Pick<PersonErasure, "erased" | "restricted"> | undefined> {
  const sessions = await lockSessions(tenant, subjectIndex, now);
  const receipts = await listReceipts(tenant, { subjectIndex, now, limit: maxRecords });
  const planned = applyRules(receipts, sessions, rules);
  if (planned === undefined) return undefined;
  const { erase, restrict, restricted } = planErasure(planned, now, maxRecords);
  const [erased, kept] = [new Set(erase), [...restrict, ...restricted]];
  const isKept = new Set(kept.map(({ recordId }) => recordId));
  const keptSessions = new Set(receipts.filter((one) => isKept.has(one.receiptId)).map((one) => one.sessionId));
  const going = receipts.filter((one) => erased.has(one.receiptId));
  const isChange = ({ termsHash }: PersonReceipt): boolean => termsHash === null;
  const idsOfReceipts = (list: readonly PersonReceipt[]): string[] => list.map((one) => one.receiptId);
  return {
    erased: {
      receiptIds: idsOfReceipts(going.filter((one) => !isChange(one))),
      sessionIds: idsOf(sessions.filter(({ id }) => !keptSessions.has(id))),
      changeIds: idsOfReceipts(going.filter(isChange)),
    },
    restricted: kept,
  };
}

const isOpen = (session: PersonSession): boolean => session.isOpen;
const idsOf = (sessions: readonly PersonSession[]): string[] => sessions.map(({ id }) => id);

const nothing: ErasedRecords = { receiptIds: [], sessionIds: [], changeIds: [] };

/** Undefined when a receipt arrived after the rules were looked up or the sessions were selected for locking. */
function applyRules(
  receipts: readonly PersonReceipt[],
  sessions: readonly PersonSession[],
  rules: ErasureRules,
): PlannedRecord[] | undefined {
  const locked = new Set(idsOf(sessions));
  const planned: PlannedRecord[] = [];
  for (const receipt of receipts) {
    const retentionDays = rules.retentionDays(receipt);
    if (retentionDays === undefined || (receipt.sessionId !== null && !locked.has(receipt.sessionId))) return undefined;
    planned.push(plannedReceipt({ ...receipt, retentionDays }));
  }
  return planned;
}

/** A session is kept as long as its acceptances. */
async function planSessions(
  tenant: Tenant,
  { now }: PersonToErase,
  sessions: readonly PersonSession[],
  room: number,
): Promise<ErasurePlan> {
  const retention = await findSessionRetention(tenant, idsOf(sessions));
  const planned = sessions.map(({ id, restrictedUntil }) => ({
    recordId: id,
    keepUntil: retention.get(id) ?? null,
    restrictedUntil,
  }));
  return planErasure(planned, now, room);
}

interface Work {
  readonly receipts: ErasurePlan;
  readonly sessions: ErasurePlan;
  readonly cancelled: readonly PersonSession[];
  readonly campaignIds: readonly string[];
}

async function takeAway(
  deps: ErasePersonDeps,
  tenant: Tenant,
  person: PersonToErase,
  { receipts, sessions, cancelled, campaignIds }: Work,
): Promise<Pick<PersonErasure, "erased" | "concluded">> {
  const { caller, subjectIndex, userKey, now } = person;
  const touched = [...receipts.erase, ...receipts.restrict.map(({ recordId }) => recordId)];
  await deleteDeadlines(tenant, subjectIndex, touched);
  const subjectIndexes = [subjectIndex];
  const erased = await eraseRecords(tenant, [...receipts.erase, ...sessions.erase], { subjectIndexes, now });
  await deleteEmptyHeads(tenant, subjectIndexes);
  await holdCounting(tenant);
  await forgetUser(tenant, userKey);
  const events = cancelled.map((session) =>
    sessionCancelled({ caller, eventId: deps.newId(), now }, session.id, session),
  );
  const restricted = receipts.restrict;
  const concluded = await concludeErasure(deps, tenant, { ...person, erased, restricted, campaignIds, events });
  return { erased, concluded };
}

/**
 * Encrypts the seeds of records under the hold key; for records that are already restricted only the time
 * changes.
 */
async function restrictRecords(
  vault: SubjectVault,
  tenant: Tenant,
  restrictions: readonly Restriction[],
): Promise<void> {
  if (restrictions.length === 0) return;
  const times = new Map(restrictions.map(({ recordId, until }) => [recordId, until]));
  const stored = await listSeeds(tenant, [...times.keys()]);
  const seeds = stored.map(({ recordId, seed, restrictedUntil }): StoredSeed => {
    const isPlain = restrictedUntil === null;
    return {
      recordId,
      seed: isPlain ? vault.wrapSeed({ organizationId: tenant.orgId, recordId }, seed) : seed,
      restrictedUntil: times.get(recordId) ?? restrictedUntil,
    };
  });
  await replaceSeeds(tenant, seeds);
}
