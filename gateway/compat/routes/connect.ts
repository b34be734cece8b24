import type { Connect } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { OutboundRules } from "#platform/net/outbound-url.ts";
import { numberText } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../../routes/required.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { anyText, example, listOf } from "../../routes/schema-parts.ts";
import { connectProperties, readConnectSettings, settingsOf } from "../connect/settings.ts";
import { readWith } from "../read/reader.ts";
import { defineCompatRoute } from "../route.ts";
import { textsAnswer } from "../schema-parts.ts";

const tag = "Compatible events";
export const readConnect = { tag, scopes: ["sign:read", "webhooks:read"] } as const;
/** Whoever sets a receiver of events learns of everything that the organization signs. */
export const changeConnect = { tag, scopes: ["sign:admin", "webhooks:write"] } as const;

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

/** Named as in answers. */
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
    ...changeConnect,
    operationId: "compatCreateConnect",
    method: "POST",
    path: "/connect",
    summary: "Say where events are to be sent",
    description:
      "Events of all envelopes and templates, as JSON (SIM); all kinds of events when none are named. urlToPublishTo is an https URL with a public host. With requiresAcknowledgement what fails is sent again once a day, at most ten times, and later events wait for it; without it what fails is not sent again. An account may have 50 configurations.",
    body: jsonBody<object>({ schema: bodySchema, example: configurationExample }),
    success: { status: 201, description: "The configuration.", schema: configurationSchema },
    errors: ["WEBHOOK_ENDPOINT_LIMIT"],
    call: (request, { webhooks, receiverRules }) => {
      const settings = readSettings(request.body, receiverRules);
      return webhooks.createConnect({ settingsJson: JSON.stringify(settings) }, onBehalfOf(request));
    },
    respond: ({ connect }) => jsonReply(201, configurationView(required(connect))),
  }),
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatUpdateConnect",
    method: "PUT",
    path: "/connect",
    summary: "Change where events are to be sent",
    description:
      "The body names the connectId; what it does not name stays. With allowEnvelopePublish false what waits is given up.",
    body: jsonBody<object>({ schema: bodySchema, example: { connectId: "1", ...configurationExample } }),
    success: { status: 200, description: "The configuration after that.", schema: configurationSchema },
    errors: ["SUBSCRIPTION_NOT_FOUND"],
    call: async (request, { webhooks, receiverRules }) => {
      const id = idOf(readWith(request.body, (body) => body.text("connectId")?.trim() ?? ""));
      const { connect } = await webhooks.getConnect({ id }, onBehalfOf(request));
      const settings = readSettings(request.body, receiverRules, required(connect));
      return webhooks.updateConnect({ id, settingsJson: JSON.stringify(settings) }, onBehalfOf(request));
    },
    respond: ({ connect }) => jsonReply(200, configurationView(required(connect))),
  }),
  defineCompatRoute({
    ...readConnect,
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
    call: (request, { webhooks }) => webhooks.listConnects({}, onBehalfOf(request)),
    respond: ({ connects }) =>
      jsonReply(200, { configurations: connects.map(configurationView), totalRecords: numberText(connects.length) }),
  }),
  defineCompatRoute({
    ...readConnect,
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
    call: (request, { webhooks }) => webhooks.getConnect({ id: idOf(request.params.connectId) }, onBehalfOf(request)),
    respond: ({ connect }) =>
      jsonReply(200, { configurations: [configurationView(required(connect))], totalRecords: "1" }),
  }),
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatDeleteConnect",
    method: "DELETE",
    path: "/connect/{connectId}",
    summary: "Delete a configuration",
    texts: notFound,
    success: { status: 200, description: "It is gone.", schema: { type: "object" }, example: {} },
    errors: [],
    call: (request, { webhooks }) =>
      webhooks.deleteConnect({ id: idOf(request.params.connectId) }, onBehalfOf(request)),
    respond: () => jsonReply(200, {}),
  }),
];

const readSettings = (body: object, rules: OutboundRules, before?: Connect) =>
  readWith(body, (reader) => readConnectSettings(reader, rules, before && settingsOf(before)));

function idOf(text: string): bigint {
  if (!/^[1-9][0-9]{0,17}$/.test(text)) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
  return BigInt(text);
}

const configurationView = (connect: Connect) => ({ ...settingsOf(connect), connectId: numberText(connect.id) });
