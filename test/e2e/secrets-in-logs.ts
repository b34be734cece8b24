import { beforeAll, expect, test } from "@jest/globals";
import { type System, scenario } from "../support/system.ts";

const userRef = "jane-1@example.com";
const key = "the-key-of-jane-1";

export const secretsInUse = scenario("a running system is asked", (_mode, running) => {
  test("with secrets that are known from then on", async () => {
    const system = running();
    const api = await system.newOrganization();
    const { slug, templateId } = await api.publishTemplate();
    const { body } = await api.post("/v1/click/sessions", { templateId, userRef });
    await api.accept(key, { templateSlug: slug, userRef });
    await api.get(new URL(body.renderUrl).pathname + new URL(body.renderUrl).search);
    expect(system.secrets.secrets.get(body.renderToken)).toBeDefined();
  });
});

/** The very last one: it ends the copy. */
export const secretsInLogs = scenario("a running system", (_mode, running) => {
  let system: System;
  beforeAll(() => {
    system = running();
  });

  test("knows the secrets that its tests use, and fails at its end when one is in its logs", async () => {
    const { secrets } = system.secrets;
    const kinds = new Set(secrets.values());
    for (const kind of [
      "master key of auth",
      "master key of click",
      "master key of webhooks",
      "admin token",
      "API key",
    ]) {
      expect(kinds).toContain(kind);
    }
    expect([secrets.get(userRef), secrets.get(key)]).toEqual(["user reference", "idempotency key"]);
    // The access log tells the route of every request, which is no secret until now.
    system.secrets.add("planted secret", "/v1/click/templates/{templateId}/versions");
    const end: Error = await system.stop().then(
      () => new Error("nothing found"),
      (error) => error,
    );
    // One line for each gateway, and nothing else.
    expect(end.message).toMatch(/^the logs hold secrets:(\n- planted secret in line \d+ of .*)+$/);
  });
});
