import { describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { type Demo, welcomeText } from "../demo.ts";
import type { Home, Secrets } from "../home.ts";
import {
  decidedByDistributed,
  decidedBySingleProcess,
  programEnvironment,
  unreadVariables,
} from "../launch-settings.ts";
import { settingsOfPrograms } from "../programs.ts";
import { startSingleProcess } from "../single-process.ts";

const none = { assumed: {}, decided: {} };

describe("the settings of the processes that one command starts", () => {
  test("each process gets every setting that it declares, itself or by a file, and no other", () => {
    const names = [...new Set(settingsOfPrograms.flatMap(({ settings }) => Object.keys(settings)))];
    const env = Object.fromEntries([...names, "PATH", "AWS_SECRET"].map((name) => [name, `of ${name}`]));
    const files = Object.fromEntries(names.map((name) => [`${name}_FILE`, `/run/${name}`]));
    for (const { title, settings } of settingsOfPrograms) {
      const own = Object.keys(settings).sort();
      expect(Object.keys(programEnvironment(title, env, none)).sort()).toEqual(own);
      const inFiles = programEnvironment(title, files, none);
      // RPC_TLS_CERT_FILE and its like are settings that are called like the file of one.
      expect(own.filter((name) => inFiles[`${name}_FILE`] === undefined && inFiles[name] === undefined)).toEqual([]);
    }
  });

  test("what is set wins over what is assumed, also when it is in a file, and what is decided over both", () => {
    const given = { assumed: { CLICK_MASTER_KEY: "ours", EVIDENCE_ISSUER: "ours" }, decided: { RPC_PORT: "1" } };
    const env = { CLICK_MASTER_KEY: "", CLICK_MASTER_KEY_FILE: "/run/key", RPC_PORT: "2", RPC_PORT_FILE: "/run/port" };
    expect(programEnvironment("click", env, given)).toEqual({
      CLICK_MASTER_KEY_FILE: "/run/key",
      EVIDENCE_ISSUER: "ours",
      RPC_PORT: "1",
    });
  });

  test("the single process reads them too: what is wrong with any is said before anything is opened", async () => {
    const secrets: Secrets = {
      ...{ authMasterKey: key(1), clickMasterKey: key(2), webhooksMasterKey: key(3), adminToken: "token" },
      ...{ internalTokenKeys: key(4), signMasterKey: key(5) },
    };
    const start = startSingleProcess({
      ...{ databaseUrl: "postgres://nobody@127.0.0.1:1/none", natsUrl: "", host: "127.0.0.1", port: 0, secrets },
      ...{ logger: createLogger("test", "silent"), env: { TSA_URL: "ftp://tsa.example.com" } },
    });
    await expect(start).rejects.toThrow(/TSA_URL must be an http or https URL/);
  });
});

describe("variables that nothing reads", () => {
  const lines = (env: Record<string, string>) => unreadVariables(env, "npm start", decidedBySingleProcess);

  test("a slip of the keyboard is named with what may be meant, and never with its value", () => {
    const said = lines({ TSA_CERTIFICATE: "secret", FLOOD_GUARD_REQEUSTS: "7", SMTP_URI_FILE: "/run/x" });
    expect(said).toEqual([
      "FLOOD_GUARD_REQEUSTS is set, but nothing reads it. Is FLOOD_GUARD_REQUESTS meant?",
      "SMTP_URI_FILE is set, but nothing reads it. Is SMTP_URL meant?",
      "TSA_CERTIFICATE is set, but nothing reads it. Is TSA_CERTIFICATES meant?",
    ]);
  });

  test("what begins like one of our settings is named, and so is what the command decides itself", () => {
    expect(lines({ CLICK_POOL: "1", ASSENT_FOLDER: "x", RPC_PORT: "1", HOST: "my-laptop" })).toEqual([
      "ASSENT_FOLDER is set, but nothing reads it (docs/configuration.md has all settings)",
      "CLICK_POOL is set, but nothing reads it (docs/configuration.md has all settings)",
      "HOST is set but not used: it is not an address",
      "RPC_PORT is set but not used: npm start decides that itself",
    ]);
    expect(unreadVariables({ ADMIN_PORT: "1" }, "this", decidedByDistributed)).toEqual([
      "ADMIN_PORT is set but not used: this decides that itself",
    ]);
  });

  test("settings, what other programs read and what is none of ours are not", () => {
    const settings = Object.fromEntries(
      settingsOfPrograms.flatMap((p) => Object.keys(p.settings).map((n) => [n, "127.0.0.1"])),
    );
    const decided = new Set(decidedBySingleProcess);
    const own = Object.fromEntries(Object.entries(settings).filter(([name]) => !decided.has(name)));
    expect(lines(own)).toEqual([]);
    expect(
      lines({
        ...{
          PATH: "x",
          HOME: "x",
          HOSTNAME: "x",
          NODE_OPTIONS: "x",
          NODE_PATH: "x",
          GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: "x",
          DATABASE_NAME: "x",
          LOG_FILE: "x",
        },
        ...{
          ASSENT_HOME: "x",
          ASSENT_ADMIN_URL: "x",
          SERVICE_LOGIN: "x",
          TSA_URL: "",
          npm_config_x: "x",
          PORT_FILE: "x",
        },
      }),
    ).toEqual([]);
  });
});

describe("what npm start prints", () => {
  const home = { folder: "/data", logFolder: "/data/logs" } as Home;
  const demo = { baseUrl: "http://127.0.0.1:7000" } as Demo;

  test("says ready only when everything is, else what is not and why, and where to ask", () => {
    expect(welcomeText(demo, home)).toMatch(/^\nAssent is ready\.\n/);
    const text = welcomeText(demo, home, undefined, [{ name: "click", reason: "no master key fits" }]);
    expect(text).not.toContain("Assent is ready");
    expect(text).toMatch(/^\nAssent is running, but it is NOT ready:\n\n {2}click +no master key fits\n/);
    expect(text).toContain("http://127.0.0.1:7000/readyz");
  });
});

const key = (fill: number): string => Buffer.from(Array.from({ length: 32 }, (_, n) => n * fill)).toString("base64");
