import type { Tenant } from "#platform/db/pool.ts";
import type { Deployment } from "../domain/deployment.ts";
import { type ResolvedTemplate, templateSnapshotsSql } from "./resolve-store.ts";

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
    text: resolveSql[column],
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

const resolveSql = {
  id: statement("d.id = $2"),
  key: statement("d.key = $2"),
};
