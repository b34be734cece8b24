import pg from "pg";
import { createSubjectVault } from "../../services/click/vault/subject-vault.ts";
import { type CopyRange, copyRows, type RowCopies } from "./copy-rows.ts";
import { fillAcceptances, idSql, inPieces } from "./fill-acceptances.ts";
import type { KnownUsers } from "./known-users.ts";

export interface DashboardFill {
  /** Past row-level security. */
  readonly superuserUrl: string;
  readonly clickMasterKey: Buffer;
  readonly organizationId: string;
  readonly known: KnownUsers;
  /** What the product has made, and the others become like: one of each. */
  readonly templateId: string;
  readonly agreementId: string;
  readonly genTemplateId: string;
  readonly documentId: string;
  readonly batchId: string;
  readonly endpointId: string;
  /** Of each kind. */
  readonly rows: number;
}

/**
 * Fills an organization with everything that the lists of the dashboard show, in the ways that are hard for them: the
 * newer half of the templates is not published, the newest records of consent are a long run of changes without a
 * template, and of some states there is nothing at all.
 */
export async function fillDashboard(options: DashboardFill): Promise<void> {
  const { superuserUrl, organizationId, clickMasterKey, known, rows } = options;
  const began = Date.now() - 86_400_000 - rows * 1_000;
  await fillAcceptances({ superuserUrl, organizationId, ...known, rows });
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query("set synchronous_commit = off");
    const { receiptId } = known;
    const before = new Date(began + rows * 1_000 + 1_000);
    await sealCopies(client, { organizationId, clickMasterKey, receiptId, before });
    const copy = (copies: RowCopies, count: number): Promise<void> =>
      inPieces(count, (range: CopyRange) => copyRows(client, copies, range));
    const kinds = [
      ...templates(options, began),
      ...agreements(options, began),
      ...generation(options, began),
      consentKeys(options, began),
    ];
    for (const { share, ...copies } of kinds) await copy(copies, Math.floor(rows * share));
    await deliver(client, options, began);
    await copy(auditEvents(options, began), rows);
    await client.query("vacuum (analyze)");
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
}

/** Of all the rows, so many. */
interface SharedCopies extends RowCopies {
  readonly share: number;
}

const timeSql = (began: number): string => `to_timestamp((${began} + 1000 * n) / 1000.0)`;

function templates({ organizationId, templateId }: DashboardFill, began: number): SharedCopies[] {
  const times = { created_at: timeSql(began), updated_at: timeSql(began) };
  const id = idSql(began);
  return [
    {
      table: "templates.template",
      where: "organization_id = $1 and id = $2",
      values: [organizationId, templateId],
      changes: {
        ...{ id, name: "'Policy ' || n", slug: "'policy-' || n" },
        is_published: "false",
        archived_at: `case when n % 1000 = 0 then ${timeSql(began)} end`,
        ...times,
      },
      share: 1,
    },
    {
      table: "templates.version",
      where: "organization_id = $1 and template_id = $2 and status = 'PUBLISHED'",
      values: [organizationId, templateId],
      changes: { id: "gen_random_uuid()", template_id: id, ...times },
      share: 0.5,
    },
  ];
}

/** Most have ended, some are with their recipients, and none is a draft or expired. */
function agreements({ organizationId, agreementId }: DashboardFill, began: number): SharedCopies[] {
  const when = (status: string): string => `case when ${statusSql} = '${status}' then ${timeSql(began)} end`;
  const time = timeSql(began);
  const ofAgreement = { values: [organizationId, agreementId], share: 1 };
  const recipient = (number: number): SharedCopies => ({
    ...ofAgreement,
    table: "sign.recipient",
    where: `organization_id = $1 and agreement_id = $2 and recipient_id = '${number}'`,
    changes: {
      ...{ id: "gen_random_uuid()", agreement_id: idSql(began), name: "'Signer ' || n" },
      ...{ email: `'signer${number}-' || n || '@example.com'`, email_key: `'signer${number}-' || n || '@example.com'` },
    },
  });
  return [
    {
      ...ofAgreement,
      table: "sign.agreement",
      where: "organization_id = $1 and id = $2",
      changes: {
        ...{ id: idSql(began), email_subject: "'Please sign agreement ' || n", status: statusSql },
        search_text: "replace(p.search_text, 'agreement 0', 'agreement ' || n)",
        ...{ created_at: time, modified_at: time, status_changed_at: time, sent_at: time },
        ...{ completed_at: when("completed"), declined_at: when("declined"), voided_at: when("voided") },
      },
    },
    {
      ...ofAgreement,
      table: "sign.document",
      where: "organization_id = $1 and agreement_id = $2",
      changes: { id: "gen_random_uuid()", agreement_id: idSql(began) },
    },
    recipient(1),
    recipient(2),
  ];
}

