import { connectSecret } from "#api/compat-records.ts";
import type { Connect } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { OutboundRules } from "#platform/net/outbound-url.ts";
import { numberText } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { anyText, example, listOf, required } from "../../routes/schema-parts.ts";
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
    summary: "Create a configuration for events",
    description:
      "Sends events of all envelopes and templates as JSON (SIM); all kinds of events if you name none. urlToPublishTo is an https URL with a public host. With requiresAcknowledgement, failed messages are sent again once a day, up to ten times, and later events wait for them; without it, they aren't sent again. An account can have 50 configurations.",
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
    summary: "Change a configuration for events",
    description:
      "Send the connectId in the body; absent members stay as they are. With allowEnvelopePublish false, waiting messages are dropped.",
    body: jsonBody<object>({ schema: bodySchema, example: { connectId: "1", ...configurationExample } }),
    success: { status: 200, description: "The changed configuration.", schema: configurationSchema },
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
    summary: "List configurations for events",
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
      description: "A list with this configuration, as clients expect.",
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
    success: { status: 200, description: "It was deleted.", schema: { type: "object" }, example: {} },
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

const newSecretSchema = {
  ...connectSecret.schema,
  properties: {
    ...(connectSecret.schema.properties as object),
    secret: { type: "string", examples: ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="] },
  },
  required: ["keyId", "created", "secret"],
};

/** The keys with which messages are signed. */
export const compatConnectSecretRoutes: readonly Route[] = [
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatCreateConnectSecret",
    method: "POST",
    path: "/connect/secret",
    summary: "Create a key for signing messages",
    description:
      "Every message has a signature for each key, X-DocuSign-Signature-1 with the oldest: Base64 of HMAC-SHA256 over the body. The characters of the secret are the key. The secret is shown only in this response. An account can have ten keys.",
    success: { status: 201, description: "The key.", schema: newSecretSchema },
    errors: ["CONNECT_SECRET_LIMIT"],
    call: (request, { webhooks }) => webhooks.createConnectSecret({}, onBehalfOf(request)),
    respond: ({ secret, value }) => jsonReply(201, { ...connectSecret.write(required(secret)), secret: value }),
  }),
  defineCompatRoute({
    ...readConnect,
    operationId: "compatListConnectSecrets",
    method: "GET",
    path: "/connect/secret",
    summary: "List the keys for signing messages",
    description: "The oldest first, without the secrets.",
    success: {
      status: 200,
      description: "The keys.",
      schema: textsAnswer({ totalRecords: "1" }, { secrets: listOf(connectSecret.schema) }, [
        "secrets",
        "totalRecords",
      ]),
    },
    errors: [],
    call: (request, { webhooks }) => webhooks.listConnectSecrets({}, onBehalfOf(request)),
    respond: ({ secrets }) =>
      jsonReply(200, { secrets: secrets.map(connectSecret.write), totalRecords: numberText(secrets.length) }),
  }),
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatDeleteConnectSecret",
    method: "DELETE",
    path: "/connect/secret/{keyId}",
    summary: "Delete a key",
    description: "Messages are no longer signed with it, and the numbers of later signatures decrease by one.",
    notFound: { keyId: "CONNECT_SECRET_NOT_FOUND" },
    success: { status: 200, description: "It was deleted.", schema: { type: "object" }, example: {} },
    errors: [],
    call: (request, { webhooks }) => {
      const { keyId = "" } = request.params as Readonly<Record<string, string>>;
      return webhooks.deleteConnectSecret({ id: keyId }, onBehalfOf(request));
    },
    respond: () => jsonReply(200, {}),
  }),
];
