import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { ConfigError } from "#platform/config.ts";
import { configFromEnv } from "../config.ts";

const masterKey = randomBytes(32).toString("base64");
const targets = {
  SIGN_TARGET: "sign",
  CLICK_TARGET: "click",
  WEBHOOKS_TARGET: "webhooks",
  DOCGEN_TARGET: "docgen",
  TEMPLATES_TARGET: "templates",
};

describe("configFromEnv", () => {
  test("the database, the master key and where the other services are is all that has to be given", () => {
    expect(configFromEnv({ DATABASE_URL: "postgres://db/assent", AUTH_MASTER_KEY: masterKey, ...targets })).toEqual({
      erasureList: "",
      erasureListDays: 90,
      databaseUrl: "postgres://db/assent",
      databaseRole: "",
      poolSize: 10,
      masterKey,
      issuer: "assent",
      audience: "assent-api",
      mail: undefined,
      publicUrl: "",
    });
  });

  test("all problems are reported at once and without the values", () => {
    const wrong = "not-a-master-key";
    try {
      configFromEnv({ AUTH_MASTER_KEY: wrong, ...targets });
      throw new Error("the configuration was taken");
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.problems).toHaveLength(2);
      expect(error.message).toContain("AUTH_MASTER_KEY must be 32 bytes in base64");
      expect(error.message).toContain("DATABASE_URL is required");
      expect(error.message).not.toContain(wrong);
    }
  });
});
