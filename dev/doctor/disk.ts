import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Finding, notice, ok, type Query, reasonOf, skipped, wrong } from "./finding.ts";

const bytesOfMb = 1024 * 1024;
/** What the processes that read and make documents may need at once. */
const neededTemporaryMb = 200;
/** With less, no document at all. */
const fullMb = 32;

/** Where temporary files go. */
export function temporaryFolder(folder: string = tmpdir()): Finding {
  try {
    const own = mkdtempSync(join(folder, "assent-doctor-"));
    try {
      writeFileSync(join(own, "probe"), Buffer.alloc(64 * 1024));
    } finally {
      rmSync(own, { recursive: true });
    }
    const { bavail, bsize } = statfsSync(folder);
    const freeMb = Math.floor((bavail * bsize) / bytesOfMb);
    if (freeMb >= neededTemporaryMb) return ok("temporary files", `${folder} is writable, ${freeMb} MB are free`);
    const [says, todo] = [`${folder} has only ${freeMb} MB free`, `Free up ${neededTemporaryMb} MB.`];
    return freeMb < fullMb ? wrong("temporary files", says, todo) : notice("temporary files", says, todo);
  } catch (error) {
    return wrong(
      "temporary files",
      `no file can be written to ${folder}: ${reasonOf(error)}`,
      "Mount a writable folder there, as the manifests do, or set TMPDIR.",
    );
  }
}

const check = "database disk";
const todoFull = "Enlarge the volume; look for an archive or a replication slot that has stopped (docs/operations.md).";
const keptMbOfSlot = 1_024;

/** The disk of the database: a trial that anybody may make, what fills it, and how much is free where one may ask. */
export async function checkDatabaseDisk(query: Query): Promise<Finding[]> {
  return [...(await trial(query)), ...(await growingLog(query)), await freeSpace(query)];
}

/** Sorts more than fits into memory: the server writes some 10 MB, and removes them at once. Needs no privilege. */
async function trial(query: Query): Promise<Finding[]> {
  await query("begin");
  try {
    await query("set local work_mem = '64kB'");
    await query(
      "select count(*) from (select md5(n::text) from generate_series(1, 150000) as n order by 1 offset 0) as sorted",
    );
    return [];
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "53100") return [wrong(check, `it is full: ${reasonOf(error)}`, todoFull)];
    return [skipped(check, `it could not be tested: ${reasonOf(error)}`)];
  } finally {
    await query("rollback");
  }
}

/** What keeps the server from ever removing its log. */
async function growingLog(query: Query): Promise<Finding[]> {
  const findings: Finding[] = [];
  const [archive] = await query<{ failing: boolean; since: Date | null }>(
    `select current_setting('archive_mode') <> 'off' and last_failed_time > coalesce(last_archived_time, '-infinity')
       as failing, last_archived_time as since from pg_catalog.pg_stat_archiver`,
  );
  if (archive?.failing === true) {
    const since =
      archive.since === null ? "nothing was archived yet" : `the last success was ${archive.since.toISOString()}`;
    findings.push(wrong(check, `archiving fails, so the server's log grows until it is full: ${since}`, todoFull));
  }
  const [backup] = await query<{ isMissing: boolean }>(
    `select current_setting('archive_mode') <> 'off'
       and not exists (select from pg_catalog.pg_roles where rolname = 'streaming_replica')
       and not exists (
         select from pg_catalog.pg_db_role_setting s join pg_catalog.pg_database d on d.oid = s.setdatabase, unnest(s.setconfig) one
         where d.datname = current_database() and s.setrole = 0 and one like 'assent.base_backup=%') as "isMissing"`,
  );
  if (backup?.isMissing === true) {
    findings.push(
      notice(
        "base backup",
        "the server archives its log, but no base backup was recorded: without one the archive cannot restore anything",
        "Make one and record it, or record that backups are monitored elsewhere (docs/operations.md, On a Postgres of your own).",
      ),
    );
  }
  const slots = await query<{ name: string; kept: number }>(
    `select slot_name as name, (pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), restart_lsn) / ${bytesOfMb})::int as kept
     from pg_catalog.pg_replication_slots where not active and not pg_catalog.pg_is_in_recovery()`,
  );
  for (const { name, kept } of slots.filter(({ kept }) => kept >= keptMbOfSlot)) {
    findings.push(
      notice(check, `nothing reads the replication slot ${name}, which keeps ${kept} MB of the log`, todoFull),
    );
  }
  return findings;
}

/** Postgres itself has no function for that; superusers may ask the machine. */
async function freeSpace(query: Query): Promise<Finding> {
  const [seen] = await query<{ mighty: boolean; size: string }>(
    `select pg_catalog.pg_has_role(session_user, 'pg_execute_server_program', 'usage') as mighty,
       pg_catalog.pg_size_pretty(pg_catalog.pg_database_size(pg_catalog.current_database())) as size`,
  );
  const unknown = `the database has ${seen?.size}; this login cannot see how much space is left. Watch the volume`;
  if (seen?.mighty !== true) return skipped(check, unknown);
  await query("begin");
  try {
    await query("create temporary table doctor_disk (line text) on commit drop");
    // The server runs in its data folder.
    await query("copy doctor_disk from program 'df -Pk . pg_wal'");
    const lines = await query<{ line: string }>("select line from doctor_disk");
    const rooms = lines.flatMap(({ line }) => {
      const [, size = "", free = ""] = /\s(\d+)\s+\d+\s+(\d+)\s+\d+%\s/.exec(line) ?? [];
      return size === "" ? [] : [{ share: Number(free) / Number(size), freeMb: Math.floor(Number(free) / 1024) }];
    });
    const [least] = rooms.sort((a, b) => a.share - b.share);
    if (least === undefined) return skipped(check, unknown);
    const says = `${Math.floor(100 * least.share)} % are free (${least.freeMb} MB); the database has ${seen.size}`;
    if (least.share < 0.05) return wrong(check, says, todoFull);
    return least.share < 0.2 ? notice(check, says, todoFull) : ok(check, says);
  } catch (error) {
    return skipped(check, `${unknown} (${reasonOf(error)})`);
  } finally {
    await query("rollback");
  }
}
