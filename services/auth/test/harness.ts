import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { type Client, createClient } from "@connectrpc/connect";
import { createLocalJWKSet, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Pool } from "pg";
import { AdminService, type Change, Plan, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ErasureService } from "#gen/assent/auth/v1/erasures_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import type { MailSetup } from "#platform/mail/mail-settings.ts";
import type { QueueWorker } from "#platform/periodic.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { rpcRoutesOf, type Service } from "#platform/service.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { createTestClock, createTestRuntime, type TestClock } from "#platform/testing/service-harness.ts";
import { until } from "#platform/testing/until.ts";
import type { AuthConfig } from "../config.ts";
import type { ExportPart } from "../privacy/export-worker.ts";
import type { HolderTransports } from "../privacy/holders.ts";
import { createAuthService } from "../service.ts";

/** One process of the auth service with clients for both of its faces. */
export interface AuthProcess {
  readonly service: Service;
  readonly tokens: Client<typeof TokenService>;
  readonly admin: Client<typeof AdminService>;
  readonly logins: Client<typeof LoginService>;
  readonly users: Client<typeof UserService>;
  readonly passkeys: Client<typeof PasskeyService>;
  readonly organization: Client<typeof OrganizationService>;
  readonly erasures: Client<typeof ErasureService>;
  readonly retention: Client<typeof RetentionService>;
}

export interface AuthHarness extends AuthProcess {
  readonly clock: TestClock;
  readonly databaseUrl: string;
  /** Sees all rows. */
  readonly superuser: Pool;
  /** One more process on the same database with the same clock. */
  another(config?: Partial<AuthConfig>, holders?: Partial<HolderTransports>): Promise<AuthProcess>;
  stop(): Promise<void>;
}

/** The least that argon2 takes: what it computes is the same. */
export const cheapArgon2 = { memoryKib: 8, passes: 1 };

export const masterKey = randomBytes(32).toString("base64");

/** Starts the auth service without its workers on a database of its own. */
export async function startAuth(mail?: MailSetup, bus?: EventBus): Promise<AuthHarness> {
  const database = await createTestDatabase();
  const { superuser } = database;
  const clock = createTestClock(Date.UTC(2026, 5, 1));
  const processes: AuthProcess[] = [];
  const another: AuthHarness["another"] = async (config = {}, holders = {}) => {
    const process = await createProcess({ databaseUrl: database.url, ...config }, clock, mail, bus, holders);
    processes.push(process);
    return process;
  };
  return {
    ...(await another()),
    clock,
    databaseUrl: database.url,
    superuser,
    another,
    stop: async () => {
      for (const { service } of processes) await service.close();
      await database.drop();
    },
  };
}

/** A service that keeps nothing of anybody. */
const nobody = createMemoryTransport(
  (router) => {
    router.service(SignService, { findPersonHold: () => ({}) });
    router.service(PersonalDataService, {
      findPerson: () => ({}),
      erasePerson: () => ({}),
      exportPerson: () => ({}),
      exportOrganization: () => ({}),
    });
  },
  { interceptors: [] },
);
const noHolders: HolderTransports = {
  sign: nobody,
  click: nobody,
  webhooks: nobody,
  docgen: nobody,
  templates: nobody,
};

export async function createProcess(
  config: Partial<AuthConfig> & Pick<AuthConfig, "databaseUrl">,
  clock: Clock,
  mail?: MailSetup,
  bus: EventBus = createMemoryBus(),
  holders: Partial<HolderTransports> = {},
  exportPart?: ExportPart,
): Promise<AuthProcess> {
  const runtime = createTestRuntime("auth", clock, bus);
  const service = await createAuthService(
    { masterKey, issuer: "assent", audience: "assent-api", poolSize: 10, argon2: cheapArgon2, ...config },
    { runtime, mail, holders: { ...noHolders, ...holders }, exportPart },
  );
  const interceptors = serverInterceptors({ service: "auth", ...runtime });
  const transport = createMemoryTransport(rpcRoutesOf(service), { interceptors });
  return {
    service,
    tokens: createClient(TokenService, transport),
    logins: createClient(LoginService, transport),
    users: createClient(UserService, transport),
    passkeys: createClient(PasskeyService, transport),
    organization: createClient(OrganizationService, transport),
    erasures: createClient(ErasureService, transport),
    retention: createClient(RetentionService, transport),
    admin: createClient(
      AdminService,
      createMemoryTransport(service.adminRoutes ?? (() => undefined), { interceptors }),
    ),
  };
}

