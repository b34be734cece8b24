import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createEmptyTestDatabase, createTestDatabase, overNetwork } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import type { Demo } from "../../dev/demo.ts";
import type { RuntimeFile } from "../../dev/home.ts";
import { migrateAll } from "../../dev/migrations.ts";
import { startNats } from "../../dev/nats.ts";
import { findFreePort } from "../../dev/ports.ts";
import { Api } from "../support/api.ts";
import { visitPage } from "../support/signing-page.ts";
import { describeDistributed } from "../support/system.ts";
import { type Clone, makeClone, readJson, type Started } from "./clone.ts";
import { plannedPages, plannedScripts } from "./plan.ts";
import { root } from "./printed.ts";
import { typeInlines, walk } from "./typed.ts";

/** The machine may have much else to do. */
const patience = 240_000;

let clone: Clone;
beforeAll(() => {
  clone = makeClone();
});
afterAll(() => clone?.remove());

const apiOf = (copy: Started): Api => {
  const { apiKey, organizationId } = readJson<Demo>(clone, ".assent/demo.json");
  return new Api(`http://127.0.0.1:${copy.port}`, apiKey, organizationId);
};
const accepts = async (api: Api, key: string): Promise<number> =>
  (await api.accept(key, { templateSlug: "terms-of-service", userRef: key })).status;
const linesOf = (copy: Started): string[] => copy.output().match(/^assent: .*$/gm) ?? [];

