import { onePixel } from "#api/kinds.ts";
import { onePage } from "../isolation/sign-resources.ts";
import { nowhere } from "../isolation/webhook-resources.ts";
import type { Api } from "../support/api.ts";
import {
  bodyOf,
  consentTemplate,
  consentText,
  generatedTemplate,
  generatedText,
  publishText,
  textPdf,
  withScopes,
} from "../support/journeys.ts";
import type { System } from "../support/system.ts";
import type { Pool } from "./pool.ts";
import { type Tokens, tokensOf } from "./requests.ts";

const plenty = 10_000_000;

/** An organization that no limit of requests hinders. */
export async function newUnlimited(system: System): Promise<Api> {
  const api = await system.newOrganization();
  const limits = { accept: plenty, render: plenty, other: plenty, sign: plenty };
  await system.admin.setOrganizationLimits({ organizationId: api.organizationId, limits });
  return api;
}

/** Every kind of credential that a request may come with. */
export async function createTokens(system: System, own: Api, stranger: Api): Promise<Tokens> {
  const scopes =
    "click:read click:write click:admin click:accept gen:read gen:write sign:read sign:write sign:send sign:admin webhooks:read webhooks:write privacy:admin";
  const token = await withScopes(system, own, scopes);
  const readOnly = await withScopes(system, own, "click:read");
  const revoked = await withScopes(system, own, scopes);
  await system.admin.revokeToken({ token: revoked.token });
  const others = { token: token.token, readOnly: readOnly.token, revoked: revoked.token, foreign: stranger.token };
  return tokensOf(own, others);
}

/** Something of every kind, so that requests find what they ask for from the beginning. */
export async function createBeginnings(system: System, api: Api, pool: Pool): Promise<void> {
  const ask = async (status: number, method: string, path: string, body?: unknown, key?: string) => {
    const answer = bodyOf(
      status,
      await api.call(method, path, body, key === undefined ? {} : { "x-idempotency-key": key }),
    );
    pool.learn(path, answer);
    return answer;
  };
  const terms = { name: "Terms", type: "STATIC", policyFlags: { requireScroll: false, allowDecline: true } };
  for (const [fields, text] of [
    [terms, "<p>Be kind.</p>"],
    [consentTemplate, consentText],
    [generatedTemplate, generatedText],
  ] as const) {
    const { templateId } = await publishText(api, fields, text);
    await ask(200, "GET", `/v1/click/templates/${templateId}?includeVersions=true`);
    const placed = { name: "Page", activate: true };
    const { id: placeId } = await ask(201, "POST", `/v1/click/templates/${templateId}/deployments`, placed);
    await ask(201, "POST", `/v1/click/deployments/${placeId}/screenshots`, { content: onePixel });
    const documentBase64 = textPdf("Be kind.").toString("base64");
    await ask(201, "POST", `/v1/click/templates/${templateId}/files`, { documentBase64 });
    const data = "typeConfig" in fields && fields.type === "GENERATED" ? { data: { buyer: "Ada" } } : {};
    const { id } = await ask(201, "POST", "/v1/click/sessions", { templateId, userRef: "user-1", ...data });
    await ask(200, "GET", `/v1/click/render/sessions/${id}`);
  }
  const { templateId } = await publishText(api, terms, "<p>Be kind.</p>");
  await ask(201, "POST", "/v1/click/accept", { templateId, userRef: "user-1" }, `first of ${templateId}`);
  await ask(200, "POST", "/v1/click/consent/user-1", { purposes: [{ purpose: "marketing", decision: "GRANT" }] });
  for (const isStarted of [false, true]) {
    const { id } = await ask(201, "POST", "/v1/click/campaigns", {
      ...{ name: "Terms", templateId, dueAt: "2036-12-31T23:00:00Z" },
    });
    await ask(200, "POST", `/v1/click/campaigns/${id}/people`, { userRefs: ["user-1", "user-2"] });
    if (isStarted) await ask(200, "POST", `/v1/click/campaigns/${id}/start`);
  }
  await createGenerated(ask);
  await createSigned(ask, api.organizationId);
  const { id } = await ask(201, "POST", "/v1/webhooks/endpoints", { url: nowhere, eventTypes: ["webhook.test"] });
  await ask(202, "POST", `/v1/webhooks/endpoints/${id}/test`);
  const { client, clientSecret } = await system.admin.createOAuthClient({
    organizationId: api.organizationId,
    name: "fuzz",
    scopes: ["click:read"],
  });
  const asked = { grant_type: "client_credentials", client_id: client?.id, client_secret: clientSecret };
  pool.learn("", asked);
}

