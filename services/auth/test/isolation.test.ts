import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { UserRole, UserStatus } from "#gen/assent/auth/v1/users_pb.ts";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { Authenticator } from "#platform/testing/authenticator.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { makeClientId } from "../domain/oauth-client.ts";
import { totpCode } from "../domain/second-factor.ts";
import {
  type AuthHarness,
  addKey,
  createKey,
  createOAuthClient,
  createOrganization,
  makeKeyPair,
  signAssertion,
  startAuth,
  type TestClient,
  type TestKey,
  type TestKeyPair,
  testAudience,
} from "./harness.ts";
import { addPasskey, callOf, createOwner, fromBase32, type Person, password } from "./people.ts";

interface Tenant {
  readonly organizationId: string;
  readonly key: TestKey;
  readonly client: TestClient;
  readonly pair: TestKeyPair;
  readonly clientKeyId: string;
  readonly owner: Person;
}

let auth: AuthHarness;
let a: Tenant;
let b: Tenant;

async function createTenant(): Promise<Tenant> {
  const organizationId = await createOrganization(auth);
  const client = await createOAuthClient(auth, organizationId);
  const { accessToken } = await auth.tokens.issueToken(client);
  await auth.admin.revokeToken({ token: accessToken });
  const requests = [{ organizationId, requests: 1 }];
  await auth.tokens.reportUse({ gatewayId: organizationId, sequence: 1n, requests, load: { spanMs: 1 } });
  const pair = makeKeyPair();
  const clientKeyId = await addKey(auth, organizationId, client, pair);
  const owner = await createOwner(auth, organizationId);
  await leaveTraces(owner);
  return { organizationId, client, pair, clientKeyId, owner, key: await createKey(auth, organizationId) };
}

/** A row in every table that belongs to people. */
async function leaveTraces(owner: Person): Promise<void> {
  const { organizationId, userId, sessionId, call } = owner;
  await auth.retention.noteHolds({ mark: 1 }, call);
  await auth.users.inviteUser({ email: "ivy@example.com", name: "Ivy", role: UserRole.VIEWER }, call);
  const { uri } = await auth.users.beginTotp({ password }, call);
  const secret = fromBase32(new URL(uri).searchParams.get("secret") ?? "");
  const code = totpCode(secret, Math.floor(auth.clock.now().getTime() / 30_000));
  await auth.users.confirmTotp({ code, sessionId }, call);
  await auth.logins.login({ organizationId, email: owner.email, password });
  await addPasskey(auth, owner, new Authenticator(), "Laptop");
  await auth.superuser.query(
    `with made as (
       insert into auth.export (organization_id, id, request_hash, status, created_by, request_id, created_at)
       values ($1, $2, '', 'expired', '', '', now()) returning organization_id, id
     ), piece as (insert into auth.export_piece select organization_id, id, 0, 0, '' from made)
     insert into auth.export_file select organization_id, id, 0, 1, '', '', 0, 0, sha256(''), '', 0 from made`,
    [organizationId, newId()],
  );
  await auth.superuser.query(
    `insert into auth.export_schedule (organization_id, id, request_hash, format, every, day, at, time_zone, created_by,
       created_at) values ($1, $2, '', 'csv', 'daily', 1, '00:00', 'UTC', '', now())`,
    [organizationId, newId()],
  );
  await auth.superuser.query(
    `with made as (
       insert into auth.erasure (organization_id, id, request_hash, ground, is_dry, asked_by, request_id, created_at,
         completed_at, run_at)
       values ($1, $2, sha256(''), '', false, '', '', now(), now(), now()) returning organization_id, id
     ) insert into auth.erasure_page select organization_id, id, 0, '[]' from made`,
    [organizationId, newId()],
  );
  await auth.superuser.query(
    `insert into auth.mail_job (organization_id, job_id, user_id, kind, created_at, run_at)
     values ($1, $2, $3, 'lockout', now(), now())`,
    [organizationId, newId(), userId],
  );
}

beforeAll(async () => {
  auth = await startAuth();
  a = await createTenant();
  b = await createTenant();
});
afterAll(() => auth.stop());

