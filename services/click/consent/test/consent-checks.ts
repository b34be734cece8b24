import { parseDisclosure } from "#platform/vault/disclosures.ts";
import { type ClickHarness, rows } from "../../test/harness.ts";
import { openAcceptance } from "../../vault/seals.ts";
import { createKeyHasher, createSubjectVault } from "../../vault/subject-vault.ts";
import type { ChangeSecrets } from "../sealed-change.ts";

/** What events name the user by. */
export const userKeyOf = (click: ClickHarness, organizationId: string, userRef: string): string =>
  createKeyHasher(() => click.masterKey)
    .userKey(organizationId, userRef)
    .toString("base64");

/** What is sealed of the changes of an organization that were no acceptances. */
export async function openChanges(click: ClickHarness, organizationId: string): Promise<ChangeSecrets[]> {
  const vault = createSubjectVault([click.masterKey], () => click.masterKey);
  const found = await rows<{ recordId: string; sealed: Buffer; seed: Buffer }>(
    click,
    `select e.receipt_id as "recordId", e.sealed, k.seed from click.consent_event e
     join click.subject_key k on k.organization_id = e.organization_id and k.record_id = e.receipt_id
     where e.organization_id = $1 and e.sealed is not null order by e.revision`,
    [organizationId],
  );
  return found.map(({ recordId, sealed, seed }) =>
    JSON.parse(vault.open({ organizationId, recordId }, seed, sealed).toString("utf8")),
  );
}

/** The values that disclosures disclose, by name. */
export const valuesOf = (disclosures: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    disclosures.map((disclosure) => {
      const { name = "", value } = parseDisclosure(disclosure) ?? {};
      return [name, value];
    }),
  );

interface Decided {
  readonly organizationId: string;
  readonly receiptId: string;
  readonly subjectIndex: Buffer;
}

/** Acceptances of CONSENT templates and changes of consent that do not belong together, in all organizations. */
export async function strayConsents(click: ClickHarness): Promise<string[]> {
  const vault = createSubjectVault([click.masterKey], () => click.masterKey);
  const named = ({ organizationId, receiptId, subjectIndex }: Decided, purpose: string, granted: boolean) =>
    [organizationId, receiptId, subjectIndex.toString("hex"), purpose, granted].join(" ");
  const acceptances = await rows<Decided & { readonly sealed: Buffer; readonly seed: Buffer }>(
    click,
    `select a.organization_id as "organizationId", a.receipt_id as "receiptId", a.subject_index as "subjectIndex",
       a.sealed, k.seed
     from click.acceptance a
     join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id
     where a.decision <> 'CONSENT'`,
  );
  const changes = await rows<Decided & { readonly purpose: string; readonly granted: boolean }>(
    click,
    `select organization_id as "organizationId", receipt_id as "receiptId", subject_index as "subjectIndex", purpose,
       type = 'GRANTED' as granted
     from click.consent_event where source = 'ACCEPT'`,
  );
  const accepted = acceptances.flatMap((row) => {
    const record = { organizationId: row.organizationId, recordId: row.receiptId };
    const { receipt } = openAcceptance(vault, record, row.seed, row.sealed);
    if (receipt.templateType !== "CONSENT") return [];
    return receipt.purposes.map(({ purpose, granted }) => named(row, purpose, granted));
  });
  const changed = changes.map((row) => named(row, row.purpose, row.granted));
  return [...without(accepted, changed, "acceptance"), ...without(changed, accepted, "change")];
}

/** What is in one list more often than in the other. */
function without(list: readonly string[], other: readonly string[], what: string): string[] {
  const left = new Map<string, number>();
  for (const one of other) left.set(one, (left.get(one) ?? 0) + 1);
  return list.flatMap((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count > 0 ? [] : [`${what} ${one}`];
  });
}

/** Users whose changes are not numbered from 1 on without gaps, or whose times go back. */
export const brokenHistories = (click: ClickHarness) =>
  rows(
    click,
    `select organization_id, subject_index, revision, head, recorded_at from (
       select e.organization_id, e.subject_index, e.revision, h.revision as head, e.recorded_at, h.clock,
         row_number() over w as n, lag(e.recorded_at) over w as before,
         count(*) over (partition by e.organization_id, e.subject_index) as total
       from click.consent_event e
       left join click.consent_head h on h.organization_id = e.organization_id and h.subject_index = e.subject_index
       window w as (partition by e.organization_id, e.subject_index order by e.revision)
     ) e
     where revision <> n or recorded_at < before or recorded_at > clock or head is distinct from total`,
  );

/** Logs with a gap, or with another number of leaves than they say; and changes of consent without a leaf. */
export const brokenLogs = (click: ClickHarness) =>
  rows(
    click,
    `select 'gap' as what, organization_id, leaf_index::text as name from (
       select organization_id, leaf_index, row_number() over (partition by organization_id order by leaf_index) - 1 as n
       from click.log_leaf
     ) l where leaf_index <> n
     union all
     select 'size', coalesce(h.organization_id, l.organization_id), h.size::text
     from click.log_head h
     full join (select organization_id, count(*) from click.log_leaf group by organization_id) l
       on l.organization_id = h.organization_id
     where h.size is distinct from l.count
     union all
     select 'no leaf', e.organization_id, e.receipt_id::text
     from click.consent_event e
     left join click.log_leaf l on l.organization_id = e.organization_id and l.record_id = e.receipt_id
     where l.record_id is null
     union all
     select 'no change', l.organization_id, l.record_id::text
     from click.log_leaf l
     left join click.consent_event e on e.organization_id = l.organization_id and e.receipt_id = l.record_id
     where convert_from(l.leaf, 'UTF8')::json ->> 'kind' like 'click.consent.%' and e.receipt_id is null`,
  );
