import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Code, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ErasureService, ErasureStatus } from "#gen/assent/auth/v1/erasures_pb.ts";
import { PersonalDataService, PersonalItemOutcome } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { createHealthState } from "#platform/admin-port.ts";
import { callerHeaders } from "#platform/caller.ts";
import { parseOrgId } from "#platform/ids.ts";
import { createInternalTokens } from "#platform/rpc/callers.ts";
import { createGrpcTransport, type GrpcTransport } from "#platform/rpc/client.ts";
import { type RpcServer, startRpcServer } from "#platform/rpc/server.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import { type AuthHarness, createKey, createOAuthClient, createOrganization, masterKey, startAuth } from "./harness.ts";
import { createOwner, createPerson } from "./people.ts";

const adminToken = "the-admin-token";
let folder: string;
/** What the process reads again while it runs. */
const writeSecret = (name: string, text: string): string => {
  writeFileSync(join(folder, name), `${text}\n`);
  return join(folder, name);
};
const internalKey = randomBytes(32);
let auth: AuthHarness;
let child: ChildProcess;
let ports: { rpcPort: number; adminPort: number };
let transport: GrpcTransport;
let holders: RpcServer;
/** Which pages of an erasure were asked for, and what happens before one is answered. */
const asked: string[] = [];
let beforeAnswer = (): unknown => undefined;
const output: string[] = [];

beforeAll(async () => {
  auth = await startAuth();
  folder = mkdtempSync(join(tmpdir(), "auth-secrets-"));
  await auth.superuser.query(`create role ${login} login password 'one' in role ${new URL(auth.databaseUrl).username}`);
  databaseUrl("one");
  holders = await startRpcServer({
    ...{ host: "127.0.0.1", port: 0, interceptors: [], health: createHealthState() },
    routes: (router) => {
      router.service(SignService, { findPersonHold: () => ({ isHeld: false }) });
      router.service(PersonalDataService, { erasePerson });
    },
  });
  await startChild();
});

const login = `assent_test_${randomBytes(8).toString("hex")}`;

function databaseUrl(password: string): void {
  const url = new URL(auth.databaseUrl);
  Object.assign(url, { username: login, password });
  writeSecret("database-url", url.href);
}

/** All four services: each has one thing, and answers the same again. */
function erasePerson({ erasureId, cursor }: { readonly erasureId: string; readonly cursor: string }) {
  asked.push(`${erasureId} ${cursor}`);
  beforeAnswer();
  return { items: [{ kind: "document", targetId: erasureId, count: 1, outcome: PersonalItemOutcome.ERASED }] };
}

async function startChild(): Promise<void> {
  child = spawn(process.execPath, [fileURLToPath(new URL("../main.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      DATABASE_URL_FILE: join(folder, "database-url"),
      AUTH_MASTER_KEY: masterKey,
      ...Object.fromEntries(
        ["SIGN", "CLICK", "WEBHOOKS", "DOCGEN", "TEMPLATES"].map((name) => [
          `${name}_TARGET`,
          `127.0.0.1:${holders.port}`,
        ]),
      ),
      ADMIN_TOKEN_FILE: writeSecret("admin-token", adminToken),
      INTERNAL_TOKEN_KEYS: internalKey.toString("base64"),
      LOG_LEVEL: "debug",
      RPC_HOST: "127.0.0.1",
      RPC_PORT: "0",
      ADMIN_HOST: "127.0.0.1",
      ADMIN_PORT: "0",
    },
  });
  if (child.stdout === null) throw new Error("no output");
  const lines = createInterface(child.stdout);
  ports = await new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      output.push(line);
      const entry = JSON.parse(line);
      if (entry.msg === "started") resolve(entry);
    });
    child.once("exit", (code) => reject(new Error(`auth ended with ${code} before it was ready`)));
  });
  transport = createGrpcTransport({
    target: `127.0.0.1:${ports.rpcPort}`,
    services: [TokenService, AdminService, ErasureService],
    tokens: createInternalTokens({ keys: () => [internalKey], now: Date.now }),
  });
}

afterAll(async () => {
  transport.close();
  if (child.exitCode === null) child.kill("SIGKILL");
  await holders.drain(0);
  await auth.superuser.query(`drop role ${login}`);
  await auth.stop();
  rmSync(folder, { recursive: true });
});

