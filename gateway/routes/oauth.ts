import { fromConnectError } from "#platform/errors.ts";
import { oauthDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import {
  type IssuedToken,
  jwtBearer,
  readGrant,
  type TokenBody,
  type TokenRequest,
  tokenPaths,
} from "./oauth-grants.ts";
import { userInfoRoute } from "./oauth-userinfo.ts";
import { defineRoute, type Route } from "./route.ts";
import { answer, anyText, count, described, object, oneOf, text } from "./schema-parts.ts";
import type { Services } from "./services.ts";

const tokenSchema = object(
  {
    grant_type: described(text(1, 100), `client_credentials or ${jwtBearer}`),
    client_id: text(0, 100),
    client_secret: text(0, 200),
    assertion: described(
      text(0, 8_192),
      "A JWT that the client has signed (RFC 7523), for the grant type of that name; it proves who the client is.",
    ),
    scope: described(
      text(0, 1_000),
      "Scope names separated by spaces; all that the client has when absent. The name signature stands for all scopes of signing.",
    ),
  },
  ["grant_type"],
);

/** Both paths are documented for the token endpoint; they do the same. */
const tokenRoute = (operationId: string, path: string, summary = "Get an access token"): Route =>
  defineRoute({
    operationId,
    method: "POST",
    path,
    tag: "Authentication",
    summary,
    description:
      "The client-credentials grant of RFC 6749 and the JWT-bearer grant of RFC 7523, with a body of JSON or of a form. The credentials of the first may come as HTTP Basic instead.",
    access: "public",
    clientAuthentication: true,
    dialect: oauthDialect,
    body: {
      schema: tokenSchema,
      required: true,
      maxBytes: 16_384,
      form: true,
      example: {
        grant_type: "client_credentials",
        client_id: "cl_0123456789abcdefABCDEF",
        client_secret: "cs_0123456789abcdefABCDEF0123456789abcdefABCDE",
        scope: "click:read click:write",
      },
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
      "OAUTH_INVALID_GRANT",
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

const [tokenPath, tokenPathAlias] = tokenPaths;

export const oauthRoutes: readonly Route[] = [
  tokenRoute("issueToken", tokenPath),
  tokenRoute("issueTokenAlias", tokenPathAlias, "Get an access token at the other address"),
  userInfoRoute,
];

async function issueToken(request: TokenRequest, { tokens, tokenGuard }: Services): Promise<IssuedToken> {
  const { ip } = request.observed;
  let clientId: string | undefined;
  tokenGuard.requireCalm(ip);
  try {
    const grant = readGrant(request);
    clientId = grant.clientId;
    tokenGuard.requireCalm(ip, clientId);
    return await grant.ask(tokens);
  } catch (error) {
    if (isFailedAttempt(error)) await tokenGuard.recordFailure(ip, clientId);
    throw error;
  }
}

function isFailedAttempt(error: unknown): boolean {
  const code = fromConnectError(error)?.code;
  return code === "OAUTH_INVALID_CLIENT" || code === "OAUTH_INVALID_GRANT";
}
