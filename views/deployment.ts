import { type Deployment, DeploymentStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { enumName, isoTime } from "./scalars.ts";

/** A deployment as the REST API shows it. */
export const deploymentView = (deployment: Deployment): Record<string, unknown> => ({
  id: deployment.id,
  organizationId: deployment.organizationId,
  templateId: deployment.templateId,
  key: deployment.key,
  name: deployment.name,
  status: enumName(DeploymentStatus, deployment.status),
  environment: deployment.environment,
  surface: deployment.surface,
  displayMode: deployment.displayMode,
  wrapType: deployment.wrapType,
  versionSelector: {
    mode: deployment.versionSelector?.mode ?? "LATEST",
    versionId: deployment.versionSelector?.versionId ?? null,
  },
  localeFallback: deployment.localeFallback,
  allowedOrigins: deployment.allowedOrigins,
  theme: deployment.theme ?? {},
  screenshotId: deployment.screenshotId ?? null,
  policyOverrides: deployment.policyOverrides ?? {},
  snapshotHash: deployment.snapshotHash ?? null,
  activatedAt: isoTime(deployment.activatedAt),
  deactivatedAt: isoTime(deployment.deactivatedAt),
  createdAt: isoTime(deployment.createdAt),
  updatedAt: isoTime(deployment.updatedAt),
});
