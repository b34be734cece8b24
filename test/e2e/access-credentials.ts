import { until } from "#platform/testing/until.ts";
import { makeApiKey } from "../../services/auth/domain/api-key.ts";
import { Api } from "../support/api.ts";
import { createTokenForge } from "../support/forged-tokens.ts";
import { everyScope } from "../support/interface-scopes.ts";
import type { System } from "../support/system.ts";

/** A credential that is refused whatever it is sent for. */
export interface RefusedCredential {
  readonly title: string;
  /** The Authorization header; none is sent when absent. */
  readonly authorization?: string;
  readonly errorCode: "UNAUTHORIZED" | "INVALID_TOKEN" | "TOKEN_EXPIRED";
}

export interface Credentials {
  readonly refused: readonly RefusedCredential[];
  /** An Authorization header for each scope alone. */
  readonly alone: ReadonlyMap<string, string>;
  readonly allScopes: string;
  readonly apiKey: string;
}

const bearer = (token: string): string => `Bearer ${token}`;

/** A token of a new client of this organization that has these scopes. */
export async function newToken(system: System, { organizationId, baseUrl }: Api, scopes: string) {
  const created = await system.admin.createOAuthClient({ organizationId, name: "access", scopes: scopes.split(" ") });
  const clientId = created.client?.id ?? "";
  const answer = await Api.fetchToken(baseUrl, clientId, created.clientSecret, scopes);
  if (answer.status !== 200) throw new Error(`no token: ${JSON.stringify(answer.body)}`);
  return { token: answer.body.access_token as string, clientId, clientSecret: created.clientSecret };
}

export async function createCredentials(system: System, owner: Api): Promise<Credentials> {
  const scopes = everyScope.split(" ");
  const tokens = await Promise.all(scopes.map(async (scope) => (await newToken(system, owner, scope)).token));
  const { token: allScopes } = await newToken(system, owner, everyScope);
  return {
    refused: [...malformed, ...(await unknown(system, owner, allScopes)), ...(await revoked(system, owner))],
    alone: new Map(scopes.map((scope, n) => [scope, bearer(tokens[n] ?? "")])),
    allScopes: bearer(allScopes),
    apiKey: bearer(owner.token),
  };
}

const malformed: readonly RefusedCredential[] = [
  { title: "no credential", errorCode: "UNAUTHORIZED" },
  { title: "an empty header", authorization: "", errorCode: "UNAUTHORIZED" },
  { title: "a scheme alone", authorization: "Bearer", errorCode: "UNAUTHORIZED" },
  { title: "another scheme", authorization: "Basic YWRtaW46YWRtaW4=", errorCode: "UNAUTHORIZED" },
  { title: "two tokens", authorization: "Bearer one two", errorCode: "UNAUTHORIZED" },
  { title: "a token in quotes", authorization: 'Bearer "token"', errorCode: "UNAUTHORIZED" },
  { title: "a list of credentials", authorization: "Bearer one, Bearer two", errorCode: "UNAUTHORIZED" },
  { title: "what is no token", authorization: "Bearer nonsense", errorCode: "INVALID_TOKEN" },
  { title: "a token that is too long", authorization: bearer("x".repeat(9_000)), errorCode: "INVALID_TOKEN" },
];

async function unknown(system: System, owner: Api, model: string): Promise<RefusedCredential[]> {
  const forge = await createTokenForge(system, model);
  const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
  const lastChanged = owner.token.slice(0, -1) + (owner.token.endsWith("0") ? "1" : "0");
  const invalid: Record<string, string> = {
    "an API key that nobody has": makeApiKey(false).value,
    "an API key with a wrong checksum": lastChanged,
    "an API key that was cut": owner.token.slice(0, -10),
    "a token signed with another key": await forge.foreign(),
    "a token without a signature": forge.unsigned(),
    "a token of another issuer": await forge.genuine({ issuer: { issuer: "somebody" } }),
    "a token for another audience": await forge.genuine({ issuer: { audience: "something" } }),
    "a token whose signature was cut": model.slice(0, -4),
  };
  return [
    ...Object.entries(invalid).map(([title, token]) => ({
      title,
      authorization: bearer(token),
      errorCode: "INVALID_TOKEN" as const,
    })),
    {
      title: "a token that expired an hour ago",
      authorization: bearer(await forge.genuine({ issuedAt: twoHoursAgo })),
      errorCode: "TOKEN_EXPIRED",
    },
  ];
}

/** Each was used before it was revoked, so that every gateway remembers it. */
async function revoked(system: System, owner: Api): Promise<RefusedCredential[]> {
  const { organizationId } = owner;
  const { apiKey } = await system.admin.createApiKey({ organizationId, name: "revoked" });
  const { token } = await newToken(system, owner, everyScope);
  const ofClient = await newToken(system, owner, everyScope);
  const credentials = {
    "a revoked API key": apiKey,
    "a revoked token": token,
    "a token of a revoked client": ofClient.token,
  };
  for (const each of Object.values(credentials)) await owner.with({ token: each }).get("/v1/click/templates");
  await system.admin.revokeToken({ token: apiKey });
  await system.admin.revokeToken({ token });
  await system.admin.revokeOAuthClient({ organizationId, clientId: ofClient.clientId });
  for (const each of Object.values(credentials)) {
    const refused = async () => (await owner.with({ token: each }).get("/v1/click/templates")).status === 401;
    await until(refused);
  }
  return Object.entries(credentials).map(([title, each]) => ({
    title,
    authorization: bearer(each),
    errorCode: "INVALID_TOKEN",
  }));
}
