import type { JsonObject } from "@bufbuild/protobuf";
import type pg from "pg";
import type { OrmTenant } from "#platform/db/orm.ts";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { DeploymentSnapshot } from "../domain/deployment-policy.ts";
import type { Counterparty } from "../domain/template.ts";
import type { TemplateType } from "../domain/type-config.ts";

/** Which template of which organization, and what the asker already has of it. */
export interface ResolveItem {
  readonly orgId: OrgId;
  readonly template: { readonly id: string } | { readonly slug: string };
  readonly knownEtag: string | null;
}

export interface ResolvedTemplate {
  readonly organizationId: string;
  readonly templateId: string;
  readonly slug: string;
  readonly name: string;
  readonly type: TemplateType;
  readonly archived: boolean;
  readonly defaultLocale: string;
  readonly typeConfig: JsonObject;
  readonly policyFlags: JsonObject;
  readonly counterparty: Counterparty | null;
  readonly publishedVersions: readonly {
    readonly versionId: string;
    readonly locale: string;
    readonly revision: number;
    readonly label: string;
    readonly contentHash: string;
  }[];
  /** When the next scheduled publication makes it another one, in milliseconds since 1970; null when none will. */
  readonly changesAt: number | null;
}

export interface Resolution {
  readonly etag: string;
  readonly changesAt: number | null;
  /** Absent when the asker has it already. */
  readonly template?: ResolvedTemplate;
}

/** Named one by one: the resolver's role may read no other. */
const columns = `organization_id, id, slug, name, type, archived_at, default_locale, type_config, policy_flags,
      counterparty`;

/**
 * What is known of templates at the time `now`: a row of n, known_etag, owner and snapshot for each row of organization_id,
 * template_id, slug, known_etag and n in the source for which there is one. What is scheduled for a time that has come
 * counts as published, whether or not somebody has done it: the words are those that its publication leaves.
 */
const templateSnapshotsSql = (source: string, now: string): string => `
  select i.n, i.known_etag, t.organization_id as owner, jsonb_build_object(
    'organizationId', t.organization_id, 'templateId', t.id, 'slug', t.slug, 'name', t.name, 'type', t.type,
    'archived', t.archived_at is not null, 'defaultLocale', t.default_locale,
    'typeConfig', t.type_config, 'policyFlags', t.policy_flags, 'counterparty', t.counterparty,
    'publishedVersions', coalesce((
      select jsonb_agg(jsonb_build_object('versionId', v.id, 'locale', v.locale, 'revision', v.revision,
        'label', v.label, 'contentHash', v.content_hash) order by v.id)
      from (
        select id, locale, revision, label, content_hash from templates.version p
        where p.organization_id = t.organization_id and p.template_id = t.id and p.status = 'PUBLISHED'
          and not exists (
            select from templates.scheduled_publication s
            where s.organization_id = p.organization_id and s.version_id = p.id and s.publish_at <= ${now})
        union all
        select version_id, locale, revision, label, content_hash from templates.scheduled_publication s
        where s.organization_id = t.organization_id and s.template_id = t.id and s.publish_at <= ${now}
      ) v), '[]'),
    'changesAt', (
      select (extract(epoch from min(s.publish_at)) * 1000)::bigint from templates.scheduled_publication s
      where s.organization_id = t.organization_id and s.template_id = t.id and s.publish_at > ${now})
  ) as snapshot
  from ${source}
  cross join lateral (
    select ${columns} from templates.template
    where organization_id = i.organization_id and id = i.template_id and deleted_at is null
    union all
    select ${columns} from templates.template
    where organization_id = i.organization_id and slug = i.slug and deleted_at is null
  ) t`;

/**
 * One statement for a whole batch of acceptances, hence one snapshot of the database: an answer never mixes two states.
 * The etag is the digest of the very JSON that is answered. It cannot miss a change, as a counter could that some write
 * forgets or that a failover sets back.
 */
const resolveSql = `
with found as materialized (${templateSnapshotsSql(
  `unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
    with ordinality as i(organization_id, template_id, slug, known_etag, n)`,
  "$5::timestamptz",
)}
), digested as materialized (
  select n, known_etag, owner, snapshot, (snapshot ->> 'changesAt')::float8 as changes_at,
    left(encode(sha256(convert_to(snapshot::text, 'UTF8')), 'hex'), 32) as etag
  from found
)
select n::integer, owner, etag, changes_at as "changesAt",
  case when etag is distinct from known_etag then snapshot::text end as snapshot
from digested`;

/** Equal for items that have the same answer. */
export const resolveKey = (item: ResolveItem): string => JSON.stringify(item);

