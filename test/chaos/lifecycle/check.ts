import pg from "pg";
import { until } from "#platform/testing/until.ts";
import type { LifecycleCluster } from "./cluster.ts";
import type { Load } from "./load.ts";

/**
 * What the promise says of all that was accepted, whatever happened meanwhile: each key was recorded once, with the
 * receipt that was answered, and announced once. Call it when the load has ended. Returns what is not so.
 */
export async function problemsOf(cluster: LifecycleCluster, { receipts }: Load): Promise<string[]> {
  const answered = [...receipts.values()];
  const stored = await storedReceipts(cluster);
  const known = new Set(stored);
  const problems = [
    ...answered.filter((id) => !known.has(id)).map((id) => `${id} was answered and is not stored`),
    ...(new Set(answered).size === answered.length ? [] : ["two keys got one receipt"]),
    ...(stored.length === answered.length ? [] : [`${stored.length} records of ${answered.length} keys`]),
  ];
  const announced = (): string[] =>
    cluster.events
      .of("assent.click.acceptance.recorded")
      .filter(({ organizationId }) => organizationId === cluster.visitor.api.organizationId)
      .map((event) => event.acceptanceRecorded?.receiptId ?? "");
  // What is missing then is told below.
  await until(() => announced().length >= stored.length, 90_000).catch(() => undefined);
  const told = announced();
  const once = new Set(told);
  if (once.size !== told.length) problems.push(`${told.length - once.size} acceptances were announced twice`);
  return [...problems, ...stored.filter((id) => !once.has(id)).map((id) => `${id} was never announced`)];
}

async function storedReceipts({ inspectUrl, visitor }: LifecycleCluster): Promise<string[]> {
  const client = new pg.Client({ connectionString: inspectUrl });
  await client.connect();
  try {
    const sql = "select receipt_id as id from click.acceptance where organization_id = $1";
    const { rows } = await client.query<{ id: string }>(sql, [visitor.api.organizationId]);
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}
