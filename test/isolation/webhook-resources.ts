import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";

type Ids = Readonly<Record<string, string>>;

/** No name ends like this, so that nothing leaves the machine. */
export const nowhere = "https://hooks.invalid/events";

const endpoints = "/v1/webhooks/endpoints";
const deliveries = "/v1/webhooks/deliveries";

/** Events that there are none of unless somebody asks for one. */
const rareTypes = ["webhook.test"];
const rareEvents = ["envelope-purge"];

/** One of everything of webhooks: an endpoint, a key of the compatible interface, and a delivery that has failed. */
export async function createWebhookResources(api: Api): Promise<Ids> {
  const made = { ...(await makeWebhookEndpoint(api)), ...(await makeConnectSecret(api)), ...(await makeDelivery(api)) };
  await tryAnEndpoint(api);
  return made;
}

export const makeWebhookEndpoint = async (api: Api): Promise<Ids> => ({ webhookEndpoint: await register(api) });

/** Where there are as many as there may be, in place of the one that was made last. */
async function register(api: Api): Promise<string> {
  const wish = { url: nowhere, eventTypes: rareTypes };
  const key = { "x-idempotency-key": crypto.randomUUID() };
  const made = await api.call("POST", endpoints, wish, key);
  if (made.status !== 409) return bodyOf(201, made).id;
  const [last] = bodyOf(200, await api.get(`${endpoints}?limit=1`));
  bodyOf(204, await api.call("DELETE", `${endpoints}/${last.id}`));
  return bodyOf(201, await api.call("POST", endpoints, wish, key)).id;
}

/** Something is sent to an endpoint that is gone afterwards: later attempts would change what tests look at. */
async function tryAnEndpoint(api: Api): Promise<void> {
  const id = await register(api);
  const delivery = bodyOf(202, await api.call("POST", `${endpoints}/${id}/test`));
  await attempted(api, delivery.id, 1);
  bodyOf(204, await api.call("DELETE", `${endpoints}/${id}`));
}

/** One that there is, when there are as many as there may be. */
export async function makeConnectSecret(api: Api): Promise<Ids> {
  const path = `${accountOf(api)}/connect/secret`;
  const made = await api.post(path, {});
  if (made.status === 201) return { connectSecret: made.body.keyId };
  const [first] = bodyOf(200, await api.get(path)).secrets;
  return { connectSecret: first.keyId };
}

/** Where there are as many as there may be, in place of the last in the list. */
export async function makeConnect(api: Api): Promise<Ids> {
  const path = `${accountOf(api)}/connect`;
  const wish = { urlToPublishTo: nowhere, events: rareEvents };
  const made = await api.post(path, wish);
  if (made.status !== 409) return { connect: bodyOf(201, made).connectId };
  const { configurations } = bodyOf(200, await api.get(path));
  bodyOf(200, await api.call("DELETE", `${path}/${configurations.at(-1).connectId}`));
  return { connect: bodyOf(201, await api.post(path, wish)).connectId };
}

/** The delivery that there is, sent once more, or one to a configuration that afterwards gets no more. It waits for tomorrow. */
async function makeDelivery(api: Api): Promise<Ids> {
  const known = await findDelivery(api);
  if (known !== undefined) {
    const { attemptCount } = bodyOf(200, await api.get(`${deliveries}/${known.webhookDelivery}`));
    bodyOf(202, await api.call("POST", `${deliveries}/${known.webhookDelivery}/resend`));
    await attempted(api, known.webhookDelivery ?? "", attemptCount + 1);
    return known;
  }
  const path = `${accountOf(api)}/connect`;
  const wish = { urlToPublishTo: nowhere, events: ["envelope-created"], requiresAcknowledgement: "true" };
  const { connectId } = bodyOf(201, await api.post(path, wish));
  bodyOf(201, await api.post("/v1/sign/agreements", { emailSubject: "Please sign the offer" }));
  const found = await until(() => findDelivery(api), 20_000);
  bodyOf(200, await api.call("PUT", path, { connectId, events: rareEvents }));
  return found;
}

/** Of the compatible interface, whose log has it too. */
async function findDelivery(api: Api): Promise<Ids | undefined> {
  const failed: { id: string; eventId: string; connectId: number | null }[] = bodyOf(
    200,
    await api.get(`${deliveries}?status=FAILED`),
  );
  const found = failed.find(({ connectId }) => connectId !== null);
  return found && { webhookDelivery: found.id, webhookEvent: found.eventId };
}

const attempted = (api: Api, deliveryId: string, attempts: number): Promise<unknown> =>
  until(async () => bodyOf(200, await api.get(`${deliveries}/${deliveryId}`)).attemptCount >= attempts, 20_000);

const accountOf = ({ organizationId }: Api): string => `/restapi/v2.1/accounts/${organizationId}`;

/** Bodies of webhooks for ids of paths, where the example of the description would have events sent somewhere. */
export const webhookPathBodies: Readonly<Record<string, () => unknown>> = {
  createWebhookEndpoint: () => ({ url: nowhere, eventTypes: rareTypes }),
  updateWebhookEndpoint: () => ({ description: "Changed" }),
  compatCreateConnect: () => ({ urlToPublishTo: nowhere, events: rareEvents }),
};

/** Lists have those that there are. */
export const webhookAnswersAnyway: readonly string[] = [
  "listWebhookDeliveries ?endpointId",
  "listWebhookDeliveries ?eventId",
  "compatRetryConnect envelopeIds[]",
];
