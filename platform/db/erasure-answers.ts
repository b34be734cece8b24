import type { MessageInitShape } from "@bufbuild/protobuf";
import { PersonalItemOutcome, type PersonalItemSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { forceOrgIsolationSql, identifier } from "./ddl.ts";
import type { Tenant } from "./pool.ts";

/** A page of what a service answers to an erasure. Says nothing about the person: kinds, ids, reasons and times alone. */
interface ErasureAnswer {
  readonly items: MessageInitShape<typeof PersonalItemSchema>[];
  readonly nextCursor: string;
}

/** The table of what was answered, for a migration. */
export const erasureAnswersSql = ({ schema, role }: { readonly schema: string; readonly role: string }): string[] => {
  const table = `${identifier(schema)}.erasure_answer`;
  return [
    `create table ${table} (
      organization_id uuid not null,
      erasure_id uuid not null,
      position text not null,
      items jsonb not null check (jsonb_typeof(items) = 'array'),
      next text not null,
      primary key (organization_id, erasure_id, position)
    )`,
    `comment on table ${table} is 'What was answered to erasures of people, to be answered again; nothing personal.'`,
    ...forceOrgIsolationSql(table),
    `grant select, insert on ${table} to ${identifier(role)}`,
  ];
};

/** What becomes of something that would be erased if no legal hold kept it. */
export const heldItem = <Item extends MessageInitShape<typeof PersonalItemSchema>>(item: Item): Item =>
  item.outcome === PersonalItemOutcome.ERASED
    ? { ...item, outcome: PersonalItemOutcome.KEPT, keptBecause: "LEGAL_HOLD" }
    : item;

/**
 * What was answered before is answered again: when the caller dies before it has written the answer down, what was
 * erased would be in no report, for nothing finds it any more. `work` writes in the same transaction, or its answer says
 * what is to be done after it. Under a legal hold it must write nothing.
 */
export async function answerOnce<Answer extends ErasureAnswer>(
  tenant: Tenant,
  page: { readonly schema: string; readonly erasureId: string; readonly cursor: string; readonly isHeld: boolean },
  work: (tenant: Tenant) => Promise<Answer>,
): Promise<Answer> {
  const table = `${identifier(page.schema)}.erasure_answer`;
  const { orgId, client } = tenant;
  const place = [orgId, page.erasureId, page.cursor];
  const find = async (): Promise<Answer | undefined> => {
    const sql = `select items, next as "nextCursor" from ${table}
      where organization_id = $1 and erasure_id = $2 and position = $3`;
    return (await client.query<Answer>(sql, place)).rows[0];
  };
  const before = await find();
  if (before !== undefined) return before;
  const answer = await work(tenant);
  if (page.isHeld) return { ...answer, items: answer.items.map(heldItem) };
  // Nothing was done, so it can be looked for again.
  if (answer.items.length === 0) return (await find()) ?? answer;
  const { rowCount } = await client.query(
    `insert into ${table} (organization_id, erasure_id, position, items, next) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [...place, JSON.stringify(answer.items), answer.nextCursor],
  );
  // Another process was faster with the same page: this one waited for it, and found little.
  return rowCount === 1 ? answer : ((await find()) ?? answer);
}
