import { apiKey, client, createdApiKey, createdClient } from "#api/organizations.ts";
import { jsonReply } from "../../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type Route, type TextParam } from "../route.ts";
import { described, example, listOf, required, text } from "../schema-parts.ts";
import { dashboardBase, developers, everybody, naming, protecting, visitorOf } from "./base.ts";

const base = { ...dashboardBase, access: developers } as const;
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
    success: { status: 200, description: "Newest first.", schema: listOf(apiKey.schemas.answer) },
    errors: [],
    call: (request, { organizations }) => organizations.listKeys({}, onBehalfOf(request)),
    respond: ({ keys }) =>
      jsonReply(
        200,
        keys.map((one) => apiKey.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "createApiKey",
    method: "POST",
    path: "/v1/dashboard/api-keys",
    summary: "Create an API key",
    description: "It can do everything that programs can, and nothing under /v1/dashboard.",
    body: createBody(apiKey, { example: { name: "Shop backend" } }),
    success: { status: 201, description: "The key, with its secret.", schema: createdApiKey.schemas.answer },
    errors: ["TOO_MANY_CREDENTIALS"],
    call: (request, { organizations }) =>
      organizations.createKey({ ...apiKey.create(request.body), visitor: visitorOf(request) }, onBehalfOf(request)),
    respond: (answer) => jsonReply(201, createdApiKey.answer(answer)),
  }),
  defineRoute({
    ...base,
    access: protecting(developers),
    operationId: "revokeApiKey",
    method: "DELETE",
    path: "/v1/dashboard/api-keys/{id}",
    summary: "Revoke an API key",
    description: "Permanently, at every gateway within a second.",
    texts: { id: keyId },
    success: { status: 200, description: "The revoked key.", schema: apiKey.schemas.answer },
    errors: [],
    call: (request, { organizations }) =>
      naming(
        "API_KEY_NOT_FOUND",
        organizations.revokeKey({ keyId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: ({ key }) => jsonReply(200, apiKey.answer(required(key))),
  }),
  defineRoute({
    ...base,
    access: everybody,
    operationId: "listClients",
    method: "GET",
    path: "/v1/dashboard/clients",
    summary: "List the OAuth clients",
    success: { status: 200, description: "Newest first.", schema: listOf(client.schemas.answer) },
    errors: [],
    call: (request, { organizations }) => organizations.listClients({}, onBehalfOf(request)),
    respond: ({ clients }) =>
      jsonReply(
        200,
        clients.map((one) => client.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "createClient",
    method: "POST",
    path: "/v1/dashboard/clients",
    summary: "Create an OAuth client",
    body: createBody(client, { example: { name: "Shop backend", scopes: ["click:read", "click:write"] } }),
    success: { status: 201, description: "The client, with its secret.", schema: createdClient.schemas.answer },
    errors: ["TOO_MANY_CREDENTIALS"],
    call: (request, { organizations }) =>
      organizations.createClient({ ...client.create(request.body), visitor: visitorOf(request) }, onBehalfOf(request)),
    respond: (answer) => jsonReply(201, createdClient.answer(answer)),
  }),
  defineRoute({
    ...base,
    access: protecting(developers),
    operationId: "rotateClientSecret",
    method: "POST",
    path: "/v1/dashboard/clients/{id}/rotate-secret",
    summary: "Replace the secret of an OAuth client",
    description: "The old secret stops working immediately; issued tokens stay valid.",
    texts: { id: clientId },
    success: { status: 200, description: "The client, with its new secret.", schema: createdClient.schemas.answer },
    errors: [],
    call: (request, { organizations }) =>
      naming(
        "CLIENT_NOT_FOUND",
        organizations.rotateClientSecret(
          { clientId: request.params.id, visitor: visitorOf(request) },
          onBehalfOf(request),
        ),
      ),
    respond: (answer) => jsonReply(200, createdClient.answer(answer)),
  }),
  defineRoute({
    ...base,
    access: protecting(developers),
    operationId: "revokeClient",
    method: "DELETE",
    path: "/v1/dashboard/clients/{id}",
    summary: "Revoke an OAuth client",
    description: "Permanently, together with every token issued to it.",
    texts: { id: clientId },
    success: { status: 200, description: "The revoked client.", schema: client.schemas.answer },
    errors: [],
    call: (request, { organizations }) =>
      naming(
        "CLIENT_NOT_FOUND",
        organizations.revokeClient({ clientId: request.params.id, visitor: visitorOf(request) }, onBehalfOf(request)),
      ),
    respond: (answer) => jsonReply(200, client.answer(required(answer.client))),
  }),
];