describe("an organization that names the ids of another", () => {
  test("it gets exactly the answer for unknown ids, and nothing happens to them", async () => {
    const { admin } = auth;
    const organizationId = b.organizationId;
    const byClient = [admin.rotateOAuthClientSecret, admin.revokeOAuthClient];
    for (const call of byClient) {
      const foreign = await expectDomainError(call({ organizationId, clientId: a.client.clientId }), "NOT_FOUND");
      const unknown = await expectDomainError(call({ organizationId, clientId: makeClientId() }), "NOT_FOUND");
      expect(foreign.message).toBe(unknown.message);
    }
    const foreign = await expectDomainError(admin.revokeApiKey({ organizationId, keyId: a.key.keyId }), "NOT_FOUND");
    const unknown = await expectDomainError(admin.revokeApiKey({ organizationId, keyId: "0".repeat(16) }), "NOT_FOUND");
    expect(foreign.message).toBe(unknown.message);

    expect(await auth.tokens.authenticateApiKey(a.key)).toMatchObject({ organizationId: a.organizationId });
    await auth.tokens.issueToken(a.client);
  });

  test("it cannot add, list or revoke keys of the other's client", async () => {
    const { admin } = auth;
    const foreign = { organizationId: b.organizationId, clientId: a.client.clientId };
    const unknown = { ...foreign, clientId: makeClientId() };
    const publicKeyPem = makeKeyPair().pem;
    for (const call of [
      (names: typeof foreign) => admin.addOAuthClientKey({ ...names, publicKeyPem }),
      (names: typeof foreign) => admin.listOAuthClientKeys(names),
      (names: typeof foreign) => admin.revokeOAuthClientKey({ ...names, keyId: a.clientKeyId }),
    ]) {
      const answers = [await expectDomainError(call(foreign), "NOT_FOUND")];
      answers.push(await expectDomainError(call(unknown), "NOT_FOUND"));
      expect(answers[0]?.message).toBe(answers[1]?.message);
    }
    const { keys } = await admin.listOAuthClientKeys({ ...foreign, organizationId: a.organizationId });
    expect(keys.map((key) => [key.id, key.revokedAt])).toEqual([[a.clientKeyId, undefined]]);
  });

  test("its key signs for its own client only, and names the other's organization in vain", async () => {
    const exp = auth.clock.now().getTime() / 1000 + 60;
    const ask = async (iss: string, sub: string) =>
      auth.tokens.issueTokenForAssertion({
        assertion: await signAssertion(b.pair, { iss, sub, exp }),
        audiences: [testAudience],
      });
    await expectDomainError(ask(a.client.clientId, a.organizationId), "OAUTH_INVALID_GRANT");
    await expectDomainError(ask(b.client.clientId, a.organizationId), "OAUTH_INVALID_GRANT");
    await ask(b.client.clientId, b.organizationId);
  });

  test("it is told nothing of the other's key and client", async () => {
    for (const clientId of [a.key.keyId, a.client.clientId]) {
      const asB = auth.tokens.describeCaller({ organizationId: b.organizationId, clientId });
      await expectDomainError(asB, "NOT_FOUND");
      const asA = await auth.tokens.describeCaller({ organizationId: a.organizationId, clientId });
      expect(asA).toMatchObject({ organizationName: "Acme" });
    }
  });

  test("it is told nothing of the other's users", async () => {
    const clientId = `user:${a.owner.userId}`;
    await expectDomainError(auth.tokens.describeCaller({ organizationId: b.organizationId, clientId }), "NOT_FOUND");
    const asA = await auth.tokens.describeCaller({ organizationId: a.organizationId, clientId });
    expect(asA).toMatchObject({ organizationName: "Acme", email: expect.stringContaining("@") });
  });

  test("it reaches neither the other's users nor their sessions, keys and clients", async () => {
    const { users, organization } = auth;
    const { call, sessionId } = b.owner;
    const { userId } = a.owner;
    const keyId = a.key.keyId;
    const { clientId } = a.client;
    const named = (names: { userId: string; sessionId: string; keyId: string; clientId: string }) => [
      users.updateUser({ userId: names.userId, status: UserStatus.DISABLED, sessionId }, call),
      users.removeUser({ userId: names.userId }, call),
      users.inviteUserAgain({ userId: names.userId }, call),
      users.revokeSession({ sessionId: names.sessionId }, call),
      organization.revokeKey({ keyId: names.keyId }, call),
      organization.rotateClientSecret({ clientId: names.clientId }, call),
      organization.revokeClient({ clientId: names.clientId }, call),
    ];
    const answers = async (calls: Promise<unknown>[]) =>
      Promise.all(calls.map(async (each) => (await expectDomainError(each, "NOT_FOUND")).message));
    const foreign = await answers(named({ userId, sessionId: a.owner.sessionId, keyId, clientId }));
    const unknown = { userId: newId(), sessionId: newId(), keyId: "0".repeat(16), clientId: makeClientId() };
    expect(foreign).toEqual(await answers(named(unknown)));
    const [passkey] = (await auth.passkeys.listPasskeys({}, a.owner.call)).passkeys;
    const passkeyId = passkey?.id ?? "";
    const passkeyCalls = (id: string) => [
      auth.passkeys.renamePasskey({ passkeyId: id, name: "Mine" }, call),
      auth.passkeys.removePasskey({ passkeyId: id, password, sessionId }, call),
    ];
    expect(await answers(passkeyCalls(passkeyId))).toEqual(await answers(passkeyCalls(newId())));
    expect((await auth.passkeys.listPasskeys({}, call)).passkeys.map(({ id }) => id)).not.toContain(passkeyId);
    // A user is one of its own organization only.
    await expectDomainError(users.getOwnUser({}, callOf(b.organizationId, userId)), "SESSION_ENDED");
    expect((await users.nameUsers({ userIds: [userId] }, call)).users).toEqual([]);
    const seen = await users.listUsers({}, call);
    expect(new Set(seen.users.map((user) => user.organizationId))).toEqual(new Set([b.organizationId]));
    const { events } = await organization.listAuditEvents({ pageSize: 200 }, call);
    expect(events.filter(({ actorId, subjectId }) => actorId === userId || subjectId === userId)).toEqual([]);
  });

  test("its lists hold its own keys and clients only", async () => {
    const { keys } = await auth.admin.listApiKeys({ organizationId: b.organizationId });
    const { clients } = await auth.admin.listOAuthClients({ organizationId: b.organizationId });
    expect(keys.map((key) => key.id)).toEqual([b.key.keyId]);
    expect(clients.map((client) => client.id)).toEqual([b.client.clientId]);
  });

  test("its secret does not open the other's client", async () => {
    const request = { clientId: a.client.clientId, clientSecret: b.client.clientSecret };
    await expectDomainError(auth.tokens.issueToken(request), "OAUTH_INVALID_CLIENT");
  });
});

