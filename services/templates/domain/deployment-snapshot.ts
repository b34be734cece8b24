import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import type { Deployment } from "./deployment.ts";
import { effectivePolicy } from "./deployment-policy.ts";
import type { Template } from "./template.ts";

/** What a deployment says at some moment, kept for ever under its hash. */
export interface DeploymentSnapshot {
  readonly deploymentId: string;
  /** `sha256:<64 hex>` of the data in UTF-8. */
  readonly hash: string;
  /** Canonical JSON. */
  readonly data: string;
}

/** Tells readers of old snapshots what to expect. */
const snapshotVersion = 1;

/**
 * The configuration as the API shows it and, in `effectivePolicy`, all flags that are in force there. Equal
 * configurations have equal snapshots; nothing in it tells when it was made.
 */
export function snapshotOf(template: Pick<Template, "policyFlags">, deployment: Deployment): DeploymentSnapshot {
  const { organizationId, id, templateId, key, name, environment, surface, displayMode, wrapType } = deployment;
  const { versionId, localeFallback, allowedOrigins, theme, policyOverrides } = deployment;
  const { screenshotId, screenshotHash } = deployment;
  const data = canonicalJson({
    snapshotVersion,
    organizationId,
    deploymentId: id,
    templateId,
    key,
    name,
    environment,
    surface,
    displayMode,
    wrapType,
    versionSelector: { mode: versionId === null ? "LATEST" : "PINNED", versionId },
    localeFallback,
    allowedOrigins,
    theme,
    screenshotId,
    // Absent where no bytes are known, as in all snapshots before there were any: those keep their hashes.
    ...(screenshotHash === null ? {} : { screenshotHash }),
    policyOverrides,
    effectivePolicy: effectivePolicy(template, deployment),
  });
  return { deploymentId: id, hash: sha256Label(data), data };
}
