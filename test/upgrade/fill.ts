import { randomBytes } from "node:crypto";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { until } from "#platform/testing/until.ts";
import type { AdminClient } from "../../dev/demo.ts";
import { createResources } from "../isolation/resources.ts";
import { onePage } from "../isolation/sign-resources.ts";
import { nowhere } from "../isolation/webhook-resources.ts";
import { Api } from "../support/api.ts";
import { Browser } from "../support/browser-people.ts";
import { bodyOf, consentTemplate, consentText, publishText } from "../support/journeys.ts";
import { startReceiver } from "../support/receiver.ts";
import { visitPage } from "../support/signing-page.ts";
import type { Facts } from "./release.ts";

type Said = Omit<Facts, "authMasterKey" | "clickMasterKey" | "webhooksMasterKey" | "signMasterKey">;

/** Uses everything of the product for one organization, and answers what its API says of it. */
export async function fill(admin: AdminClient, baseUrl: string): Promise<Said> {
  const { credentials, owner } = await createOrganization(admin);
  const api = new Api(baseUrl, credentials.apiKey, credentials.organizationId);
  const receiver = await startReceiver();
  try {
    const endpoint = bodyOf(201, await api.post("/v1/webhooks/endpoints", { url: receiver.urlOf("events") }));
    await createResources(api, "kept");
    const said = {
      ...{ ...credentials, owner, memberEmail: await invite(baseUrl, owner) },
      ...(await recordTerms(api)),
      ...(await signAgreements(api)),
      ...(await generate(api)),
    };
    await until(
      async () => (await waitingDeliveries(api, endpoint.id)) === 0 && receiver.at("events").length > 0,
      60_000,
    );
    const [delivered] = bodyOf(200, await api.get(`/v1/webhooks/deliveries?endpointId=${endpoint.id}&limit=1`));
    // Whoever restores these rows tells nobody.
    bodyOf(200, await api.call("PATCH", `/v1/webhooks/endpoints/${endpoint.id}`, { url: nowhere }));
    const webhook = { endpointId: endpoint.id, secret: endpoint.secret, deliveryId: delivered.id };
    return { ...said, webhook };
  } finally {
    await receiver.close();
  }
}

const acceptLimit = 777;

async function createOrganization(admin: AdminClient) {
  const { organization } = await admin.createOrganization({ name: "Upgrade Ltd", plan: Plan.GEN_PRO });
  const organizationId = organization?.id ?? "";
  await admin.setOrganizationLimits({ organizationId, limits: { accept: acceptLimit } });
  const { apiKey } = await admin.createApiKey({ organizationId, name: "before" });
  const scopes = ["click:read", "click:accept"];
  const { client, clientSecret } = await admin.createOAuthClient({ organizationId, name: "before", scopes });
  const owner = { email: "owner@example.com", password: randomBytes(15).toString("base64url") };
  await admin.createOwner({ organizationId, name: "Olga Owner", ...owner });
  return { owner, credentials: { organizationId, apiKey, clientId: client?.id ?? "", clientSecret, acceptLimit } };
}

/** A second person, who has a password, and whose session is open. */
async function invite(baseUrl: string, owner: NonNullable<Facts["owner"]>): Promise<string> {
  const browser = new Browser(baseUrl);
  bodyOf(200, await browser.login(owner.email, owner.password));
  const wanted = { email: "ben@example.com", name: "Ben Example", role: "developer" };
  const { inviteUrl } = bodyOf(201, await browser.post("/v1/dashboard/users", wanted));
  const token = inviteUrl.slice(inviteUrl.indexOf("#") + 1);
  const answer = { token, password: randomBytes(15).toString("base64url") };
  bodyOf(200, await new Browser(baseUrl).post("/v1/dashboard/invitations/accept", answer));
  return wanted.email;
}

/** Acceptances, consents, and somebody who is erased. */
async function recordTerms(api: Api) {
  const { slug: templateSlug } = await publishText(
    api,
    { name: "Terms", type: "STATIC", slug: "terms" },
    "<p>Be kind.</p>",
  );
  await publishText(api, { ...consentTemplate, slug: "privacy" }, consentText);
  const idempotencyKey = "before-1";
  const { receiptId } = bodyOf(201, await api.accept(idempotencyKey, { templateSlug, userRef: "ada" }));
  const decisions = (decision: string) => ({ purposes: [{ purpose: "marketing", decision }] });
  bodyOf(200, await api.post("/v1/click/consent/ada", decisions("GRANT")));
  bodyOf(200, await api.post("/v1/click/consent/ada", decisions("WITHDRAW")));
  const erased = bodyOf(201, await api.accept("before-2", { templateSlug, userRef: "zoe" }));
  bodyOf(200, await api.call("DELETE", "/v1/click/users/zoe?reason=WITHDRAWAL"));
  const inclusionProof = await until(async () => {
    const { status, body } = await api.get(`/v1/click/log/proofs/inclusion?receiptId=${receiptId}`);
    return status === 200 && body;
  }, 60_000);
  const receipt = bodyOf(200, await api.get(`/v1/click/receipts/${receiptId}`));
  const consentState = bodyOf(200, await api.get("/v1/click/consent/ada"));
  return { templateSlug, idempotencyKey, receipt, inclusionProof, consentState, erasedReceiptId: erased.receiptId };
}

/** One that is complete, one that waits for Ann, and one that is void. */
async function signAgreements(api: Api) {
  const [completedId, waitingId, voidedId] = [await send(api), await send(api), await send(api)];
  await (await visitPage(api, completedId)).sign();
  const path = `/v1/sign/agreements/${completedId}`;
  await until(async () => bodyOf(200, await api.get(path)).status === "completed", 60_000);
  bodyOf(200, await api.post(`/v1/sign/agreements/${voidedId}/void`, { voidedReason: "Terms have changed." }));
  const auditEvents: object[] = bodyOf(200, await api.get(`${path}/audit-events`));
  return { completedId, waitingId, voidedId, auditEvents };
}

async function send(api: Api): Promise<string> {
  const tabs = [{ type: "signature", documentId: "1", page: 1, x: 60, y: 100, width: 110, height: 35 }];
  const ann = { recipientId: "1", name: "Ann Example", email: "ann@example.com", clientUserId: "1", tabs };
  const documents = [{ documentId: "1", name: "offer.pdf", documentBase64: onePage }];
  const wanted = { emailSubject: "Please sign", status: "sent", documents, recipients: { signers: [ann] } };
  return bodyOf(201, await api.post("/v1/sign/agreements", wanted)).id;
}

async function generate(api: Api) {
  const draft = { name: "Letter", format: "html", content: "<p>Dear {{ name }}, be kind.</p>" };
  const { id: letterId } = bodyOf(201, await api.post("/v1/gen/templates", draft));
  bodyOf(200, await api.post(`/v1/gen/templates/${letterId}/publish`, undefined));
  // The first document waits for the processes that render.
  const generatedDocument = await until(async () => {
    const answer = await api.post("/v1/gen/documents", { templateId: letterId, data: { name: "Ada" } });
    return answer.status === 201 && answer.body;
  }, 60_000);
  return { letterId, generatedDocument };
}

const waitingDeliveries = async (api: Api, endpointId: string): Promise<number> =>
  bodyOf(200, await api.get(`/v1/webhooks/deliveries?endpointId=${endpointId}&limit=100`)).filter(
    ({ status }: { status: string }) => status !== "DELIVERED",
  ).length;