/**
 * Resolves templates of any organizations; gives the answers by the keys of their items, none for a template that does
 * not exist. The pool connects as the resolver's role, which alone may read across organizations.
 */
export async function resolveTemplates(
  pool: pg.Pool,
  items: readonly ResolveItem[],
  now: Date,
): Promise<Map<string, Resolution>> {
  // Most acceptances of a batch are for the same few templates.
  const distinct = [...new Map(items.map((item) => [resolveKey(item), item]))];
  if (distinct.length === 0) return new Map();
  const { rows } = await pool.query<ResolvedRow>({
    name: "resolve-templates",
    text: resolveSql,
    values: [
      distinct.map(([, item]) => item.orgId),
      distinct.map(([, { template }]) => ("id" in template ? template.id : null)),
      distinct.map(([, { template }]) => ("slug" in template ? template.slug : null)),
      distinct.map(([, item]) => item.knownEtag),
      now,
    ],
  });
  const resolutions = rows.flatMap(({ n, owner, etag, changesAt, snapshot }): [string, Resolution][] => {
    const [key, item] = distinct[n - 1] ?? [];
    // Row-level security does not keep organizations apart for this role: whose a template is, is looked at once more.
    if (key === undefined || owner !== item?.orgId) return [];
    const template = snapshot === null ? {} : { template: JSON.parse(snapshot) as ResolvedTemplate };
    return [[key, { etag, changesAt, ...template }]];
  });
  return new Map(resolutions);
}

interface ResolvedRow {
  readonly n: number;
  readonly owner: string;
  readonly etag: string;
  readonly changesAt: number | null;
  readonly snapshot: string | null;
}

/** Keeps snapshots in one statement. One that the organization has already is stored once. */
export async function addSnapshots(
  { orgId, em }: OrmTenant,
  snapshots: readonly DeploymentSnapshot[],
  now: Date,
): Promise<void> {
  if (snapshots.length === 0) return;
  await em.execute(
    `insert into templates.deployment_snapshot (organization_id, hash, deployment_id, data, created_at)
     select ?, s.hash, s."deploymentId", s.data, ?
     from jsonb_to_recordset(?::jsonb) as s(hash text, "deploymentId" uuid, data text)
     on conflict do nothing`,
    [orgId, now, JSON.stringify(snapshots)],
  );
}

/** Names a deployment as renderers or as integrators do. */
export type DeploymentName = { readonly id: string } | { readonly key: string };

export interface ResolvedDeployment {
  readonly deployment: Deployment;
  readonly template: ResolvedTemplate;
  /** The snapshot in force, byte for byte as it was hashed. */
  readonly snapshotJson: string;
}

/**
 * What an active deployment serves at this time; undefined when there is no such deployment or it is not active. One
 * statement, so that deployment, snapshot and template always belong together. The client is connected as the resolver's role,
 * for which row-level security holds on deployments.
 */
export async function resolveDeployment(
  { orgId, client }: Tenant,
  name: DeploymentName,
  now: Date,
): Promise<ResolvedDeployment | undefined> {
  const [column, value] = "id" in name ? (["id", name.id] as const) : (["key", name.key] as const);
  const { rows } = await client.query<Deployment & { template: string; snapshotJson: string }>({
    name: `resolve-deployment-by-${column}`,
    text: deploymentSql[column],
    values: [orgId, value, now],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { template, snapshotJson, ...deployment } = row;
  return { deployment, template: JSON.parse(template) as ResolvedTemplate, snapshotJson };
}

const statement = (condition: string): string => `
with placed as materialized (
  select d.*, s.data
  from templates.deployment d
  join templates.deployment_snapshot s on s.organization_id = d.organization_id and s.hash = d.snapshot_hash
  where d.organization_id = $1 and ${condition} and d.status = 'ACTIVE'
), found as materialized (${templateSnapshotsSql(
  "(select organization_id, template_id, null::text as slug, null::text as known_etag, 1 as n from placed) as i",
  "$3::timestamptz",
)}
)
select organization_id as "organizationId", id, template_id as "templateId", key, name, status, environment, surface,
  display_mode as "displayMode", wrap_type as "wrapType", version_id as "versionId",
  locale_fallback as "localeFallback", allowed_origins as "allowedOrigins", theme, brand_id as "brandId", screenshot_id as "screenshotId",
  screenshot_hash as "screenshotHash",
  policy_overrides as "policyOverrides", snapshot_hash as "snapshotHash", activated_at as "activatedAt",
  deactivated_at as "deactivatedAt", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt",
  data as "snapshotJson", found.snapshot::text as template
from placed cross join found`;

const deploymentSql = {
  id: statement("d.id = $2"),
  key: statement("d.key = $2"),
};