const callAdminPort = (rpc: string, body: object, token = adminToken): Promise<Response> =>
  fetch(`http://127.0.0.1:${ports.adminPort}/assent.auth.v1.${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

describe("auth as a process of its own", () => {
  test("it serves tokens over gRPC, errors included", async () => {
    const tokens = createClient(TokenService, transport);
    const organizationId = await createOrganization(auth);
    const client = await createOAuthClient(auth, organizationId);
    expect((await tokens.issueToken(client)).scopes).toEqual(["click:read", "click:accept"]);
    await expectDomainError(tokens.issueToken({ ...client, clientSecret: "wrong" }), "OAUTH_INVALID_CLIENT");
    const { apiKey } = await createKey(auth, organizationId);
    expect(await tokens.authenticateApiKey({ apiKey })).toMatchObject({ organizationId });
    await expectDomainError(tokens.authenticateApiKey({ apiKey: "ak_live_" }), "INVALID_TOKEN");
    expect(output.join("\n")).not.toContain(client.clientSecret);
    expect(output.join("\n")).not.toContain(apiKey);
  });

  test("it serves management on the admin port only, and only with the token", async () => {
    const overGrpc = createClient(AdminService, transport);
    await expect(overGrpc.createOrganization({ name: "Acme", plan: 1 })).rejects.toMatchObject({
      code: Code.Unimplemented,
    });
    const body = { name: "Acme", plan: "PLAN_BUSINESS" };
    expect((await callAdminPort("AdminService/CreateOrganization", body, "wrong")).status).toBe(401);
    const created = await callAdminPort("AdminService/CreateOrganization", body);
    expect(await created.json()).toMatchObject({ organization: { name: "Acme", plan: "PLAN_BUSINESS" } });
    expect((await callAdminPort("TokenService/GetJwks", {})).status).toBe(200);
  });

  test("the database's password and the admin tokens are changed while it serves, and no call fails", async () => {
    const tokens = createClient(TokenService, transport);
    const { apiKey } = await createKey(auth, await createOrganization(auth));
    const ending = new AbortController();
    const outcomes: unknown[] = [];
    const serve = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        outcomes.push(await tokens.authenticateApiKey({ apiKey }).then(() => "ok", String));
        await delay(5);
      }
    };
    const served = [serve(), serve(), serve()];
    const passed = (count: number, from = outcomes.length) => until(() => outcomes.length >= from + count);
    await passed(20);

    await auth.superuser.query(`alter role ${login} password 'two'`);
    await passed(50);
    databaseUrl("two");
    await passed(20);
    // What is idle ends, and what comes after it has logged in with the password of now.
    await auth.superuser.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = $1 and state = 'idle' and application_name <> 'auth-lookup'",
      [login],
    );
    await passed(20);

    writeSecret("admin-token", `${adminToken},ann:another-token`);
    const listed = (token: string) => callAdminPort("TokenService/GetJwks", {}, token);
    expect([(await listed(adminToken)).status, (await listed("another-token")).status]).toEqual([200, 200]);
    writeSecret("admin-token", "ann:another-token");
    expect([(await listed(adminToken)).status, (await listed("another-token")).status]).toEqual([401, 200]);
    const body = { name: "Of Ann", plan: "PLAN_BUSINESS" };
    const made = await (await callAdminPort("AdminService/CreateOrganization", body, "another-token")).json();
    const { id: organizationId } = (made as { organization: { id: string } }).organization;
    const key = await callAdminPort("AdminService/CreateApiKey", { organizationId, name: "Key" }, "another-token");
    expect(key.status).toBe(200);
    const { rows } = await auth.superuser.query(
      "select actor_id, actor_name from auth.audit_event where organization_id = $1 and action = 'api-key.created'",
      [organizationId],
    );
    expect(rows).toEqual([{ actor_id: "operator", actor_name: "ann" }]);
    // A line may come after the answer that it is about.
    const logged = () =>
      output.map((line) => JSON.parse(line)).find(({ rpc }) => rpc === "assent.auth.v1.AdminService/CreateApiKey");
    await until(() => logged() !== undefined);
    expect(logged()).toMatchObject({ operator: "ann", code: "ok", level: "info" });
    ending.abort();
    await Promise.all(served);
    expect(outcomes.filter((outcome) => outcome !== "ok")).toEqual([]);
    writeSecret("admin-token", adminToken);
  });

  test("a process that is killed between services takes nothing out of the report of an erasure", async () => {
    const organizationId = await createOrganization(auth);
    const { email } = await createPerson(auth, await createOwner(auth, organizationId));
    const orgId = parseOrgId(organizationId);
    if (orgId === undefined) throw new Error("the organization has no id");
    const call = { headers: callerHeaders({ orgId, clientId: "cl_test", requestId: "r", traceparent: "" }) };
    const killed = once(child, "exit");
    beforeAnswer = () => asked.length === 3 && child.kill("SIGKILL");
    const { erasure } = await createClient(ErasureService, transport).createErasure({ email }, call);
    const id = erasure?.id ?? "";
    expect((await killed)[1]).toBe("SIGKILL");
    transport.close();
    await startChild();
    await auth.superuser.query("update auth.erasure set claimed_until = null where id = $1", [id]);
    const erasures = createClient(ErasureService, transport);
    const report = await until(async () => {
      const found = await erasures.getErasure({ id }, call);
      return found.erasure?.status === ErasureStatus.COMPLETED && found;
    });
    expect(report.items.map(({ kind }) => kind)).toEqual([
      ...["document", "document", "document", "document"],
      ...["user.account", "user.audit"],
    ]);
    // The page whose answer was lost is asked for again.
    expect(asked).toHaveLength(5);
    expect(new Set(asked)).toEqual(new Set([`${id} `]));
  });

  test("it ends cleanly when it is told to", async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  });
});
