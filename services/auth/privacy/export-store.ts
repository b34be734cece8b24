import type { Pool } from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { type EventContext, insertOutbox, outboxRecord } from "#platform/outbox/outbox.ts";
import type { ScheduleTimes } from "../domain/schedule-times.ts";
import { type ClaimedJob, changeJob, type JobChange } from "../store/job-store.ts";
import type { SealedExportFile } from "./export-seal.ts";

export interface StoredExport {
  readonly id: string;
  readonly kind: "person" | "organization" | "acceptances";
  /** Of acceptances. */
  readonly format: "csv" | "jsonl" | null;
  readonly status: "pending" | "completed" | "failed" | "expired";
  readonly requestHash: Buffer;
  /** Wrapped; null once it was destroyed. */
  readonly seed: Buffer | null;
  readonly sealedPerson: Buffer | null;
  readonly createdBy: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Whose turn it is of those that are asked, and where to go on there. */
  readonly holder: number;
  readonly cursor: string;
  readonly files: number;
  readonly bytes: string;
  readonly parts: number;
  readonly partFiles: number;
  readonly partBytes: string;
  /** The schedule that asked for it. */
  readonly scheduleId: string | null;
  /** Of acceptances: which leaves of the log it spans, the last one excluded; null until it has begun. */
  readonly fromLeafIndex: number | null;
  readonly untilLeafIndex: number | null;
}

const columns = `id, kind, format, status, request_hash as "requestHash", seed, sealed_person as "sealedPerson",
  created_by as "createdBy", request_id as "requestId", created_at as "createdAt", completed_at as "completedAt",
  expires_at as "expiresAt", holder, cursor, files, bytes, parts, part_files as "partFiles", part_bytes as "partBytes",
  schedule_id as "scheduleId", from_leaf_index::float8 as "fromLeafIndex", until_leaf_index::float8 as "untilLeafIndex"`;

export interface NewExport
  extends Pick<StoredExport, "id" | "kind" | "format" | "requestHash" | "createdBy" | "requestId" | "createdAt"> {
  readonly scheduleId?: string;
  readonly keyHash: Buffer | null;
  readonly seed: Buffer;
  readonly sealedPerson: Buffer;
}

/** False when the idempotency key was used. */
export async function insertExport({ orgId, client }: Tenant, made: NewExport): Promise<boolean> {
  const { id, kind, format, keyHash, requestHash, seed, sealedPerson, createdBy, requestId, createdAt } = made;
  const scheduleId = made.scheduleId ?? null;
  const { rowCount } = await client.query(
    `insert into auth.export (organization_id, id, key_hash, request_hash, status, seed, sealed_person, created_by,
       request_id, created_at, run_at, kind, format, schedule_id)
     values ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $9, $10, $11, $12) on conflict (organization_id, key_hash) do nothing`,
    [orgId, id, keyHash, requestHash, seed, sealedPerson, createdBy, requestId, createdAt, kind, format, scheduleId],
  );
  return rowCount === 1;
}

export async function findExport({ orgId, client }: Tenant, id: string): Promise<StoredExport | undefined> {
  const sql = `select ${columns} from auth.export where organization_id = $1 and id = $2`;
  return (await client.query<StoredExport>(sql, [orgId, id])).rows[0];
}

export async function findExportByKey({ orgId, client }: Tenant, keyHash: Buffer): Promise<StoredExport | undefined> {
  const sql = `select ${columns} from auth.export where organization_id = $1 and key_hash = $2`;
  return (await client.query<StoredExport>(sql, [orgId, keyHash])).rows[0];
}

