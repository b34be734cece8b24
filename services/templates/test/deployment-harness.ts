import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  CreateDeploymentRequestSchema,
  Deployment,
  DeploymentFieldsSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { type Organization, present, type TemplatesHarness } from "./harness.ts";

type Fields = MessageInitShape<typeof DeploymentFieldsSchema>;

export async function createDeployment(
  organization: Organization,
  templateId: string,
  fields: Fields = {},
  request: Pick<MessageInitShape<typeof CreateDeploymentRequestSchema>, "activate"> = {},
): Promise<Deployment> {
  return present((await organization.createDeployment({ templateId, fields, ...request })).deployment);
}

/** A deployment that is active from the start. */
export const createActive = (organization: Organization, templateId: string, fields: Fields = {}) =>
  createDeployment(organization, templateId, fields, { activate: true });

export const getDeployment = async (organization: Organization, deploymentId: string): Promise<Deployment> =>
  present((await organization.getDeployment({ deploymentId })).deployment);

/** Updates the fields of these paths. */
export async function updateDeployment(
  organization: Organization,
  deploymentId: string,
  paths: string[],
  fields: Fields,
  force = false,
): Promise<Deployment> {
  const response = await organization.updateDeployment({ deploymentId, fields, updateMask: { paths }, force });
  return present(response.deployment);
}

export const activate = async (organization: Organization, deploymentId: string): Promise<Deployment> =>
  present((await organization.activateDeployment({ deploymentId })).deployment);

export const deactivate = async (organization: Organization, deploymentId: string): Promise<Deployment> =>
  present((await organization.deactivateDeployment({ deploymentId })).deployment);

export const pinned = (versionId: string) => ({ mode: "PINNED", versionId });

/** The snapshots of a deployment, oldest first. */
export async function readSnapshots({ superuser }: TemplatesHarness, deploymentId: string) {
  const { rows } = await superuser.query<{ hash: string; data: string }>(
    "select hash, data from templates.deployment_snapshot where deployment_id = $1 order by created_at, hash",
    [deploymentId],
  );
  return rows;
}
