import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { TestDatabase } from "#platform/testing/database.ts";

/** What an earlier release said through its API of the rows that it left behind. */
export interface Facts {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authMasterKey: string;
  readonly clickMasterKey: string;
  readonly acceptLimit: number;
  readonly templateSlug: string;
  /** Of the request for the receipt. */
  readonly idempotencyKey: string;
  readonly receipt: { readonly receiptId: string };
  readonly inclusionProof: {
    readonly leafIndex: number;
    readonly treeSize: number;
    readonly leafHash: string;
    readonly auditPath: readonly string[];
    readonly checkpoint: string;
  };
  readonly consentState: { readonly revision: number; readonly consents: readonly object[] };
  readonly completedId: string;
  readonly auditEvents: readonly object[];
  /** An agreement that waits for Ann. */
  readonly waitingId: string;
  readonly generatedDocument: { readonly id: string; readonly sha256: string; readonly contentUrl: string };
  readonly letterId: string;
}

const fileOf = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");

export const factsOf = (release: number): Facts => JSON.parse(fileOf(`facts-${release}.json`)) as Facts;

/** Makes an empty database what that release left: its owner runs the statements, and the rows come back as they were. */
export async function restoreRelease(release: number, { url, superuserUrl }: TestDatabase): Promise<void> {
  await run(url, fileOf(`schema-${release}.sql`));
  // As a restored backup: what refers to a row may come before it, and no trigger has a say.
  await run(superuserUrl, `set session_replication_role = replica;\n${emptyTables}\n${fileOf(`rows-${release}.sql`)}`);
}

/** What migrations wrote is among the rows. */
const emptyTables = `
  do $empty$
  begin
    execute (select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ') from pg_catalog.pg_tables
      where schemaname not in ('pg_catalog', 'information_schema'));
  end
  $empty$;`;

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
