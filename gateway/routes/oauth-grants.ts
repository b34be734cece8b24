import { decodeJwt } from "jose";
import { DomainError } from "#platform/errors.ts";
import { isBasic, readCredentials } from "./oauth-credentials.ts";
import type { RouteRequest } from "./route.ts";
import type { Services } from "./services.ts";

/** The parameters of a token request. An empty one counts as omitted (RFC 6749 §3.2). */
export interface TokenBody {
  readonly grant_type: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly assertion?: string;
  readonly scope?: string;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly scopes: readonly string[];
}

/** What a token request rests on: who says to be which client, and how to find out. */
export interface TokenGrant {
  /** As the request says; nothing of it has been proven. */
  readonly clientId: string;
  ask(tokens: Services["tokens"]): Promise<IssuedToken>;
}

export type TokenRequest = RouteRequest<string, unknown, TokenBody>;

export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Where tokens are issued; both are documented, and both may stand in an assertion's aud. */
export const tokenPaths = ["/oauth2/token", "/oauth/token"] as const;

/** Throws OAUTH_UNSUPPORTED_GRANT_TYPE, and OAUTH_INVALID_* for a request from which no client can come. */
export function readGrant(request: TokenRequest): TokenGrant {
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
      message: "The assertion proves who the client is. Send no secret with it.",
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
