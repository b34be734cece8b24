import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement } from "../domain/agreement.ts";
import { type AgreementJson, agreementJson, decodeAgreement } from "./agreement-records.ts";
import { filterConditions, type ListFilter, type ListQuery, orderColumns } from "./list-query.ts";

/** Agreements or templates in their order, without what belongs to them. */
export async function listAgreements(client: pg.PoolClient, orgId: OrgId, query: ListQuery): Promise<Agreement[]> {
  const values: unknown[] = [orgId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = filterConditions(query, parameter);
  const column = `a.${orderColumns[query.order]}`;
  const direction = query.ascending ? "asc" : "desc";
  if (query.after !== undefined) {
    const { at, id } = query.after;
    const comparison = query.ascending ? ">" : "<";
    conditions.push(`(${column}, a.id) ${comparison} (${parameter(at)}::timestamptz, ${parameter(id)}::uuid)`);
  }
  // Two times that are never absent have indexes, which a clause about nulls would not fit.
  const nulls = query.order === "created" || query.order === "status-changed" ? "" : "nulls last";
  const order = `order by ${column} ${direction} ${nulls}, a.id ${direction}`;
  // JSON is made of those of the page alone: of all that are sorted or passed over it would take seconds.
  const { rows } = await client.query<{ agreement: AgreementJson }>(
    `select ${agreementJson(false)} as agreement from (
       select a.* from sign.agreement a where ${conditions.join(" and ")}
       ${order} limit ${parameter(query.limit)} offset ${parameter(query.offset)}
     ) a ${order}`,
    values,
  );
  return rows.map(({ agreement }) => decodeAgreement(agreement));
}

export async function countAgreements(client: pg.PoolClient, orgId: OrgId, filter: ListFilter): Promise<number> {
  const values: unknown[] = [orgId];
  const conditions = filterConditions(filter, (value) => `$${values.push(value)}`);
  const { rows } = await client.query<{ total: number }>(
    `select count(*)::integer as total from sign.agreement a where ${conditions.join(" and ")}`,
    values,
  );
  return rows[0]?.total ?? 0;
}
