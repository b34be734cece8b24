import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type AdminPort, createHealthState, startAdminPort } from "#platform/admin-port.ts";
import type { Environment } from "#platform/config.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { type AuthHarness, startAuth } from "../../services/auth/test/harness.ts";
import { runAdmin } from "./run.ts";

let auth: AuthHarness;
let port: AdminPort;
let env: Environment;
let folder: string;

beforeAll(async () => {
  auth = await startAuth();
  port = await startAdminPort({
    host: "127.0.0.1",
    port: 0,
    token: "the-admin-token,Ann/view:a-token-to-look",
    routes: [auth.service.routes],
    operatorRoutes: [auth.service.adminRoutes ?? (() => undefined)],
    observed: { service: "admin", logger: createLogger("admin", "silent"), metrics: createMetrics() },
    health: createHealthState(),
    checkReady: auth.service.checkReady,
  });
  env = { ASSENT_ADMIN_URL: `http://127.0.0.1:${port.port}`, ASSENT_ADMIN_TOKEN: "the-admin-token" };
  folder = mkdtempSync(join(tmpdir(), "assent-admin-"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await port.close();
  await auth.stop();
});

async function admin(args: readonly string[], surroundings = env): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runAdmin(args, {
    env: surroundings,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
  });
  return { code, ...printed };
}

/** Runs a command that must succeed and print exactly one line of JSON. */
// biome-ignore lint/suspicious/noExplicitAny: each command has a result of its own, which the test looks at
async function json(...args: string[]): Promise<any> {
  const { code, out, err } = await admin([...args, "--json"]);
  expect({ code, err, lines: out.split("\n").length }).toEqual({ code: 0, err: "", lines: 2 });
  return JSON.parse(out);
}

const createOrganization = async (): Promise<string> =>
  (await json("organizations", "create", "--name", "Acme", "--plan", "gen_pro")).organizationId;

describe("organizations", () => {
  test("create prints the id, and every plan can be set", async () => {
    const created = await json("organizations", "create", "--name", "Söhne & Co", "--plan", "gen_starter", "--sandbox");
    expect(Object.keys(created)).toEqual(["organizationId"]);
    const organization = created.organizationId;
    for (const plan of ["gen_starter", "gen_pro", "gen_hoa", "business", "gen_payg"]) {
      const changed = await json("organizations", "set-plan", "--organization", organization, "--plan", plan);
      expect(changed).toMatchObject({ organizationId: organization, name: "Söhne & Co", plan, sandbox: true });
    }
  });

  test("list shows their use, busy who keeps the gateways busy; whoever only looks sees both and changes nothing", async () => {
    const organizationId = await createOrganization();
    await auth.tokens.reportUse({
      ...{ gatewayId: organizationId, sequence: 1n, requests: [{ organizationId, requests: 7, refused: 2 }] },
      load: { spanMs: 15_000, organizations: [{ organizationId, busyMs: 30_000, errorMs: 6_000 }] },
    });
    const looking = { ...env, ASSENT_ADMIN_TOKEN: "a-token-to-look" };
    const { organizations } = JSON.parse((await admin(["organizations", "list", "--json"], looking)).out);
    const found = organizations.find((one: { organizationId: string }) => one.organizationId === organizationId);
    expect(found).toMatchObject({ usedToday: { requests: 7, refused: 2 }, usedIn30Days: { requests: 7, refused: 2 } });
    const read = (await admin(["organizations", "list"], looking)).out.split("\n");
    // The counts of the webhooks service, which nobody runs here, are not known.
    expect(read.find((line) => line.startsWith(organizationId))).toMatch(
      /Z +requests=7 refused=2 others=unknown +requests=7 refused=2 others=unknown$/,
    );
    const busy = await admin(["organizations", "busy", "--limit", "5", "--json"], looking);
    expect(JSON.parse(busy.out)).toEqual({
      organizations: [{ organizationId, name: "Acme", atLeast: 0.4, atMost: 0.5 }],
    });
    const refused = await admin(["keys", "create", "--organization", organizationId, "--name", "x"], looking);
    expect([refused.code, refused.err]).toEqual([1, "error: the token of Ann is for looking alone\n"]);
  });

  test("set-limits overrides the named groups", async () => {
    const organization = await createOrganization();
    await json("organizations", "set-limits", "--organization", organization, "--accept", "5", "--render", "6");
    const changed = await json(
      "organizations",
      "set-limits",
      "--organization",
      organization,
      "--other",
      "7",
      "--sign",
      "8",
    );
    expect(changed.limits).toEqual({ accept: 5, render: 6, other: 7, sign: 8 });
  });
});

describe("keys", () => {
  test("a key is created, listed and revoked", async () => {
    const organization = await createOrganization();
    const { keyId, apiKey } = await json("keys", "create", "--organization", organization, "--name", "CI");
    expect(await auth.tokens.authenticateApiKey({ apiKey })).toMatchObject({ keyId, organizationId: organization });
    const { keys } = await json("keys", "list", "--organization", organization);
    const createdAt = auth.clock.now().toISOString();
    expect(keys).toEqual([{ keyId, name: "CI", createdAt, lastUsedAt: null, revokedAt: null }]);
    const revoked = await json("keys", "revoke", "--organization", organization, "--key", keyId);
    expect(revoked).toEqual({ keyId, name: "CI", createdAt, lastUsedAt: null, revokedAt: createdAt });
    await expect(auth.tokens.authenticateApiKey({ apiKey })).rejects.toThrow();
  });
});

describe("users", () => {
  test("create-owner prints the link of an invitation that makes the first owner, once for an address", async () => {
    const organization = await createOrganization();
    const command = ["users", "create-owner", "--organization", organization, "--email", "Ann@example.com"] as const;
    const { userId, inviteUrl, ...more } = await json(...command, "--name", "Ann Example");
    expect(more).toEqual({});
    expect(inviteUrl).toMatch(/\/dashboard\/invitation#[\w-]{43}$/);
    const token = inviteUrl.split("#")[1];
    const { signedIn } = await auth.logins.acceptInvitation({ token, password: "correct horse battery staple" });
    expect(signedIn?.principal?.user).toMatchObject({ id: userId, email: "Ann@example.com", name: "Ann Example" });
    const again = await admin([...command, "--name", "Ann Again"]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("already has a user with this email address");
  });
});

describe("clients", () => {
  test("a client is created, listed, given a new secret and revoked", async () => {
    const organization = await createOrganization();
    const scopes = "click:read, click:accept";
    const created = await json("clients", "create", "--organization", organization, "--name", "B", "--scopes", scopes);
    const { clientId, clientSecret } = created;
    expect((await auth.tokens.issueToken({ clientId, clientSecret })).scopes).toEqual(["click:read", "click:accept"]);
    const { clients } = await json("clients", "list", "--organization", organization);
    expect(clients).toMatchObject([{ clientId, name: "B", scopes: ["click:read", "click:accept"], revokedAt: null }]);
    const rotated = await json("clients", "rotate-secret", "--organization", organization, "--client", clientId);
    expect(Object.keys(rotated)).toEqual(["clientId", "clientSecret"]);
    await auth.tokens.issueToken(rotated);
    const revoked = await json("clients", "revoke", "--organization", organization, "--client", clientId);
    expect(revoked).toMatchObject({ clientId, revokedAt: auth.clock.now().toISOString() });
    await expect(auth.tokens.issueToken(rotated)).rejects.toThrow();
  });
});

describe("keys of clients", () => {
  const publicKeyFile = (): string => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const file = join(folder, `${newId()}.pem`);
    writeFileSync(file, publicKey.export({ type: "spki", format: "pem" }));
    return file;
  };
  const createClient = async (): Promise<string[]> => {
    const organization = await createOrganization();
    const args = ["--organization", organization, "--name", "B", "--scopes", "click:read"];
    const { clientId } = await json("clients", "create", ...args);
    return ["--organization", organization, "--client", clientId];
  };

  test("a key is added from a file, listed and revoked", async () => {
    const client = await createClient();
    const createdAt = auth.clock.now().toISOString();
    const added = await json("clients", "add-key", ...client, "--public-key-file", publicKeyFile());
    expect(added).toEqual({
      keyId: expect.stringMatching(/^[\w-]{43}$/),
      algorithm: "ES256",
      createdAt,
      revokedAt: null,
    });
    expect(await json("clients", "list-keys", ...client)).toEqual({ keys: [added] });
    const revoked = await json("clients", "revoke-key", ...client, `--key=${added.keyId}`);
    expect(revoked).toEqual({ ...added, revokedAt: createdAt });
  });

  test("a private key never leaves the machine, and a file that is not there is named", async () => {
    const client = await createClient();
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const file = join(folder, "private.pem");
    writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
    const refused = await admin(["clients", "add-key", ...client, "--public-key-file", file]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("holds a private key")]);
    const missing = await admin(["clients", "add-key", ...client, "--public-key-file", join(folder, "none.pem")]);
    expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/cannot be read.*none\.pem/)]);
  });

  test("what is no key is refused by the service, with the reason", async () => {
    const file = join(folder, "text.pem");
    writeFileSync(file, "no key");
    const refused = await admin(["clients", "add-key", ...(await createClient()), "--public-key-file", file]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("must be one public key in PEM")]);
  });
});

