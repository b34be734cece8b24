import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { Deployment } from "./deployment.ts";
import { policyConflicts } from "./policy.ts";
import type { PolicyFlags, StatedPolicyFlags } from "./policy-flags.ts";
import { looseningProblems, tightenFlags } from "./policy-tightening.ts";
import { problem } from "./problems.ts";
import type { Template } from "./template.ts";

type PolicyOwner = Pick<Template, "type" | "typeConfig" | "policyFlags">;
type Placement = Pick<Deployment, "status" | "displayMode" | "screenshotId" | "policyOverrides">;

/** The flags in force in a deployment: those of the template, with the overrides that are stricter. */
const effectivePolicy = (
  template: Pick<Template, "policyFlags">,
  deployment: Pick<Deployment, "policyOverrides">,
): PolicyFlags => tightenFlags(template.policyFlags, deployment.policyOverrides);

/** For overrides as they are written; throws CLICK_POLICY_FLAG_CONFLICT that names those that are not stricter as well. */
export function checkNewOverrides(template: PolicyOwner, deployment: Placement): void {
  const { policyOverrides } = deployment;
  refuseConflicts([
    ...looseningProblems(ownField, template.policyFlags, policyOverrides),
    ...policyProblems(template, deployment, { stated: policyOverrides }),
  ]);
}

/** Throws CLICK_POLICY_FLAG_CONFLICT when the flags in force contradict each other or the deployment. */
export const checkPolicy = (template: PolicyOwner, deployment: Placement): void =>
  refuseConflicts(policyProblems(template, deployment));

/** Where the flags in force contradict each other or the deployment; flags are named as parts of the field. */
export function policyProblems(
  template: PolicyOwner,
  deployment: Placement,
  { field = ownField, stated = {} }: { readonly field?: string; readonly stated?: StatedPolicyFlags } = {},
): FieldProblem[] {
  const { displayMode, screenshotId, status } = deployment;
  const { type } = template;
  const flags = effectivePolicy(template, deployment);
  // It is the deployment that says how its text is shown, whatever the template suggests.
  const typeConfig = { ...template.typeConfig, displayMode };
  const problems = policyConflicts({ type, typeConfig, flags, stated, field });
  if (status === "ACTIVE" && flags.requireSnapshot && screenshotId === null) {
    const message = "must be given: requireSnapshot asks for a picture of what an active deployment shows";
    problems.push(problem("screenshotId", "REQUIRED", message));
  }
  return problems;
}

const ownField = "policyOverrides";

function refuseConflicts(details: readonly FieldProblem[]): void {
  if (details.length > 0) throw new DomainError("CLICK_POLICY_FLAG_CONFLICT", { details });
}

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
  const { brandId, screenshotId, screenshotHash } = deployment;
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
    // Absent where there is none, as in all snapshots of before: those keep their hashes.
    ...(brandId === null ? {} : { brandId }),
    ...(screenshotHash === null ? {} : { screenshotHash }),
    policyOverrides,
    effectivePolicy: effectivePolicy(template, deployment),
  });
  return { deploymentId: id, hash: sha256Label(data), data };
}