type Ask = (status: number, method: string, path: string, body?: unknown) => Promise<Record<string, string>>;

/** A draft, what was sent, a template, a list of copies with a batch of them, and a configuration of where events go. */
async function createSigned(ask: Ask, organizationId: string): Promise<void> {
  const account = `/restapi/v2.1/accounts/${organizationId}`;
  const tabs = { signHereTabs: [place], textTabs: [{ ...place, tabLabel: "order", required: "false" }] };
  const ann = { recipientId: "1", name: "Ann Example", email: "ann@example.com", clientUserId: "1000", tabs };
  const content = {
    emailSubject: "Please sign the offer",
    documents: [{ documentId: "1", name: "Offer.pdf", documentBase64: onePage }],
    customFields: { textCustomFields: [{ name: "orderId", value: "42" }] },
  };
  for (const status of ["created", "sent"]) {
    const draft = { ...content, status, recipients: { signers: [ann] } };
    const { envelopeId } = await ask(201, "POST", `${account}/envelopes`, draft);
    await ask(200, "GET", `${account}/envelopes/${envelopeId}?include=recipients,tabs,documents,custom_fields`);
    await ask(200, "GET", `/v1/sign/agreements/${envelopeId}`);
  }
  const workflow = { workflowSteps: [{ action: "pause_before", triggerOnItem: "routing_order", itemId: 1 }] };
  const waiting = { ...content, status: "sent", workflow, recipients: { signers: [ann] } };
  const { envelopeId: paused } = await ask(201, "POST", `${account}/envelopes`, waiting);
  await ask(200, "GET", `/v1/sign/agreements/${paused}`);
  const { envelopeId } = await ask(201, "POST", `${account}/envelopes`, { ...content, status: "created" });
  await ask(201, "POST", `${account}/envelopes/${envelopeId}/lock`, { lockDurationInSeconds: "1800" });
  const role = { recipientId: "1", roleName: "Buyer", tabs };
  const { templateId } = await ask(201, "POST", `${account}/templates`, {
    ...{ ...content, name: "Offer" },
    recipients: { signers: [role] },
  });
  await ask(200, "GET", `${account}/templates/${templateId}`);
  await unlessFull(ask(201, "POST", `${account}/chunked_uploads`, { data: onePage }));
  const copy = { recipients: [{ roleName: "Buyer", name: "Bob Example", email: "bob@example.com" }] };
  const { listId } = await ask(201, "POST", `${account}/bulk_send_lists`, { name: "Spring", bulkCopies: [copy] });
  await ask(201, "POST", `${account}/bulk_send_lists/${listId}/send`, { envelopeOrTemplateId: templateId });
  for (const isDefault of [false, true]) {
    const { id } = await ask(201, "POST", "/v1/sign/brands", { name: `${isDefault} of ${templateId}`, isDefault });
    for (const name of ["logo", "favicon"])
      await ask(200, "PUT", `/v1/sign/brands/${id}/${name}`, { content: onePixel });
  }
  await unlessFull(ask(201, "POST", "/v1/sign/sender-domains", { domain: `${templateId}.example.com` }));
  await unlessFull(ask(201, "POST", "/v1/sign/page-hosts", { host: `${templateId}.example.com` }));
  await ask(201, "POST", `${account}/connect`, { urlToPublishTo: nowhere });
  await unlessFull(ask(201, "POST", `${account}/connect/secret`, {}));
}

/** Requests may have made as many keys, uploads or domains as there can be. */
const unlessFull = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: Error) => {
    if (!/CONNECT_SECRET_LIMIT|UPLOAD_LIMIT|SENDER_DOMAIN_LIMIT|PAGE_HOST_LIMIT/.test(error.message)) throw error;
  });

const place = { documentId: "1", pageNumber: "1", xPosition: "10", yPosition: "10" };

/** A template, an image, and a batch whose items are documents: a batch takes no slot of the minute. */
async function createGenerated(ask: Ask): Promise<void> {
  const draft = { name: "Offer", format: "html", content: "<p>Offer for {{ name }}</p>" };
  const { id: templateId } = await ask(201, "POST", "/v1/gen/templates", draft);
  await ask(200, "POST", `/v1/gen/templates/${templateId}/publish`);
  await ask(201, "POST", "/v1/gen/assets", { name: "dot.png", content: onePixel });
  const { id } = await ask(202, "POST", "/batches", { templateId, items: [{ data: { name: "Ada" } }] });
  await ask(200, "GET", `/batches/${id}/items`);
}
