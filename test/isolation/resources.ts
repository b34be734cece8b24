import { onePixel } from "#api/kinds.ts";
import type { Answer, Api } from "../support/api.ts";
import { bodyOf, consentTemplate, consentText, publishText, textPdf } from "../support/journeys.ts";
import { createGenerationResources } from "./generation-resources.ts";
import { createSignResources } from "./sign-resources.ts";
import { createWebhookResources } from "./webhook-resources.ts";

/** One of everything that an id can name, by what paths call it. */
export type Resources = Readonly<Record<string, string>>;

/** One of everything. */
export const createResources = async (api: Api, name: string): Promise<Resources> => ({
  ...(await createTermsResources(api, name)),
  ...(await createSignResources(api, name)),
  ...(await createWebhookResources(api)),
});

/** A published template with everything that belongs to it, and one of everything of document generation. */
export async function createTermsResources(api: Api, name: string): Promise<Resources> {
  const slug = `terms-${name}`;
  const { templateId, versionId } = await publishText(api, { name: "Terms", type: "STATIC", slug }, "<p>Be kind.</p>");
  await publishText(api, { ...consentTemplate, slug: `privacy-${name}` }, consentText);
  const deployment = bodyOf(
    201,
    await api.post(`/v1/click/templates/${templateId}/deployments`, { name: "Page", activate: true }),
  );
  const screenshot = bodyOf(
    201,
    await api.post(`/v1/click/deployments/${deployment.id}/screenshots`, { content: onePixel }),
  );
  // What was named once is counted for good, and can only be deleted while it is not named.
  for (const screenshotId of [screenshot.id, "kept elsewhere"]) {
    bodyOf(200, await api.call("PATCH", `/v1/click/deployments/${deployment.id}`, { screenshotId }));
  }
  const documentBase64 = textPdf(`Be kind, ${name}.`).toString("base64");
  const file = bodyOf(201, await api.post(`/v1/click/templates/${templateId}/files`, { documentBase64 }));
  const filed = { locale: "de", format: "pdf", content: file.content };
  const german = bodyOf(201, await api.post(`/v1/click/templates/${templateId}/versions`, filed));
  bodyOf(200, await api.post(`/v1/click/templates/${templateId}/versions/${german.id}/publish`, {}));
  const version = `/v1/click/templates/${templateId}/versions/${versionId}`;
  bodyOf(200, await api.call("PUT", `${version}/draft`, { content: "<p>Be kind, please.</p>" }));
  bodyOf(200, await api.post(`${version}/approval-requests`, { note: "Please" }));
  bodyOf(200, await api.post(`${version}/publish`, { publishAt: "2199-12-31T23:00:00Z" }));
  const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId, userRef: "user-1", locale: "de" }));
  const receipt = bodyOf(201, await api.accept(`key-${name}`, { templateId, userRef: `user ${name}/ö` }));
  const purposes = [{ purpose: "marketing", decision: "GRANT" }];
  bodyOf(200, await api.post(`/v1/click/consent/${encodeURIComponent(`user ${name}/ö`)}`, { purposes }));
  const dueAt = "2199-12-31T23:00:00Z";
  const campaign = bodyOf(201, await api.post("/v1/click/campaigns", { name: "Terms", templateId, dueAt }));
  bodyOf(200, await api.post(`/v1/click/campaigns/${campaign.id}/people`, { userRefs: [`user ${name}/ö`] }));
  return {
    organization: api.organizationId,
    campaign: campaign.id,
    template: templateId,
    version: versionId,
    deployment: deployment.id,
    session: session.id,
    receipt: receipt.receiptId,
    userRef: `user ${name}/ö`,
    deploymentKey: deployment.key,
    screenshot: screenshot.id,
    templateFile: file.contentHash,
    templateIdOrSlug: slug,
    revision: "1",
    embedScriptHash: "0".repeat(32),
    ...(await createGenerationResources(api)),
  };
}

/** Whatever an organization can read of its own, but for the time of reading. */
export async function everythingOf(api: Api, ids: Resources): Promise<unknown[]> {
  const account = `/restapi/v2.1/accounts/${ids.account}`;
  const paths = [
    "/v1/click/templates?includeVersions=true",
    "/v1/click/acceptances",
    `/v1/click/templates/${ids.template}/deployments`,
    `/v1/click/deployments/${ids.deployment}/screenshots`,
    `/v1/click/templates/${ids.template}/versions/${ids.version}/draft`,
    `/v1/click/templates/${ids.template}/versions/${ids.version}/approval`,
    "/v1/click/approval-requests",
    `/v1/click/sessions/${ids.session}`,
    "/v1/click/campaigns",
    `/v1/click/campaigns/${ids.campaign}/people`,
    `/v1/click/consent/${encodeURIComponent(valueIn(ids, "userRef"))}?includeHistory=true`,
    "/v1/sign/agreements",
    "/v1/sign/templates",
    "/v1/privacy/retention",
    "/v1/privacy/holds?lifted=true",
    "/v1/privacy/file-search",
    "/v1/webhooks/endpoints",
    "/v1/webhooks/deliveries",
    ...["bulk_send_lists", "bulk_send_batch", "connect", "connect/secret", "connect/logs"].map(
      (name) => `${account}/${name}`,
    ),
  ];
  const bodies = await Promise.all(paths.map(async (path) => bodyOf(200, await api.get(path))));
  return bodies.map((body) => (Array.isArray(body) ? body : { ...body, asOf: undefined }));
}

export function valueIn(resources: Resources, resource: string): string {
  const value = resources[resource];
  if (value === undefined) throw new Error(`there is no ${resource} to fill a request with`);
  return value;
}

/** An answer without what differs between any two requests, and without the names that were asked for. */
export function comparable({ status, headers, body }: Answer, names: readonly string[]) {
  let text = JSON.stringify(body ?? null);
  // A number of one digit is part of every id.
  for (const name of names.filter(({ length }) => length > 2)) text = text.replaceAll(name, "<name>");
  // The id of a verifier key is a hash of the name of its log.
  text = text.replaceAll(/\+[0-9a-f]{8}\+/g, "+<key id>+");
  // What a success creates has an id, a time and a place in the log of its own.
  if (status < 300) {
    text = text.replaceAll(/"[0-9a-f-]{36}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<new>"');
    text = text.replaceAll(/"(leafIndex|leafHash|jws)":("[^"]*"|\d+)/g, '"$1":"<new>"');
  }
  const { requestId: _, ...rest } = Object(JSON.parse(text));
  return { status, body: rest, type: headers.get("content-type"), etag: headers.get("etag") };
}
