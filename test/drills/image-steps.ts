import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { delimiter, dirname } from "node:path";
import pg from "pg";
import { identifier, literal } from "#platform/db/ddl.ts";
import { openOwnedDatabase } from "../../dev/own-postgres.ts";

/** Where the programs of manifests are found: Node is the one that runs this. */
export const programPath = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`;

/** Runs a command of a manifest to its end, with Node 24 and nothing else of our environment. */
export function runIn(
  folder: string,
  [program = "", ...args]: readonly string[],
  settings: Readonly<Record<string, string>>,
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(program, args, { cwd: folder, env: { PATH: programPath, ...settings }, encoding: "utf8" });
}

/** What the database operator makes on a cluster: a database with its owner, and what the services log in with. */
export async function createOwner(
  superuserUrl: string,
): Promise<{ readonly owner: string; readonly login: string; readonly loginUrl: string }> {
  const owner = await openOwnedDatabase(superuserUrl, "assent", "assent_owner");
  const login = "assent_login";
  const password = randomBytes(24).toString("base64url");
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(`create role ${identifier(login)} login password ${literal(password)}`);
  } finally {
    await client.end();
  }
  const loginUrl = new URL(owner);
  loginUrl.username = login;
  loginUrl.password = password;
  return { owner, login, loginUrl: loginUrl.href };
}
