import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Code, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { createGrpcTransport, type GrpcTransport } from "#platform/rpc/client.ts";
import { createInternalTokens } from "#platform/rpc/internal-tokens.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { type AuthHarness, createKey, createOAuthClient, createOrganization, masterKey, startAuth } from "./harness.ts";

const adminToken = "the-admin-token";
const internalKey = randomBytes(32);
let auth: AuthHarness;
let child: ChildProcess;
let ports: { rpcPort: number; adminPort: number };
let transport: GrpcTransport;
const output: string[] = [];

beforeAll(async () => {
  auth = await startAuth();
  child = spawn(process.execPath, [fileURLToPath(new URL("../main.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      DATABASE_URL: auth.databaseUrl,
      AUTH_MASTER_KEY: masterKey,
      ADMIN_TOKEN: adminToken,
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
    services: [TokenService, AdminService],
    tokens: createInternalTokens({ keys: () => [internalKey], now: Date.now }),
  });
});

afterAll(async () => {
  transport.close();
  if (child.exitCode === null) child.kill("SIGKILL");
  await auth.stop();
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

  test("it ends cleanly when it is told to", async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  });
});