describe("row-level security", () => {
  const tenantTables = [
    "api_key",
    "audit_event",
    "erasure",
    "erasure_page",
    "export",
    "export_file",
    "export_piece",
    "export_schedule",
    "hold_mark",
    "login_challenge",
    "mail_job",
    "oauth_client",
    "oauth_client_key",
    "organization",
    "passkey",
    "recovery_code",
    "request_day",
    "revoked_token",
    "spent_challenge",
    "user_account",
    "user_link",
    "user_session",
  ];

  test("it is forced on every table that has an organization", async () => {
    const { rows } = await auth.superuser.query(
      `select c.relname, c.relrowsecurity and c.relforcerowsecurity as forced
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where c.relnamespace = 'auth'::regnamespace and c.relkind in ('r', 'p') order by c.relname`,
    );
    // Nobody but the relay reads the outbox, and no organization here is deleted.
    const all = [...tenantTables, "organization_deletion", "outbox"].sort();
    expect(rows).toEqual(all.map((relname) => ({ relname, forced: true })));
  });

  test("the keys and unique indexes of those tables begin with the organization", async () => {
    const { rows } = await auth.superuser.query(
      `select i.indexrelid::regclass::text as index, a.attname
       from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
       where i.indisunique and c.relnamespace = 'auth'::regnamespace and c.relname = any($1)`,
      [tenantTables],
    );
    expect(rows.length).toBeGreaterThanOrEqual(tenantTables.length);
    expect(rows.filter((row) => row.attname !== "organization_id")).toEqual([]);
  });

  test("no role of the service bypasses it, logs in or owns anything", async () => {
    const { rows } = await auth.superuser.query(
      `select rolname, rolbypassrls or rolsuper or rolcanlogin as strong,
         exists (select from pg_class where relowner = r.oid) as owns
       from pg_roles r where rolname like 'assent\\_auth%' order by rolname`,
    );
    expect(rows).toEqual(
      [
        "assent_auth",
        "assent_auth_destroyer",
        "assent_auth_eraser",
        "assent_auth_janitor",
        "assent_auth_lookup",
        "assent_auth_relay",
        "assent_auth_remover",
        "assent_auth_resealer",
      ].map((rolname) => ({
        rolname,
        strong: false,
        owns: false,
      })),
    );
  });

  test("management sees one organization at a time, and without one nothing", async () => {
    const pool = createPool({ url: auth.databaseUrl, role: "assent_auth", name: "test", max: 1 });
    for (const table of tenantTables) {
      const select = `select organization_id from auth.${table}`;
      expect((await pool.query(select)).rows).toEqual([]);
      const seen = await withOrg(pool, a.organizationId as OrgId, ({ client }) => client.query(select));
      expect(new Set(seen.rows.map((row) => row.organization_id))).toEqual(new Set([a.organizationId]));
    }
    await pool.end();
  });

  test("management cannot write into another organization", async () => {
    const pool = createPool({ url: auth.databaseUrl, role: "assent_auth", name: "test", max: 1 });
    const asB = (sql: string, values: unknown[]) =>
      withOrg(pool, b.organizationId as OrgId, ({ client }) => client.query(sql, values));
    const insert = "insert into auth.revoked_token values ($1, 'x', now(), now())";
    await expect(asB(insert, [a.organizationId])).rejects.toThrow("row-level security");
    const update = await asB("update auth.api_key set revoked_at = now() where key_id = $1", [a.key.keyId]);
    expect(update.rowCount).toBe(0);
    await pool.end();
  });
});

