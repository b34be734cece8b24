import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { daysAfter } from "#platform/clock.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { holdNotes } from "#platform/destroy-tables.ts";
import type { OrgId } from "#platform/ids.ts";
import { addressesIn } from "#platform/mail/mail.ts";
import type { ClickDeps } from "../deps.ts";
import { concludeErasure } from "./conclude-erasure.ts";
import { mayEraseByTime } from "./erase-due.ts";
import type { EraseUserDeps } from "./erase-user.ts";
import { findCurrent, isHeld, retentionOf, withRetries } from "./erasure-rules.ts";
import { deleteDeadlines, deleteEmptyHeads, eraseRecords } from "./erasure-store.ts";
import { findRecordTerms, findSubjects, lockHeads, lockPersons, lockSessionsOf } from "./person-store.ts";

const firstId = "00000000-0000-0000-0000-000000000000";
// The schema demands it.
const dateOf = (time: Timestamp | undefined): Date => (time === undefined ? new Date(0) : timestampDate(time));

/**
 * Acceptances whose time is over, by the period of their organization, are erased as persons are: what proves stays. What
 * their terms say stands against it: as long as `retentionDays` has not ended, or a template holds them, they stay.
 */
export const retention = (
  deps: EraseUserDeps & Pick<ClickDeps, "logGuard" | "integratorPool" | "setbacks">,
): ServiceImpl<typeof RetentionService> => ({
  ...holdNotes(deps.pool, "click"),
  async countOld({ before }, context) {
    const { orgId } = requireCaller(context);
    return { records: await withOrg(deps.pool, orgId, (tenant) => countOld(tenant, dateOf(before))) };
  },
  async listOld({ before, limit, cursor, withAddresses }, context) {
    const { orgId } = requireCaller(context);
    const page = { before: dateOf(before), now: deps.clock.now(), after: cursor || firstId, limit };
    const { records, next } = await withOrg(deps.pool, orgId, (tenant) => windowOfOld(tenant, page));
    const kept = await findKept(deps, orgId, records, page.now);
    return {
      records: records
        .filter(({ id }) => !kept.has(id))
        .map((record) => ({ id: record.id, addresses: withAddresses ? addressesOf(deps, orgId, record) : [] })),
      nextCursor: next ?? "",
    };
  },
  async removeOld({ ids, before, onlyLook, holdMark }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const wanted = ids.map((id) => id.toLowerCase());
    const ages = { before: dateOf(before), now: deps.clock.now() };
    if (!onlyLook && (await mayEraseByTime(deps))) {
      const records = await withOrg(deps.pool, orgId, (tenant) => findOld(tenant, wanted, ages));
      const kept = await findKept(deps, orgId, records, ages.now);
      const going = records.flatMap(({ id }) => (kept.has(id) ? [] : id));
      await deps.receiptKeys.signingAt(ages.now);
      const hasErased = await withRetries(() =>
        withOrg(deps.eraserPool, orgId, (tenant) => erase(deps, tenant, { caller, ids: going, holdMark, ...ages })),
      );
      if (hasErased) {
        deps.wakeRelay();
        deps.wakeIntegrator(orgId);
      }
    }
    return { keptIds: await withOrg(deps.pool, orgId, (tenant) => findPresent(tenant, wanted)) };
  },
});

