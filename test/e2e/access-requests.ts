import { randomUUID } from "node:crypto";
import { onePixel } from "#api/kinds.ts";
import type { Operation } from "../../gateway/routes/operations.ts";
import { createGenerationResources } from "../isolation/generation-resources.ts";
import {
  createAnewFor,
  createSignResources,
  isOfSigning,
  signPathBodies,
  signResourceIn,
} from "../isolation/sign-resources.ts";
import { createWebhookResources } from "../isolation/webhook-resources.ts";
import type { Api } from "../support/api.ts";
import { contractOf, requireConformance } from "../support/contract.ts";
import { bodyOf, textPdf } from "../support/journeys.ts";
import { noteExchange } from "../support/secrets.ts";

/** One of everything that paths and queries name, by what they call it. */
export type Resources = Readonly<Record<string, string>>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const queries: Readonly<Record<string, string>> = {
  getInclusionProof: "?index=0",
  getConsistencyProof: "?from=1&to=1",
};

/** Instead of the example of the description, which would be refused for another reason. */
const bodies: Readonly<Record<string, (resources: Resources) => unknown>> = {
  createTemplate: () => ({ name: "Another", type: "STATIC", slug: `another-${randomUUID()}` }),
  createSession: ({ template }) => ({ templateId: template, userRef: "user-of-access-1" }),
  accept: ({ template }) => ({ templateId: template, userRef: "user-of-access-1" }),
  bulkArchiveTemplates: ({ template }) => ({ templateIds: [template] }),
  bulkDuplicateTemplates: ({ template }) => ({ templateIds: [template] }),
  createGenTemplate: () => ({ name: "Another", format: "html", content: "<p>Hi</p>", slug: `another-${randomUUID()}` }),
  createGenDocument: ({ genTemplate }) => ({ templateId: genTemplate }),
  createBatch: ({ genTemplate }) => ({ templateId: genTemplate, items: [{}] }),
  createGenBatch: ({ genTemplate }) => ({ templateId: genTemplate, items: [{}] }),
  // What is sent at once needs a second scope.
  createAgreement: ({ signTemplate }) => ({ templateId: signTemplate }),
  compatCreateEnvelope: ({ signTemplate }) => ({ templateId: signTemplate }),
  ...signPathBodies,
  // What a change asks for decides which of the scopes it needs.
  compatUpdateEnvelope: () => ({}),
};

/** Sends what the operation understands, about these resources, with this Authorization header. */
export async function request(
  baseUrl: string,
  operation: Operation,
  resources: Resources,
  authorization: string | undefined,
): Promise<Reply> {
  const path = pathOf(operation, resources);
  const body = bodies[operation.operationId]?.(resources) ?? operation.exampleBody;
  const headers: Record<string, string> = { accept: "application/json" };
  if (authorization !== undefined) headers.authorization = authorization;
  if (body !== undefined) headers["content-type"] = "application/json";
  if (operation.needsIdempotencyKey) headers["x-idempotency-key"] = randomUUID();
  const { method } = operation;
  const response = await fetch(baseUrl + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  noteExchange(baseUrl, { path, headers, body }, undefined);
  requireConformance(await contractOf(baseUrl), { method, path }, answer);
  return answer;
}

function pathOf({ operationId, path, method, pathParams }: Operation, resources: Resources): string {
  const filled = pathParams.reduce((text, { name, resource: called }) => {
    const resource = signResourceIn({ path, method }, called);
    const value = resources[resource];
    if (value === undefined) throw new Error(`there is no ${resource} to fill the path of ${operationId} with`);
    return text.replace(`{${name}}`, encodeURIComponent(value));
  }, path);
  return filled + (queries[operationId] ?? "");
}

/** One of everything. */
export const createResources = async (api: Api): Promise<Resources> => ({
  ...(await createTerms(api)),
  // Nobody with the credential of a program gets to see whether there are such.
  member: randomUUID(),
  userSession: randomUUID(),
  passkey: randomUUID(),
  apiKey: "GTHduqAAZ9ob1teB",
  client: "cl_0123456789abcdefABCDEF",
  ...(await createGenerationResources(api)),
  ...(await createSignResources(api, randomUUID().slice(0, 8))),
  ...(await createWebhookResources(api)),
});

/** The same, with things of its own for what an operation ends. */
export async function createForEnding(operation: Operation, api: Api, known: Resources): Promise<Resources> {
  if (isOfSigning(operation)) return await createAnewFor(operation, api, known);
  const isOfClick = operation.path.startsWith("/v1/click/");
  return { ...known, ...(isOfClick ? await createTerms(api) : await createGenerationResources(api)) };
}

/** A published template with everything that belongs to it. */
async function createTerms(api: Api): Promise<Resources> {
  const { templateId, versionId, slug } = await api.publishTemplate({ slug: `terms-${randomUUID()}` });
  const deployments = `/v1/click/templates/${templateId}/deployments`;
  const deployment = bodyOf(201, await api.post(deployments, { name: "Page", activate: true }));
  const pictures = `/v1/click/deployments/${deployment.id}/screenshots`;
  const screenshot = bodyOf(201, await api.post(pictures, { content: onePixel }));
  const documentBase64 = textPdf("Be kind.").toString("base64");
  const file = bodyOf(201, await api.post(`/v1/click/templates/${templateId}/files`, { documentBase64 }));
  const userRef = `user-${randomUUID()}`;
  const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId, userRef }));
  const receipt = bodyOf(201, await api.accept(randomUUID(), { templateId, userRef }));
  const dueAt = "2036-12-31T23:00:00Z";
  const campaign = bodyOf(201, await api.post("/v1/click/campaigns", { name: "Terms", templateId, dueAt }));
  return {
    template: templateId,
    campaign: campaign.id,
    version: versionId,
    deployment: deployment.id,
    session: session.id,
    receipt: receipt.receiptId,
    userRef,
    deploymentKey: deployment.key,
    screenshot: screenshot.id,
    templateFile: file.contentHash,
    templateIdOrSlug: slug,
    revision: "1",
    tileLevel: "0",
    tileIndex: "0",
    tileWidth: "1",
  };
}
