import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type pg from "pg";
import { createHealthState } from "#platform/admin-port.ts";
import type { Environment } from "#platform/config.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId } from "#platform/ids.ts";
import { createInternalTokens, parseInternalKeys, requireKnownCaller } from "#platform/rpc/callers.ts";
import { type RpcServer, startRpcServer } from "#platform/rpc/server.ts";
import { installationRoutes } from "#platform/service-settings.ts";
import {
  createEmptyTestDatabase,
  createTestDatabase,
  overNetwork,
  type TestDatabase,
} from "#platform/testing/database.ts";
import { createLogWitness } from "#platform/transparency/witness.ts";
import { makeSealedKey, signingKeyKek } from "../../../services/click/keys/sealed-columns.ts";
import { markerId } from "../../../services/click/log/log-memory.ts";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import { allowServiceRoles } from "../../migrate.ts";
import { startNats } from "../../nats.ts";
import { makeSeal } from "../../programs.ts";
import { describeWithNats } from "../../test/describe-with-nats.ts";
import { checkEncryption } from "../database.ts";
import type { Finding } from "../finding.ts";
import { roleSuffixes } from "../roles.ts";
import { examine, runDoctor } from "../run.ts";
import { temporaryFolder } from "../surroundings.ts";
import { targets } from "../targets.ts";

const masterKey = (): string => randomBytes(32).toString("base64");
const day = 86_400_000;
const password = randomBytes(12).toString("hex");
const login = `login_${randomBytes(6).toString("hex")}`;
const health = createHealthState();

let database: TestDatabase;
let superuser: pg.Pool;
const servers: RpcServer[] = [];
/** What each service has that all must have, as its process would read it. */
const shared: Record<string, Record<string, string>> = {};
/** Everything that all processes want but NATS, which few tests have. */
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = createPool({ url: database.superuserUrl, name: "test" });
  await superuser.query(`create role ${login} login noinherit password '${password}'`);
  await allowServiceRoles(database.url, login);
  health.setServing(true);
  const url = new URL(overNetwork(database.url));
  url.username = login;
  url.password = password;
  const seal = await makeSeal();
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
  };
  for (const [name, target] of targets) {
    const service = name.replace("_TARGET", "").toLowerCase();
    const { port } = await startService(service, target);
    env[name] = `127.0.0.1:${port}`;
  }
});
afterAll(async () => {
  for (const server of servers) await server.drain(0);
  await superuser.query(`drop owned by ${login}`);
  await superuser.query(`drop role ${login}`);
  await superuser.end();
  await database.drop();
});

