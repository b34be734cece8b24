import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { newId, type OrgId } from "../../ids.ts";
import { createFaultProxy } from "../../net/fault-proxy.ts";
import { createEmptyTestDatabase, overNetwork, type TestDatabase, terminateSessions } from "../../testing/database.ts";
import { until } from "../../testing/until.ts";
import { addressPattern, spellingsOf } from "../address-pattern.ts";
import { createRoleSql, forceOrgIsolationSql } from "../ddl.ts";
import { isTransient, isUniqueViolation } from "../errors.ts";
import { createPool, type Tenant, withOrg, withOrgRead, withOrgSnapshot, withTransaction } from "../pool.ts";

const role = "assent_pool_test";
const orgA = newId() as OrgId;
const orgB = newId() as OrgId;

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  const owner = createPool({ url: database.url, name: "owner" });
  const statements = [
    createRoleSql(role),
    "create table note (organization_id uuid not null, id integer not null, text text, primary key (organization_id, id))",
    ...forceOrgIsolationSql("note"),
    `grant select, insert, update, delete on note to ${role}`,
  ];
  for (const statement of statements) await owner.query(statement);
  await owner.end();
  // Two connections, so that transactions share them and would find what another one left behind.
  pool = createPool({ url: database.url, role, name: "test", max: 2, lockTimeoutMs: 200, statementTimeoutMs: 1_000 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  for (const org of [orgA, orgB]) await withOrg(pool, org, ({ client }) => client.query("delete from note"));
});

const insert =
  (org: OrgId, id: number) =>
  ({ client }: Pick<Tenant, "client">) =>
    client.query("insert into note (organization_id, id) values ($1, $2)", [org, id]);
const countNotes = async ({ client }: { readonly client: pg.PoolClient | pg.Pool }): Promise<number> =>
  (await client.query<{ n: number }>("select count(*)::integer as n from note")).rows[0]?.n ?? -1;

const asks =
  (statement: pg.QueryConfig) =>
  async ({ client }: Tenant): Promise<object[]> =>
    (await client.query(statement)).rows;

describe("withOrg", () => {
  test("an organization sees its own rows and no others", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    expect(await withOrg(pool, orgA, countNotes)).toBe(1);
    expect(await withOrg(pool, orgB, countNotes)).toBe(0);
  });

  test("an organization cannot write, change or delete rows of another one", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    await expect(withOrg(pool, orgB, insert(orgA, 2))).rejects.toThrow("row-level security");
    const changed = await withOrg(pool, orgB, ({ client }) => client.query("update note set text = 'x'"));
    const deleted = await withOrg(pool, orgB, ({ client }) => client.query("delete from note"));
    expect([changed.rowCount, deleted.rowCount]).toEqual([0, 0]);
  });

  test("without an organization nothing is visible and nothing can be written", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    expect(await countNotes({ client: pool })).toBe(0);
    await expect(withTransaction(pool, (client) => insert(orgA, 2)({ client }))).rejects.toThrow("row-level security");
  });

  test("row-level security binds the owner of the table as well", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    const owner = createPool({ url: database.url, name: "owner" });
    expect(await countNotes({ client: owner })).toBe(0);
    await owner.end();
  });

  test("the result is committed when the work resolves and undone when it rejects", async () => {
    await expect(
      withOrg(pool, orgA, async (tenant) => {
        await insert(orgA, 1)(tenant);
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await withOrg(pool, orgA, countNotes)).toBe(0);
  });

  test("the organization does not leak to whoever uses the connection next, whether it commits or rolls back", async () => {
    for (let i = 0; i < 4; i += 1) {
      await withOrg(pool, orgA, insert(orgA, i));
      await withOrg(pool, orgA, () => Promise.reject(new Error("no"))).catch(() => {});
      const seen = await Promise.all([countNotes({ client: pool }), countNotes({ client: pool })]);
      expect(seen).toEqual([0, 0]);
      const setting = await pool.query<{ org: string }>("select current_setting('app.org_id', true) as org");
      expect(setting.rows[0]?.org ?? "").toBe("");
    }
  });

  test("a transaction that was spoiled by a swallowed error is reported, not committed in silence", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    const spoiled = withOrg(pool, orgA, async (tenant) => {
      await insert(orgA, 2)(tenant);
      await insert(orgA, 1)(tenant).catch(() => {});
    });
    await expect(spoiled).rejects.toThrow("rolled back");
    expect(await withOrg(pool, orgA, countNotes)).toBe(1);
  });

  test("something that is not a UUID is refused before it reaches the database", async () => {
    const bad = "x', true); drop table note; --" as OrgId;
    await expect(withOrg(pool, bad, countNotes)).rejects.toThrow(TypeError);
  });

  test("a connection that breaks during the work is replaced", async () => {
    const error = await withOrg(pool, orgA, async (tenant) => {
      await terminateSessions(database, "test");
      return countNotes(tenant);
    }).catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    expect(await withOrg(pool, orgA, countNotes)).toBe(0);
  });
});