describe("tokens", () => {
  test("a token is revoked by its value", async () => {
    const organization = await createOrganization();
    const { apiKey } = await json("keys", "create", "--organization", organization, "--name", "CI");
    expect(await json("tokens", "revoke", "--token", apiKey)).toEqual({ revoked: true });
    await expect(auth.tokens.authenticateApiKey({ apiKey })).rejects.toThrow();
  });
});

describe("for people", () => {
  test("without --json an object is one line per field and a list is a table", async () => {
    const organization = await createOrganization();
    const { out } = await admin(["organizations", "set-limits", "--organization", organization, "--accept", "5"]);
    expect(out).toContain(`organizationId    ${organization}\n`);
    expect(out).toContain("limits            accept=5 render=12000 other=1200 sign=1200\n");
    expect(out).toContain(
      "sharedLimits      accept=60000 render=120000 other=12000 sign=12000\nmaxCredentials    100\n",
    );
    expect((await admin(["keys", "list", "--organization", organization])).out).toBe("no keys\n");
    await admin(["keys", "create", "--organization", organization, "--name", "CI"]);
    const [head, row] = (await admin(["keys", "list", "--organization", organization])).out.split("\n");
    expect(head).toMatch(/^keyId +name +createdAt +lastUsedAt +revokedAt$/);
    expect(row).toMatch(/^\w{16} +CI +2026-06-01T00:00:00.000Z +- +-$/);
  });

  test("help goes to stdout", async () => {
    const { code, out, err } = await admin(["--help"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("organizations set-limits --organization O [--accept N]");
  });
});

describe("errors", () => {
  test("a wrong call ends with 2 and shows the usage on stderr", async () => {
    const wrong = [
      [],
      ["organizations"],
      ["organizations", "delete"],
      ["organizations", "create", "--name", "Acme"],
      ["organizations", "create", "--name", " ", "--plan", "gen_pro"],
      ["organizations", "create", "--name", "Acme", "--plan", "GEN_PRO"],
      ["organizations", "create", "--name", "Acme", "--plan", "gen_pro", "--colour", "red"],
      ["organizations", "create", "extra", "--name", "Acme", "--plan", "gen_pro"],
      ["organizations", "set-limits", "--organization", newId()],
      ...["0", "-1", "1.5", "1e3", "many", "", "4294967296"].map((accept) => [
        "organizations",
        "set-limits",
        "--organization",
        newId(),
        `--accept=${accept}`,
      ]),
      ["keys", "list"],
      ["tokens", "revoke", "--token"],
    ];
    for (const args of wrong) {
      const { code, out, err } = await admin([...args, "--json"]);
      expect([args, code, out]).toEqual([args, 2, ""]);
      expect(err).toMatch(/^error: .+\n\nUsage: /);
    }
  });

  test("a refused command ends with 1 and says why on stderr", async () => {
    const organization = await createOrganization();
    const unknown = await admin(["keys", "list", "--organization", newId(), "--json"]);
    expect(unknown).toEqual({ code: 1, out: "", err: "error: There is no organization with this id.\n" });
    const scopes = await admin(["clients", "create", "--organization", organization, "--name", "B", "--scopes", "x:y"]);
    expect([scopes.code, scopes.out]).toEqual([1, ""]);
    expect(scopes.err).toContain("scopes[0]: must be one of sign:read");
  });

  test("a wrong admin token and half an endpoint are told apart", async () => {
    const list = ["keys", "list", "--organization", newId()];
    const wrongToken = await admin(list, { ...env, ASSENT_ADMIN_TOKEN: "wrong" });
    expect([wrongToken.code, wrongToken.err]).toEqual([1, expect.stringContaining("refuses the admin token")]);
    const half = await admin(list, { ASSENT_ADMIN_URL: env.ASSENT_ADMIN_URL });
    expect([half.code, half.err]).toEqual([1, expect.stringContaining("set both")]);
  });

  test("without a running copy the error says how to get one", async () => {
    const { code, err } = await admin(["keys", "list", "--organization", newId()], {
      ASSENT_HOME: join(folder, "none"),
    });
    expect([code, err]).toEqual([1, expect.stringContaining("npm start")]);
  });

  test("a broken runtime file is named", async () => {
    for (const content of ["", "{}", "[]", '{"adminUrl": 5, "adminToken": "x"}']) {
      writeFileSync(join(folder, "runtime.json"), content);
      const { code, err } = await admin(["keys", "list", "--organization", newId()], { ASSENT_HOME: folder });
      expect([code, err]).toEqual([1, expect.stringContaining("runtime.json cannot be used")]);
    }
  });
});

describe("as a program", () => {
  const program = fileURLToPath(new URL("../admin.ts", import.meta.url));
  const run = (args: readonly string[], surroundings: Record<string, string>) =>
    promisify(execFile)(process.execPath, [program, ...args], { env: surroundings });

  test("it finds the running copy through its data folder and prints one line", async () => {
    const runtime = { adminUrl: env.ASSENT_ADMIN_URL, adminToken: env.ASSENT_ADMIN_TOKEN };
    writeFileSync(join(folder, "runtime.json"), JSON.stringify(runtime), { mode: 0o600 });
    const args = ["organizations", "create", "--name", "Acme", "--plan", "business", "--json"];
    const { stdout, stderr } = await run(args, { ASSENT_HOME: folder });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^\{"organizationId":"[0-9a-f-]{36}"\}\n$/);
  });

  test("it ends with the code that says what went wrong and prints nothing on stdout", async () => {
    await expect(run(["nonsense"], {})).rejects.toMatchObject({ code: 2, stdout: "" });
    const nowhere = { ASSENT_ADMIN_URL: "http://127.0.0.1:1", ASSENT_ADMIN_TOKEN: "x" };
    await expect(run(["keys", "list", "--organization", newId()], nowhere)).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("nothing answers at http://127.0.0.1:1"),
    });
  });
});
