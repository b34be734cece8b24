import type { EntityManager } from "@mikro-orm/postgresql";
import type { OrgId } from "#platform/ids.ts";
import type { DeploymentSnapshot } from "../domain/deployment-snapshot.ts";

/** Keeps snapshots in one statement. One that the organization has already is stored once. */
export async function addSnapshots(
  orgId: OrgId,
  em: EntityManager,
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