/** A pool whose answers can be held back, and what its only connection has done since it last was asked anything. */
async function throughProxy() {
  const { hostname, port } = new URL(overNetwork(database.url));
  const proxy = await createFaultProxy({ host: hostname, port: Number(port) });
  const url = new URL(overNetwork(database.url));
  url.port = String(proxy.port);
  const name = "one-trip";
  const through = createPool({ url: url.href, role, name, max: 1 });
  await through.query("select 1");
  proxy.setMode("hold-answers");
  const lastStatement = async () => {
    const sql = "select query, state from pg_stat_activity where application_name = $1";
    const { rows } = await database.superuser.query<{ query: string; state: string }>(sql, [name]);
    return rows[0];
  };
  const close = async () => {
    proxy.setMode("pass");
    await through.end();
    await proxy.close();
  };
  return { through, proxy, lastStatement, close };
}

describe("round trips", () => {
  test("the first statement of a transaction goes out with its beginning", async () => {
    const { through, proxy, lastStatement, close } = await throughProxy();
    const counted = withOrg(through, orgA, countNotes);
    await until(async () => (await lastStatement())?.query.includes("count(*)"));
    expect(await lastStatement()).toMatchObject({ state: "idle in transaction" });
    proxy.setMode("pass");
    expect(await counted).toBe(0);
    await close();
  });

  test("a read by one statement is done before anything of it is answered", async () => {
    const { through, proxy, lastStatement, close } = await throughProxy();
    const read = withOrgRead(through, orgA, asks({ text: "select 1 as one" }));
    await until(async () => (await lastStatement())?.query === "commit");
    proxy.setMode("pass");
    expect(await read).toEqual([{ one: 1 }]);
    await close();
  });
});

describe("withOrgRead", () => {
  const notes = { name: "test-read-notes", text: "select id from note where id >= $1 order by id", values: [1] };

  test("reads the organization's rows and no others, and leaves nothing behind", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    await withOrg(pool, orgB, insert(orgB, 2));
    const both = Array.from({ length: 8 }, (_, n) => withOrgRead(pool, n % 2 === 0 ? orgA : orgB, asks(notes)));
    expect(await Promise.all(both)).toEqual(both.map((_, n) => [{ id: n % 2 === 0 ? 1 : 2 }]));
    expect(await countNotes({ client: pool })).toBe(0);
    const setting = await pool.query<{ org: string }>("select current_setting('app.org_id', true) as org");
    expect(setting.rows[0]?.org ?? "").toBe("");
  });

  test("writes nothing, and after a failure the connection is as it was", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    for (const text of ["update note set text = 'x'", "select 1 / 0", "select from nothing"]) {
      await expect(withOrgRead(pool, orgA, asks({ text }))).rejects.toThrow();
    }
    expect(await withOrgRead(pool, orgA, asks(notes))).toEqual([{ id: 1 }]);
    expect(pool.totalCount).toBeLessThanOrEqual(2);
  });

  test("something that is not a UUID is refused before it reaches the database", async () => {
    await expect(withOrgRead(pool, "' ; drop table note; --" as OrgId, asks(notes))).rejects.toThrow(TypeError);
  });

  test("a read that throws before it has asked anything gives its connection back", async () => {
    const throws = (): never => {
      throw new Error("no statement");
    };
    for (let n = 0; n < 3; n += 1) await expect(withOrgRead(pool, orgA, throws)).rejects.toThrow("no statement");
    expect(pool.idleCount).toBe(pool.totalCount);
    expect(await withOrgRead(pool, orgA, asks(notes))).toEqual([]);
  });

  test("a connection that broke is replaced", async () => {
    await terminateSessions(database, "test");
    const read = await withOrgRead(pool, orgA, asks(notes)).catch((reason: unknown) => reason);
    if (!Array.isArray(read)) expect(isTransient(read)).toBe(true);
    expect(await withOrgRead(pool, orgA, asks(notes))).toEqual([]);
  });
});

