import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "#platform/config.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import type { Demo } from "../../../dev/demo.ts";
import { openHome } from "../../../dev/home.ts";
import { startLocalCopy } from "../../../dev/local-copy.ts";
import { Api } from "../../support/api.ts";
import type { Person } from "./dashboard.ts";

export interface NewcomersCopy {
  readonly demo: Demo;
  readonly owner: Person;
  readonly api: Api;
  stop(): Promise<void>;
}

/** What `npm start` runs, with a database of the tests. */
export async function startNewcomersCopy(env: Environment = {}): Promise<NewcomersCopy> {
  const folder = mkdtempSync(join(tmpdir(), "assent-demo-"));
  const database = await createTestDatabase();
  const copy = await startLocalCopy({
    home: openHome({ ASSENT_HOME: folder }),
    databaseUrl: database.url,
    natsUrl: "",
    port: 0,
    env,
    logger: createLogger("test", "error"),
  });
  const { demo } = copy;
  return {
    demo,
    owner: { email: demo.ownerEmail, password: demo.ownerPassword, baseUrl: demo.baseUrl },
    api: new Api(demo.baseUrl, demo.apiKey, demo.organizationId),
    stop: async () => {
      await copy.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