/** Newest first, those before one: ids begin with their time. */
export async function listExports(
  { orgId, client }: Tenant,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<StoredExport[]> {
  const sql = `select ${columns} from auth.export where organization_id = $1 and ($2::uuid is null or id < $2)
    order by id desc limit $3`;
  return (await client.query<StoredExport>(sql, [orgId, before, limit])).rows;
}

/** Undefined when it belongs to somebody else by now; locked otherwise. */
export async function lockClaimed(
  { orgId, client }: Tenant,
  { id, claim }: ClaimedJob,
): Promise<StoredExport | undefined> {
  const sql = `select ${columns} from auth.export where organization_id = $1 and id = $2 and claim = $3 for update`;
  return (await client.query<StoredExport>(sql, [orgId, id, claim])).rows[0];
}

/** What changes of one that is locked: with `claim` null, others may go on with it. */
export type ExportChange = JobChange &
  Partial<Omit<StoredExport, "id" | "requestHash" | "bytes" | "partBytes">> & {
    readonly bytes?: number;
    readonly partBytes?: number;
  };

export const updateExport = (tenant: Tenant, id: string, change: ExportChange): Promise<void> =>
  changeJob(tenant, "export", id, change);

/** False when there is a file at its path already, which stays. */
export async function insertFile(
  { orgId, client }: Tenant,
  exportId: string,
  place: { readonly number: number; readonly part: number },
  file: SealedExportFile,
): Promise<boolean> {
  const { path, title, bytes, crc32, sha256, header, sealedBytes, pieces } = file;
  const { rowCount } = await client.query(
    `insert into auth.export_file (organization_id, export_id, number, part, path, title, bytes, crc32, sha256, header,
       sealed_bytes) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (organization_id, export_id, path) do nothing`,
    [orgId, exportId, place.number, place.part, path, title, bytes, crc32, sha256, header, sealedBytes],
  );
  if (rowCount !== 1) return false;
  const sql = `insert into auth.export_piece (organization_id, export_id, number, piece, bytes) values ($1, $2, $3, $4, $5)`;
  for (const [piece, sealed] of pieces.entries()) {
    await client.query(sql, [orgId, exportId, place.number, piece, sealed]);
  }
  return true;
}

export interface StoredExportFile extends Pick<SealedExportFile, "path" | "title" | "sha256" | "header"> {
  readonly number: number;
  readonly bytes: string;
  readonly crc32: string;
  readonly sealedBytes: string;
}

const fileColumns = `number, path, title, bytes, crc32, sha256, header, sealed_bytes as "sealedBytes"`;

/** Of one part, or of all, in their order. */
export async function listFiles(
  { orgId, client }: Tenant,
  exportId: string,
  part: number | null,
): Promise<StoredExportFile[]> {
  const sql = `select ${fileColumns} from auth.export_file
    where organization_id = $1 and export_id = $2 and ($3::integer is null or part = $3) order by number`;
  return (await client.query<StoredExportFile>(sql, [orgId, exportId, part])).rows;
}

export async function readPiece(
  { orgId, client }: Tenant,
  exportId: string,
  { number, piece }: { readonly number: number; readonly piece: number },
): Promise<(StoredExportFile & { readonly sealed: Buffer; readonly isLast: boolean }) | undefined> {
  const values = [orgId, exportId, number];
  const ofFile = "organization_id = $1 and export_id = $2 and number = $3";
  const fileSql = `select ${fileColumns} from auth.export_file where ${ofFile}`;
  const pieceSql = `select bytes as sealed, not exists (select from auth.export_piece where ${ofFile} and piece > $4) as "isLast"
    from auth.export_piece where ${ofFile} and piece = $4`;
  const [file] = (await client.query<StoredExportFile>(fileSql, values)).rows;
  const [found] = (await client.query<{ sealed: Buffer; isLast: boolean }>(pieceSql, [...values, piece])).rows;
  return file && found && { ...file, ...found };
}

/** How much one statement takes away. */
const removedAtOnce = 100;

/** Takes away some of what is left of the files; false when there was nothing. */
export async function removeSome({ orgId, client }: Tenant, exportId: string): Promise<boolean> {
  for (const table of ["auth.export_piece", "auth.export_file"]) {
    const sql = `delete from ${table} where ctid = any(array(
      select ctid from ${table} where organization_id = $1 and export_id = $2 limit ${removedAtOnce}))`;
    if (((await client.query(sql, [orgId, exportId])).rowCount ?? 0) > 0) return true;
  }
  return false;
}

type Ended = Pick<StoredExport, "id" | "kind" | "status" | "scheduleId" | "format" | "parts" | "requestId"> & {
  readonly bytes: number;
  readonly expiresAt: Date | null;
};

/** Publishes the event that the export has ended, in the transaction that ends it. */
export async function tellEnded(
  { orgId, client }: Tenant,
  at: Pick<EventContext, "eventId" | "now">,
  { id: exportId, kind, status, scheduleId, format, parts, bytes, expiresAt, requestId }: Ended,
): Promise<void> {
  const exportEnded = {
    ...{ exportId, kind, status, scheduleId: scheduleId ?? "", format: format ?? "", parts, bytes: String(bytes) },
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
  };
  const context: EventContext = { ...at, caller: { orgId, requestId, traceparent: "" } };
  await insertOutbox(client, "auth", [outboxRecord(context, "assent.auth.export.ended", exportId, { exportEnded })]);
}

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

const scheduleColumns = `id, request_hash as "requestHash", format, template_id as "templateId", every, day, at,
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
  const sql = `select ${scheduleColumns} from auth.export_schedule where organization_id = $1 and id = $2`;
  return (await client.query<StoredSchedule>(sql, [orgId, id])).rows[0];
}

/** Locks the schedule until the transaction ends. */
export async function lockSchedule({ orgId, client }: Tenant, id: string): Promise<StoredSchedule | undefined> {
  const sql = `select ${scheduleColumns} from auth.export_schedule where organization_id = $1 and id = $2 for update`;
  return (await client.query<StoredSchedule>(sql, [orgId, id])).rows[0];
}

export async function findScheduleByKey(
  { orgId, client }: Tenant,
  keyHash: Buffer,
): Promise<StoredSchedule | undefined> {
  const sql = `select ${scheduleColumns} from auth.export_schedule where organization_id = $1 and key_hash = $2`;
  return (await client.query<StoredSchedule>(sql, [orgId, keyHash])).rows[0];
}

/** All of them, newest first: ids begin with their time. */
export async function listSchedules({ orgId, client }: Tenant): Promise<StoredSchedule[]> {
  const sql = `select ${scheduleColumns} from auth.export_schedule where organization_id = $1 order by id desc`;
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
  const sql = `select ${scheduleColumns}, not exists (
      select from auth.organization o where o.organization_id = $1 and o.closed_at is null) as "isClosed"
    from auth.export_schedule where organization_id = $1 and id = $2 and run_at <= $3 for update skip locked`;
  return (await client.query<LockedSchedule>(sql, [orgId, id, now])).rows[0];
}

/** It stays due, and is looked for again then. */
export async function waitUntil({ orgId, client }: Tenant, id: string, runAt: Date): Promise<void> {
  const sql = "update auth.export_schedule set run_at = $3 where organization_id = $1 and id = $2";
  await client.query(sql, [orgId, id, runAt]);
}