describe("withOrgSnapshot", () => {
  test("sees one state of the organization's rows, whatever others commit meanwhile, and writes nothing", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    await withOrg(pool, orgB, insert(orgB, 1));
    const counted = await withOrgSnapshot(pool, orgA, async (tenant) => {
      await withOrg(pool, orgA, insert(orgA, 2));
      return countNotes(tenant);
    });
    expect(counted).toBe(1);
    expect(await withOrgSnapshot(pool, orgA, countNotes)).toBe(2);
    await expect(withOrgSnapshot(pool, orgA, insert(orgA, 3))).rejects.toThrow("read-only transaction");
    // The connection is as it was.
    await withOrg(pool, orgA, insert(orgA, 3));
  });
});

describe("createPool", () => {
  test("statements run as the role, which may not undo row-level security", async () => {
    const who = await pool.query(
      "select current_user as role, rolsuper, rolbypassrls from pg_roles where rolname = current_user",
    );
    expect(who.rows).toEqual([{ role, rolsuper: false, rolbypassrls: false }]);
  });

  test("statements that run too long are cancelled, and that counts as transient", async () => {
    const error = await pool.query("select pg_sleep(10)").catch((reason: unknown) => reason);
    expect(String(error)).toContain("statement timeout");
    expect(isTransient(error)).toBe(true);
  });

  test("a server that falls silent ends the wait, and that counts as transient", async () => {
    const { hostname, port } = new URL(overNetwork(database.url));
    const proxy = await createFaultProxy({ host: hostname, port: Number(port) });
    const url = new URL(overNetwork(database.url));
    url.port = String(proxy.port);
    const through = createPool({ url: url.href, name: "silent", max: 1, statementTimeoutMs: 100 });
    try {
      await through.query("select 1");
      proxy.setMode("hold-answers");
      const error = await through.query("select 1").catch((reason: unknown) => reason);
      expect(isTransient(error)).toBe(true);
      proxy.setMode("pass");
      proxy.cut();
      await until(async () => (await through.query("select 1")).rowCount === 1);
    } finally {
      await through.end();
      await proxy.close();
    }
  });

  test("waiting for a lock ends early, and that counts as transient", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    const error = await withOrg(pool, orgA, async ({ client }) => {
      await client.query("select * from note for update");
      return withOrg(pool, orgA, ({ client: other }) => other.query("delete from note")).catch(
        (reason: unknown) => reason,
      );
    });
    expect(String(error)).toContain("lock timeout");
    expect(isTransient(error)).toBe(true);
  });

  test("commits are flushed unless the pool is for counters", async () => {
    const fast = createPool({ url: database.url, role, name: "fast", synchronousCommit: false });
    const read = async (from: pg.Pool) => (await from.query("show synchronous_commit")).rows[0];
    expect(await read(pool)).toEqual({ synchronous_commit: "on" });
    expect(await read(fast)).toEqual({ synchronous_commit: "off" });
    await fast.end();
  });

  test("statements are planned for their values unless the pool's never need it", async () => {
    const once = createPool({ url: database.url, role, name: "once", plansOnce: true });
    const read = async (from: pg.Pool) => (await from.query("show plan_cache_mode")).rows[0];
    expect(await read(pool)).toEqual({ plan_cache_mode: "auto" });
    expect(await read(once)).toEqual({ plan_cache_mode: "force_generic_plan" });
    await once.end();
  });

  test("an unreachable database is a transient error", async () => {
    const nowhere = createPool({ url: "postgresql://a:b@127.0.0.1:1/x", name: "nowhere" });
    const error = await nowhere.query("select 1").catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    await nowhere.end();
  });
});

