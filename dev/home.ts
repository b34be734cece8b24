import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "#platform/config.ts";
import { makePrivateFolder } from "#platform/durable-file.ts";
import { createInternalTokens, type InternalTokens, parseInternalKeys } from "#platform/rpc/callers.ts";

/** The keys that a running copy needs again after a restart; losing them makes its database useless. */
export interface Secrets {
  readonly authMasterKey: string;
  readonly clickMasterKey: string;
  readonly signMasterKey: string;
  readonly webhooksMasterKey: string;
  readonly adminToken: string;
  /** What separate processes prove themselves to each other with. */
  readonly internalTokenKeys: string;
}

/** What the copies that these tools start call themselves: it stands in every receipt and names the logs. */
export const evidenceIssuer = "https://assent.localhost";

/** Where a running copy is reached by the admin commands and the doctor. */
export interface RuntimeFile {
  readonly adminUrl: string;
  /** Where the click service is reached; at adminUrl when absent. */
  readonly clickAdminUrl?: string | undefined;
  /** Where the sign service is reached; at adminUrl when absent. */
  readonly signAdminUrl?: string | undefined;
  /** Where the webhooks service is reached; at adminUrl when absent. */
  readonly webhooksAdminUrl?: string | undefined;
  readonly adminToken: string;
  /** Of the API; an older release wrote none. */
  readonly baseUrl?: string | undefined;
}

/** The data folder of a copy that runs on one machine: database, keys, and what the tools need to find it. */
export interface Home {
  readonly folder: string;
  readonly postgresFolder: string;
  readonly logFolder: string;
  readonly secrets: Secrets;
}

/** Where the data of a copy are. */
export const folderOf = (env: Environment): string => resolve(env.ASSENT_HOME || ".assent");

/** Opens the data folder and makes its keys on the first start. */
export function openHome(env: Environment): Home {
  const folder = folderOf(env);
  makePrivateFolder(folder);
  return {
    folder,
    postgresFolder: join(folder, "postgres"),
    logFolder: join(folder, "logs"),
    secrets: readOrMakeSecrets(join(folder, "secrets.json")),
  };
}

/** Makes a tool a process of the installation. */
export function internalTokensOf({ internalTokenKeys }: Secrets): InternalTokens {
  const keys = parseInternalKeys(internalTokenKeys);
  return createInternalTokens({ keys: () => keys, now: Date.now });
}

export const readHomeFile = <T>(home: Home, name: string): T | undefined => readJson<T>(join(home.folder, name));

/** Writes a file that only the owner can read, whole or not at all. */
export function writeHomeFile(home: Home, name: string, value: object): void {
  const file = join(home.folder, name);
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export const removeHomeFile = (home: Home, name: string): void => rmSync(join(home.folder, name), { force: true });

function readOrMakeSecrets(file: string): Secrets {
  const existing = readJson<Partial<Secrets>>(file);
  // A copy that was first started by an older release lacks what has been added since.
  if (existing !== undefined) return addMissing(file, existing);
  const secrets = makeSecrets();
  try {
    writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    return secrets;
  } catch {
    // Another start was faster; its keys count.
    return readJson<Secrets>(file) ?? secrets;
  }
}

const makeSecrets = (): Secrets => ({
  authMasterKey: randomBytes(32).toString("base64"),
  clickMasterKey: randomBytes(32).toString("base64"),
  signMasterKey: randomBytes(32).toString("base64"),
  webhooksMasterKey: randomBytes(32).toString("base64"),
  adminToken: randomBytes(32).toString("base64url"),
  internalTokenKeys: randomBytes(32).toString("base64"),
});

function addMissing(file: string, existing: Partial<Secrets>): Secrets {
  const secrets = { ...makeSecrets(), ...existing };
  if (Object.keys(secrets).length === Object.keys(existing).length) return secrets;
  writeFileSync(`${file}.tmp`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
  return secrets;
}

/** Undefined when there is no such file. */
export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  }
}
