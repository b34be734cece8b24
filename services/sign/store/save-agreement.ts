import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../domain/agreement.ts";
import {
  customFieldTable,
  documentTable,
  encodeAgreement,
  type PartTable,
  recipientTable,
  writtenColumns,
} from "./agreement-records.ts";
import type { Parameter, Write } from "./write-together.ts";

/** What writes a new agreement with everything that belongs to it; the agreement itself comes first. */
export const insertionOf = (orgId: OrgId, agreement: Agreement): Write[] => [
  {
    name: "insert",
    text: (parameter) => `insert into sign.agreement (organization_id, ${writtenColumns.names})
      select ${parameter(orgId)}::uuid, ${writtenColumns.names}
      from json_to_record(${parameter(JSON.stringify(encodeAgreement(agreement)))}::json) as r(${writtenColumns.definitions})`,
  },
  ...upsertsOf(orgId, { ...agreement, documents: [], recipients: [], customFields: [] }, agreement),
];

/**
 * What writes the parts that differ between the agreement as it was read and as it is to be; the agreement itself comes
 * first, and is not written when it has been changed or deleted since. With deletedAt it counts as deleted from here on.
 */
export const updateOf = (orgId: OrgId, before: Agreement, after: Agreement, deletedAt: Date | null = null): Write[] => [
  {
    name: "update",
    text: (parameter) => `update sign.agreement a
      set ${writtenColumns.assignments("r")}, deleted_at = ${parameter(deletedAt)}::timestamptz
      from json_to_record(${parameter(JSON.stringify(encodeAgreement(after)))}::json) as r(${writtenColumns.definitions})
      where a.organization_id = ${parameter(orgId)}::uuid and a.id = ${parameter(before.id)}::uuid and r.id = a.id
        and a.version = ${parameter(before.version)}::integer and a.deleted_at is null`,
  },
  ...upsertsOf(orgId, before, after),
];

/** Parts that the agreement has no more are deleted before others are written: one may have the place of another. */
export async function removeParts(
  client: pg.PoolClient,
  orgId: OrgId,
  before: Agreement,
  after: Agreement,
): Promise<void> {
  const remover: Remover = { client, orgId, agreementId: after.id };
  await removeRows(remover, documentTable, before.documents, after.documents);
  await removeRows(remover, recipientTable, before.recipients, after.recipients);
  await removeRows(remover, customFieldTable, before.customFields, after.customFields);
}

interface Remover {
  readonly client: pg.PoolClient;
  readonly orgId: OrgId;
  readonly agreementId: string;
}

async function removeRows<T>(
  { client, orgId, agreementId }: Remover,
  { table, key, keyType, keyOf }: PartTable<T>,
  before: readonly T[],
  after: readonly T[],
): Promise<void> {
  if (before === after) return;
  const kept = new Set(after.map(keyOf));
  const removed = before.map(keyOf).filter((one) => !kept.has(one));
  if (removed.length === 0) return;
  await client.query(
    `delete from ${table} where organization_id = $1 and agreement_id = $2 and ${key} = any($3::${keyType}[])`,
    [orgId, agreementId, removed],
  );
}

const upsertsOf = (orgId: OrgId, before: Agreement, after: Agreement): Write[] => [
  ...upsertOf(orgId, after.id, documentTable, before.documents, after.documents),
  ...upsertOf(orgId, after.id, recipientTable, before.recipients, after.recipients),
  ...upsertOf(orgId, after.id, customFieldTable, before.customFields, after.customFields),
];

/** Parts are never changed in place: what is the same object in the same place needs no writing. */
function upsertOf<T>(
  orgId: OrgId,
  agreementId: string,
  part: PartTable<T>,
  before: readonly T[],
  after: readonly T[],
): Write[] {
  const { table, key, names, definitions } = part;
  const rows = after.flatMap((one, index) => (before[index] === one ? [] : [part.encode(one, index + 1)]));
  if (rows.length === 0) return [];
  const text = (parameter: Parameter) => `insert into ${table} (organization_id, agreement_id, ${names})
    select ${parameter(orgId)}::uuid, ${parameter(agreementId)}::uuid, ${names}
    from json_to_recordset(${parameter(JSON.stringify(rows))}::json) as r(${definitions})
    on conflict (organization_id, agreement_id, ${key}) do update set ${part.assignments("excluded")}`;
  return [{ name: table.replace("sign.", ""), text }];
}
