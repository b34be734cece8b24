import type { OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import type { Deployment } from "../domain/deployment.ts";
import { policyProblems, snapshotOf } from "../domain/deployment-policy.ts";
import type { Template } from "../domain/template.ts";
import {
  findTemplateIdOfDeployment,
  isServable,
  lockActiveDeployments,
  lockDeployment,
} from "../store/deployment-store.ts";
import { addSnapshots } from "../store/resolve-store.ts";
import { holdTemplate } from "../store/template-store.ts";
import { hasVersion } from "../store/version-store.ts";
import { parseDeploymentId } from "./deps.ts";

/**
 * A deployment and its template for a change of the deployment. Template first, deployment second, as everywhere: what
 * archives or deletes a template or takes away a version of it locks the template, so it comes before or after the change
 * and never in between. Throws CLICK_DEPLOYMENT_NOT_FOUND.
 */
export async function openDeployment(
  tenant: OrmTenant,
  idText: string,
): Promise<{ template: Template; deployment: Deployment }> {
  const id = parseDeploymentId(idText);
  const templateId = await findTemplateIdOfDeployment(tenant, id);
  const template = templateId === undefined ? null : await holdTemplate(tenant, templateId);
  const deployment = template === null ? null : await lockDeployment(tenant, id);
  if (template === null || deployment === null) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
  return { template, deployment };
}

/** Throws CLICK_VERSION_NOT_FOUND when the deployment is pinned to something that is no version of its template. */
export async function requirePinnedVersion(
  tenant: OrmTenant,
  { templateId, versionId }: Pick<Deployment, "templateId" | "versionId">,
): Promise<void> {
  if (versionId === null || (await hasVersion(tenant, { templateId, id: versionId }))) return;
  throw new DomainError("CLICK_VERSION_NOT_FOUND");
}

/**
 * Makes what an active deployment says its snapshot in force; throws CLICK_VERSION_NOT_PUBLISHED when it would have
 * nothing to serve. Its template must be held.
 */
export async function putInForce(
  tenant: OrmTenant,
  { template, deployment }: { readonly template: Template; readonly deployment: Deployment },
  now: Date,
): Promise<void> {
  if (!(await isServable(tenant, deployment))) throw new DomainError("CLICK_VERSION_NOT_PUBLISHED");
  const snapshot = snapshotOf(template, deployment);
  await addSnapshots(tenant, [snapshot], now);
  deployment.snapshotHash = snapshot.hash;
}

/**
 * Gives the active deployments of a template snapshots with its new policy. To be called wherever the policy changes,
 * with the template locked. Throws CLICK_POLICY_FLAG_CONFLICT when the policy contradicts a deployment.
 */
export async function renewSnapshots(tenant: OrmTenant, template: Template, now: Date): Promise<void> {
  const deployments = await lockActiveDeployments(tenant, template.id);
  const details = deployments.flatMap((deployment) =>
    policyProblems(template, deployment, { field: "policyFlags" }).map(({ message, ...problem }) => ({
      ...problem,
      message: `${message} (active deployment ${deployment.id})`,
    })),
  );
  if (details.length > 0) throw new DomainError("CLICK_POLICY_FLAG_CONFLICT", { details });
  const renewed = deployments.map((deployment) => ({ deployment, snapshot: snapshotOf(template, deployment) }));
  const snapshots = renewed.map(({ snapshot }) => snapshot);
  await addSnapshots(tenant, snapshots, now);
  for (const { deployment, snapshot } of renewed) deployment.snapshotHash = snapshot.hash;
}