describe("the roles beside management", () => {
  async function refused(pool: Pool, statements: readonly string[]): Promise<void> {
    for (const sql of statements) await expect(pool.query(sql)).rejects.toThrow("permission denied");
    await pool.end();
  }

  test("the look-up role reads credentials of all organizations and writes nothing", async () => {
    const pool = createPool({ url: auth.databaseUrl, role: "assent_auth_lookup", name: "test", max: 1 });
    expect((await pool.query("select from auth.api_key")).rowCount).toBe(2);
    expect((await pool.query("select from auth.oauth_client")).rowCount).toBe(2);
    expect((await pool.query("select from auth.oauth_client_key")).rowCount).toBe(2);
    await refused(pool, [
      "select * from auth.revoked_token",
      "select totp_secret from auth.user_account",
      "select code_hash from auth.recovery_code",
      "select * from auth.mail_job",
      "select * from auth.audit_event",
      "update auth.user_session set last_seen_at = now()",
      "delete from auth.user_link",
      "update auth.api_key set revoked_at = now()",
      "delete from auth.oauth_client",
      "update auth.oauth_client_key set revoked_at = null",
      "update auth.api_key set last_used_at = now()",
      "insert into auth.change values (99, 'key_revoked', 'x', now())",
      "update auth.change_head set cursor = 0",
      "delete from auth.signing_key",
    ]);
  });

  test("the janitor deletes what expires and cannot read credentials", async () => {
    const pool = createPool({ url: auth.databaseUrl, role: "assent_auth_janitor", name: "test", max: 1 });
    await refused(pool, [
      "select * from auth.api_key",
      "select * from auth.oauth_client",
      "select * from auth.oauth_client_key",
      "select secret_hash from auth.api_key",
      "select secret_hash from auth.oauth_client",
      "update auth.api_key set revoked_at = null",
      "update auth.oauth_client set scopes = '{}'",
      "select * from auth.organization",
      "select email from auth.user_account",
      "select token_hash from auth.user_session",
      "select token_hash from auth.user_link",
      "select sealed_token from auth.mail_job",
      "select * from auth.audit_event",
      "select private_jwk from auth.signing_key",
      "delete from auth.api_key",
      "update auth.revoked_token set expires_at = now()",
      "insert into auth.change values (99, 'key_revoked', 'x', now())",
    ]);
  });

  test("management cannot delete, read signing keys or rewrite the feed", async () => {
    const pool = createPool({ url: auth.databaseUrl, role: "assent_auth", name: "test", max: 1 });
    await refused(pool, [
      "select private_jwk from auth.signing_key",
      "update auth.signing_key set kid = 'x'",
      "update auth.api_key set secret_hash = ''",
      "update auth.oauth_client set scopes = '{}'",
      "update auth.oauth_client_key set public_jwk = '{}'",
      "delete from auth.oauth_client_key",
      "update auth.organization set sandbox = false",
      "delete from auth.change",
      "delete from auth.revoked_token",
      "select * from auth.outbox",
      "delete from auth.audit_event",
      "update auth.audit_event set action = 'x'",
      "update auth.user_account set email = 'x'",
      "delete from auth.organization",
    ]);
  });

  test("a new organization of the same name is another one", async () => {
    const { rows } = await auth.superuser.query(
      "select count(distinct organization_id)::int as n from auth.organization",
    );
    expect(rows[0].n).toBe(2);
    await expectDomainError(auth.tokens.describeOrganization({ organizationId: newId() }), "NOT_FOUND");
  });
});
