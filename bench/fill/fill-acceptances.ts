import pg from "pg";
import { type CopyRange, copyRows, type RowCopies, withoutIndexes } from "./copy-rows.ts";

export interface FillOptions {
  /** Past row-level security. */
  readonly superuserUrl: string;
  readonly organizationId: string;
  /** An acceptance that the product recorded; the others become like it. */
  readonly receiptId: string;
  /** One of a CONSENT template. */
  readonly consentReceiptId: string;
  readonly rows: number;
}

/** Rows of one statement and transaction. */
const pieceRows = 250_000;
/** One user in so many has consented as well. */
const consentEvery = 10;

/**
 * Puts acceptances into every table that an acceptance touches, each of another user, with a leaf in the log, but none
 * into the outbox, whose rows do not stay. What is personal is as long as that of the copied one and cannot be opened. The
 * tree of the log is left to the product. Nothing else may write meanwhile.
 */
export async function fillAcceptances(options: FillOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.superuserUrl });
  await client.connect();
  try {
    await client.query("set synchronous_commit = off");
    await client.query("set maintenance_work_mem = '512MB'");
    // One acceptance a second, so that a large database goes back further; the last one was yesterday.
    const began = Date.now() - 86_400_000 - options.rows * 1_000;
    const copy = (copies: RowCopies, rows = options.rows): Promise<void> =>
      inPieces(rows, (range) => copyRows(client, copies, range));
    await withoutIndexes(client, "click.acceptance", () => copy(acceptances(options, began)));
    await copy(seeds(options, began));
    await copy(statistics(options));
    for (const copies of consents(options, began)) await copy(copies, Math.floor(options.rows / consentEvery));
    await inPieces(options.rows, (range) => appendLeaves(client, leaves(options, began), range));
    await client.query("vacuum (freeze, analyze)");
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
}

export async function inPieces(rows: number, work: (range: CopyRange) => Promise<void>): Promise<void> {
  for (let from = 1; from <= rows; from += pieceRows) await work({ from, to: Math.min(rows, from + pieceRows - 1) });
}

/** The id of the n-th record, in the order of time as version 7 has it. */
export const idSql = (began: number): string =>
  `(lpad(to_hex(${began} + 1000 * n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid`;

/** 16 bytes that differ from user to user and from purpose to purpose. */
const keySql = (purpose: string): string => `substring(sha256('${purpose}'::bytea || int8send(n)) from 1 for 16)`;

const acceptances = ({ organizationId, receiptId }: FillOptions, began: number): RowCopies => ({
  table: "click.acceptance",
  where: "organization_id = $1 and receipt_id = $2",
  values: [organizationId, receiptId],
  changes: {
    idempotency_hash: "sha256('key'::bytea || int8send(n))",
    body_hash: "sha256('body'::bytea || int8send(n))",
    receipt_id: idSql(began),
    subject_index: keySql("subject"),
    accepted_at: `to_timestamp((${began} + 1000 * n) / 1000.0)`,
  },
});

const seeds = ({ organizationId, receiptId }: FillOptions, began: number): RowCopies => ({
  table: "click.subject_key",
  where: "organization_id = $1 and record_id = $2",
  values: [organizationId, receiptId],
  changes: { record_id: idSql(began), seed: "sha256('seed'::bytea || int8send(n))" },
});

const statistics = ({ organizationId }: FillOptions): RowCopies => ({
  table: "click.stat_user",
  where: "organization_id = $1",
  values: [organizationId],
  changes: { user_key: keySql("statistics") },
  orderBy: keySql("statistics"),
});

/** Both purposes that the copied acceptance decided. */
const consents = ({ organizationId, consentReceiptId }: FillOptions, began: number): RowCopies[] => {
  const values = [organizationId, consentReceiptId];
  const byUser = { subject_index: keySql("subject") };
  const ofUser = "(select subject_index from click.acceptance where organization_id = $1 and receipt_id = $2)";
  return [
    {
      table: "click.consent_head",
      where: `organization_id = $1 and subject_index = ${ofUser}`,
      values,
      changes: byUser,
      orderBy: keySql("subject"),
    },
    ...[1, 2].map((revision) => ({
      table: "click.consent_event",
      where: `organization_id = $1 and receipt_id = $2 and revision = ${revision}`,
      values,
      changes: { ...byUser, event_id: idSql(began), receipt_id: idSql(began) },
      orderBy: keySql("subject"),
    })),
  ];
};

const leaves = ({ organizationId, receiptId }: FillOptions, began: number): RowCopies => ({
  table: "click.log_leaf",
  where: "organization_id = $1 and record_id = $2",
  values: [organizationId, receiptId],
  computed: {
    new_id: idSql(began),
    new_leaf: "convert_to(replace(convert_from(p.leaf, 'UTF8'), p.record_id::text, new_id::text), 'UTF8')",
  },
  changes: { record_id: "new_id", leaf: "new_leaf", leaf_hash: "sha256('\\x00'::bytea || new_leaf)" },
});

/** Takes indexes as the product does: the head is locked until the leaves are there. */
async function appendLeaves(client: pg.ClientBase, copies: RowCopies, range: CopyRange): Promise<void> {
  const count = range.to - range.from + 1;
  await client.query("begin");
  const { rows } = await client.query<{ base: string }>(
    "update click.log_head set size = size + $2 where organization_id = $1 returning size - $2 as base",
    [copies.values[0], count],
  );
  const changes = { ...copies.changes, leaf_index: `${Number(rows[0]?.base)} + n - ${range.from}` };
  await copyRows(client, { ...copies, changes }, range);
  await client.query("commit");
}