describe("a login whose password is changed", () => {
  const login = `assent_pool_login_${newId().replaceAll("-", "")}`;
  const run = (sql: string) => database.superuser.query(sql);
  const urlWith = (password: string): string => {
    const url = new URL(overNetwork(database.url));
    Object.assign(url, { username: login, password });
    return url.href;
  };
  /** What the file says. */
  let url = "";
  let opened: pg.Pool;
  beforeEach(async () => {
    await run(`create role ${login} login password 'one'`);
    url = urlWith("one");
    opened = createPool({ url: () => url, name: "changing", max: 4 });
  });
  afterEach(async () => {
    await opened.end();
    await run(`drop role ${login}`);
  });
  const many = () => Promise.all(Array.from({ length: 8 }, () => opened.query("select pg_sleep(0.02)")));

  test("is served by the connections that are open until the file has changed as well", async () => {
    await opened.query("select 1");
    await run(`alter role ${login} password 'two'`);
    await many();
    expect(opened.totalCount).toBe(1);
    url = urlWith("two");
    await until(async () => (await many()) && opened.totalCount === 4);
  });

  test("keeps a connection that nobody needs, so that there is one", async () => {
    opened.options.idleTimeoutMillis = 1;
    await many();
    await until(() => opened.totalCount === 1);
    await run(`alter role ${login} password 'two'`);
    await opened.query("select 1");
  });

  test("waits for the file when no connection is open", async () => {
    await run(`alter role ${login} password 'two'`);
    const asked = opened.query("select 1");
    await until(() => opened.totalCount === 0);
    url = urlWith("two");
    expect((await asked).rowCount).toBe(1);
  });

  test("is an outage, and no defect, when the file never changes", async () => {
    await run(`alter role ${login} password 'two'`);
    const error = await opened.query("select 1").catch((reason: unknown) => reason);
    expect(String(error)).toContain("password authentication failed");
    expect(isTransient(error)).toBe(true);
  });

  test("may become another login, whose role is the same", async () => {
    await opened.query("select 1");
    await run(`create role ${login}_b login password 'three'`);
    url = urlWith("three").replace(login, `${login}_b`);
    await until(async () => {
      await many();
      await terminateSessions(database, "changing");
      const { rows } = await opened.query("select session_user as login").catch(() => ({ rows: [] }));
      return rows[0]?.login === `${login}_b`;
    });
    await opened.end();
    await run(`drop role ${login}_b`);
    opened = createPool({ url, name: "changing" });
  });
});

describe("isUniqueViolation", () => {
  test("recognises a violation, and which index it violates", async () => {
    await withOrg(pool, orgA, insert(orgA, 1));
    const error = await withOrg(pool, orgA, insert(orgA, 1)).catch((reason: unknown) => reason);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, "note_pkey")).toBe(true);
    expect(isUniqueViolation(error, "other_key")).toBe(false);
    expect(isUniqueViolation(new Error("wrapped", { cause: error }), "note_pkey")).toBe(true);
    expect(isTransient(error)).toBe(false);
  });

  test("other errors are none", () => {
    for (const other of [new Error("x"), undefined, null, "23505", { code: "23503" }]) {
      expect(isUniqueViolation(other)).toBe(false);
    }
  });
});

test("an address is found in a text, and not within a longer one", async () => {
  const finds = async (text: string): Promise<boolean> => {
    const values = [text, addressPattern("lee+a@x.example")];
    return (await pool.query<{ isFound: boolean }>('select $1 ~ $2 as "isFound"', values)).rows[0]?.isFound ?? false;
  };
  const escaped = ["to:\\nlee+a@x.example", "\\u003clee+a@x.example\\u003e", "?to=a%20lee+a@x.example"];
  const files = ["for lee+a@x.example.pdf", "lee+a@x.example.docx.p7m.", '{"name":"lee+a@x.example.pdf"}'];
  for (const text of [
    "lee+a@x.example",
    "<lee+a@x.example>.",
    '{"a":"to lee+a@x.example, bob"}',
    ...escaped,
    ...files,
  ]) {
    expect([text, await finds(text)]).toEqual([text, true]);
  }
  for (const text of [
    "ann.lee+a@x.example",
    "elee+a@x.example",
    "lee+a@x.example.org",
    "lee+a@x.examples",
    "lee+a@x.example.pdfs",
    "lee+a@x.example.pdf.org",
    "lee+a@x.example.zip",
    "leea@x.example",
  ]) {
    expect([text, await finds(text)]).toEqual([text, false]);
  }
});

test("the spellings of an address are nobody else's", () => {
  expect(spellingsOf("ann.lee@example.com")).toEqual(
    expect.arrayContaining(["ANN.LEE@EXAMPLE.COM", "Ann.Lee@example.com", "ann.lee@Example.com"]),
  );
  // In capitals they would be strauss@ and lily@.
  for (const address of ["strau\u00df@stra\u00dfe.example", "l\u0131ly@example.com"]) {
    const others = spellingsOf(address).filter((one) => one.normalize("NFC").toLowerCase() !== address);
    expect([address, others]).toEqual([address, []]);
  }
});
