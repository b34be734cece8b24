import type { Subscription } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../../routes/required.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { anyText, example, listOf } from "../../routes/schema-parts.ts";
import { connectProperties, readConnectSettings, settingsOf } from "../connect/settings.ts";
import { readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { textsAnswer } from "../schema-parts.ts";
import { numberText } from "../write/scalars.ts";

const tag = "Compatible events";
const read = { tag, scopes: ["sign:read", "webhooks:read"] } as const;
/** Whoever says where events go learns of everything that the organization signs. */
const change = { tag, scopes: ["sign:admin", "webhooks:write"] } as const;

const notDelivered = "It is stored and answered; nothing is delivered to it in this version.";

const configurationExample = {
  name: "Order system",
  urlToPublishTo: "https://www.example.com/hooks/signing",
  configurationType: "custom",
  allowEnvelopePublish: "true",
  requiresAcknowledgement: "true",
  deliveryMode: "SIM",
  events: ["envelope-completed", "envelope-declined"],
  eventData: { version: "restv2.1", format: "json", includeData: ["recipients"] },
};

const knownTexts = new Map(Object.entries(configurationExample).filter(([, value]) => typeof value === "string"));

const configurationSchema = textsAnswer(
  {
    connectId: "1",
    ...Object.fromEntries(connectProperties.texts.map((name) => [name, String(knownTexts.get(name) ?? "false")])),
  },
  {
    ...Object.fromEntries(
      connectProperties.lists.map((name) => [name, listOf(example(anyText, "envelope-completed"))]),
    ),
    eventData: { type: "object", examples: [configurationExample.eventData] },
  },
  ["connectId", "urlToPublishTo"],
);

/** Its names are those of the answer. */
const bodySchema = {
  type: "object",
  properties: Object.fromEntries(Object.keys(configurationSchema.properties as object).map((name) => [name, {}])),
} as const;

const notFound = {
  connectId: {
    schema: {
      type: "string",
      pattern: "^[1-9][0-9]{0,17}$",
      description: "The id of the configuration.",
      examples: ["1"],
    },
    names: "connect",
    otherwise: "SUBSCRIPTION_NOT_FOUND",
  },
} as const;

export const compatConnectRoutes: readonly Route[] = [
  defineCompatRoute({
    ...change,
    operationId: "compatCreateConnect",
    method: "POST",
    path: "/connect",
    summary: "Say where events are to be sent",
    description: `Events of all envelopes. urlToPublishTo has to be https. ${notDelivered}`,
    body: jsonBody<object>({ schema: bodySchema, example: configurationExample }),
    success: { status: 201, description: "The configuration.", schema: configurationSchema },
    errors: [],
    call: (request, { sign }) =>
      sign.createSubscription({ settingsJson: JSON.stringify(readSettings(request.body)) }, onBehalfOf(request)),
    respond: ({ subscription }) => jsonReply(201, configurationView(required(subscription))),
  }),
  defineCompatRoute({
    ...change,
    operationId: "compatUpdateConnect",
    method: "PUT",
    path: "/connect",
    summary: "Change where events are to be sent",
    description: `The body names the connectId; what it does not name stays. ${notDelivered}`,
    body: jsonBody<object>({ schema: bodySchema, example: { connectId: "1", ...configurationExample } }),
    success: { status: 200, description: "The configuration after that.", schema: configurationSchema },
    errors: ["SUBSCRIPTION_NOT_FOUND"],
    call: async (request, { sign }) => {
      const id = idOf(readWith(request.body, (body) => body.text("connectId")?.trim() ?? ""));
      const { subscription } = await sign.getSubscription({ id }, onBehalfOf(request));
      const settings = readSettings(request.body, required(subscription));
      return sign.updateSubscription({ id, settingsJson: JSON.stringify(settings) }, onBehalfOf(request));
    },
    respond: ({ subscription }) => jsonReply(200, configurationView(required(subscription))),
  }),
  defineCompatRoute({
    ...read,
    operationId: "compatListConnects",
    method: "GET",
    path: "/connect",
    summary: "List where events are to be sent",
    success: {
      status: 200,
      description: "All configurations.",
      schema: textsAnswer({ totalRecords: "1" }, { configurations: listOf(configurationSchema) }, [
        "configurations",
        "totalRecords",
      ]),
    },
    errors: [],
    call: (request, { sign }) => sign.listSubscriptions({}, onBehalfOf(request)),
    respond: ({ subscriptions }) =>
      jsonReply(200, {
        configurations: subscriptions.map(configurationView),
        totalRecords: numberText(subscriptions.length),
      }),
  }),
  defineCompatRoute({
    ...read,
    operationId: "compatGetConnect",
    method: "GET",
    path: "/connect/{connectId}",
    summary: "Read one configuration",
    texts: notFound,
    success: {
      status: 200,
      description: "A list of this one, as its clients expect.",
      schema: textsAnswer({ totalRecords: "1" }, { configurations: listOf(configurationSchema) }, [
        "configurations",
        "totalRecords",
      ]),
    },
    errors: [],
    call: (request, { sign }) => sign.getSubscription({ id: idOf(request.params.connectId) }, onBehalfOf(request)),
    respond: ({ subscription }) =>
      jsonReply(200, { configurations: [configurationView(required(subscription))], totalRecords: "1" }),
  }),
  defineCompatRoute({
    ...change,
    operationId: "compatDeleteConnect",
    method: "DELETE",
    path: "/connect/{connectId}",
    summary: "Delete a configuration",
    texts: notFound,
    success: { status: 200, description: "It is gone.", schema: { type: "object" }, example: {} },
    errors: [],
    call: (request, { sign }) => sign.deleteSubscription({ id: idOf(request.params.connectId) }, onBehalfOf(request)),
    respond: () => jsonReply(200, {}),
  }),
];

const readSettings = (body: object, before?: Subscription) =>
  readWith(body, (reader) => readConnectSettings(reader, before && settingsOf(before)));

function idOf(text: string): bigint {
  if (!/^[1-9][0-9]{0,17}$/.test(text)) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
  return BigInt(text);
}

const configurationView = (subscription: Subscription) => ({
  ...settingsOf(subscription),
  connectId: String(subscription.id),
});
