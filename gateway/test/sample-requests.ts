import { type Operation, operations } from "../routes/operations.ts";
import { compatSamples, createCompatResources } from "./compat-samples.ts";
import { createDashboardResources, dashboardSamples } from "./dashboard-samples.ts";
import { campaignOf } from "./fake-campaigns.ts";
import { createGenResources, genSamples } from "./gen-samples.ts";
import { createSignResources, signSamples } from "./sign-samples.ts";
import type { Answer, TestGateway } from "./test-gateway.ts";
import { createWebhookResources } from "./webhook-samples.ts";

/** A request that an operation accepts. */
export interface SampleRequest {
  /** With its question mark. */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

let keys = 0;

/** For operations whose example of the description would not do here. */
const samples: Readonly<Record<string, () => SampleRequest>> = {
  createTemplate: () => ({ body: { name: uniqueName("Sample"), type: "STATIC" } }),
  createVersion: () => ({ body: { locale: "en", content: "<p>Text</p>" } }),
  accept: () => ({
    body: { templateSlug: "terms", userRef: "user-1" },
    headers: { "X-Idempotency-Key": uniqueName("key") },
  }),
  getInclusionProof: () => ({ query: "?index=0" }),
  getConsistencyProof: () => ({ query: "?from=1&to=2" }),
  // Nobody is told by an example who has signed in.
  ...dashboardSamples,
  ...genSamples,
  ...signSamples,
  ...compatSamples,
};

/** A request that the operation understands. */
export function sampleRequest(operationId: string): SampleRequest {
  const sample = samples[operationId]?.();
  if (sample !== undefined) return sample;
  const { exampleBody } = operationOf(operationId);
  return exampleBody === undefined ? {} : { body: exampleBody };
}

export function operationOf(operationId: string): Operation {
  const operation = operations.find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
  return operation;
}

export function uniqueName(prefix: string): string {
  keys += 1;
  return `${prefix} ${keys}`;
}

/** The path of an operation with its parameters filled in. */
export const pathWith = ({ path, pathParams }: Operation, value: (resource: string) => string): string =>
  pathParams.reduce(
    (filled, { name, resource }) => filled.replace(`{${name}}`, encodeURIComponent(value(resource))),
    path,
  );

/** One of everything that paths name, of the organization that the token belongs to. */
export async function createResources(gateway: TestGateway, token: string, orgId: string): Promise<Resources> {
  const requireStatus = (answer: Answer, status: number): Answer => {
    if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
    return answer;
  };
  const send = async (path: string, operationId: string) =>
    requireStatus(await gateway.call("POST", path, { token, ...sampleRequest(operationId) }), 201).body;
  const template = await send("/v1/click/templates", "createTemplate");
  const version = await send(`/v1/click/templates/${template.id}/versions`, "createVersion");
  const deployment = await send(`/v1/click/templates/${template.id}/deployments`, "createDeployment");
  const screenshot = await send(`/v1/click/deployments/${deployment.id}/screenshots`, "createScreenshot");
  const file = await send(`/v1/click/templates/${template.id}/files`, "createTemplateFile");
  const session = await send("/v1/click/sessions", "createSession");
  const receipt = await send("/v1/click/accept", "accept");
  const resources = {
    template: template.id as string,
    version: version.id as string,
    deployment: deployment.id as string,
    campaign: campaignOf(orgId),
    session: session.id as string,
    receipt: receipt.receiptId as string,
    userRef: "user 1/ö",
    deploymentKey: deployment.key as string,
    screenshot: screenshot.id as string,
    templateFile: file.contentHash as string,
    templateIdOrSlug: template.slug as string,
    revision: "1",
    tileLevel: "0",
    tileIndex: "0",
    tileWidth: "255",
    ...(await createGenResources(gateway, orgId)),
    ...createDashboardResources(gateway, orgId),
    ...createSignResources(gateway, orgId),
    ...createWebhookResources(gateway, orgId),
    ...(await createCompatResources(gateway, orgId)),
  };
  gateway.click.log.fill(orgId, receipt.receiptId, 256);
  gateway.click.stats.set(resources.template, orgId);
  gateway.click.render.known.set(resources.deploymentKey, orgId).set(resources.templateIdOrSlug, orgId);
  return resources;
}

/** By what path parameters name. */
export type Resources = Readonly<Record<string, string>>;

/** What a parameter may be filled with. */
export function resourceIn(resources: Resources, resource: string): string {
  const value = resources[resource];
  if (value === undefined) throw new Error(`there is no ${resource} to fill a path with`);
  return value;
}
