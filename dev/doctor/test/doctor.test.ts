import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type pg from "pg";
import type { Environment } from "#platform/config.ts";
import { createPool } from "#platform/db/pool.ts";
import { createHealthState, healthRoutes } from "#platform/health.ts";
import { newId } from "#platform/ids.ts";
import { type RpcServer, startRpcServer } from "#platform/rpc/server.ts";
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { makeSealedKey, signingKeyKek } from "../../../services/click/keys/sealed-columns.ts";
import { startNats } from "../../nats.ts";
import { makeSeal } from "../../programs.ts";
import { allowServiceRoles } from "../../service-login.ts";
import { describeWithNats } from "../../test/describe-with-nats.ts";
import type { Finding } from "../finding.ts";
import { roleSuffixes } from "../roles.ts";
import { examine, runDoctor } from "../run.ts";

const masterKey = (): string => randomBytes(32).toString("base64");
const day = 86_400_000;
const password = randomBytes(12).toString("hex");
const login = `login_${randomBytes(6).toString("hex")}`;
const health = createHealthState();

let database: TestDatabase;
let superuser: pg.Pool;
let rpc: RpcServer;
/** Everything that all processes want but NATS, which few tests have. */
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = createPool({ url: database.superuserUrl, name: "test" });
  await superuser.query(`create role ${login} login noinherit password '${password}'`);
  await allowServiceRoles(database.url, login);
  health.setServing(true);
  rpc = await startRpcServer({
    routes: healthRoutes(health, []),
    host: "127.0.0.1",
    port: 0,
    interceptors: [],
    health,
  });
  const url = new URL(database.url);
  url.username = login;
  url.password = password;
  const seal = await makeSeal();
  const target = `127.0.0.1:${rpc.port}`;
  env = {
    DATABASE_URL: url.href,
    NATS_URL: "nats://127.0.0.1:1",
    ADMIN_TOKEN: randomBytes(32).toString("hex"),
    INTERNAL_TOKEN_KEYS: masterKey(),
    NODE_ENV: "production",
    TRUSTED_PROXIES: "10.0.0.0/8",
    ...{ AUTH_MASTER_KEY: masterKey(), CLICK_MASTER_KEY: masterKey() },
    ...{ SIGN_MASTER_KEY: masterKey(), WEBHOOKS_MASTER_KEY: masterKey() },
    EVIDENCE_ISSUER: "https://agreements.example.com",
    ...{ SEAL_KEY: seal.key, SEAL_CERTIFICATES: seal.certificates },
    ...Object.fromEntries(
      ["AUTH", "TEMPLATES", "CLICK", "DOCGEN", "SIGN", "WEBHOOKS"].map((name) => [`${name}_TARGET`, target]),
    ),
  };
});
afterAll(async () => {
  await rpc.drain(0);
  await superuser.query(`drop owned by ${login}`);
  await superuser.query(`drop role ${login}`);
  await superuser.end();
  await database.drop();
});

/** The server of the tests does not flush, which the doctor sees; one test looks at that. */
const wrongOnes = (findings: readonly Finding[]): string[] =>
  findings.filter(({ verdict, check }) => verdict === "wrong" && check !== "durability").map(({ check }) => check);
const saysOf = (findings: readonly Finding[], check: string): string =>
  findings
    .filter((finding) => finding.check === check)
    .map(({ says }) => says)
    .join("\n");
const gateway = (changed: Environment = {}) => examine(["gateway"], { ...env, ...changed });

