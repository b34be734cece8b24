import type { JsonSchema } from "#api/kinds.ts";
import { scopeMeanings } from "#api/scopes.ts";
import { isForPeople, type Route } from "../routes/route.ts";
import { anyText, dateTime, described, example, object, uuid } from "../routes/schema-parts.ts";
import { componentSchemas } from "./components.ts";
import { componentHeaders } from "./headers.ts";
import { info, tagGroups } from "./info.ts";
import { componentParameters, parametersOf, requestBodyOf } from "./parameters.ts";
import { componentExamples, responsesOf } from "./responses.ts";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1.0 document of the routes; `publicUrl` is where clients reach them, when that is known. */
export function buildOpenApi(routes: readonly Route[], publicUrl = ""): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = item;
  }
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info,
    servers: [{ url: publicUrl === "" ? "/" : publicUrl, description: "This installation." }],
    ...tagsOf(routes),
    paths,
    ...(routes.some(({ tag }) => tag === "Webhooks") ? { webhooks: receivedEvents } : {}),
    components: {
      schemas: componentSchemas(),
      parameters: componentParameters,
      headers: componentHeaders,
      examples: componentExamples(routes),
      securitySchemes: securitySchemes(publicUrl),
    },
  };
}

/** `x-tagGroups` is what programs that make pages of such a document read groups from. */
function tagsOf(routes: readonly Route[]): Json {
  const used = new Set<string>(routes.map(({ tag }) => tag));
  const groups = Object.entries(tagGroups)
    .map(([name, tags]) => ({ name, tags: Object.entries(tags).filter(([tag]) => used.has(tag)) }))
    .filter(({ tags }) => tags.length > 0);
  return {
    tags: groups.flatMap(({ tags }) => tags.map(([name, description]) => ({ name, description }))),
    "x-tagGroups": groups.map(({ name, tags }) => ({ name, tags: tags.map(([tag]) => tag) })),
  };
}

const securitySchemes = (publicUrl: string): Json => ({
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API key, which grants access to everything in its organization.",
  },
  oauth: {
    type: "oauth2",
    description: "An access token (JWT), sent like an API key. The token endpoint is also available at /oauth/token.",
    flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth2/token`, scopes: scopeMeanings } },
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-assent_session",
    description:
      "The session of someone signed in to the dashboard; over plain HTTP the cookie is named assent_session. Requests that change something also need the header X-CSRF-Token.",
  },
  client: {
    type: "http",
    scheme: "basic",
    description: "The ID and secret of an OAuth client, both form-encoded first (RFC 6749 §2.3.1).",
  },
  renderToken: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "The render token of a session: lets a browser render that session, and nothing else.",
  },
});

const operationOf = (route: Route): Json => ({
  operationId: route.operationId,
  tags: [route.tag],
  summary: route.summary,
  description: descriptionOf(route),
  security: securityOf(route),
  parameters: parametersOf(route),
  ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body) }),
  responses: responsesOf(route),
});

/** Says who may call, which a list of schemes says to programs only. */
function descriptionOf(route: Route): string {
  const { description, summary, access } = route;
  const said = description ?? `${summary}.`;
  if (access === "public") return `${said}\n\nNeeds no credential.`;
  const scopes = access.scopes.map((scope) => `\`${scope}\``);
  const needs = scopes.length === 1 ? `Needs the scope ${scopes[0]}.` : `Needs one of the scopes ${scopes.join(", ")}.`;
  const counts =
    access.limitGroup === "plan"
      ? "Counts in the windows of the organization's plan."
      : `Counts in the limit group \`${access.limitGroup}\`.`;
  const who = isForPeople(route) ? "Only for people who are signed in: " : "";
  return `${said}\n\n${who}${who === "" ? needs : needs.replace("Needs", "needs")} ${counts}`;
}

function securityOf(route: Route): Json[] {
  const { access, clientAuthentication } = route;
  if (clientAuthentication === true) return [{ client: [] }, {}];
  if (access === "public") return [];
  if (isForPeople(route)) return [{ sessionCookie: [] }];
  const tokens = access.renderToken === true ? [{ renderToken: [] }] : [];
  return [...access.scopes.map((scope) => ({ oauth: [scope] })), { bearer: [] }, { sessionCookie: [] }, ...tokens];
}

const eventExample = {
  id: "01961234-5678-7abc-8def-0123456789ab",
  type: "agreement.completed",
  timestamp: "2026-11-20T17:00:00.123Z",
  organizationId: "01961234-0000-7abc-8def-0123456789ab",
  createdAt: "2026-11-20T17:00:00.123Z",
  data: {
    agreement: {
      id: "01961234-9999-7abc-8def-0123456789ab",
      status: "completed",
      emailSubject: "Please sign the NDA",
    },
  },
};

const eventSchema: JsonSchema = object(
  {
    id: described(uuid, "Of the event; the same as webhook-id."),
    type: described(anyText, "One of /v1/webhooks/event-types; new ones may be added."),
    timestamp: described(dateTime, "When it happened."),
    organizationId: uuid,
    createdAt: described(dateTime, "The same as timestamp."),
    data: { type: "object", description: "The objects concerned: see the examples of /v1/webhooks/event-types." },
  },
  ["id", "type", "timestamp", "organizationId", "createdAt", "data"],
);

const header = (name: string, description: string, value: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example: value,
});

/** The request that a receiver gets, for the OpenAPI document. */
const receivedEvents: Json = {
  event: {
    post: {
      operationId: "receiveEvent",
      tags: ["Webhooks"],
      summary: "An event, as your endpoint receives it",
      description:
        "Sent to the url of each endpoint that subscribes to its type, signed according to Standard Webhooks 1.0. Check webhook-signature over the bytes of the body before you parse them, refuse a webhook-timestamp that is more than five minutes off, and handle each webhook-id once: an event may arrive more than once, and not in the order in which things happened. Respond with a status from 200 to 299 within 15 seconds. Anything else, including a redirect, is a failure and is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. A response of 410 disables the endpoint immediately.",
      security: [],
      parameters: [
        header("webhook-id", "The id of the event: the same in every attempt.", eventExample.id),
        header("webhook-timestamp", "When this attempt was made: Unix time in seconds.", "1795194000"),
        header(
          "webhook-signature",
          "`v1,` and Base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; the key is what follows `whsec_` in the secret, decoded. Two of them, with a blank between, for 24 hours after the secret has been rotated: one that fits is enough.",
          "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        ),
        header("user-agent", "Assent-Webhooks and a version.", "Assent-Webhooks/1.0"),
      ],
      requestBody: {
        required: true,
        description: "JSON in UTF-8.",
        content: { "application/json": { schema: example(eventSchema, eventExample), example: eventExample } },
      },
      responses: {
        "2XX": { description: "The event was received. The response body is ignored." },
        "410": { description: "The receiver wants no more events: the endpoint is disabled." },
        default: { description: "The event is sent again later." },
      },
    },
  },
};
