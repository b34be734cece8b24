import { randomBytes } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { FakeTemplate } from "./fake-templates.ts";

export interface FakeDeployment {
  readonly id: string;
  readonly key: string;
  readonly template: FakeTemplate;
  active: boolean;
  displayMode: string;
  versionId: string | null;
  localeFallback: string[];
  allowedOrigins: string[];
  theme: JsonObject;
  policyOverrides: JsonObject;
  screenshot: Buffer | null;
  /** It is named, and nobody gets it. */
  screenshotIsGone: boolean;
}

export function newDeployment(template: FakeTemplate, changes: Partial<FakeDeployment>): FakeDeployment {
  const random = randomBytes(11).toString("hex");
  return {
    id: newId(),
    key: `dep_${random}`,
    template,
    active: true,
    displayMode: "MODAL",
    versionId: null,
    localeFallback: [],
    allowedOrigins: [],
    theme: {},
    policyOverrides: {},
    screenshot: null,
    screenshotIsGone: false,
    ...changes,
  };
}

const screenshotId = "shot_0123456789abcdefABCDEF";

/** The snapshot as the templates service writes it. */
export function snapshotJson(deployment: FakeDeployment): string {
  const {
    id,
    template,
    key,
    displayMode,
    versionId,
    localeFallback,
    allowedOrigins,
    theme,
    policyOverrides,
    screenshot,
  } = deployment;
  return canonicalJson({
    snapshotVersion: 1,
    organizationId: template.organizationId,
    deploymentId: id,
    templateId: template.templateId,
    key,
    name: "Checkout",
    displayMode,
    versionSelector: { mode: versionId === null ? "LATEST" : "PINNED", versionId },
    localeFallback,
    allowedOrigins,
    theme,
    ...(screenshot === null ? {} : { screenshotId, screenshotHash: sha256Label(screenshot) }),
    policyOverrides,
    effectivePolicy: { ...template.policyFlags, ...policyOverrides },
  });
}

type Snapshot = NonNullable<Awaited<ReturnType<ServiceImpl<typeof TemplatesService>["resolveDeployment"]>>["template"]>;

export const resolveDeployment = (
  deployments: readonly FakeDeployment[],
  snapshot: (template: FakeTemplate) => Snapshot,
): Pick<ServiceImpl<typeof TemplatesService>, "resolveDeployment" | "getScreenshot"> => ({
  getScreenshot(name, context) {
    const { orgId } = requireCaller(context);
    const found = deployments.find(({ id, template }) => id === name.deploymentId && template.organizationId === orgId);
    if (found?.screenshot == null || found.screenshotIsGone || name.screenshotId !== screenshotId) {
      throw toConnectError(new DomainError("CLICK_SCREENSHOT_NOT_FOUND"));
    }
    return { content: found.screenshot };
  },
  resolveDeployment({ deployment: name }, context) {
    const { orgId } = requireCaller(context);
    const found = deployments.find(
      ({ id, key, template, active }) =>
        active && template.organizationId === orgId && !template.archived && [id, key].includes(name.value ?? ""),
    );
    if (found === undefined) throw toConnectError(new DomainError("CLICK_DEPLOYMENT_NOT_FOUND"));
    const json = snapshotJson(found);
    return {
      deployment: { id: found.id, key: found.key, snapshotHash: sha256Label(json) },
      template: snapshot(found.template),
      snapshotJson: json,
    };
  },
});
