import { scopeMeanings } from "#api/scopes.ts";
import { isForPeople, type Route } from "../routes/route.ts";
import { componentSchemas } from "./components.ts";
import { componentHeaders } from "./headers.ts";
import { info, tagDescriptions } from "./info.ts";
import { componentParameters, parametersOf } from "./parameters.ts";
import { receivedEvents } from "./received-events.ts";
import { requestBodyOf } from "./request-body.ts";
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
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name, description: tagDescriptions[name] })),
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

const securitySchemes = (publicUrl: string): Json => ({
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API key, which may do everything.",
  },
  oauth: {
    type: "oauth2",
    description: "An access token (JWT), sent like an API key. The token endpoint is also reached at /oauth/token.",
    flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth2/token`, scopes: scopeMeanings } },
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-assent_session",
    description:
      "The session of a person who has signed in to the dashboard; over plain http its name is assent_session. Requests that change something also need the header X-CSRF-Token.",
  },
  client: {
    type: "http",
    scheme: "basic",
    description: "The id and the secret of an OAuth client, both form-encoded first (RFC 6749 §2.3.1).",
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
