import type { ListPosition } from "#platform/cursor.ts";
import type { OrmTenant } from "#platform/db/orm.ts";
import type { Approval, PublicationRules } from "../domain/approval.ts";
import { ApprovalEntity, PublicationRulesEntity } from "./orm.ts";

const lockSql = (how: "" | "_shared") => `select pg_advisory_xact_lock${how}(hashtextextended(?, 0))`;
const lockName = ({ orgId }: OrmTenant) => `templates.publication_rules ${orgId}`;

/**
 * Whether approvals are required, until the end of the transaction: whoever changes it waits for all who publish. Comes
 * before every lock of a template, so that nobody can deadlock.
 */
export async function holdFourEyes(tenant: OrmTenant): Promise<boolean> {
  await tenant.em.execute(lockSql("_shared"), [lockName(tenant)]);
  return (await findRules(tenant))?.fourEyes ?? false;
}

/** See holdFourEyes. */
export async function lockRules(tenant: OrmTenant): Promise<PublicationRules | null> {
  await tenant.em.execute(lockSql(""), [lockName(tenant)]);
  return findRules(tenant);
}

export async function findRules({ orgId, em }: OrmTenant): Promise<PublicationRules | null> {
  return em.findOne(PublicationRulesEntity, { organizationId: orgId });
}

/** Makes the row be written with the transaction's flush. */
export function addRules({ orgId, em }: OrmTenant, rules: Omit<PublicationRules, "organizationId">): PublicationRules {
  const entity = em.create(PublicationRulesEntity, { ...rules, organizationId: orgId });
  em.persist(entity);
  return entity;
}

/** Lock the version first, if it must stay so. */
export async function findApproval({ orgId, em }: OrmTenant, versionId: string): Promise<Approval | null> {
  return em.findOne(ApprovalEntity, { organizationId: orgId, versionId });
}

/** Makes the row be written with the transaction's flush. A version has one at most; lock it first. */
export function addApproval({ orgId, em }: OrmTenant, approval: Omit<Approval, "organizationId">): Approval {
  const entity = em.create(ApprovalEntity, { ...approval, organizationId: orgId });
  em.persist(entity);
  return entity;
}

export async function deleteApproval({ orgId, em }: OrmTenant, versionId: string): Promise<void> {
  await em.nativeDelete(ApprovalEntity, { organizationId: orgId, versionId });
}

/** Those of all versions of a template that goes away. */
export async function deleteApprovals({ orgId, em }: OrmTenant, templateId: string): Promise<void> {
  await em.nativeDelete(ApprovalEntity, { organizationId: orgId, templateId });
}

/** They stay, and mean a text that no version has: what is asked and decided counts for nothing any more. */
export async function voidApprovals({ orgId, em }: OrmTenant, templateId: string): Promise<void> {
  await em.nativeUpdate(ApprovalEntity, { organizationId: orgId, templateId }, { textHash: "", savedAt: new Date(0) });
}

/** A text that waits for an approval. */
export interface WaitingText {
  readonly templateId: string;
  readonly templateName: string;
  readonly versionId: string;
  readonly locale: string;
  readonly textHash: string;
  readonly authors: readonly string[];
  readonly requestedBy: string;
  readonly requestedAt: Date;
  readonly note: string | null;
}

/** What was saved since it was asked for waits no longer. */
const waitingSql = `
  select a.template_id as "templateId", t.name as "templateName", a.version_id as "versionId", v.locale,
    a.text_hash as "textHash", a.requested_by as "requestedBy", a.requested_at as "requestedAt", a.note,
    case when d.version_id is not null
      then array(select distinct unnest(d.authors || d.created_by || d.updated_by))
      when v.authors = '{}' then array[v.created_by] else v.authors end as authors
  from templates.publication_approval a
  join templates.template t on t.organization_id = a.organization_id and t.id = a.template_id
  join templates.version v on v.organization_id = a.organization_id and v.id = a.version_id
  left join templates.version_draft d
    on d.organization_id = a.organization_id and d.version_id = a.version_id and v.status = 'PUBLISHED'
  where a.organization_id = ? and a.status = 'REQUESTED' and t.archived_at is null and t.deleted_at is null
    and a.saved_at = case v.status when 'DRAFT' then v.updated_at when 'PUBLISHED' then d.updated_at end
    and (a.requested_at, a.version_id) > (?::timestamptz, ?::uuid)
  order by a.requested_at, a.version_id
  limit ?`;

const first: ListPosition = { at: new Date(0), id: "00000000-0000-0000-0000-000000000000" };

/** The longest waiting first. */
export async function listWaiting(
  { orgId, em }: OrmTenant,
  after: ListPosition | undefined,
  limit: number,
): Promise<WaitingText[]> {
  const { at, id } = after ?? first;
  const rows = await em.execute<(Omit<WaitingText, "requestedAt"> & { readonly requestedAt: Date | string })[]>(
    waitingSql,
    [orgId, at.toISOString(), id, limit],
  );
  return rows.map((row) => ({ ...row, requestedAt: new Date(row.requestedAt) }));
}
