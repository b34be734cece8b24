import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { configFromEnv } from "../config.ts";
import { createFakes, startTestGateway } from "./test-gateway.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database?.drop();
});

describe("stop", () => {
  test("lets a request in flight finish, closes its connection and then accepts no other", async () => {
    const fakes = await createFakes();
    const gateway = await startTestGateway(database.url, { fakes });
    const { promise, resolve } = Promise.withResolvers<void>();
    fakes.click.before.batch = () => promise;
    const accepted = gateway.call("POST", "/v1/click/accept", {
      token: await fakes.auth.token("click:accept"),
      body: { templateSlug: "terms", userRef: "u" },
      headers: { "X-Idempotency-Key": "in flight" },
    });
    await until(() => fakes.click.seen.batches.length === 1);
    const idle = connect(gateway.port, "127.0.0.1");
    await new Promise<void>((connected) => idle.once("connect", connected));
    const idleClosed = new Promise((closed) => idle.once("close", closed));
    const stopped = gateway.stop();
    await idleClosed;
    resolve();
    const answer = await accepted;
    expect([answer.status, answer.headers.get("connection")]).toEqual([201, "close"]);
    await stopped;
    await expect(fetch(gateway.url)).rejects.toThrow();
  });

  test("a port that is taken makes the start fail", async () => {
    const gateway = await startTestGateway(database.url);
    await expect(startTestGateway(database.url, { config: { port: gateway.port } })).rejects.toThrow("EADDRINUSE");
    await gateway.stop();
  });
});

describe("configuration", () => {
  const required = {
    DATABASE_URL: "postgres://localhost/assent",
    AUTH_TARGET: "auth:50051",
    TEMPLATES_TARGET: "templates:50051",
    CLICK_TARGET: "click:50051",
    DOCGEN_TARGET: "docgen:50051",
    SIGN_TARGET: "sign:50051",
    WEBHOOKS_TARGET: "webhooks:50051",
  };

  test("needs the database and the services, the rest has defaults", () => {
    expect(configFromEnv(required)).toEqual({
      host: "0.0.0.0",
      port: 8080,
      databaseUrl: required.DATABASE_URL,
      databaseRole: "",
      poolSize: 4,
      issuer: "assent",
      audience: "assent-api",
      trustedProxies: [],
      floodGuardRequests: 300_000,
      publicUrl: "",
      mailReportsSecret: "",
      abuseContact: "",
      allowPrivateReceivers: false,
      privateReceivers: expect.any(Object),
      requireEmbedScript: false,
    });
  });

  test("a public address loses the slash at its end, and must be an address", () => {
    expect(configFromEnv({ ...required, PUBLIC_URL: "https://api.example.com/" }).publicUrl).toBe(
      "https://api.example.com",
    );
    expect(() => configFromEnv({ ...required, PUBLIC_URL: "api.example.com" })).toThrow("PUBLIC_URL");
  });

  test("production needs the embed script, and says which file is missing", async () => {
    const { requireEmbedScript = false } = configFromEnv({ ...required, NODE_ENV: "production" });
    expect(requireEmbedScript).toBe(true);
    const config = { requireEmbedScript, embedScriptFile: "/nowhere/embed.js" };
    await expect(startTestGateway(database.url, { config })).rejects.toThrow("/nowhere/embed.js is missing");
  });

  test("reports all problems at once", () => {
    expect(() => configFromEnv({ PORT: "70000" })).toThrow(
      /AUTH_TARGET[\s\S]*TEMPLATES_TARGET[\s\S]*CLICK_TARGET[\s\S]*DOCGEN_TARGET/,
    );
  });
});
