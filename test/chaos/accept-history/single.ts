import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Distributed, manageProcess } from "../../../dev/distributed.ts";
import { type RuntimeFile, readHomeFile } from "../../../dev/home.ts";
import { findFreePort } from "../../../dev/ports.ts";
import { noneKept } from "../../support/copies.ts";
import type { ClusterShape, StartParts } from "./cluster.ts";

const entry = new URL("../../../dev/start.ts", import.meta.url).pathname;

/** What `npm start` runs, on servers that outlive it. */
export const singleShape: ClusterShape = {
  ...{ gateways: 1, clicks: 1, environments: async () => new Map() },
  start: startSingle,
};

/** Looks as separate processes do, of which every one is the same. */
async function startSingle({ home, databaseUrl, natsUrl }: StartParts): Promise<Distributed> {
  mkdirSync(home.logFolder, { recursive: true });
  const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
  const process = manageProcess({
    name: "assent",
    entry: () => entry,
    env: {
      ...{ ASSENT_HOME: home.folder, DATABASE_URL: databaseUrl, NATS_URL: natsUrl, PORT: new URL(baseUrl).port },
      ...{ ...noneKept("docgen"), ...noneKept("sign") },
    },
    logFile: join(home.logFolder, "assent.log"),
    readyUrl: `${baseUrl}/healthz`,
  });
  const stop = async (): Promise<void> => void (await process.stop());
  try {
    await process.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const { adminUrl = "" } = readHomeFile<RuntimeFile>(home, "runtime.json") ?? {};
  return {
    ...{ adminUrl, clickAdminUrl: adminUrl, signAdminUrl: adminUrl, webhooksAdminUrl: adminUrl },
    ...{ baseUrls: [baseUrl], processes: [process], of: () => [process], stop },
  };
}
