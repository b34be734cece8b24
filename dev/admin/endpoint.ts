import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "#platform/config.ts";
import { folderOf, type RuntimeFile } from "../home.ts";

export interface Endpoint {
  readonly adminUrl: string;
  readonly adminToken: string;
}

/** A service that operators call. */
export type ServiceName = "auth" | "click" | "sign" | "webhooks";

/**
 * Where the admin RPCs of a service are: as the environment says, else where the copy in the data folder says it
 * listens. A single process answers for all services at one address.
 */
export function findEndpoint(env: Environment, service: ServiceName): Endpoint {
  const { adminUrl, clickAdminUrl, signAdminUrl, webhooksAdminUrl, adminToken } = findAll(env);
  const own = { auth: adminUrl, click: clickAdminUrl, sign: signAdminUrl, webhooks: webhooksAdminUrl };
  return { adminUrl: own[service] ?? adminUrl, adminToken };
}

function findAll(env: Environment): RuntimeFile {
  const { ASSENT_ADMIN_URL: adminUrl, ASSENT_ADMIN_TOKEN: adminToken } = env;
  const clickAdminUrl = env.ASSENT_CLICK_ADMIN_URL || undefined;
  const signAdminUrl = env.ASSENT_SIGN_ADMIN_URL || undefined;
  const webhooksAdminUrl = env.ASSENT_WEBHOOKS_ADMIN_URL || undefined;
  const own = { CLICK: clickAdminUrl, SIGN: signAdminUrl, WEBHOOKS: webhooksAdminUrl };
  if (!adminUrl && !adminToken && Object.values(own).every((url) => url === undefined)) {
    return readRuntimeFile(join(folderOf(env), "runtime.json"));
  }
  // Half from here and half from there would send the token of one copy to another.
  if (!adminUrl || !adminToken) throw new Error("set both ASSENT_ADMIN_URL and ASSENT_ADMIN_TOKEN, or neither");
  if (!URL.canParse(adminUrl)) throw new Error("ASSENT_ADMIN_URL must be an absolute URL");
  for (const [name, url] of Object.entries(own)) {
    if (!URL.canParse(url ?? adminUrl)) throw new Error(`ASSENT_${name}_ADMIN_URL must be an absolute URL`);
  }
  return { adminUrl, clickAdminUrl, signAdminUrl, webhooksAdminUrl, adminToken };
}

function readRuntimeFile(file: string): RuntimeFile {
  try {
    const content = JSON.parse(readFileSync(file, "utf8")) as Partial<Record<keyof RuntimeFile, unknown>>;
    const { adminUrl, clickAdminUrl, signAdminUrl, webhooksAdminUrl, adminToken } = content;
    if (typeof adminUrl !== "string" || typeof adminToken !== "string")
      throw new Error("adminUrl or adminToken is missing");
    const optional = (url: unknown) => (typeof url === "string" ? url : undefined);
    return {
      adminUrl,
      clickAdminUrl: optional(clickAdminUrl),
      signAdminUrl: optional(signAdminUrl),
      webhooksAdminUrl: optional(webhooksAdminUrl),
      adminToken,
    };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
      throw new Error(
        `no running instance found: ${file} does not exist. Start one with 'npm start', or set ASSENT_ADMIN_URL and ASSENT_ADMIN_TOKEN`,
        { cause },
      );
    }
    throw new Error(`${file} cannot be used: ${(cause as Error).message}`, { cause });
  }
}
