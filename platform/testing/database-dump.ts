import { spawnSync } from "node:child_process";
import type pg from "pg";
import type { Resealer, ResealRun } from "../master-keys/reseal.ts";
import { until } from "./until.ts";

/** Every row of every table of a database, as JSON; bytes are hexadecimal there. The pool must see all rows. */
export async function dumpTables(pool: Pick<pg.Pool, "query">): Promise<string> {
  const tables = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return texts.join("\n");
}

/** What a backup holds; undefined on a machine without a pg_dump for this server. */
export function dumpBackup(superuserUrl: string): string | undefined {
  const { status, stdout } = spawnSync("pg_dump", ["--dbname", superuserUrl], {
    encoding: "utf8",
    maxBuffer: 256 * 1_048_576,
  });
  return status === 0 ? stdout : undefined;
}

/** The forms in which a value could stand in a dump: as it is, in base64 wherever that begins, and both as bytes. */
export function formsOf(value: string): string[] {
  const encoded = (["base64", "base64url"] as const).flatMap((encoding) =>
    [0, 1, 2].map((offset) => middleOf(Buffer.from("x".repeat(offset) + value).toString(encoding), offset)),
  );
  const texts = [value, JSON.stringify(value).slice(1, -1), ...encoded.filter((text) => text.length >= minLength)];
  return [...new Set([...texts, ...texts.map((text) => Buffer.from(text).toString("hex"))])];
}

/** Less of something in base64 would be found in any large dump by chance. */
const minLength = 8;

/** Without the characters that depend on what stands before and after. */
const middleOf = (text: string, offset: number): string => text.slice(offset === 0 ? 0 : 4, -4);

/** Those of the values that can be found in the dump in any form. */
export const findIn = (dump: string, values: readonly string[]): string[] =>
  values.filter((value) => formsOf(value).some((form) => dump.includes(form)));

/** Seals everything with the newest master key, and resolves when that is finished. */
export async function resealAll(resealer: Resealer | undefined): Promise<ResealRun> {
  if (resealer === undefined) throw new Error("the service seals nothing anew");
  await resealer.start();
  return until(async () => {
    const { run } = await resealer.state();
    return run !== undefined && run.finishedAt !== null && run;
  }, 30_000);
}
