import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { DeploymentSchema } from "#gen/assent/templates/v1/templates_pb.ts";
import type { Deployment } from "../domain/deployment.ts";
import { wireDeploymentStatus } from "./wire-enums.ts";

export type DeploymentInit = MessageInitShape<typeof DeploymentSchema>;

export const deploymentMessage = (deployment: Deployment): DeploymentInit => ({
  id: deployment.id,
  organizationId: deployment.organizationId,
  templateId: deployment.templateId,
  key: deployment.key,
  name: deployment.name,
  status: wireDeploymentStatus[deployment.status],
  environment: deployment.environment,
  surface: deployment.surface,
  displayMode: deployment.displayMode,
  wrapType: deployment.wrapType,
  versionSelector:
    deployment.versionId === null ? { mode: "LATEST" } : { mode: "PINNED", versionId: deployment.versionId },
  localeFallback: [...deployment.localeFallback],
  allowedOrigins: [...deployment.allowedOrigins],
  theme: deployment.theme,
  screenshotId: deployment.screenshotId ?? undefined,
  policyOverrides: { ...deployment.policyOverrides } as JsonObject,
  activatedAt: timestamp(deployment.activatedAt),
  deactivatedAt: timestamp(deployment.deactivatedAt),
  createdAt: timestampFromDate(deployment.createdAt),
  updatedAt: timestampFromDate(deployment.updatedAt),
  snapshotHash: deployment.snapshotHash ?? undefined,
});

const timestamp = (date: Date | null) => (date === null ? undefined : timestampFromDate(date));
