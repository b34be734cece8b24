import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { Api } from "../support/api.ts";
import { collectEvents, type EventLog } from "../support/events.ts";
import { type System, scenario } from "../support/system.ts";

export const mainJob = scenario("the main job", (_mode, running) => {
  let system: System;
  let events: EventLog;

  beforeAll(async () => {
    system = running();
    events = await collectEvents(system.bus, "main-job");
  });
  afterAll(async () => {
    await events?.stop();
  });

  test("a backend gets a token, publishes a template, records an acceptance once and reads its evidence", async () => {
    const owner = await system.newOrganization();
    const api = await backendOf(system, owner);

    const template = await api.post("/v1/click/templates", { name: "Terms of Service", type: "STATIC" });
    expect(template.status).toBe(201);
    expect(template.body).toMatchObject({
      slug: "terms-of-service",
      status: "DRAFT",
      organizationId: api.organizationId,
    });

    const versions = `/v1/click/templates/${template.body.id}/versions`;
    const content = "<h1>Terms</h1><p>Be kind.</p>";
    const version = await api.post(versions, { locale: "en", title: "Terms of Service", content });
    expect(version.status).toBe(201);
    const published = await api.post(`${versions}/${version.body.id}/publish`, {});
    expect(published.body).toMatchObject({ status: "PUBLISHED", isPublished: true, revision: 1, label: "1.0" });

    const session = await api.post("/v1/click/sessions", { templateId: template.body.id, userRef: "user-1" });
    expect(session.status).toBe(201);
    expect(session.body).toMatchObject({ status: "PENDING", contentHash: published.body.contentHash });

    const accept = { sessionId: session.body.id, action: "BUTTON", context: { ip: "203.0.113.7" } };
    const receipt = await api.accept("order-1", accept);
    expect(receipt.status).toBe(201);
    expect(receipt.body).toMatchObject({
      status: "RECORDED",
      decision: "ACCEPT",
      sessionId: session.body.id,
      userRef: "user-1",
      templateId: template.body.id,
      versionId: version.body.id,
      revision: 1,
      contentHash: published.body.contentHash,
      idempotencyKey: "order-1",
    });

    const replay = await api.accept("order-1", accept);
    expect(replay.status).toBe(200);
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
    expect(replay.body).toEqual(receipt.body);
    expect((await api.get(`/v1/click/receipts/${receipt.body.receiptId}`)).body).toEqual(receipt.body);

    const completed = await api.post(`/v1/click/sessions/${session.body.id}/complete`, {});
    expect(completed.status).toBe(200);
    expect(completed.body).toMatchObject({ status: "COMPLETED", outcome: "ACCEPTED" });

    const bundle = await api.get(`/v1/click/evidence/${session.body.id}`);
    expect(bundle.status).toBe(200);
    expect(bundle.body.agreement).toMatchObject({ content, contentHash: published.body.contentHash });
    expect(bundle.body.receipts).toEqual([receipt.body]);
    expect(bundle.body.subject.userRef).toBe("user-1");
    expect(bundle.body.context.claimed.ip).toBe("203.0.113.7");

    // What administrators did before is told as well, and that the log was anchored, which may happen at any time.
    const besides = (subject = ""): boolean =>
      subject.startsWith("assent.audit.") || subject === "assent.click.anchor.published";
    const arrived = () =>
      [...events.events.values()].filter(
        ({ organizationId, subject }) => organizationId === api.organizationId && !besides(subject),
      );
    await until(() => arrived().length >= 4);
    const recorded = arrived().find((event) => event.acceptanceRecorded !== undefined);
    expect(recorded?.acceptanceRecorded?.receiptId).toBe(receipt.body.receiptId);
    expect(
      arrived()
        .map((event) => event.subject)
        .sort(),
    ).toEqual([
      "assent.click.acceptance.recorded",
      "assent.click.session.completed",
      "assent.click.session.created",
      "assent.templates.version.published",
    ]);
  });

  test("every answer carries a request id and a trace, and continues the caller's trace", async () => {
    const api = await system.newOrganization();
    const trace = "0af7651916cd43dd8448eb211c80319c";
    const answers = [
      await api.get("/v1/click/templates"),
      await api.get("/v1/click/templates/unknown"),
      await api.get("/no/such/path"),
      await api.call("POST", "/v1/click/templates", "{not json"),
      await api.call("DELETE", "/v1/click/sessions"),
      await api.with({ token: "nonsense" }).get("/v1/click/templates"),
    ];
    for (const answer of answers) {
      expect(answer.headers.get("x-request-id")).toMatch(/^[\w.-]{1,128}$/);
      expect(answer.headers.get("traceparent")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
      if (answer.status >= 400) expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"));
    }
    const continued = await api.call("GET", "/v1/click/templates", undefined, {
      "x-request-id": "mine-1",
      traceparent: `00-${trace}-b7ad6b7169203331-01`,
    });
    expect(continued.headers.get("x-request-id")).toBe("mine-1");
    expect(continued.headers.get("traceparent")).toContain(trace);
  });

  test("a scope that is missing is refused, and click:accept alone records but reads nothing", async () => {
    const owner = await system.newOrganization();
    const { slug } = await owner.publishTemplate();
    const acceptor = await backendOf(system, owner, "click:accept");
    expect((await acceptor.accept("k", { templateSlug: slug, userRef: "u" })).status).toBe(201);
    const reading = await acceptor.get("/v1/click/templates");
    expect(reading.status).toBe(403);
    expect(reading.body.errorCode).toBe("INSUFFICIENT_SCOPE");
    const reader = await backendOf(system, owner, "click:read");
    expect((await reader.accept("k2", { templateSlug: slug, userRef: "u" })).status).toBe(403);
  });

  test("an acceptance after a publication is bound to what was published", async () => {
    const api = await system.newOrganization();
    const { templateId, versionId, slug } = await api.publishTemplate();
    const publish = `/v1/click/templates/${templateId}/versions/${versionId}/publish`;
    for (let round = 0; round < 10; round++) {
      expect((await api.accept(`before-${round}`, { templateSlug: slug, userRef: "u" })).status).toBe(201);
      expect((await api.post(publish, { published: false })).status).toBe(200);
      const unpublished = await api.accept(`while-${round}`, { templateSlug: slug, userRef: "u" });
      expect([unpublished.status, unpublished.body.errorCode]).toEqual([409, "CLICK_VERSION_NOT_PUBLISHED"]);
      expect((await api.post(publish, {})).status).toBe(200);
    }
  });

  describe("isolation", () => {
    test("another organization's ids answer exactly as unknown ones", async () => {
      const a = await system.newOrganization();
      const b = await system.newOrganization();
      const { templateId, versionId, slug } = await a.publishTemplate();
      const session = await a.post("/v1/click/sessions", { templateId, userRef: "u" });
      const receipt = await a.accept("shared-key", { sessionId: session.body.id });
      const unknown = randomUUID();
      const probes: Array<(t: string, v: string, s: string, r: string) => Promise<{ status: number; body: object }>> = [
        (t) => b.get(`/v1/click/templates/${t}`),
        (t) => b.call("PATCH", `/v1/click/templates/${t}`, { name: "x" }),
        (t) => b.get(`/v1/click/templates/${t}/versions`),
        (t) => b.post(`/v1/click/templates/${t}/versions`, { locale: "de", content: "x" }),
        (t) => b.get(`/v1/click/templates/${t}/versions/published`),
        (t, v) => b.get(`/v1/click/templates/${t}/versions/${v}`),
        (t, v) => b.post(`/v1/click/templates/${t}/versions/${v}/publish`, {}),
        (t) => b.post("/v1/click/sessions", { templateId: t, userRef: "u" }),
        (_t, _v, s) => b.get(`/v1/click/sessions/${s}`),
        (_t, _v, s) => b.post(`/v1/click/sessions/${s}/complete`, {}),
        (t) => b.accept("probe", { templateId: t, userRef: "u" }),
        (_t, _v, s) => b.accept("probe", { sessionId: s, userRef: "u" }),
        (_t, _v, _s, r) => b.get(`/v1/click/receipts/${r}`),
        (_t, _v, s) => b.get(`/v1/click/evidence/${s}`),
      ];
      for (const probe of probes) {
        const foreign = await probe(templateId, versionId, session.body.id, receipt.body.receiptId);
        const absent = await probe(unknown, unknown, unknown, unknown);
        expect(foreign.status).toBe(404);
        expect({ ...foreign.body, requestId: "" }).toEqual({ ...absent.body, requestId: "" });
      }
      const own = await b.publishTemplate();
      expect(own.slug).toBe(slug);
      const sameKey = await b.accept("shared-key", { templateId: own.templateId, userRef: "other" });
      expect(sameKey.status).toBe(201);
      expect(sameKey.body.receiptId).not.toBe(receipt.body.receiptId);
    });
  });
});

async function backendOf(system: System, owner: Api, scopes = "click:read click:write"): Promise<Api> {
  const { client, clientSecret } = await system.admin.createOAuthClient({
    organizationId: owner.organizationId,
    name: "backend",
    scopes: scopes.split(" "),
  });
  const token = await Api.fetchToken(owner.baseUrl, client?.id ?? "", clientSecret, scopes);
  expect(token.body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: scopes });
  return owner.with({ token: token.body.access_token });
}
