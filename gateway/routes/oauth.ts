import { decodeJwt } from "jose";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { oauthDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { userInfoRoute } from "./oauth-userinfo.ts";
import { defineRoute, type Route, type RouteRequest } from "./route.ts";
import { answer, anyText, count, described, object, oneOf, text } from "./schema-parts.ts";
import type { Services } from "./services.ts";

/** The parameters of a token request. An empty one counts as omitted (RFC 6749 §3.2). */
interface TokenBody {
  readonly grant_type: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly assertion?: string;
  readonly scope?: string;
}

interface IssuedToken {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly scopes: readonly string[];
}

/** What a token request rests on: who says to be which client, and how to find out. */
interface TokenGrant {
  /** As the request says; nothing of it has been proven. */
  readonly clientId: string;
  ask(tokens: Services["tokens"]): Promise<IssuedToken>;
}

type TokenRequest = RouteRequest<string, unknown, TokenBody>;

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Where tokens are issued; both are documented, and both may stand in an assertion's aud. */
const tokenPaths = ["/oauth2/token", "/oauth/token"] as const;

/** Throws OAUTH_UNSUPPORTED_GRANT_TYPE, and OAUTH_INVALID_* for a request from which no client can come. */
function readGrant(request: TokenRequest): TokenGrant {
  switch (request.body.grant_type) {
    case "client_credentials":
      return readClientCredentials(request);
    case jwtBearer:
      return readAssertion(request);
    default:
      throw new DomainError("OAUTH_UNSUPPORTED_GRANT_TYPE");
  }
}

function readClientCredentials({ body, headers }: TokenRequest): TokenGrant {
  const { clientId, clientSecret } = readCredentials(body, headers.authorization);
  return { clientId, ask: (tokens) => tokens.issueToken({ clientId, clientSecret, scopes: scopesOf(body) }) };
}

/** RFC 7523 §2.1. The assertion is all that proves who asks; what else the request says may not contradict it. */
function readAssertion({ body, headers, publicUrl }: TokenRequest): TokenGrant {
  const { assertion = "", client_id: named = "", client_secret: secret = "" } = body;
  if (assertion === "") throw new DomainError("OAUTH_INVALID_REQUEST", { message: "The assertion is missing." });
  if (secret !== "" || isBasic(headers.authorization)) {
    throw new DomainError("OAUTH_INVALID_REQUEST", {
      message: "The assertion already authenticates the client. Do not send a secret with it.",
    });
  }
  const clientId = issuerOf(assertion);
  if (clientId === undefined || (named !== "" && named !== clientId)) throw new DomainError("OAUTH_INVALID_GRANT");
  const question = { assertion, scopes: scopesOf(body), audiences: audiencesOf(publicUrl()) };
  return { clientId, ask: (tokens) => tokens.issueTokenForAssertion(question) };
}

const scopesOf = ({ scope = "" }: TokenBody): string[] => scope.split(" ").filter((name) => name !== "");

/** Whom an assertion names, to count failures by. The auth service finds out whether it is true. */
function issuerOf(assertion: string): string | undefined {
  try {
    const { iss } = decodeJwt(assertion);
    return typeof iss === "string" && /^[\x21-\x7e]{1,100}$/.test(iss) ? iss : undefined;
  } catch {
    return undefined;
  }
}

/** The names under which clients know the token endpoint; integrations of other platforms take the bare host. */
function audiencesOf(publicUrl: string): string[] {
  if (!URL.canParse(publicUrl)) return [];
  const { host, origin, pathname } = new URL(publicUrl);
  const base = origin + pathname.replace(/\/+$/, "");
  return [host, origin, ...tokenPaths.map((path) => base + path)];
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Credentials as a body has them; an empty parameter counts as omitted. */
interface BodyCredentials {
  readonly client_id?: string;
  readonly client_secret?: string;
}

/** RFC 6749 §2.3.1: in the body or as HTTP Basic, but not both. */
function readCredentials(body: BodyCredentials, authorization: string | undefined): Credentials {
  const { client_id: id = "", client_secret: secret = "" } = body;
  const basic = isBasic(authorization) ? readBasic(authorization) : undefined;
  if (basic !== undefined && (secret !== "" || (id !== "" && id !== basic.clientId))) {
    throw new DomainError("OAUTH_INVALID_REQUEST", {
      message: "The client authenticates in two ways. Use one of them.",
    });
  }
  const { clientId, clientSecret } = basic ?? { clientId: id, clientSecret: secret };
  // Ours are printable, so nothing else names a client or is logged, counted and looked up as one.
  if (!/^[\x21-\x7e]{1,100}$/.test(clientId) || !/^[\x20-\x7e]{1,200}$/.test(clientSecret)) {
    throw new DomainError("OAUTH_INVALID_CLIENT");
  }
  return { clientId, clientSecret };
}

/** Other schemes say nothing at the token endpoint: many clients send their old access token with every request. */
const isBasic = (authorization: string | undefined): authorization is string =>
  authorization !== undefined && /^basic(?: |$)/i.test(authorization);

/** Both halves are form-encoded before they are put together. */
function readBasic(authorization: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
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
      "The client credentials grant (RFC 6749) and the JWT bearer grant (RFC 7523), with a JSON or form body. You can also send the client credentials as HTTP Basic.",
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
