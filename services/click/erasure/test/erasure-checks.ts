import type { OrgId } from "#platform/ids.ts";
import { type ClickHarness, rows } from "../../test/harness.ts";

/** How many rows there are of what follows `from`. */
export const countRows = async (click: ClickHarness, sql: string, values: unknown[]): Promise<number> =>
  Number((await rows<{ n: string }>(click, `select count(*) as n from ${sql}`, values))[0]?.n);

/** What would be wrong at any time, and how much there is of it. */
async function contradictions(click: ClickHarness, orgId: OrgId): Promise<Record<string, number>> {
  const count = (sql: string, values: unknown[]) => countRows(click, sql, values);
  const own = [orgId];
  const keyOf = (record: string) =>
    `(select from click.subject_key k where k.organization_id = $1 and k.record_id = ${record})`;
  return {
    "acceptances that are erased by half": await count(
      `click.acceptance a where organization_id = $1 and decision <> 'CONSENT'
         and not ((erased_at is null) = (sealed is not null) and (erased_at is null) = (subject_index is not null)
           and (erased_at is null) = exists ${keyOf("a.receipt_id")})`,
      own,
    ),
    "sessions that are erased by half": await count(
      `click.session s where organization_id = $1
         and not ((erased_at is null) = (sealed is not null) and (erased_at is null) = exists ${keyOf("s.id")})`,
      own,
    ),
    "acceptances whose session is erased without them, or the reverse": await count(
      `click.acceptance a join click.session s on s.organization_id = a.organization_id and s.id = a.session_id
       where a.organization_id = $1 and (a.erased_at is null) <> (s.erased_at is null)`,
      own,
    ),
    "changes that are erased without their acceptance, or the reverse": await count(
      `click.consent_event e join click.acceptance a on a.organization_id = e.organization_id and a.receipt_id = e.receipt_id
       where e.organization_id = $1 and (a.erased_at is null) <> (e.erased_at is null)`,
      own,
    ),
    "heads without changes, or behind them": await count(
      `click.consent_head h where organization_id = $1 and revision <> coalesce((
         select max(e.revision) from click.consent_event e
         where e.organization_id = h.organization_id and e.subject_index = h.subject_index), -1)`,
      own,
    ),
    "deadlines of erased changes": await count(
      `click.consent_deadline d where organization_id = $1 and not exists (
         select from click.consent_event e where e.organization_id = d.organization_id
           and e.subject_index = d.subject_index and e.revision = d.revision)`,
      own,
    ),
    "changes of somebody without a head": await count(
      `click.consent_event e where organization_id = $1 and erased_at is null and not exists (
         select from click.consent_head h where h.organization_id = e.organization_id and h.subject_index = e.subject_index)`,
      own,
    ),
  };
}

/** Of what would be wrong, that which is. */
export const findWrong = async (click: ClickHarness, orgId: OrgId): Promise<string[]> =>
  Object.entries(await contradictions(click, orgId)).flatMap(([name, n]) => (n === 0 ? [] : [`${n} ${name}`]));