describe("an installation that is in order", () => {
  test("has nothing wrong but what is away, and its migrations can be seen by the owner alone", async () => {
    const all = [...roleSuffixes.keys()];
    const asLogin = await examine(all, env);
    expect(wrongOnes(asLogin)).toEqual(["nats"]);
    expect(asLogin.find(({ check }) => check === "migrations")?.verdict).toBe("skipped");
    const asOwner = await examine(all, { ...env, DATABASE_URL: database.url });
    expect(wrongOnes(asOwner)).toEqual(["nats"]);
    expect(asOwner.find(({ check }) => check === "migrations")?.verdict).toBe("ok");
  });

  test("the roles that are asked for are all that the migrations make", async () => {
    const { rows } = await superuser.query<{ name: string }>(
      "select rolname as name from pg_roles where rolname ~ '^assent_' and not rolcanlogin and rolname !~ '_test' order by 1",
    );
    const asked = [...roleSuffixes].flatMap(([title, suffixes]) =>
      suffixes.map((suffix) => `assent_${title}${suffix}`),
    );
    expect(asked.sort()).toEqual(rows.map(({ name }) => name));
  });

  test("every thing that is wrong says what to do, and no finding has a secret in it", async () => {
    const broken = { ...env, AUTH_TARGET: "127.0.0.1:1", CLICK_MASTER_KEY: "short", SEAL_KEY: "no key" };
    let text = "";
    const code = await runDoctor(["--json"], { env: broken, out: (part) => (text += part), err: () => {} });
    expect(code).toBe(1);
    const { healthy, findings } = JSON.parse(text) as { healthy: boolean; findings: Finding[] };
    expect(healthy).toBe(false);
    expect(wrongOnes(findings)).toEqual(expect.arrayContaining(["settings", "seal", "AUTH_TARGET"]));
    expect(findings.filter(({ verdict, todo }) => verdict === "wrong" && !todo)).toEqual([]);
    for (const name of ["AUTH_MASTER_KEY", "WEBHOOKS_MASTER_KEY", "ADMIN_TOKEN"]) expect(text).not.toContain(env[name]);
    expect(text).not.toContain(password);
  });

  test("an environment without any setting is told about once, before all that is missing", async () => {
    const found = await examine([...roleSuffixes.keys()], { NODE_ENV: "production" });
    expect(found.find(({ verdict }) => verdict !== "ok")).toMatchObject({
      verdict: "notice",
      todo: expect.stringContaining("npm start"),
    });
    expect((await examine(["auth"], env)).map(({ todo }) => todo ?? "").join()).not.toContain("npm start");
  });

  test("a setting that several processes lack is named once for each, also where two of their parts ask for it", async () => {
    const found = await examine(["templates", "click"], {});
    expect(found.find(({ says }) => says.startsWith("NATS_URL"))?.todo).toMatch(/^Set it for templates, click:/);
  });

  test("beside a copy that npm start runs, it is the copy that is looked at, and what it says is missing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-doctor-test-"));
    let missing = "";
    const server = createServer((_request, response) => {
      if (missing === "") response.end("{}");
      else response.writeHead(503).end(JSON.stringify({ message: missing }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const runtime = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    writeFileSync(join(folder, "runtime.json"), JSON.stringify(runtime));
    const look = async (args: readonly string[] = [], more: Environment = {}) => {
      let text = "";
      const code = await runDoctor(args, {
        ...{ env: { ASSENT_HOME: folder, ...more }, out: (part) => (text += part), err: () => {} },
      });
      return { code, text };
    };
    try {
      const whole = await look();
      expect([whole.code, whole.text]).toEqual([0, expect.stringMatching(/is ready[\s\S]*Result: 0 wrong/)]);
      missing = "Missing: click.";
      expect(await look()).toEqual({ code: 1, text: expect.stringContaining("is not ready. Missing: click.") });
      expect((await look(["gateway"])).text).toContain("DATABASE_URL is required");
      expect((await look([], { DATABASE_URL: "postgres://127.0.0.1:1/none" })).text).toContain("ECONNREFUSED");
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect((await look()).text).toContain("does not answer");
    rmSync(folder, { recursive: true });
  });

  test("auth needs NATS to tell of administrative acts, with mails and without", async () => {
    const { NATS_URL, ...without } = env;
    const missing = async (changes: Environment) =>
      wrongOnes(await examine(["auth"], { ...without, SMTP_URL: "", ...changes })).includes("settings");
    expect(await missing({})).toBe(true);
    expect(await missing({ NATS_URL })).toBe(false);
  });
});

describe("what is wrong with a database is named", () => {
  test("a wrong password, and nobody at the address", async () => {
    const url = new URL(env.DATABASE_URL as string);
    url.port = "1";
    expect(saysOf(await gateway({ DATABASE_URL: url.href }), "database")).toContain("ECONNREFUSED");
  });

  test("no schema, and no roles for the login", async () => {
    const empty = await createEmptyTestDatabase();
    try {
      const findings = await gateway({ DATABASE_URL: empty.url });
      expect(saysOf(findings, "migrations")).toBe("there is no schema for gateway");
    } finally {
      await empty.drop();
    }
    const owner = new URL(database.url).username;
    await superuser.query(`revoke assent_gateway from ${login} granted by ${owner}`);
    const findings = await gateway();
    await allowServiceRoles(database.url, login);
    expect(saysOf(findings, "roles")).toBe("the login may not take on assent_gateway");
  });

  test("a migration that is pending, and one of a later release", async () => {
    const renamed = "update gateway.migration set name = $1 where name = $2";
    const { rows } = await superuser.query<{ name: string }>("select name from gateway.migration order by id limit 1");
    const first = rows[0]?.name;
    await superuser.query(renamed, ["999_later", first]);
    const findings = await gateway({ DATABASE_URL: database.url });
    await superuser.query(renamed, [first, "999_later"]);
    expect(saysOf(findings, "migrations")).toBe(
      `gateway lacks ${first}\ngateway has 999_later, which this release does not know`,
    );
    expect(wrongOnes(findings)).toEqual(["migrations"]);
  });

  test("a clock that is a minute ahead of the database's", async () => {
    const now = Date.now;
    const ahead = jest.spyOn(Date, "now").mockImplementation(() => now() + 60_000);
    const findings = await gateway().finally(() => ahead.mockRestore());
    expect(saysOf(findings, "clock")).toMatch(/^this clock and the database's differ by (59|60)\d{3} ms$/);
    expect(wrongOnes(findings)).toEqual(["clock"]);
  });

  test("commits that are answered before they are flushed", async () => {
    await superuser.query(`alter role ${login} set synchronous_commit = off`);
    const findings = await gateway();
    await superuser.query(`alter role ${login} reset synchronous_commit`);
    expect(saysOf(findings, "durability")).toContain("synchronous_commit is off");
  });
});

test("keys and an issuer that the database was not made with are told from those that it was", async () => {
  const [former, kept] = [masterKey(), env.CLICK_MASTER_KEY as string];
  const add = async (key: string, generation: number): Promise<void> => {
    const { kid, publicKey, privateKey } = makeSealedKey(signingKeyKek([Buffer.from(key, "base64")], "receipt"));
    await superuser.query(
      `insert into click.signing_key (purpose, generation, kid, public_key, private_key, signs_from, created_at)
       values ('receipt', $1, $2, $3, $4, now(), now() + $1::integer * interval '1 second')`,
      [generation, kid, publicKey, privateKey],
    );
  };
  await superuser.query(
    `insert into click.log_checkpoint (organization_id, size, root, note, created_at) values ($1, 1, $2, $3, now())`,
    [newId(), Buffer.alloc(32), "old.example.com/click/log/x\n1\n"],
  );
  await add(kept, 1);
  const good = await examine(["click"], env);
  expect(saysOf(good, "CLICK_MASTER_KEY")).toBe("it is the one that the database was made with");
  await add(former, 2);
  const bad = await examine(["click"], env);
  expect(wrongOnes(bad)).toEqual(["CLICK_MASTER_KEY", "EVIDENCE_ISSUER", "nats"]);
});

describe("what is wrong around it is named", () => {
  test("certificates that end, addresses without TLS, dangerous settings, and servers that do not answer", async () => {
    const late = await examine(["sign"], env, new Date(Date.now() + 3_651 * day));
    expect(saysOf(late, "seal")).toContain("the certificate has expired on");
    const soon = await examine(["sign"], env, new Date(Date.now() + 3_600 * day));
    expect(saysOf(soon, "seal")).toMatch(/expires in \d+ days/);
    const findings = await examine(["gateway", "sign", "webhooks"], {
      ...env,
      PUBLIC_URL: "http://agreements.example.com",
      WEBHOOKS_ALLOW_PRIVATE: "true",
      SMTP_URL: "smtp://127.0.0.1:1",
      MAIL_FROM: "a@example.com",
      TSA_URL: "http://127.0.0.1:1/",
      ADMIN_TOKEN: "guess",
    });
    expect(wrongOnes(findings)).toEqual(
      expect.arrayContaining(["admin token", "webhooks", "nats", "PUBLIC_URL", "time stamps", "mail"]),
    );
  });

  test("a service that answers but does not want requests", async () => {
    health.setServing(false);
    const findings = await gateway();
    health.setServing(true);
    expect(saysOf(findings, "CLICK_TARGET")).toContain("does not want requests yet");
  });

  test("an unknown process is a mistake of the caller", async () => {
    let said = "";
    expect(await runDoctor(["clack"], { env, out: () => {}, err: (text) => (said += text) })).toBe(2);
    expect(said).toContain("there is no process clack");
  });
});

describeWithNats("NATS", () => {
  test("is in order before and after the stream was made", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-doctor-test-"));
    const nats = await startNats({ storeDir: folder });
    try {
      const findings = await examine(["templates"], { ...env, NATS_URL: nats?.url });
      expect(wrongOnes(findings)).toEqual([]);
      expect(saysOf(findings, "stream")).toBe("EVENTS will be made by the first process");
    } finally {
      await nats?.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
