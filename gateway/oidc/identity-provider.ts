import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { type FreshText, textNow } from "#platform/config.ts";
import type { Logger } from "#platform/logger.ts";
import { type Fetch, fetchThrough } from "#platform/net/egress-fetch.ts";
import type { Egress } from "#platform/net/egress-proxy.ts";

/** The operator's settings for the provider. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client, which uses PKCE alone. */
  readonly clientSecret: FreshText;
  /** The label of the button on the sign-in page. */
  readonly name: string;
  /** The proxy of the operator's network; absent: directly. */
  readonly egress?: Egress | undefined;
}

/** The secrets that the browser keeps while the person is at the provider. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The identity asserted by the provider. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Empty unless the provider says that it is verified. */
  readonly email: string;
}

export interface IdentityProvider {
  readonly name: string;
  /** The URL to redirect to, and the secrets the browser must keep. Rejects with a LoginRefused. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly secrets: LoginSecrets }>;
  /** Completes the login with what the browser brought back. Rejects with a LoginRefused. */
  finish(broughtBack: URL, secrets: LoginSecrets): Promise<ProvenIdentity>;
}

/**
 * Why the login failed: the person or the provider refused, the provider is unavailable, or the response is
 * invalid.
 */
export type Refusal = "denied" | "unavailable" | "failed";

export class LoginRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause: unknown) {
    super(`the login was ${refusal}`, { cause });
    this.name = "LoginRefused";
    this.refusal = refusal;
  }
}

interface Deps {
  readonly monotonic: () => number;
  readonly logger: Logger;
}

/** How long the provider's metadata is cached. */
const describedMs = 60 * 60_000;
const timeoutSeconds = 10;
const toleranceSeconds = 30;

/** OpenID Connect sign-in with the authorization code flow. The provider is first contacted when needed. */
export function createIdentityProvider(settings: ProviderSettings, { monotonic, logger }: Deps): IdentityProvider {
  let described: { readonly configuration: Promise<Configuration>; readonly at: number } | undefined;
  const configuration = (): Promise<Configuration> => {
    if (described !== undefined && monotonic() - described.at < describedMs) return described.configuration;
    const asked = { configuration: describe(settings), at: monotonic() };
    described = asked;
    // A failed discovery is retried by the next login.
    asked.configuration.catch(() => {
      if (described === asked) described = undefined;
    });
    return asked.configuration;
  };
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const refused = new LoginRefused(refusalOf(error), error);
      // Only the code: the error itself may contain data from the provider.
      logger.warn(
        { refusal: refused.refusal, reason: reasonOf(error) },
        "no one was signed in by the identity provider",
      );
      throw refused;
    }
  };
  return {
    name: settings.name,
    begin: (redirectUri) => explained(async () => beginAt(await configuration(), redirectUri)),
    finish: (broughtBack, secrets) => explained(async () => finishAt(await configuration(), broughtBack, secrets)),
  };
}

function describe({ issuer, clientId, clientSecret, egress }: ProviderSettings): Promise<Configuration> {
  const isInsecure = issuer.startsWith("http:");
  // The signature is checked even though the connection to the provider is trusted.
  const execute = [enableNonRepudiationChecks, ...(isInsecure ? [allowInsecureRequests] : [])];
  const metadata = { [clockTolerance]: toleranceSeconds };
  return discovery(new URL(issuer), clientId, metadata, authenticationBy(clientSecret), {
    execute,
    timeout: timeoutSeconds,
    ...(egress && { [customFetch]: (url, init) => fetchThrough(egress)(url, init as Parameters<Fetch>[1]) }),
  });
}

/** HTTP Basic, which providers must support, unless this one declares that it does not. */
function authenticationBy(secret: FreshText): ClientAuth {
  if (textNow(secret) === "") return None();
  return (server, ...rest) => {
    const [basic, post] = [ClientSecretBasic(textNow(secret)), ClientSecretPost(textNow(secret))];
    const { token_endpoint_auth_methods_supported: known = ["client_secret_basic"] } = server;
    return (known.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

async function beginAt(configuration: Configuration, redirectUri: string) {
  const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: "openid email profile",
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
  });
  return { url: url.href, secrets };
}

async function finishAt(
  configuration: Configuration,
  broughtBack: URL,
  { state, nonce, verifier }: LoginSecrets,
): Promise<ProvenIdentity> {
  const tokens = await authorizationCodeGrant(configuration, broughtBack, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("the provider has sent no ID token");
  const { iss: issuer, sub: subject } = claims;
  // Some providers return the address only at the userinfo endpoint.
  const asks = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const told = asks ? await fetchUserInfo(configuration, tokens.access_token, subject) : claims;
  return { issuer, subject, email: verifiedEmail(told) };
}

function verifiedEmail(told: Readonly<Record<string, unknown>>): string {
  const { email, email_verified: isVerified } = told;
  return typeof email === "string" && email.length <= maxEmailLength && isVerified === true ? email : "";
}

const maxEmailLength = 320;

/** The library's errors for a provider that does not answer, or not as a provider does. */
const awayCodes: ReadonlySet<unknown> = new Set(["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM"]);

function refusalOf(error: unknown): Refusal {
  if (error instanceof AuthorizationResponseError) return "denied";
  if (error instanceof ResponseBodyError) return error.status >= 500 ? "unavailable" : "failed";
  // A TypeError is what fetch throws when nobody answers.
  return error instanceof TypeError || awayCodes.has(codeOf(error)) ? "unavailable" : "failed";
}

function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return knownErrors.has(error.error) ? error.error : "another error of the provider";
  }
  return String(codeOf(error) ?? (error instanceof Error ? error.message : "unknown")).slice(0, 200);
}

/** The part of an error from outside that is safe to log. */
const knownErrors: ReadonlySet<string> = new Set([
  "access_denied",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
]);

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code;