/** Those that a template holds, or whose own terms or template demand a longer time. */
async function findKept(
  { pool, templates }: EraseUserDeps,
  orgId: OrgId,
  records: readonly OldRecord[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const since = new Map(records.map((record) => [record.id, record.since]));
  const terms = await withOrg(pool, orgId, (tenant) => findRecordTerms(tenant, [...since.keys()]));
  const current = await findCurrent(templates, orgId, terms);
  const isKept = (one: (typeof terms)[number]): boolean => {
    const until = daysAfter(since.get(one.recordId) ?? now, retentionOf(one, current));
    return isHeld(one, current) || (until !== null && until > now);
  };
  const kept = terms.filter(isKept);
  return new Set(kept.map(({ recordId }) => recordId));
}

/** In the reference, and in whatever else was said of the user. */
function addressesOf({ vault }: EraseUserDeps, organizationId: OrgId, { id, sealed, seed }: OldRecord): string[] {
  return sealed === null
    ? []
    : addressesIn(vault.open({ organizationId, recordId: id }, seed, sealed).toString("utf8"));
}

/** False when somebody else was faster. */
async function erase(
  deps: EraseUserDeps,
  tenant: Tenant,
  {
    caller,
    ids,
    holdMark,
    before,
    now,
  }: Ages & { readonly caller: Caller; readonly ids: readonly string[]; readonly holdMark: number },
): Promise<boolean> {
  if (ids.length === 0) return false;
  await shareHolds(tenant, "click", holdMark);
  const sessions = await findTheirSessions(tenant, ids);
  const subjectIndexes = await findSubjects(tenant, [...ids, ...sessions]);
  await lockPersons(tenant, subjectIndexes);
  await lockSessionsOf(tenant, [...ids, ...sessions]);
  await lockHeads(tenant, subjectIndexes);
  // Meanwhile somebody may have been erased, or have used a session once more.
  const still = (await findOld(tenant, ids, { before, now })).map(({ id }) => id);
  if (still.length === 0) return false;
  const records = [...new Set([...still, ...(await findTheirSessions(tenant, still))])];
  for (const index of subjectIndexes) await deleteDeadlines(tenant, index, still);
  const erased = await eraseRecords(tenant, records, { subjectIndexes, now });
  await deleteEmptyHeads(tenant, subjectIndexes);
  await concludeErasure(deps, tenant, { caller, reason: "RETENTION_OVER", now, erased, restricted: [], events: [] });
  return true;
}

/** A record of a person whose time is over: an acceptance, a session that came to none, a change of consent. */
export interface OldRecord {
  readonly id: string;
  /** What the terms that were agreed to count from: the last change of what was consented to with it. */
  readonly since: Date;
  readonly sealed: Buffer | null;
  readonly seed: Buffer;
}

// The state of a purpose is its last row: as long as nothing follows it, it stays.
const lastWordSql = `exists (select from click.consent_event e
  where e.organization_id = $1 and e.receipt_id = k.record_id and not exists (select from click.consent_event f
    where f.organization_id = $1 and f.subject_index = e.subject_index and f.purpose = e.purpose and f.revision > e.revision))`;

const sinceSql = `(select max(f.recorded_at) from click.consent_event e
  join click.consent_event f on f.organization_id = $1 and f.subject_index = e.subject_index and f.purpose = e.purpose
  where e.organization_id = $1 and e.receipt_id = k.record_id)`;

/** Of the keys `k`: records that are over by $3, oldest first. What is restricted has a time of its own. */
const oldSql = `select k.record_id as id, greatest(r.at, ${sinceSql}) as since, r.sealed, k.seed from k join lateral (
    select a.accepted_at as at, a.sealed from click.acceptance a
      where a.organization_id = $1 and a.receipt_id = k.record_id and a.decision <> 'CONSENT'
    union all
    select s.updated_at, s.sealed from click.session s
      where s.organization_id = $1 and s.id = k.record_id
        and not (s.status in ('PENDING', 'PRESENTED') and s.expires_at > $4)
        and not exists (select from click.acceptance a join click.subject_key ak
          on ak.organization_id = $1 and ak.record_id = a.receipt_id
          where a.organization_id = $1 and a.session_id = s.id)
    union all
    select e.recorded_at, e.sealed from click.consent_event e
      where e.organization_id = $1 and e.receipt_id = k.record_id and e.update_id is not null
  ) r on r.at < $3
  where k.restricted_until is null and not ${lastWordSql} order by k.record_id`;

interface Ages {
  readonly before: Date;
  readonly now: Date;
}

/**
 * Looks at the next records of people after a place. Their ids are in the order in which they were made, and only those that
 * are not erased have a key.
 */
async function windowOfOld(
  { orgId, client }: Tenant,
  { before, now, after, limit }: Ages & { readonly after: string; readonly limit: number },
): Promise<{ readonly records: readonly OldRecord[]; readonly next: string | undefined }> {
  const seen = `select record_id, seed, restricted_until from click.subject_key
    where organization_id = $1 and record_id > $2 order by record_id limit ${limit}`;
  const { rows } = await client.query<OldRecord>(`with k as materialized (${seen}) ${oldSql}`, [
    ...[orgId, after, before.toISOString(), now.toISOString()],
  ]);
  const last = await client.query<{ id: string; isLast: boolean }>(
    `with k as (${seen}) select max(record_id::text collate "C") as id,
       count(*) < ${limit} or max(record_id::text collate "C") >= $3 as "isLast" from k`,
    [orgId, after, timeId(before)],
  );
  const { id = null, isLast = true } = last.rows[0] ?? {};
  return { records: rows, next: isLast || id === null ? undefined : id };
}

/** Where ids of a time begin. */
const timeId = (time: Date): string =>
  time
    .getTime()
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})(.{4})$/, "$1-$2-0000-0000-000000000000");

/** Those of these records that are still over. */
async function findOld({ orgId, client }: Tenant, ids: readonly string[], ages: Ages): Promise<OldRecord[]> {
  const { rows } = await client.query<OldRecord>(
    `with k as materialized (select record_id, seed, restricted_until from click.subject_key
       where organization_id = $1 and record_id = any($2)) ${oldSql}`,
    [orgId, ids, ages.before.toISOString(), ages.now.toISOString()],
  );
  return rows;
}

/** Those of these records that are there and not erased. */
async function findPresent({ orgId, client }: Tenant, ids: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    "select record_id as id from click.subject_key where organization_id = $1 and record_id = any($2)",
    [orgId, ids],
  );
  return rows.map(({ id }) => id);
}

/** The sessions of these acceptances that have no others. */
async function findTheirSessions({ orgId, client }: Tenant, receiptIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select distinct a.session_id as id from click.acceptance a
     join click.subject_key k on k.organization_id = $1 and k.record_id = a.session_id and k.restricted_until is null
     where a.organization_id = $1 and a.receipt_id = any($2) and not exists (
       select from click.acceptance o join click.subject_key ok on ok.organization_id = $1 and ok.record_id = o.receipt_id
       where o.organization_id = $1 and o.session_id = a.session_id and o.receipt_id <> all($2))`,
    [orgId, receiptIds],
  );
  return rows.map(({ id }) => id);
}

/** Acceptances that are older, with those that something keeps. */
async function countOld({ orgId, client }: Tenant, before: Date): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from click.acceptance
     where organization_id = $1 and accepted_at < $2 and decision <> 'CONSENT' and erased_at is null`,
    [orgId, before.toISOString()],
  );
  return rows[0]?.count ?? 0;
}