export async function createOrganization({ admin }: AuthProcess, name = "Acme", sandbox = false): Promise<string> {
  const { organization } = await admin.createOrganization({ name, plan: Plan.GEN_PRO, sandbox });
  return organization?.id ?? "";
}

export interface TestKey {
  readonly keyId: string;
  readonly apiKey: string;
}

export async function createKey({ admin }: AuthProcess, organizationId: string): Promise<TestKey> {
  const { key, apiKey } = await admin.createApiKey({ organizationId, name: "Key" });
  return { keyId: key?.id ?? "", apiKey };
}

export interface TestClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

export async function createOAuthClient(
  { admin }: AuthProcess,
  organizationId: string,
  scopes = ["click:read", "click:accept"],
): Promise<TestClient> {
  const { client, clientSecret } = await admin.createOAuthClient({ organizationId, name: "Backend", scopes });
  return { clientId: client?.id ?? "", clientSecret };
}

export interface TestKeyPair {
  readonly algorithm: "RS256" | "ES256";
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly pem: string;
}

export function makeKeyPair(algorithm: "RS256" | "ES256" = "ES256", bits = 2_048): TestKeyPair {
  const { privateKey, publicKey } =
    algorithm === "RS256"
      ? generateKeyPairSync("rsa", { modulusLength: bits })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { algorithm, privateKey, publicKey, pem: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

/** Registers a key of a client; the id under which it is known. */
export async function addKey(
  { admin }: AuthProcess,
  organizationId: string,
  { clientId }: Pick<TestClient, "clientId">,
  { pem }: Pick<TestKeyPair, "pem">,
): Promise<string> {
  const { key } = await admin.addOAuthClientKey({ organizationId, clientId, publicKeyPem: pem });
  return key?.id ?? "";
}

/** An assertion as a client signs it, good for an hour unless the claims say otherwise. */
export function signAssertion(
  pair: Pick<TestKeyPair, "algorithm" | "privateKey">,
  claims: TestClaims,
  header: Record<string, unknown> = {},
): Promise<string> {
  const filled = Object.entries({ aud: testAudience, ...claims }).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(filled))
    .setProtectedHeader({ alg: pair.algorithm, typ: "JWT", ...header })
    .sign(pair.privateKey);
}

/** Claims that are undefined are left out. */
export type TestClaims = Readonly<Record<string, unknown>>;

export const testAudience = "api.example.com";

/** Checks a token as the gateway does, against the published key set alone. */
export async function verifyToken(
  process: AuthProcess,
  token: string,
  clock: Clock,
): Promise<JWTPayload & { kid: string }> {
  const { jwksJson } = await process.tokens.getJwks({});
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(JSON.parse(jwksJson)), {
    algorithms: ["ES256"],
    typ: "at+jwt",
    issuer: "assent",
    audience: "assent-api",
    requiredClaims: ["exp", "iat", "sub", "client_id", "jti", "scope", "org_id"],
    currentDate: clock.now(),
  });
  return { ...payload, kid: protectedHeader.kid ?? "" };
}

export async function publishedKids({ tokens }: AuthProcess): Promise<string[]> {
  const { jwksJson } = await tokens.getJwks({});
  return (JSON.parse(jwksJson) as { keys: { kid: string }[] }).keys.map((key) => key.kid);
}

export const listChanges = async ({ tokens }: AuthProcess, afterCursor = 0n): Promise<Change[]> =>
  (await tokens.listChanges({ afterCursor })).changes;

/** The changes as `case:value`, in their order. */
export const describeChanges = (changes: readonly Change[]): string[] =>
  changes.map(({ subject }) => `${subject.case}:${subject.value}`);

/** Runs one of the service's workers once. */
export async function runWorkerOnce({ service }: AuthProcess, name: string): Promise<void> {
  const worker = service.workers.find((candidate) => candidate.name === name);
  await worker?.start();
  await worker?.stop();
}

/** Like `until`, with workers that look for work each time: of what a moved clock makes due nobody tells them. */
export const untilWorked = <T>(
  processes: () => readonly AuthProcess[],
  name: string,
  condition: () => Promise<T | false | undefined>,
): Promise<T> =>
  until(() => {
    for (const { service } of processes()) {
      for (const worker of service.workers) if (worker.name.startsWith(name)) (worker as QueueWorker).look();
    }
    return condition();
  });
