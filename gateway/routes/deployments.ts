import { deployment, revisionText } from "#api/templates.ts";
import { type Deployment, DeploymentStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { enumValue } from "../../views/scalars.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply, noContent, type Reply } from "../http/reply.ts";
import {
  changeBody,
  createBody,
  defineRoute,
  onBehalfOf,
  type ProtectedAccess,
  queryOf,
  type Route,
  type RouteRequest,
  type TextParam,
} from "./route.ts";
import { described, listOf, oneOf, required } from "./schema-parts.ts";
import type { Services } from "./services.ts";

const read: ProtectedAccess = { scopes: ["click:read"], limitGroup: "other" };
const write: ProtectedAccess = { scopes: ["click:write"], limitGroup: "other" };
const base = { tag: "Deployments", dialect: clickDialect } as const;

const ofTemplate = { templateId: "CLICK_TEMPLATE_NOT_FOUND" } as const;
const ofDeployment = { id: "CLICK_DEPLOYMENT_NOT_FOUND" } as const;
const policyErrors = ["CLICK_POLICY_FLAG_INVALID", "CLICK_POLICY_FLAG_CONFLICT"] as const;

export const deploymentRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createDeployment",
    method: "POST",
    path: "/v1/click/templates/{templateId}/deployments",
    summary: "Create a deployment",
    description: "A deployment says where, how and in which version a template is shown.",
    access: write,
    notFound: ofTemplate,
    body: createBody(deployment, {
      example: { name: "Sign-up page", displayMode: "INLINE", allowedOrigins: ["https://www.example.com"] },
    }),
    success: { status: 201, description: "The created deployment.", schema: deployment.schemas.answer },
    errors: [
      ...policyErrors,
      "BRAND_NOT_FOUND",
      "CLICK_VERSION_NOT_FOUND",
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_TEMPLATE_ARCHIVED",
    ],
    call: async (request, { templates, sign }) => {
      await requireBrand(request, sign);
      return templates.createDeployment({ ...deployment.create(request.body), ...request.params }, onBehalfOf(request));
    },
    respond: (answer) => deploymentReply(201, answer.deployment),
  }),
  defineRoute({
    ...base,
    operationId: "listDeployments",
    method: "GET",
    path: "/v1/click/templates/{templateId}/deployments",
    summary: "List the deployments of a template",
    description: "All of them, unless you name a status.",
    access: read,
    notFound: ofTemplate,
    query: queryOf<{ status?: string }>({
      status: described(oneOf("DRAFT", "ACTIVE", "INACTIVE"), "Only those with this status."),
    }),
    success: { status: 200, description: "The deployments, newest first.", schema: listOf(deployment.schemas.answer) },
    errors: [],
    call: (request, { templates }) => {
      const { status } = request.query;
      const wanted = status === undefined ? DeploymentStatus.UNSPECIFIED : enumValue(DeploymentStatus, status);
      return templates.listDeployments({ ...request.params, status: wanted }, onBehalfOf(request));
    },
    respond: ({ deployments }) =>
      jsonReply(
        200,
        deployments.map((one) => deployment.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "findOneDeployment",
    method: "GET",
    path: "/v1/click/deployments/{id}",
    summary: "Read a deployment",
    description: "Includes its public key and the hash of the configuration in force.",
    access: read,
    besideLimit: true,
    notFound: ofDeployment,
    success: { status: 200, description: "The deployment.", schema: deployment.schemas.answer },
    errors: [],
    call: (request, { templates }) => templates.getDeployment({ deploymentId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => deploymentReply(200, answer.deployment),
  }),
  defineRoute({
    ...base,
    operationId: "updateDeployment",
    method: "PATCH",
    path: "/v1/click/deployments/{id}",
    summary: "Change a deployment",
    description: "Absent members keep their values; null restores the default.",
    access: write,
    notFound: ofDeployment,
    body: changeBody(deployment, { example: { displayMode: "MODAL" } }),
    success: { status: 200, description: "The changed deployment.", schema: deployment.schemas.answer },
    errors: [
      ...policyErrors,
      "BRAND_NOT_FOUND",
      "CLICK_DEPLOYMENT_ACTIVE",
      "CLICK_VERSION_NOT_FOUND",
      "CLICK_VERSION_NOT_PUBLISHED",
      "CLICK_TEMPLATE_ARCHIVED",
    ],
    call: async (request, { templates, sign }) => {
      await requireBrand(request, sign);
      const change = { ...deployment.change(request.body), deploymentId: request.params.id };
      return templates.updateDeployment(change, onBehalfOf(request));
    },
    respond: (answer) => deploymentReply(200, answer.deployment),
  }),
  defineRoute({
    ...base,
    operationId: "activateDeployment",
    method: "POST",
    path: "/v1/click/deployments/{id}/activate",
    summary: "Activate a deployment",
    description: "Activating an active deployment changes nothing.",
    access: write,
    notFound: ofDeployment,
    success: { status: 200, description: "The active deployment.", schema: deployment.schemas.answer },
    errors: ["CLICK_POLICY_FLAG_CONFLICT", "CLICK_VERSION_NOT_PUBLISHED", "CLICK_TEMPLATE_ARCHIVED"],
    call: (request, { templates }) =>
      templates.activateDeployment({ deploymentId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => deploymentReply(200, answer.deployment),
  }),
  defineRoute({
    ...base,
    operationId: "deactivateDeployment",
    method: "POST",
    path: "/v1/click/deployments/{id}/deactivate",
    summary: "Deactivate a deployment",
    description: "Deactivating a deployment that is not active changes nothing.",
    access: write,
    notFound: ofDeployment,
    success: { status: 200, description: "The inactive deployment.", schema: deployment.schemas.answer },
    errors: [],
    call: (request, { templates }) =>
      templates.deactivateDeployment({ deploymentId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => deploymentReply(200, answer.deployment),
  }),
  defineRoute({
    ...base,
    operationId: "removeDeployment",
    method: "DELETE",
    path: "/v1/click/deployments/{id}",
    summary: "Delete a deployment that is not active",
    description: "Acceptances that refer to it stay as they are. Deactivate an active deployment first.",
    access: { scopes: ["click:admin"], limitGroup: "other" },
    notFound: ofDeployment,
    success: { status: 204, description: "The deployment was deleted." },
    errors: ["CLICK_DEPLOYMENT_ACTIVE"],
    call: (request, { templates }) =>
      templates.removeDeployment({ deploymentId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

/** Throws BRAND_NOT_FOUND. A brand that goes later is no mistake of what names it: then the default one holds. */
export async function requireBrand(
  request: Pick<RouteRequest<string, unknown, { readonly brandId?: string | null | undefined }>, "body" | "caller">,
  sign: Pick<Services["sign"], "getBrand">,
): Promise<void> {
  const { brandId } = request.body;
  if (brandId != null) await sign.getBrand({ brandId }, onBehalfOf(request));
}

const deploymentReply = (status: number, message: Deployment | undefined): Reply =>
  jsonReply(status, deployment.answer(required(message)));

const revisionParam: TextParam = {
  names: "revision",
  schema: {
    type: "string",
    pattern: "^[1-9][0-9]{0,8}$",
    description: "The number of the revision, from 1.",
    examples: ["1"],
  },
  otherwise: "CLICK_VERSION_NOT_FOUND",
};

export const revisionRoutes: readonly Route[] = [
  defineRoute({
    operationId: "findOneRevision",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/revisions/{revision}",
    tag: "Template versions",
    dialect: clickDialect,
    summary: "Read a revision of a version",
    description: "Each publication of a changed text creates a revision, whose content and labels never change.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    besideLimit: true,
    notFound: { templateId: "CLICK_TEMPLATE_NOT_FOUND", versionId: "CLICK_VERSION_NOT_FOUND" },
    texts: { revision: revisionParam },
    success: { status: 200, description: "The revision.", schema: revisionText.schemas.answer },
    errors: [],
    call: (request, { templates }) => {
      const { revision, ...version } = request.params;
      return templates.getRevision({ ...version, revision: Number(revision) }, onBehalfOf(request));
    },
    respond: (revision) => jsonReply(200, revisionText.answer(revision)),
  }),
];
