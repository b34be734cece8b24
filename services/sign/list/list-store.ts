import type { Tenant } from "#platform/db/pool.ts";
import type { Agreement, AgreementStatus } from "../agreement/agreement.ts";
import type { Parameter } from "../agreement/agreement-columns.ts";
import {
  type AgreementJson,
  agreementJson,
  decodeAgreement,
  emailKey,
  searchKey,
} from "../agreement/agreement-records.ts";

/** Agreements or templates in order, without their parts. */
export async function listAgreements({ orgId, client }: Tenant, query: ListQuery): Promise<Agreement[]> {
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
  // The indexes on the two times that are never null have no nulls clause.
  const nulls = query.order === "created" || query.order === "status-changed" ? "" : "nulls last";
  const order = `order by ${column} ${direction} ${nulls}, a.id ${direction}`;
  // JSON is built for this page's rows only: for all rows that are sorted or skipped it would take seconds.
  const { rows } = await client.query<{ agreement: AgreementJson }>(
    `select ${agreementJson(false)} as agreement from (
       select a.* from sign.agreement a where ${conditions.join(" and ")}
       ${order} limit ${parameter(query.limit)} offset ${parameter(query.offset)}
     ) a ${order}`,
    values,
  );
  return rows.map(({ agreement }) => decodeAgreement(agreement));
}

export async function countAgreements({ orgId, client }: Tenant, filter: ListFilter): Promise<number> {
  const values: unknown[] = [orgId];
  const conditions = filterConditions(filter, (value) => `$${values.push(value)}`);
  const { rows } = await client.query<{ total: number }>(
    `select count(*)::integer as total from sign.agreement a where ${conditions.join(" and ")}`,
    values,
  );
  return rows[0]?.total ?? 0;
}

/** The times by which agreements can be filtered. */
export type DateField =
  | "status-changed"
  | "created"
  | "sent"
  | "delivered"
  | "completed"
  | "declined"
  | "voided"
  | "modified";

export type ListOrder =
  | "created"
  | "status-changed"
  | "modified"
  | "sent"
  | "completed"
  | "subject"
  | "status"
  | "expires"
  | "name";

/** An agreement's position in a list ordered by one of its times. */
export interface ListPosition {
  readonly at: Date;
  readonly id: string;
}

