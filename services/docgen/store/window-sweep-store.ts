import type pg from "pg";

/**
 * As the role that sees the windows of all organizations, but not what is used of them. A slot may be given back to its
 * window for as long as its document waits; after two hours nobody counts there any more, and giving back changes nothing.
 */
export async function deleteOldWindows(claimer: pg.Pool): Promise<number> {
  const { rowCount } = await claimer.query(
    `delete from docgen.usage_window where (organization_id, seconds, window_start) in (
       select organization_id, seconds, window_start from docgen.usage_window
       where window_start < now() - interval '2 hours' limit 10000
     )`,
  );
  return rowCount ?? 0;
}