describe("npm start in a fresh clone", () => {
  let copy: Started;
  let signer: Server;
  let grpc: number;
  beforeAll(async () => {
    grpc = await findFreePort();
    const settings = { GRPC_PORT: String(grpc), GRPC_REFLECTION: "true" };
    copy = await clone.start("start", { RPC_PORT: "1", TSA_CERTIFICATE: "x", ...settings });
    const api = apiOf(copy);
    // Signs as a person does on the page that the reader is led to.
    signer = createServer((req, res) => {
      visitPage(api, (req.url ?? "").slice(1))
        .then((visit) => visit.sign())
        .then(() =>
          until(async () => (await api.get(`/v1/sign/agreements${req.url}`)).body.status === "completed", 30_000),
        )
        .then(
          () => res.end(),
          (error: unknown) => res.writeHead(500).end(String(error)),
        );
    });
    await new Promise<void>((resolve) => signer.listen(0, "127.0.0.1", resolve));
  }, patience);
  afterAll(() => {
    copy?.kill();
    signer?.close();
  });

  test("says which variables nothing reads, and what it does until it is ready", () => {
    expect(copy.output().slice(0, copy.output().indexOf("Assent is ready.")).trim().split("\n")).toEqual([
      "assent: RPC_PORT is set but not used: npm start decides that itself",
      "assent: TSA_CERTIFICATE is set, but nothing reads it. Is TSA_CERTIFICATES meant?",
      "assent: preparing the database …",
      "assent: starting the services …",
    ]);
  });

  test(
    "prints lines that work when they are pasted",
    async () => {
      const lines = copy.output().match(/^ {2}curl [\s\S]*?[^\\]$/gm) ?? [];
      expect(lines).toHaveLength(4);
      const output = await clone.shell(lines.map((line) => `${line}; echo`).join("\n"));
      expect(output).toMatch(/"status":"RECORDED"[\s\S]*"contentUrl"[\s\S]*"secret":"whsec_[\s\S]*"access_token"/);
    },
    patience,
  );

  test.each(plannedPages.filter(({ beside }) => beside === "single").map(({ page }) => page))(
    "the lines of %s do what it says",
    async (page) => {
      const SIGNER = `http://127.0.0.1:${(signer.address() as AddressInfo).port}`;
      await walk(clone, page, copy.port, { SIGNER, GRPC: `127.0.0.1:${grpc}` });
    },
    patience,
  );

  test(
    "whose Postgres is killed answers 503 until it runs again, and says so",
    async () => {
      const api = apiOf(copy);
      expect(await accepts(api, "before")).toBe(201);
      killPostgres();
      await until(async () => (await accepts(api, "meanwhile")) === 503, 10_000);
      await until(async () => (await accepts(api, "meanwhile")) < 300, 60_000);
      expect(await accepts(api, "before")).toBe(200);
      expect(linesOf(copy).slice(4)).toEqual([
        "assent: Postgres died (it ended with SIGKILL); it is started again in 0.25 s",
        "assent: Postgres runs again",
      ]);
    },
    patience,
  );

  test(
    "stops cleanly with Ctrl-C",
    async () => {
      await expectCleanStop(copy);
      // Postgres was stopped rather than killed.
      expect(existsSync(join(clone.folder, ".assent", postgresPid))).toBe(false);
    },
    patience,
  );
});

describeDistributed("npm run start:distributed in the same clone", () => {
  let copy: Started;
  let env: Record<string, string>;
  beforeAll(async () => {
    await clone.shell("deploy/make-secrets.sh");
    const token = readFileSync(join(clone.folder, "deploy/secrets/ADMIN_TOKEN"), "utf8").trim();
    copy = await clone.start("start:distributed", { ADMIN_TOKEN: token });
    env = { ADMIN_URL: readJson<RuntimeFile>(clone, ".assent/runtime.json").adminUrl };
  }, patience);
  afterAll(() => copy?.kill());

  test.each(plannedPages.filter(({ beside }) => beside === "distributed").map(({ page }) => page))(
    "the lines of %s do what it says",
    async (page) => {
      // Of another installation, from a release.
      const database = await createEmptyTestDatabase();
      const nats = await startNats({ storeDir: join(clone.folder, ".release-nats") });
      const servers = { RELEASE_DATABASE: overNetwork(database.url), RELEASE_NATS: nats?.url ?? "" };
      try {
        await walk(clone, page, copy.port, { ...env, ...servers });
      } finally {
        if (existsSync(join(clone.folder, ".root/run"))) {
          await clone.shell("ROOT=$PWD/.root systemctl stop assent.target 2>&1 || true");
        }
        await nats?.stop();
        await database.drop();
      }
    },
    patience,
  );

  test("commands within sentences work", () => typeInlines(clone, copy.port, env), patience);

  test(
    "starts again whatever is killed, and answers 503 within a second what needs it",
    async () => {
      const api = apiOf(copy);
      const url = `http://127.0.0.1:${copy.port}`;
      process.kill(pidOf("click"), "SIGSTOP");
      process.kill(pidOf("click"), "SIGKILL");
      for (const name of ["webhooks", "sign"]) process.kill(pidOf(name), "SIGKILL");
      process.kill(Number(readFileSync(join(clone.folder, ".assent/nats/nats.pid"), "utf8")), "SIGKILL");
      killPostgres();
      await until(() => linesOf(copy).filter((line) => line.includes("runs again")).length >= 5, 120_000);
      process.kill(pidOf("gateway"), "SIGKILL");
      await until(() => linesOf(copy).includes("assent: gateway runs again"), 60_000);
      await until(async () => (await fetch(`${url}/readyz`)).status === 200, 60_000);
      expect(await accepts(api, "after")).toBe(201);
      const died = linesOf(copy).filter((line) => / died .*; it is started again in [\d.]+ s$/.test(line));
      expect(new Set(died.map((line) => line.split(" ")[1]))).toEqual(
        new Set(["click", "webhooks", "sign", "NATS", "Postgres", "gateway"]),
      );
    },
    patience,
  );

  test("stops cleanly with Ctrl-C", () => expectCleanStop(copy), patience);

  const pidOf = (name: string): number =>
    Number(new RegExp(`^  ${name} +process (\\d+)$`, "m").exec(copy.output())?.[1]);
});

describe("the other scripts of package.json", () => {
  test.each(
    Object.entries(plannedScripts).flatMap(([name, { run, says }]) =>
      run === undefined ? [] : [[name, run, says] as const],
    ),
  )(
    "npm run %s",
    async (name, run, says) => {
      const database = name === "migrate" ? await createTestDatabase() : undefined;
      try {
        if (database !== undefined) await migrateAll(database.url, createLogger("test", "silent"));
        expect(await clone.shell(run, database && { TEST_DATABASE: overNetwork(database.url) })).toMatch(
          says ?? /(?:)/,
        );
      } finally {
        await database?.drop();
      }
    },
    patience,
  );

  test("leave what is in the repository as it is", () => {
    for (const file of ["docs/configuration.md", "docs/events.md", "docs/scaling.md"]) {
      expect(readFileSync(join(clone.folder, file), "utf8")).toBe(readFileSync(join(root, file), "utf8"));
    }
  });
});

/** Everything that it started has ended, in time, and nobody listens. */
async function expectCleanStop(copy: Started): Promise<void> {
  expect(await copy.interrupt()).not.toMatch(/did not stop/);
  await expect(fetch(`http://127.0.0.1:${copy.port}/healthz`)).rejects.toThrow();
}

const postgresPid = "postgres/cluster/postmaster.pid";

function killPostgres(): void {
  const file = join(clone.folder, ".assent", postgresPid);
  process.kill(Number.parseInt(readFileSync(file, "utf8"), 10), "SIGKILL");
}
