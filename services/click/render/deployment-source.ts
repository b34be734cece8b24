import { type Client, ConnectError } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { fromConnectError } from "#platform/errors.ts";
import type { CurrentTemplate } from "../terms/agreement.ts";
import { type Placement, parsePlacement } from "../terms/placement.ts";
import { currentTemplate } from "../terms/template-source.ts";

/** An active deployment with what it currently serves. */
export interface ServedDeployment {
  readonly placement: Placement;
  /** Canonical JSON, which must be stored before anything is shown. */
  readonly snapshotJson: string;
  readonly template: CurrentTemplate;
}

export interface DeploymentSource {
  /** By its public key or its id; undefined when there is no such deployment or it is not active. */
  resolve(caller: Caller, name: DeploymentName): Promise<ServedDeployment | undefined>;
}

export type DeploymentName =
  | { readonly case: "key"; readonly value: string }
  | { readonly case: "deploymentId"; readonly value: string };

const answerMs = 2_000;

export const createDeploymentSource = (templates: Client<typeof TemplatesService>): DeploymentSource => ({
  resolve: async (caller, deployment) => {
    try {
      const options = { headers: callerHeaders(caller), timeoutMs: answerMs };
      const { deployment: found, template, snapshotJson } = await templates.resolveDeployment({ deployment }, options);
      if (template === undefined) throw new Error("ResolveDeployment answered no template");
      const placement = parsePlacement(snapshotJson);
      if (placement.snapshotHash !== found?.snapshotHash) {
        throw new Error("the snapshot of a deployment is not the one that its hash names");
      }
      return { placement, snapshotJson, template: currentTemplate(template) };
    } catch (error) {
      const isUnknown = error instanceof ConnectError && fromConnectError(error)?.code === "CLICK_DEPLOYMENT_NOT_FOUND";
      if (isUnknown) return undefined;
      throw error;
    }
  },
});