/** A service that does nothing but to say who it is, to processes of the installation. */
async function startService(service: string, descriptor: DescService): Promise<RpcServer> {
  const keys = parseInternalKeys(env.INTERNAL_TOKEN_KEYS ?? "");
  const tokens = createInternalTokens({ keys: () => keys, now: () => Date.now() });
  shared[service] = { ADMIN_TOKEN: env.ADMIN_TOKEN ?? "", ...(service === "auth" ? { TOKEN_ISSUER: "assent" } : {}) };
  const server = await startRpcServer({
    routes: (router) => {
      router.service(descriptor, {});
      installationRoutes(service, () => shared[service] ?? {})(router);
    },
    ...{ host: "127.0.0.1", port: 0, health },
    interceptors: [requireKnownCaller({ tokens, ownNames: new Set() })],
  });
  servers.push(server);
  return server;
}

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
    const asOwner = await examine(all, { ...env, DATABASE_URL: overNetwork(database.url) });
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
    let unconfirmed = 0;
    let erasures: object = { isKept: true, listed: 3 };
    const server = createServer(({ url = "", headers }, response) => {
      const answers = new Map<string, object>([
        ["/assent.click.v1.EvidenceAdminService/ListLogEpochs", { unconfirmed, witness: { problem: "" } }],
        ["/assent.auth.v1.AdminService/ApplyErasureList", erasures],
      ]);
      const answer = answers.get(url);
      if (answer !== undefined && headers.authorization === "Bearer the-token") {
        response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
      } else if (missing === "") response.end("{}");
      else response.writeHead(503).end(JSON.stringify({ message: missing }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const runtime = { baseUrl, adminUrl: baseUrl, adminToken: "the-token" };
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
      expect([whole.code, whole.text]).toEqual([
        0,
        expect.stringMatching(
          /is ready[\s\S]*no epoch of a log waits[\s\S]*has all 3 of the list[\s\S]*Result: 0 wrong/,
        ),
      ]);
      // A restored one.
      unconfirmed = 2;
      erasures = { isKept: true, listed: 3, missing: 1 };
      const restored = await look();
      expect([restored.code, restored.text]).toEqual([
        1,
        expect.stringContaining("2 epochs of logs are not confirmed"),
      ]);
      expect(restored.text).toContain("1 of the list are not in the database");
      erasures = { isKept: false };
      expect((await look()).text).toContain("no list of erasures is kept");
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
    const owner = new URL(overNetwork(database.url)).username;
    await superuser.query(`revoke assent_gateway from ${login} granted by ${owner}`);
    const findings = await gateway();
    await allowServiceRoles(database.url, login);
    expect(saysOf(findings, "roles")).toBe("the login cannot use the role assent_gateway");
  });

  test("a migration that is pending, and one of a later release", async () => {
    const renamed = "update gateway.migration set name = $1 where name = $2";
    const { rows } = await superuser.query<{ name: string }>("select name from gateway.migration order by id limit 1");
    const first = rows[0]?.name;
    await superuser.query(renamed, ["999_later", first]);
    const findings = await gateway({ DATABASE_URL: overNetwork(database.url) });
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

  test("a disk that is full for whoever asks, and how much is free for a superuser alone", async () => {
    expect(saysOf(await gateway(), "database disk")).toMatch(
      /^the database has .* this login cannot see how much space is left/,
    );
    const asSuperuser = await gateway({ DATABASE_URL: overNetwork(database.superuserUrl) });
    expect(saysOf(asSuperuser, "database disk")).toMatch(/^\d+ % are free \(\d+ MB\); the database has/);
    const disk = await mountSmallDisk(superuser);
    // Only root may mount one.
    if (disk === undefined) return process.stderr.write("no small disk without root: a full one was not looked at\n");
    const name = `disk_${randomBytes(6).toString("hex")}`;
    try {
      await superuser.query(`create tablespace ${name} location '${disk.folder}'`);
      await superuser.query(`grant create on tablespace ${name} to ${login}`);
      await superuser.query(`alter role ${login} set temp_tablespaces = ${name}`);
      expect(wrongOnes(await gateway())).toEqual([]);
      disk.fill();
      const findings = await gateway();
      expect(saysOf(findings, "database disk")).toMatch(/^it is full: .*No space left/);
      expect(wrongOnes(findings)).toEqual(["database disk"]);
      expect(temporaryFolder(dirname(disk.folder)).verdict).toBe("wrong");
    } finally {
      await superuser.query(`alter role ${login} reset temp_tablespaces`);
      await superuser.query(`revoke create on tablespace ${name} from ${login}`);
      await superuser.query(`drop tablespace if exists ${name}`);
      disk.remove();
    }
  });

  test("commits that are answered before they are flushed", async () => {
    await superuser.query(`alter role ${login} set synchronous_commit = off`);
    const findings = await gateway();
    await superuser.query(`alter role ${login} reset synchronous_commit`);
    expect(saysOf(findings, "durability")).toContain("synchronous_commit is off");
  });
});

test("a database on another machine that anybody could stand in for is told from one that proves who it is", () => {
  const verdictOf = (rest: string) => checkEncryption(`postgres://me:secret@${rest}`).map(({ verdict }) => verdict);
  expect(["localhost/db", "127.0.0.1:5/db?sslmode=disable", "[::1]/db", "%2Frun%2Fpg/db"].flatMap(verdictOf)).toEqual(
    [],
  );
  expect(
    ["db.bank/x", "db.bank/x?sslmode=no-verify", "db.bank/x?uselibpqcompat=true&sslmode=require"].map(verdictOf),
  ).toEqual([["wrong"], ["wrong"], ["wrong"]]);
  expect(verdictOf("db.bank/x?sslmode=require")).toEqual(["notice"]);
  expect(verdictOf("db.bank/x?sslmode=verify-full&sslrootcert=/run/ca")).toEqual(["ok"]);
  expect(JSON.stringify(checkEncryption("postgres://me:secret@db.bank/x"))).not.toContain("secret");
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
  expect(saysOf(good, "CLICK_MASTER_KEY")).toBe("it is the key that the database was created with");
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
    expect(saysOf(findings, "CLICK_TARGET")).toContain("but is not ready");
  });

  test("another service at an address, and one that takes this process for a stranger", async () => {
    const findings = await gateway({ CLICK_TARGET: env.SIGN_TARGET });
    expect(saysOf(findings, "CLICK_TARGET")).toBe(`at ${env.SIGN_TARGET} is sign, not click`);
    expect(wrongOnes(findings)).toEqual(["CLICK_TARGET"]);
    const strange = await gateway({ INTERNAL_TOKEN_KEYS: masterKey() });
    expect(saysOf(strange, "CLICK_TARGET")).toContain("does not recognize this process as part of the installation");
  });

  test("an admin token and an issuer that not all processes have, without a word of them", async () => {
    expect(saysOf(await gateway(), "ADMIN_TOKEN")).toBe("the same in auth, click, docgen, sign, templates, webhooks");
    const other = randomBytes(32).toString("hex");
    shared.click = { ADMIN_TOKEN: other };
    try {
      const findings = await gateway({ TOKEN_ISSUER: "elsewhere" });
      expect(saysOf(findings, "ADMIN_TOKEN")).toBe(
        "it is not the same in auth, docgen, sign, templates, webhooks and in click",
      );
      expect(saysOf(findings, "TOKEN_ISSUER")).toBe("it is not the same in this process and in auth");
      expect(wrongOnes(findings)).toEqual(["ADMIN_TOKEN", "TOKEN_ISSUER"]);
      for (const secret of [other, env.ADMIN_TOKEN]) expect(JSON.stringify(findings)).not.toContain(secret);
      const ofSign = await examine(["sign"], env);
      expect(saysOf(ofSign, "ADMIN_TOKEN")).toMatch(/^it is not the same in this process, auth, .* and in click$/);
    } finally {
      shared.click = { ADMIN_TOKEN: env.ADMIN_TOKEN ?? "" };
    }
  });

  test("a public address that leads to somebody else, and an identity provider that is away", async () => {
    const answers: Record<string, unknown> = { "/": { name: "Assent" } };
    const server = createServer((request, response) => {
      response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const right = await gateway({ PUBLIC_URL: url });
      expect([saysOf(right, "public address"), wrongOnes(right)]).toEqual(["a gateway answers there", []]);
      answers["/"] = { name: "Intranet" };
      const other = await gateway({ PUBLIC_URL: url, OIDC_ISSUER: url, OIDC_CLIENT_ID: "assent" });
      expect(saysOf(other, "public address")).toBe("the server there is not a gateway");
      expect(wrongOnes(other)).toEqual(["public address", "identity provider"]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    const away = await gateway({ PUBLIC_URL: url, OIDC_ISSUER: url, OIDC_CLIENT_ID: "assent" });
    expect(saysOf(away, "public address")).toContain("ECONNREFUSED");
    expect(saysOf(away, "identity provider")).toContain("ECONNREFUSED");
    expect(wrongOnes(away)).toEqual(["public address", "identity provider"]);
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
      expect(saysOf(findings, "stream")).toBe("the first process will create EVENTS");
    } finally {
      await nats?.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

test("a database that lacks what its logs have signed is found, and epochs that nobody has confirmed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assent-witness-"));
  const LOG_WITNESS = join(folder, "witness");
  const told = async (changed: Environment) =>
    (await examine(["click"], { ...env, ...changed })).flatMap(({ check, verdict, says }) =>
      check === "log witness" ? [[verdict, says]] : [],
    );
  const logId = randomUUID();
  try {
    expect(await told({})).toMatchObject([["notice", expect.stringContaining("nothing outside")]]);
    expect(await told({ LOG_WITNESS })).toMatchObject([["ok", expect.anything()]]);
    await superuser.query("insert into click.log_head (organization_id, size) values ($1, 3)", [logId]);
    const note = `log\n5\n${Buffer.alloc(32).toString("base64")}\n\nsignature\n`;
    await createLogWitness(LOG_WITNESS, "").write(logId, { epoch: 1, size: 5, note }, undefined);
    expect(await told({ LOG_WITNESS })).toMatchObject([["wrong", expect.stringContaining("1 logs have signed")]]);
    await superuser.query(
      `insert into click.log_epoch (organization_id, epoch, first_index, tree_size, missing_from, former_epoch, former_size,
         former_note, opened_at) values ($1, 2, 3, 3, 3, 1, 5, '', now())`,
      [logId],
    );
    expect(await told({})).toContainEqual(["wrong", expect.stringContaining("1 epochs of logs are not confirmed")]);
    await superuser.query("insert into click.log_witness (marker, since) values ('a marker', now())");
    expect(await told({ LOG_WITNESS })).toContainEqual(["wrong", expect.stringContaining("lacks its marker")]);
    const marked = { epoch: 1, size: 0, note: "another marker" };
    await createLogWitness(LOG_WITNESS, "").write(markerId, marked, undefined);
    expect(await told({ LOG_WITNESS })).toContainEqual(["wrong", expect.stringContaining("not the one that this")]);
    await superuser.query("update click.log_witness set marker = 'another marker'");
    expect(await told({ LOG_WITNESS })).toContainEqual(["wrong", expect.stringContaining("1 logs have signed")]);
    expect((await told({ LOG_WITNESS: "nats", NATS_URL: "nats://127.0.0.1:1" }))[0]).toMatchObject([
      "wrong",
      expect.stringContaining("the witness in NATS cannot be used"),
    ]);
  } finally {
    await superuser.query("delete from click.log_witness");
    for (const table of ["log_epoch", "log_head"]) {
      await superuser.query(`delete from click.${table} where organization_id = $1`, [logId]);
    }
    rmSync(folder, { recursive: true });
  }
});
