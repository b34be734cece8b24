import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { configFromEnv } from "../config.ts";

const env = {
  DATABASE_URL: "postgres://db/assent",
  CLICK_MASTER_KEY: randomBytes(32).toString("base64"),
  EVIDENCE_ISSUER: "https://agreements.example.com/",
  TEMPLATES_TARGET: "dns:///templates:50051",
  DOCGEN_TARGET: "dns:///docgen:50051",
};

describe("configFromEnv", () => {
  test("needs the database, the key, the public address and the templates service", () => {
    expect(configFromEnv(env)).toEqual({
      databaseUrl: "postgres://db/assent",
      databaseRole: "",
      poolSize: 14,
      masterKey: env.CLICK_MASTER_KEY,
      issuer: "https://agreements.example.com",
      tsa: undefined,
      mail: undefined,
      anchorIntervalSeconds: 60,
      logWitness: "",
      natsUrl: "",
    });
    expect(() => configFromEnv({})).toThrow(
      /DATABASE_URL[\s\S]*CLICK_MASTER_KEY[\s\S]*EVIDENCE_ISSUER[\s\S]*TEMPLATES_TARGET[\s\S]*DOCGEN_TARGET/,
    );
  });
  test("takes only an address that can name logs", () => {
    const wrong = ["agreements.example.com", "ftp://a.example", "https://a.example/?x", "https://a.example/#x"];
    for (const issuer of [...wrong, "https://u:p@a.example", "https://a.example/a+b", "https://a.example/a b"]) {
      expect(() => configFromEnv({ ...env, EVIDENCE_ISSUER: issuer })).toThrow("EVIDENCE_ISSUER must be");
    }
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
