import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createPool } from "#platform/db/pool.ts";
import { until } from "#platform/testing/until.ts";
import { openOwnedDatabase } from "../own-postgres.ts";
import { type RunningPostgres, startPostgres } from "../postgres.ts";
import { isAlive } from "../processes.ts";

let folder: string;
let running: RunningPostgres[];
let children: ChildProcess[];
/** What a first start has left, for tests that are about something else. */
let made: string;

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "assent-test-home-"));
  await (await startPostgres({ dataDir: join(made, "postgres"), durable: true })).stop();
});
afterAll(() => rmSync(made, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-test-home-"));
  running = [];
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const postgres of running) await postgres.stop().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
});

const dataDir = () => join(folder, "postgres");
const start = async (): Promise<RunningPostgres> => {
  const postgres = await startPostgres({ dataDir: dataDir(), durable: true });
  running.push(postgres);
  return postgres;
};

/** Not for the first time. */
const startAgain = (): Promise<RunningPostgres> => {
  expect(spawnSync("cp", ["-a", join(made, "postgres"), folder]).status).toBe(0);
  return start();
};

async function query(url: string, sql: string): Promise<unknown[]> {
  const pool = createPool({ url, name: "test", max: 1 });
  try {
    return (await pool.query(sql)).rows;
  } finally {
    await pool.end();
  }
}

const postmasterPid = (): number =>
  Number.parseInt(readFileSync(join(dataDir(), "cluster", "postmaster.pid"), "utf8"), 10);

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** A copy that any user can read: the repository itself may lie below a folder that only root can enter. */
function readableRepository(): string {
  const copy = join(folder, "repository");
  mkdirSync(copy);
  const parts = ["package.json", "dev", "platform", "gen", "node_modules"].map((part) => join(repository, part));
  // Links instead of bytes where the file system allows it.
  const linked = spawnSync("cp", ["-al", ...parts, copy]);
  if (linked.status !== 0) expect(spawnSync("cp", ["-a", ...parts, copy]).status).toBe(0);
  return copy;
}

interface ChildOptions {
  /** Runs the child with other rights. */
  readonly command?: readonly string[];
  readonly root?: string;
  readonly node?: string;
}

/** A process of its own that starts Postgres on the folder and says so. */
function startInChild({ command = [], root = repository, node = process.execPath }: ChildOptions = {}): ChildProcess {
  const module = join(root, "dev", "postgres.ts");
  const script = `import { startPostgres } from ${JSON.stringify(module)};
    const postgres = await startPostgres({ dataDir: ${JSON.stringify(dataDir())}, durable: true });
    console.log(postgres.url);
    process.stdin.on("end", async () => { await postgres.stop(); process.exit(0); }).resume();`;
  const [program = node, ...args] = [...command, node];
  const options = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
  const child = spawn(program, [...args, ...options], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH },
  });
  children.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return until(() => (output.includes("\n") ? output.slice(0, output.indexOf("\n")) : undefined));
}

describe("startPostgres", () => {
  test("data is kept between starts, and the password is the owner's alone", async () => {
    const first = await start();
    await query(first.url, "create table kept as select 42 as answer");
    await first.stop();
    expect(existsSync(join(dataDir(), "owner.lock"))).toBe(false);
    const second = await start();
    expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
    expect(statSync(join(dataDir(), "password")).mode & 0o777).toBe(0o600);
    const wrong = new URL(second.url);
    wrong.password = "wrong";
    await expect(query(wrong.href, "select 1")).rejects.toThrow("password authentication failed");
  });

  test("listens on the loopback address alone and flushes commits", async () => {
    const { url } = await startAgain();
    const settings = await query(
      url,
      `select name, setting from pg_settings
       where name in ('listen_addresses', 'unix_socket_directories', 'fsync', 'synchronous_commit', 'max_connections', 'data_checksums')
       order by name`,
    );
    expect(settings.map((row) => Object.values(row as object).join("="))).toEqual([
      "data_checksums=on",
      "fsync=on",
      "listen_addresses=127.0.0.1",
      "max_connections=200",
      "synchronous_commit=on",
      "unix_socket_directories=",
    ]);
  });

  test("a folder that a living copy uses is refused, and the copy goes on", async () => {
    const first = await startAgain();
    await expect(start()).rejects.toThrow(`in use by another running instance (process ${process.pid})`);
    expect(await query(first.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("the server that a killed copy left behind is stopped, and its commits are there", async () => {
    const child = startInChild();
    const url = await firstLine(child);
    await query(url, "create table kept as select 42 as answer");
    const leftover = postmasterPid();
    child.kill("SIGKILL");
    await until(() => child.signalCode !== null);
    expect(isAlive(leftover)).toBe(true);
    const postgres = await start();
    expect(isAlive(leftover)).toBe(false);
    expect(await query(postgres.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });

  test("after an immediate kill it recovers on the same port", async () => {
    const postgres = await startAgain();
    await query(postgres.url, "create table kept as select 42 as answer");
    await postgres.kill("immediate");
    await expect(query(postgres.url, "select 1")).rejects.toThrow();
    await postgres.restart();
    expect(await query(postgres.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });

  test("an interrupted first start does not spoil the next one", async () => {
    mkdirSync(join(dataDir(), "cluster.new", "base"), { recursive: true });
    const { url } = await start();
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("a process id that now belongs to somebody else does not keep it from starting", async () => {
    const first = await startAgain();
    await first.kill("immediate");
    await first.stop();
    const pidFile = join(dataDir(), "cluster", "postmaster.pid");
    writeFileSync(pidFile, `${process.pid}\n${join(dataDir(), "cluster")}\n`);
    const { url } = await start();
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("what the server says when it does not start is part of the error", async () => {
    await (await startAgain()).stop();
    rmSync(join(dataDir(), "cluster", "PG_VERSION"));
    await expect(start()).rejects.toThrow(/Postgres did not start[\s\S]*PG_VERSION/);
    expect(existsSync(join(dataDir(), "owner.lock"))).toBe(false);
  });

  // Root can take on another user; an ordinary user runs all of the above as itself.
  const asRoot = process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0;
  (asRoot ? test : test.skip)("an ordinary user can start it too", async () => {
    chmodSync(folder, 0o777);
    const root = readableRepository();
    const command = ["setpriv", "--reuid=daemon", "--regid=daemon", "--clear-groups"];
    const child = startInChild({ command, root, node: join(root, "node_modules", "node", "bin", "node") });
    expect(await query(await firstLine(child), "select 1 as one")).toEqual([{ one: 1 }]);
    const { uid } = statSync(join(dataDir(), "cluster"));
    expect(String(uid)).toBe(spawnSync("id", ["-u", "daemon"], { encoding: "utf8" }).stdout.trim());
    child.stdin?.end();
    await until(() => child.exitCode !== null);
    // Root goes on with the data of the user that made it.
    const { url } = await start();
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("openOwnedDatabase", () => {
  test("the owner is no superuser, may create roles, and owns the database", async () => {
    const postgres = await startAgain();
    const url = await openOwnedDatabase(postgres.url, "shop", "shop_owner");
    expect(
      await query(url, "select rolsuper, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user"),
    ).toEqual([{ rolsuper: false, rolcreaterole: true, rolbypassrls: false }]);
    await query(url, "create schema mine");
  });
});
