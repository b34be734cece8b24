import { apiKeyView, clientView } from "../../../views/dashboard/organization.ts";
import { scopeMeanings } from "../../auth/principal.ts";
import { jsonReply } from "../../http/reply.ts";
import { required } from "../required.ts";
import { defineRoute, jsonBody, onBehalfOf, type Route, type TextParam } from "../route.ts";
import { described, example, listOf, object, oneOf, text } from "../schema-parts.ts";
import { dashboardBase, developers, everybody, naming, visitorOf } from "./base.ts";
import * as schemas from "./schemas.ts";

const base = { ...dashboardBase, access: developers } as const;
const name = example(text(1, 255), "Shop backend");
const keyId: TextParam = {
  schema: example(described(text(1, 100), "The id of the key."), "GTHduqAAZ9ob1teB"),
  names: "apiKey",
  otherwise: "API_KEY_NOT_FOUND",
};
const clientId: TextParam = {
  schema: example(described(text(1, 100), "The id of the client."), "cl_0123456789abcdefABCDEF"),
  names: "client",
  otherwise: "CLIENT_NOT_FOUND",
};

export const credentialRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    access: everybody,
    operationId: "listApiKeys",
    method: "GET",
    path: "/v1/dashboard/api-keys",
    summary: "List the API keys",
    success: { status: 200, description: "The newest first.", schema: listOf(schemas.apiKeySchema) },
    errors: [],
    call: (request, { organizations }) => organizations.listKeys({}, onBehalfOf(request)),
    respond: ({ keys }) => jsonReply(200, keys.map(apiKeyView)),
  }),
  defineRoute({
    ...base,
    operationId: "createApiKey",
    method: "POST",
    path: "/v1/dashboard/api-keys",
    summary: "Create an API key",
    description: "It may do everything that programs may, and nothing under /v1/dashboard.",
    body: jsonBody<{ name: string }>({ schema: object({ name }, ["name"]), example: { name: "Shop backend" } }),
    success: { status: 201, description: "The key, with its secret.", schema: schemas.createdApiKeySchema },
    errors: [],
    call: (request, { organizations }) =>
      organizations.createKey({ name: request.body.name, visitor: visitorOf(request) }, onBehalfOf(request)),
    respond: ({ key, apiKey }) => jsonReply(201, { ...apiKeyView(required(key)), apiKey }),
  }),
  defineRoute({
    ...base,
    operationId: "revokeApiKey",
    method: "DELETE",
    path: "/v1/dashboard/api-keys/{id}",
    summary: "Revoke an API key",
    description: "For ever, at every gateway within a second.",
    texts: { id: keyId },
    success: { status: 200, description: "The revoked key.", schema: schemas.apiKeySchema },
    errors: [],
    call: (request, { organizations }) =>
      naming(
        "API_KEY_NOT_FOUND",
        organizations.revokeKey({ keyId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: ({ key }) => jsonReply(200, apiKeyView(required(key))),
  }),
  defineRoute({
    ...base,
    access: everybody,
    operationId: "listClients",
    method: "GET",
    path: "/v1/dashboard/clients",
    summary: "List the OAuth clients",
    success: { status: 200, description: "The newest first.", schema: listOf(schemas.clientSchema) },
    errors: [],
    call: (request, { organizations }) => organizations.listClients({}, onBehalfOf(request)),
    respond: ({ clients }) => jsonReply(200, clients.map(clientView)),
  }),
  defineRoute({
    ...base,
    operationId: "createClient",
    method: "POST",
    path: "/v1/dashboard/clients",
    summary: "Create an OAuth client",
    body: jsonBody<{ name: string; scopes: string[] }>({
      schema: object(
        {
          name,
          scopes: {
            ...described(listOf(oneOf(...Object.keys(scopeMeanings))), "The most that its tokens can have."),
            minItems: 1,
            maxItems: 50,
          },
        },
        ["name", "scopes"],
      ),
      example: { name: "Shop backend", scopes: ["click:read", "click:write"] },
    }),
    success: { status: 201, description: "The client, with its secret.", schema: schemas.createdClientSchema },
    errors: [],
    call: (request, { organizations }) =>
      organizations.createClient(
        { name: request.body.name, scopes: request.body.scopes, visitor: visitorOf(request) },
        onBehalfOf(request),
      ),
    respond: ({ client, clientSecret }) => jsonReply(201, { ...clientView(required(client)), clientSecret }),
  }),
  defineRoute({
    ...base,
    operationId: "rotateClientSecret",
    method: "POST",
    path: "/v1/dashboard/clients/{id}/rotate-secret",
    summary: "Replace the secret of an OAuth client",
    description: "The old secret stops working at once; issued tokens live on.",
    texts: { id: clientId },
    success: { status: 200, description: "The client, with its new secret.", schema: schemas.createdClientSchema },
    errors: [],
    call: (request, { organizations }) =>
      naming(
        "CLIENT_NOT_FOUND",
        organizations.rotateClientSecret(
          { clientId: request.params.id, visitor: visitorOf(request) },
          onBehalfOf(request),
        ),
      ),
    respond: ({ client, clientSecret }) => jsonReply(200, { ...clientView(required(client)), clientSecret }),
  }),
  defineRoute({
    ...base,
    operationId: "revokeClient",
    method: "DELETE",
    path: "/v1/dashboard/clients/{id}",
    summary: "Revoke an OAuth client",
    description: "For ever, with every token that it was issued.",
    texts: { id: clientId },
    success: { status: 200, description: "The revoked client.", schema: schemas.clientSchema },
    errors: [],
    call: (request, { organizations }) =>
      naming(
        "CLIENT_NOT_FOUND",
        organizations.revokeClient({ clientId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: ({ client }) => jsonReply(200, clientView(required(client))),
  }),
];
