import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { configFromEnv } from "../config.ts";

const env = {
  DATABASE_URL: "postgres://db/assent",
  CLICK_MASTER_KEY: randomBytes(32).toString("base64"),
  TEMPLATES_TARGET: "dns:///templates:50051",
};

describe("configFromEnv", () => {
  test("needs the database, the key and the templates service", () => {
    expect(configFromEnv(env)).toEqual({
      databaseUrl: "postgres://db/assent",
      databaseRole: "",
      poolSize: 10,
      masterKey: env.CLICK_MASTER_KEY,
    });
    expect(() => configFromEnv({})).toThrow(/DATABASE_URL[\s\S]*CLICK_MASTER_KEY[\s\S]*TEMPLATES_TARGET/);
  });
  test("does not take a key of another length, nor shows it", () => {
    const wrong = randomBytes(16).toString("base64");
    try {
      configFromEnv({ ...env, CLICK_MASTER_KEY: wrong });
      throw new Error("the key was taken");
    } catch (error) {
      expect(String(error)).toContain("CLICK_MASTER_KEY must be 32 bytes in base64");
      expect(String(error)).not.toContain(wrong);
    }
  });
});