/** The filter; undefined or empty members exclude nothing. */
export interface ListFilter {
  readonly templates: boolean;
  readonly statuses: readonly AgreementStatus[];
  readonly ids: readonly string[] | undefined;
  readonly transactionIds: readonly string[];
  readonly email: string;
  readonly recipientName: string;
  readonly text: string;
  /** Those with a file that has the words of the text: they are found as well. */
  readonly withText: readonly string[];
  /** Those with a file that has the words that are looked for; undefined when none are. */
  readonly withWords: readonly string[] | undefined;
  readonly customField: { readonly name: string; readonly value: string } | undefined;
  /** Only copies of this batch; empty for all. */
  readonly bulkBatchId: string;
  readonly dateField: DateField | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

export interface ListQuery extends ListFilter {
  readonly order: ListOrder;
  readonly ascending: boolean;
  /** For orders that support it. */
  readonly after: ListPosition | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The column of each order. */
const orderColumns: Readonly<Record<ListOrder, string>> = {
  created: "created_at",
  "status-changed": "status_changed_at",
  modified: "modified_at",
  sent: "sent_at",
  completed: "completed_at",
  subject: "email_subject",
  status: "status",
  expires: "expires_at",
  name: "name",
};

const dateColumns: Readonly<Record<DateField, string>> = {
  "status-changed": "status_changed_at",
  created: "created_at",
  sent: "sent_at",
  delivered: "delivered_at",
  completed: "completed_at",
  declined: "declined_at",
  voided: "voided_at",
  modified: "modified_at",
};

/** The conditions for an agreement `a`; the organization is $1. */
function filterConditions(filter: ListFilter, parameter: Parameter): string[] {
  const { statuses, ids, withWords, transactionIds, customField, bulkBatchId } = filter;
  const conditions = [
    "a.organization_id = $1",
    "a.deleted_at is null",
    // Written like the condition of the partial index.
    filter.templates ? "a.status = 'template'" : "a.status <> 'template'",
    ...dateConditions(filter, parameter),
  ];
  if (statuses.length > 0) conditions.push(`a.status = any(${parameter(statuses)}::text[])`);
  if (ids !== undefined) conditions.push(`a.id = any(${parameter(ids)}::uuid[])`);
  if (withWords !== undefined) conditions.push(`a.id = any(${parameter(withWords)}::uuid[])`);
  if (bulkBatchId !== "") conditions.push(`a.bulk_batch_id = ${parameter(bulkBatchId)}::uuid`);
  // No transaction id is empty; the partial index says the same.
  if (transactionIds.length > 0)
    conditions.push(`a.transaction_id <> '' and a.transaction_id = any(${parameter(transactionIds)}::text[])`);
  if (customField !== undefined) {
    const { name, value } = customField;
    conditions.push(hasPart("custom_field", `p.name = ${parameter(name)} and p.value = ${parameter(value)}`));
  }
  return [...conditions, ...personConditions(filter, parameter)];
}

function dateConditions({ dateField, from, to }: ListFilter, parameter: Parameter): string[] {
  if (dateField === undefined && from === undefined && to === undefined) return [];
  const column = `a.${dateColumns[dateField ?? "status-changed"]}`;
  const conditions = [`${column} is not null`];
  if (from !== undefined) conditions.push(...earliest(column, parameter(from)));
  if (to !== undefined) conditions.push(...latest(column, parameter(to)));
  return conditions;
}

/**
 * Only two times have an index. An agreement sent, delivered, completed, declined or voided in a range has
 * changed its status since the start of the range and was created before its end, so those indexes narrow the
 * search.
 */
const earliest = (column: string, from: string): string[] => [
  `${column} >= ${from}`,
  ...(column === "a.created_at" || column === "a.modified_at" ? [] : [`a.status_changed_at >= ${from}`]),
];

const latest = (column: string, to: string): string[] => [
  `${column} < ${to}`,
  ...(column === "a.created_at" ? [] : [`a.created_at < ${to}`]),
];

/** lower() and position() are not leakproof, so Postgres evaluates these last, on the remaining rows. */
function personConditions({ email, recipientName, text, withText }: ListFilter, parameter: Parameter): string[] {
  const conditions: string[] = [];
  if (email !== "") {
    const key = parameter(emailKey(email));
    conditions.push(hasPart("recipient", `p.email_key = ${key} and p.email_key <> ''`));
  }
  if (recipientName !== "")
    conditions.push(hasPart("recipient", `${lower("p.name")} = ${lower(`${parameter(recipientName)}::text`)}`));
  if (text !== "") {
    const inFiles = withText.length === 0 ? "" : ` or a.id = any(${parameter(withText)}::uuid[])`;
    conditions.push(`(position(${parameter(searchKey(text))} in a.search_text) > 0${inFiles})`);
  }
  return conditions;
}

/** The database's collation may only cover ASCII letters. */
const lower = (expression: string): string => `lower(${expression} collate "und-x-icu")`;

const hasPart = (table: "recipient" | "custom_field", condition: string): string =>
  `exists (select from sign.${table} p
    where p.organization_id = a.organization_id and p.agreement_id = a.id and (${condition}))`;

interface StatusCount {
  readonly status: AgreementStatus;
  readonly agreements: number;
}

/** All agreements, without templates and deleted drafts. */
export async function countByStatus({ orgId, client }: Tenant): Promise<StatusCount[]> {
  const { rows } = await client.query<StatusCount>(
    `select status, count(*)::float8 as agreements from sign.agreement
     where organization_id = $1 and deleted_at is null and status <> 'template' group by status`,
    [orgId],
  );
  return rows;
}

interface Moves {
  readonly sent: number;
  readonly completed: number;
  readonly declined: number;
}

/**
 * What happened to agreements since a moment. All of them have changed their status since, for which there is
 * an index.
 */
export async function countMoves({ orgId, client }: Tenant, since: Date): Promise<Moves> {
  const count = (name: keyof Moves): string => `count(*) filter (where ${name}_at >= $2)::float8 as ${name}`;
  const { rows } = await client.query<Moves>(
    `select ${count("sent")}, ${count("completed")}, ${count("declined")} from sign.agreement
     where organization_id = $1 and deleted_at is null and status <> 'template' and status_changed_at >= $2`,
    [orgId, since],
  );
  return rows[0] ?? { sent: 0, completed: 0, declined: 0 };
}
