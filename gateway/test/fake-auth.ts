import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import {
  type Change,
  type IssueTokenForAssertionRequest,
  Plan,
  type ReportUseRequest,
  TokenService,
} from "#gen/assent/auth/v1/auth_pb.ts";
import { ExportService } from "#gen/assent/auth/v1/exports_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { fakeExports } from "./fake-exports.ts";
import { createFakeUsers } from "./fake-users.ts";

export const issuer = "assent";
export const audience = "assent-api";
export const orgA = "0190a000-0000-7000-8000-00000000000a";
export const orgB = "0190a000-0000-7000-8000-00000000000b";

type Subject = Change["subject"];

/** An auth service that keeps everything in memory and issues real tokens. */
export async function createFakeAuth() {
  const signing = await generateKeyPair("ES256", { extractable: true });
  const nextSigning = await generateKeyPair("ES256", { extractable: true });
  /** What the key set holds; tokens are signed by key-1 unless they name key-2. */
  const publishedKeys = new Map([["key-1", signing]]);
  const apiKeys = new Map<string, { keyId: string; organizationId: string }>();
  const clients = new Map<string, { secret: string; organizationId: string; scopes: string[] }>();
  const limits = new Map<string, FakeLimits>();
  const changes: { cursor: bigint; subject: Subject }[] = [];
  const calls = { jwks: 0, apiKeys: 0, organizations: 0, tokens: 0 };
  const assertions: IssueTokenForAssertionRequest[] = [];
  /** What gateways have told of the use of organizations. */
  const reports: ReportUseRequest[] = [];
  const people = createFakeUsers();
  let isDown = false;
  let tokenCount = 0;

  const claims = (clientId: string, organizationId: string, scope: string): JWTPayload => {
    const now = Math.floor(Date.now() / 1000);
    tokenCount += 1;
    return {
      iss: issuer,
      aud: audience,
      iat: now,
      exp: now + 3600,
      sub: clientId,
      client_id: clientId,
      jti: `jti-${tokenCount}`,
      scope,
      org_id: organizationId,
    };
  };
  const sign = (payload: JWTPayload, header: Record<string, unknown> = {}) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "key-1", ...header })
      .sign((header.kid === "key-2" ? nextSigning : signing).privateKey);
  const requireUp = (): void => {
    if (isDown) throw new DomainError("SERVICE_UNAVAILABLE");
  };

  const routes: RpcRoutes = (router) => {
    people.routes(router);
    router.service(ExportService, fakeExports);
    router.service(TokenService, {
      issueToken: async ({ clientId, clientSecret, scopes }) => {
        requireUp();
        calls.tokens += 1;
        const client = clients.get(clientId);
        if (client === undefined || client.secret !== clientSecret) throw new DomainError("OAUTH_INVALID_CLIENT");
        const granted = scopes.length === 0 ? client.scopes : scopes.filter((scope) => client.scopes.includes(scope));
        if (granted.length === 0) throw new DomainError("OAUTH_INVALID_SCOPE");
        const accessToken = await sign(claims(clientId, client.organizationId, granted.join(" ")));
        return { accessToken, expiresIn: 3600, scopes: granted };
      },
      issueTokenForAssertion: async (request) => {
        requireUp();
        calls.tokens += 1;
        assertions.push(request);
        const clientId = String(decodeJwt(request.assertion).iss);
        const client = clients.get(clientId);
        if (client === undefined || !request.assertion.endsWith(".good")) throw new DomainError("OAUTH_INVALID_GRANT");
        const accessToken = await sign(claims(clientId, client.organizationId, client.scopes.join(" ")));
        return { accessToken, expiresIn: 3600, scopes: client.scopes };
      },
      getJwks: async () => {
        requireUp();
        calls.jwks += 1;
        const keys = [...publishedKeys].map(async ([kid, { publicKey }]) => {
          return { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" };
        });
        return { jwksJson: JSON.stringify({ keys: await Promise.all(keys) }) };
      },
      authenticateApiKey: ({ apiKey }) => {
        requireUp();
        calls.apiKeys += 1;
        const found = apiKeys.get(apiKey);
        if (found === undefined) throw new DomainError("INVALID_TOKEN");
        return found;
      },
      stopNotices: ({ token }) => {
        if (token !== "A".repeat(64)) throw new DomainError("NOT_FOUND");
        return {};
      },
      describeOrganization: ({ organizationId }) => {
        requireUp();
        calls.organizations += 1;
        const { shared: sharedLimits = {}, suspendedAt, ...own } = limits.get(organizationId) ?? {};
        const suspension = suspendedAt === undefined ? {} : { suspendedAt: timestampFromDate(suspendedAt) };
        return { organization: { id: organizationId, plan: Plan.GEN_PRO, limits: own, sharedLimits, ...suspension } };
      },
      describeCaller: ({ organizationId, clientId }) => {
        requireUp();
        if (clientId === "cl_forgotten") throw new DomainError("NOT_FOUND");
        return {
          name: `Name of ${clientId}`,
          createdAt: timestampFromDate(new Date("2026-06-01T12:00:00.5Z")),
          organizationName: organizationId === orgA ? "Organization A" : "Organization B",
        };
      },
      reportUse: (report) => {
        requireUp();
        reports.push(report);
        return {};
      },
      listChanges: ({ afterCursor }) => {
        requireUp();
        return { changes: changes.filter(({ cursor }) => cursor > afterCursor) };
      },
    });
  };

  return {
    routes,
    people,
    apiKeys,
    clients,
    calls,
    /** The requests for tokens by assertion. One that ends with `.good` is good. */
    assertions,
    reports,
    /** What the key set holds. */
    publishedKeys,
    nextSigning,
    claims,
    sign,
    signing,
    setDown: (down: boolean) => {
      isDown = down;
    },
    token: (scope: string, clientId = "cl_test", organizationId = orgA) =>
      sign(claims(clientId, organizationId, scope)),
    change: (subject: Subject) => {
      changes.push({ cursor: BigInt(changes.length + 1), subject });
    },
    setLimits: (organizationId: string, value: FakeLimits) => {
      limits.set(organizationId, value);
    },
  };
}

type Groups = Partial<Record<"accept" | "render" | "other" | "sign", number>>;
/** What is bounded of an organization: of each client, of all of them together, and whether it may only read. */
type FakeLimits = Groups & { readonly shared?: Groups; readonly suspendedAt?: Date };

export type FakeAuth = Awaited<ReturnType<typeof createFakeAuth>>;
