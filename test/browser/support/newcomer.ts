import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "#platform/config.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import type { Demo } from "../../../dev/demo.ts";
import { openHome, readHomeFile } from "../../../dev/home.ts";
import { startLocalCopy } from "../../../dev/local-copy.ts";
import { Api } from "../../support/api.ts";
import type { Person } from "./dashboard.ts";

export interface NewcomersCopy {
  readonly demo: Demo;
  readonly owner: Person;
  readonly api: Api;
  /** Where operators call it. */
  readonly operator: { readonly adminUrl: string; readonly adminToken: string };
  stop(): Promise<void>;
}

/** What `npm start` runs, with a database of the tests. */
export async function startNewcomersCopy(env: Environment = {}): Promise<NewcomersCopy> {
  const folder = mkdtempSync(join(tmpdir(), "assent-demo-"));
  const database = await createTestDatabase();
  const home = openHome({ ASSENT_HOME: folder });
  const copy = await startLocalCopy({
    home,
    databaseUrl: database.url,
    natsUrl: "",
    port: 0,
    env,
    logger: createLogger("test", "error"),
  });
  const { demo } = copy;
  const operator = readHomeFile<NewcomersCopy["operator"]>(home, "runtime.json");
  if (operator === undefined) throw new Error("the copy does not say where operators call it");
  return {
    ...{ demo, operator },
    owner: { email: demo.ownerEmail, password: demo.ownerPassword, baseUrl: demo.baseUrl },
    api: new Api(demo.baseUrl, demo.apiKey, demo.organizationId),
    stop: async () => {
      await copy.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
