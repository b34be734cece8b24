import { DomainError, fromConnectError } from "#platform/errors.ts";
import { oauthDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { defineRoute, type Route, type RouteRequest } from "./route.ts";
import { answer, anyText, count, described, object, oneOf, text } from "./schema-parts.ts";
import type { Services } from "./services.ts";

interface TokenBody {
  readonly grant_type: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly scope?: string;
}

const tokenSchema = object(
  {
    grant_type: described(text(1, 100), "client_credentials"),
    client_id: text(1, 100),
    client_secret: text(1, 200),
    scope: described(text(0, 1_000), "Scope names separated by spaces; all that the client has when absent."),
  },
  ["grant_type"],
);

/** Both paths are documented for the token endpoint; they do the same. */
const tokenRoute = (operationId: string, path: string): Route =>
  defineRoute({
    operationId,
    method: "POST",
    path,
    tag: "Authentication",
    summary: "Get an access token",
    description:
      "The client-credentials grant of RFC 6749, with a body of JSON or of a form. The credentials may come as HTTP Basic instead.",
    access: "public",
    dialect: oauthDialect,
    body: {
      schema: tokenSchema,
      required: true,
      maxBytes: 16_384,
      form: true,
      example: { grant_type: "client_credentials", client_id: "cl_…", client_secret: "cs_…", scope: "click:read" },
      bodyType: undefined as unknown as TokenBody,
    },
    success: {
      status: 200,
      description: "The token.",
      schema: answer({ access_token: anyText, token_type: oneOf("Bearer"), expires_in: count, scope: anyText }),
    },
    errors: [
      "OAUTH_INVALID_REQUEST",
      "OAUTH_INVALID_CLIENT",
      "OAUTH_INVALID_SCOPE",
      "OAUTH_UNSUPPORTED_GRANT_TYPE",
      "RATE_LIMIT_EXCEEDED",
    ],
    call: issueToken,
    respond: ({ accessToken, expiresIn, scopes }) =>
      jsonReply(
        200,
        { access_token: accessToken, token_type: "Bearer", expires_in: expiresIn, scope: scopes.join(" ") },
        { Pragma: "no-cache" },
      ),
  });

export const oauthRoutes: readonly Route[] = [
  tokenRoute("issueToken", "/oauth2/token"),
  tokenRoute("issueTokenAlias", "/oauth/token"),
];

async function issueToken(request: RouteRequest<string, unknown, TokenBody>, { tokens, tokenGuard }: Services) {
  const { body, observed, headers } = request;
  if (body.grant_type !== "client_credentials") throw new DomainError("OAUTH_UNSUPPORTED_GRANT_TYPE");
  const { clientId, clientSecret } = readCredentials(body, headers.authorization);
  tokenGuard.requireCalm(clientId, observed.ip);
  const scopes = (body.scope ?? "").split(" ").filter((scope) => scope !== "");
  try {
    return await tokens.issueToken({ clientId, clientSecret, scopes });
  } catch (error) {
    if (fromConnectError(error)?.code === "OAUTH_INVALID_CLIENT") await tokenGuard.recordFailure(clientId, observed.ip);
    throw error;
  }
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** RFC 6749 §2.3.1: in the body or as HTTP Basic, but not both. */
function readCredentials(body: TokenBody, authorization: string | undefined): Credentials {
  const basic = authorization === undefined ? undefined : readBasic(authorization);
  if (basic !== undefined && body.client_secret !== undefined) {
    throw new DomainError("OAUTH_INVALID_REQUEST", {
      message: "The client authenticates in two ways. Use one of them.",
    });
  }
  const { clientId = "", clientSecret = "" } = basic ?? { clientId: body.client_id, clientSecret: body.client_secret };
  // Ours are printable, so nothing else names a client or is logged, counted and looked up as one.
  if (!/^[\x21-\x7e]{1,100}$/.test(clientId) || !/^[\x20-\x7e]{1,200}$/.test(clientSecret)) {
    throw new DomainError("OAUTH_INVALID_CLIENT");
  }
  return { clientId, clientSecret };
}

/** Both halves are form-encoded before they are put together. Undefined for another scheme, which says nothing here. */
function readBasic(authorization: string): Credentials | undefined {
  if (!/^basic /i.test(authorization)) return undefined;
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw new DomainError("OAUTH_INVALID_CLIENT");
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  try {
    return {
      clientId: decodeURIComponent(id.replaceAll("+", " ")),
      clientSecret: decodeURIComponent(secret.replaceAll("+", " ")),
    };
  } catch {
    throw new DomainError("OAUTH_INVALID_CLIENT");
  }
}
