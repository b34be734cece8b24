import type { Pool } from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { ScheduleTimes } from "../domain/schedule-times.ts";

export interface StoredSchedule extends ScheduleTimes {
  readonly id: string;
  readonly requestHash: Buffer;
  readonly format: "csv" | "jsonl";
  readonly templateId: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Null while it is paused. */
  readonly nextAt: Date | null;
  readonly lastExportId: string | null;
  /** Where the next export begins. */
  readonly untilLeafIndex: number;
}

const columns = `id, request_hash as "requestHash", format, template_id as "templateId", every, day, at,
  time_zone as "timeZone", created_by as "createdBy", created_at as "createdAt", next_at as "nextAt",
  last_export_id as "lastExportId", until_leaf_index::float8 as "untilLeafIndex"`;

/**
 * Until the transaction ends, nobody else of the organization adds or deletes one. How many it has, and the time zone of
 * the organization.
 */
export async function lockSchedules({ orgId, client }: Tenant): Promise<{ count: number; timeZone: string }> {
  const lockSql = `select time_zone as "timeZone" from auth.organization where organization_id = $1 for no key update`;
  const [organization] = (await client.query<{ timeZone: string }>(lockSql, [orgId])).rows;
  const countSql = "select count(*)::integer as count from auth.export_schedule where organization_id = $1";
  const [found] = (await client.query<{ count: number }>(countSql, [orgId])).rows;
  return { count: found?.count ?? 0, timeZone: organization?.timeZone ?? "" };
}

type NewSchedule = Omit<StoredSchedule, "lastExportId" | "untilLeafIndex"> & { readonly keyHash: Buffer | null };

export async function insertSchedule({ orgId, client }: Tenant, made: NewSchedule): Promise<void> {
  const { id, keyHash, requestHash, format, templateId, every, day, at, timeZone, createdBy, createdAt, nextAt } = made;
  await client.query(
    `insert into auth.export_schedule (organization_id, id, key_hash, request_hash, format, template_id, every, day, at,
       time_zone, created_by, created_at, next_at, run_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
    [orgId, id, keyHash, requestHash, format, templateId, every, day, at, timeZone, createdBy, createdAt, nextAt],
  );
}

export async function findSchedule({ orgId, client }: Tenant, id: string): Promise<StoredSchedule | undefined> {
  const sql = `select ${columns} from auth.export_schedule where organization_id = $1 and id = $2`;
  return (await client.query<StoredSchedule>(sql, [orgId, id])).rows[0];
}

/** Locks the schedule until the transaction ends. */
export async function lockSchedule({ orgId, client }: Tenant, id: string): Promise<StoredSchedule | undefined> {
  const sql = `select ${columns} from auth.export_schedule where organization_id = $1 and id = $2 for update`;
  return (await client.query<StoredSchedule>(sql, [orgId, id])).rows[0];
}

export async function findScheduleByKey(
  { orgId, client }: Tenant,
  keyHash: Buffer,
): Promise<StoredSchedule | undefined> {
  const sql = `select ${columns} from auth.export_schedule where organization_id = $1 and key_hash = $2`;
  return (await client.query<StoredSchedule>(sql, [orgId, keyHash])).rows[0];
}

/** All of them, newest first: ids begin with their time. */
export async function listSchedules({ orgId, client }: Tenant): Promise<StoredSchedule[]> {
  const sql = `select ${columns} from auth.export_schedule where organization_id = $1 order by id desc`;
  return (await client.query<StoredSchedule>(sql, [orgId])).rows;
}

/** Of one that is locked. */
export async function updateSchedule(
  { orgId, client }: Tenant,
  { id, format, templateId, every, day, at, timeZone, nextAt, lastExportId, untilLeafIndex }: StoredSchedule,
): Promise<void> {
  await client.query(
    `update auth.export_schedule set format = $3, every = $4, day = $5, at = $6, time_zone = $7, next_at = $8,
       run_at = $8, last_export_id = $9, template_id = $10,
       until_leaf_index = $11 where organization_id = $1 and id = $2`,
    [orgId, id, format, every, day, at, timeZone, nextAt, lastExportId, templateId, untilLeafIndex],
  );
}

/** False when there was none. */
export async function deleteSchedule({ orgId, client }: Tenant, id: string): Promise<boolean> {
  const sql = "delete from auth.export_schedule where organization_id = $1 and id = $2";
  return (await client.query(sql, [orgId, id])).rowCount === 1;
}

/** Its last export was completed, and ends at this leaf. It may have been deleted since, or begun anew. */
export async function moveSchedule(
  { orgId, client }: Tenant,
  { id, exportId, untilLeafIndex }: { readonly id: string; readonly exportId: string; readonly untilLeafIndex: number },
): Promise<void> {
  const sql = `update auth.export_schedule set until_leaf_index = $4
    where organization_id = $1 and id = $2 and last_export_id = $3`;
  await client.query(sql, [orgId, id, exportId, untilLeafIndex]);
}

export interface DueSchedule {
  readonly orgId: OrgId;
  readonly id: string;
}

/** Some that are due, of any organization, those first that have waited longest. */
export async function findDueSchedules(janitor: Pool, now: Date, limit: number): Promise<DueSchedule[]> {
  const sql = `select organization_id as "orgId", id from auth.export_schedule where run_at <= $1 order by run_at limit $2`;
  return (await janitor.query<DueSchedule>(sql, [now, limit])).rows;
}

interface LockedSchedule extends StoredSchedule {
  /** Whether the organization is being deleted. */
  readonly isClosed: boolean;
}

/** Undefined when it is not due any more, or another process has it. */
export async function lockDue({ orgId, client }: Tenant, id: string, now: Date): Promise<LockedSchedule | undefined> {
  const sql = `select ${columns}, not exists (
      select from auth.organization o where o.organization_id = $1 and o.closed_at is null) as "isClosed"
    from auth.export_schedule where organization_id = $1 and id = $2 and run_at <= $3 for update skip locked`;
  return (await client.query<LockedSchedule>(sql, [orgId, id, now])).rows[0];
}

/** It stays due, and is looked for again then. */
export async function waitUntil({ orgId, client }: Tenant, id: string, runAt: Date): Promise<void> {
  const sql = "update auth.export_schedule set run_at = $3 where organization_id = $1 and id = $2";
  await client.query(sql, [orgId, id, runAt]);
}