const statusSql = `case when n % 100 < 90 then 'completed' when n % 100 < 95 then 'sent'
  when n % 100 < 98 then 'declined' else 'voided' end`;

function generation(options: DashboardFill, began: number): SharedCopies[] {
  const { organizationId, genTemplateId, documentId, batchId } = options;
  const one = (table: string, id: string, changes: RowCopies["changes"]): SharedCopies => ({
    table,
    where: "organization_id = $1 and id = $2",
    values: [organizationId, id],
    changes: { id: idSql(began), created_at: timeSql(began), ...changes },
    share: 1,
  });
  return [
    one("docgen.template", genTemplateId, { name: "'Contract ' || n", slug: "'contract-' || n" }),
    one("docgen.document", documentId, {}),
    one("docgen.batch", batchId, {}),
  ];
}

/** What keeps the keys of changes of consent is in the table of acceptances, and in no list of them. */
const consentKeys = ({ organizationId, known }: DashboardFill, began: number): SharedCopies => ({
  table: "click.acceptance",
  where: "organization_id = $1 and receipt_id = $2",
  values: [organizationId, known.receiptId],
  changes: {
    ...{ decision: "'CONSENT'", receipt_id: "gen_random_uuid()", accepted_at: `${timeSql(began)} + interval '1 day'` },
    idempotency_hash: "sha256('change'::bytea || int8send(n))",
    ...Object.fromEntries(emptyOfConsent.map((column) => [column, "null"])),
  },
  share: 0.5,
});

const emptyOfConsent = ["template_id", "version_id", "revision", "terms_hash", "session_id", "once_hash", "sealed"];

const auditEvents = ({ organizationId }: DashboardFill, began: number): RowCopies => ({
  table: "auth.audit_event",
  where: "organization_id = $1",
  values: [organizationId],
  changes: { event_id: idSql(began), at: timeSql(began) },
});

/** One in a thousand was given up. */
const deliverSql = `
insert into webhooks.delivery (organization_id, id, event_id, event_type, receiver_id, endpoint_id, status, attempts, step,
  occurred_at, created_at, delivered_at)
select $1, id, gen_random_uuid(), 'click.acceptance.recorded', $2, $2,
  case when n % 1000 = 0 then 'dead' else 'delivered' end, 1, 1, at, at, case when n % 1000 <> 0 then at end
from (select n, ID as id, TIME as at from generate_series(1, $3::bigint) n) r`;

async function deliver(client: pg.ClientBase, options: DashboardFill, began: number): Promise<void> {
  const { organizationId, endpointId, rows } = options;
  const sql = deliverSql.replace("ID", idSql(began)).replace("TIME", timeSql(began));
  await client.query(sql, [organizationId, endpointId, rows]);
}

interface SealOptions {
  readonly organizationId: string;
  readonly clickMasterKey: Buffer;
  /** Of the acceptance that the others were copied from. */
  readonly receiptId: string;
  /** Copies are older. */
  readonly before: Date;
}

interface Row {
  readonly id: string;
  readonly seed: Buffer;
}

const pieceRows = 10_000;

/** Seals what the copied acceptance says in each of its copies, which can be read like any other then. */
async function sealCopies(client: pg.ClientBase, options: SealOptions): Promise<void> {
  const { organizationId, clickMasterKey, receiptId, before } = options;
  const vault = createSubjectVault([clickMasterKey], () => clickMasterKey);
  const { rows: known } = await client.query<Row & { sealed: Buffer }>(`${rowsSql} and a.receipt_id = $2`, [
    organizationId,
    receiptId,
  ]);
  const [copied] = known;
  if (copied === undefined) throw new Error("there is no acceptance that was copied");
  const plain = vault.open({ organizationId, recordId: receiptId }, copied.seed, copied.sealed);
  for (let after = noId; ; ) {
    const values = [organizationId, before, after, pieceRows];
    const { rows } = await client.query<Row>(
      `${rowsSql} and a.accepted_at < $2 and a.sealed is not null and a.receipt_id > $3 order by a.receipt_id limit $4`,
      values,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    const sealed = rows.map(({ id, seed }) => vault.seal({ organizationId, recordId: id }, seed, plain));
    await client.query(
      `update click.acceptance a set sealed = n.sealed from unnest($2::uuid[], $3::bytea[]) n (id, sealed)
       where a.organization_id = $1 and a.receipt_id = n.id`,
      [organizationId, rows.map(({ id }) => id), sealed],
    );
    after = last.id;
  }
}

const noId = "00000000-0000-0000-0000-000000000000";

const rowsSql = `select a.receipt_id as id, k.seed, a.sealed from click.acceptance a
  join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id
  where a.organization_id = $1`;
