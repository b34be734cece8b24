import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { until } from "#platform/testing/until.ts";
import type { RunningPostgres } from "../../../dev/postgres.ts";

/** A server whose log is archived, and what a base backup of it is restored from. */
export interface BackedUp {
  readonly postgres: RunningPostgres;
  /** Its files. */
  readonly cluster: string;
  /** Where the archive, the backup and what is broken are. */
  readonly folder: string;
}

/** Switches archiving on, as docs/operations.md has it; a segment is archived after so many seconds at the latest. */
export async function archiveLog({ postgres, cluster, folder }: BackedUp, timeoutSeconds: number): Promise<void> {
  const archive = join(folder, "archive");
  mkdirSync(archive, { recursive: true });
  const { uid, gid } = statSync(cluster);
  for (const path of [folder, archive]) chownSync(path, uid, gid);
  const into = `${archive}/%f`;
  const command = `if test -f ${into}; then cmp -s %p ${into}; else cp %p ${into}.part && sync ${into}.part && mv ${into}.part ${into}; fi`;
  await query(postgres.url, "alter system set archive_mode = on");
  await query(postgres.url, `alter system set archive_command = '${command}'`);
  await query(postgres.url, `alter system set archive_timeout = '${timeoutSeconds}s'`);
  await postgres.restart();
}

/** Resolves when everything that is committed by now is in the archive. */
export async function archiveNow({ postgres }: Pick<BackedUp, "postgres">): Promise<void> {
  const [row] = await query(postgres.url, "select pg_walfile_name(pg_switch_wal()) as segment");
  await until(async () => {
    const [last] = await query(postgres.url, "select last_archived_wal as segment from pg_stat_archiver");
    return String(last?.segment) >= String(row?.segment);
  }, 120_000);
}

/** What pg_basebackup does, by the server's functions: the programs of development do not have it. */
export async function baseBackup({ postgres, cluster, folder }: BackedUp): Promise<number> {
  const base = join(folder, "base");
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('drill', true)");
    // Files that vanish meanwhile are no failure: the log has what became of them.
    spawnSync("cp", ["-a", cluster, base], { stdio: "ignore" });
    for (const name of ["postmaster.pid", "postmaster.opts"]) rmSync(join(base, name), { force: true });
    for (const inside of ["pg_wal", "pg_replslot"]) {
      for (const name of readdirSync(join(base, inside))) rmSync(join(base, inside, name), { recursive: true });
    }
    const { rows } = await client.query("select labelfile from pg_backup_stop(true)");
    writeFileSync(join(base, "backup_label"), rows[0].labelfile);
  } finally {
    await client.end();
  }
  const { uid, gid } = statSync(cluster);
  chownSync(join(base, "backup_label"), uid, gid);
  return Number(spawnSync("du", ["-sm", base], { encoding: "utf8" }).stdout.split("\t")[0]);
}

/** The log that the dead server had not archived yet, beside what it had. */
export function saveLog({ cluster, folder }: BackedUp): void {
  const saved = join(folder, "saved");
  cpSync(join(folder, "archive"), saved, { recursive: true });
  for (const name of readdirSync(join(cluster, "pg_wal"))) {
    if (/^[0-9A-F]{24}$/.test(name)) cpSync(join(cluster, "pg_wal", name), join(saved, name), { force: true });
  }
}

/** The base backup in place of what is there, with the log up to a point or its end; resolves when it takes writes. */
export async function restore({ postgres, cluster, folder }: BackedUp, from: "archive" | "saved", at?: number) {
  await postgres.kill("immediate");
  renameSync(cluster, join(folder, `broken-${readdirSync(folder).length}`));
  spawnSync("cp", ["-a", join(folder, "base"), cluster]);
  const { uid, gid } = statSync(cluster);
  // Not every form of ISO 8601 is known to it before time zones are.
  const time = new Date(at ?? 0).toISOString().replace("T", " ").replace("Z", "+00");
  const target = at === undefined ? "" : `recovery_target_time = '${time}'\n`;
  appendFileSync(
    join(cluster, "postgresql.auto.conf"),
    `archive_mode = off\nrestore_command = 'cp ${join(folder, from)}/%f %p'\n${target}recovery_target_action = promote\n`,
  );
  writeFileSync(join(cluster, "recovery.signal"), "");
  chownSync(join(cluster, "recovery.signal"), uid, gid);
  await postgres.restart();
  await until(
    async () => (await query(postgres.url, "select pg_is_in_recovery() as busy"))[0]?.busy === false,
    600_000,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
export async function query(url: string, sql: string, values: readonly unknown[] = []): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
