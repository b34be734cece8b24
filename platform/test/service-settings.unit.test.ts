import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { ConfigError, readSettings } from "../config.ts";
import { commonSettings, tlsFromSettings, wireFromSettings } from "../service-settings.ts";

const required = { DATABASE_URL: "postgres://localhost/assent" };

describe("common settings", () => {
  test("have defaults for everything but the database", () => {
    expect(readSettings(commonSettings, required)).toMatchObject({
      DATABASE_ROLE: "",
      DATABASE_POOL_SIZE: 10,
      RPC_HOST: "0.0.0.0",
      RPC_PORT: 50_051,
      ADMIN_HOST: "127.0.0.1",
      ADMIN_PORT: 9090,
      ADMIN_TOKEN: "",
      NATS_URL: "",
      LOG_LEVEL: "info",
      RPC_TLS_CERT_FILE: "",
    });
    expect(() => readSettings(commonSettings, {})).toThrow(/DATABASE_URL/);
  });

  test("refuse ports that do not exist and pools without connections", () => {
    const env = { ...required, RPC_PORT: "65536", ADMIN_PORT: "-1", DATABASE_POOL_SIZE: "0" };

    expect(() => readSettings(commonSettings, env)).toThrow(/DATABASE_POOL_SIZE.*RPC_PORT.*ADMIN_PORT/s);
  });

  test("keep what is secret marked as such", () => {
    const secret = Object.entries(commonSettings).filter(([, setting]) => setting.secret);

    expect(secret.map(([name]) => name)).toEqual([
      "DATABASE_URL",
      "ADMIN_TOKEN",
      "NATS_URL",
      "INTERNAL_TOKEN_KEYS",
      "OTEL_EXPORTER_OTLP_HEADERS",
    ]);
  });
});

describe("wireFromSettings", () => {
  test("refuses to start a process that could not tell its own kind from others", () => {
    const settings = readSettings(commonSettings, required);
    expect(() => wireFromSettings(settings, required)).toThrow(/INTERNAL_TOKEN_KEYS is required/);
    const env = { ...required, INTERNAL_TOKEN_KEYS: randomBytes(32).toString("base64") };
    const { tokens } = wireFromSettings(readSettings(commonSettings, env), env);
    expect(tokens?.isValid(tokens.current())).toBe(true);
  });

  test("refuses keys that can be guessed", () => {
    const INTERNAL_TOKEN_KEYS = Buffer.alloc(32).toString("base64");
    expect(() => readSettings(commonSettings, { ...required, INTERNAL_TOKEN_KEYS })).toThrow(
      /INTERNAL_TOKEN_KEYS must/,
    );
  });
});

describe("tlsFromSettings", () => {
  const files = { RPC_TLS_CERT_FILE: "/c", RPC_TLS_KEY_FILE: "/k", RPC_TLS_CA_FILE: "/a" };

  test("is off when nothing is set and on when everything is", () => {
    const off = { RPC_TLS_CERT_FILE: "", RPC_TLS_KEY_FILE: "", RPC_TLS_CA_FILE: "" };

    expect(tlsFromSettings(off)).toBeUndefined();
    expect(tlsFromSettings(files)).toEqual({ cert: "/c", key: "/k", ca: "/a" });
  });

  test.each(Object.keys(files))("refuses to run half-protected, without %s", (name) => {
    expect(() => tlsFromSettings({ ...files, [name]: "" })).toThrow(ConfigError);
  });
});
