import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DeploymentStatus } from "#gen/assent/templates/v1/templates_pb.ts";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { orgA } from "./fake-auth.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
let templateId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write click:admin");
  templateId = (await send("POST", "/v1/click/templates", { name: "Terms", type: "STATIC" })).body.id;
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const send = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { token, ...(body === undefined ? {} : { body }) });
const create = (body: unknown) => send("POST", `/v1/click/templates/${templateId}/deployments`, body);
const seen = () => gateway.templates.deployments.seen;

describe("createDeployment", () => {
  test("answers 201 with every field of the interface", async () => {
    const versionId = newId();
    const fields = {
      name: "Sign-up",
      environment: "TEST",
      surface: "KIOSK",
      displayMode: "MODAL",
      wrapType: "SCROLLWRAP",
      localeFallback: ["de", "en"],
      allowedOrigins: ["https://www.example.com"],
      theme: { accent: "#036" },
      screenshotId: "shot-1",
      brandId: null,
      policyOverrides: { requireScroll: true },
    };
    const answer = await create({ ...fields, versionSelector: { mode: "PINNED", versionId: versionId.toUpperCase() } });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...fields,
      versionSelector: { mode: "PINNED", versionId },
      id: expect.any(String),
      organizationId: orgA,
      templateId,
      key: expect.stringMatching(/^dep_[0-9A-Za-z]{22}$/),
      status: "DRAFT",
      snapshotHash: null,
      activatedAt: null,
      deactivatedAt: null,
      createdAt: "2026-11-20T17:00:00.123Z",
      updatedAt: "2026-11-20T17:00:00.123Z",
    });
    expect(seen().created.at(-1)?.activate).toBe(false);
  });

  test("an empty body and nulls leave everything to the service", async () => {
    expect((await create({})).body).toMatchObject({
      versionSelector: { mode: "LATEST", versionId: null },
      screenshotId: null,
      theme: {},
    });
    await create({ name: null, environment: null, versionSelector: null, allowedOrigins: null, activate: null });
    const created = seen().created.at(-1);
    expect([created?.activate, created?.fields?.name, created?.fields?.allowedOrigins]).toEqual([false, undefined, []]);
  });

  test("has a brand that there is", async () => {
    const admin = await gateway.auth.token("sign:admin");
    const brand = await gateway.call("POST", "/v1/sign/brands", { token: admin, body: { name: "Green" } });
    const made = await create({ brandId: brand.body.id.toUpperCase() });
    expect([made.status, seen().created.at(-1)?.fields?.brandId?.toLowerCase()]).toEqual([201, brand.body.id]);
    const path = `/v1/click/deployments/${made.body.id}`;
    for (const answer of [await create({ brandId: newId() }), await send("PATCH", path, { brandId: newId() })]) {
      expect([answer.status, answer.body.errorCode]).toEqual([404, "BRAND_NOT_FOUND"]);
    }
    expect((await send("PATCH", path, { brandId: null })).status).toBe(200);
  });

  test("activate goes on", async () => {
    expect((await create({ activate: true })).body.status).toBe("ACTIVE");
  });

  test.each([
    ["name", { name: "" }],
    ["name", { name: "x".repeat(256) }],
    ["environment", { environment: "PROD" }],
    ["surface", { surface: "web" }],
    ["displayMode", { displayMode: "POPUP" }],
    ["wrapType", { wrapType: "BROWSEWRAP" }],
    ["versionSelector.mode", { versionSelector: {} }],
    ["versionSelector.mode", { versionSelector: { mode: "OLDEST" } }],
    ["versionSelector.versionId", { versionSelector: { mode: "PINNED", versionId: "x" } }],
    ["localeFallback[0]", { localeFallback: ["english please"] }],
    ["allowedOrigins", { allowedOrigins: Array(51).fill("https://x.example") }],
    ["allowedOrigins", { allowedOrigins: "https://x.example" }],
    ["allowedOrigins[0]", { allowedOrigins: [5] }],
    ["theme", { theme: "dark" }],
    ["policyOverrides", { policyOverrides: [] }],
    ["activate", { activate: "yes" }],
  ])("a bad %s is 400: %j", async (field, body) => {
    const answer = await create(body);
    expect([answer.status, answer.body.errorCode, answer.body.details[0].field]).toEqual([
      400,
      "CLICK_VALIDATION_FAILED",
      field,
    ]);
  });
});

describe("listDeployments", () => {
  test("answers a bare array, of one status on request", async () => {
    const path = `/v1/click/templates/${templateId}/deployments`;
    const all = await send("GET", path);
    expect(all.status).toBe(200);
    expect(all.body.length).toBeGreaterThan(1);
    const active = await send("GET", `${path}?status=ACTIVE`);
    expect(new Set(active.body.map(({ status }: { status: string }) => status))).toEqual(new Set(["ACTIVE"]));
    expect(seen().lists).toEqual([DeploymentStatus.UNSPECIFIED, DeploymentStatus.ACTIVE]);
    expect((await send("GET", `${path}?status=active`)).body.details[0].field).toBe("status");
  });
});

describe("one deployment", () => {
  const one = async (body: unknown = {}) => (await create(body)).body.id as string;

  test("findOneDeployment answers it", async () => {
    const id = await one({ name: "Mine" });
    const answer = await send("GET", `/v1/click/deployments/${id}`);
    expect([answer.status, answer.body.id, answer.body.name]).toEqual([200, id, "Mine"]);
  });

  test("updateDeployment names exactly the fields that came, and passes force on", async () => {
    const id = await one();
    const body = {
      displayMode: "LINK",
      allowedOrigins: null,
      versionSelector: { mode: "LATEST" },
      key: "x",
      force: true,
    };
    expect((await send("PATCH", `/v1/click/deployments/${id}`, body)).status).toBe(200);
    const update = seen().updates.at(-1);
    expect(update?.updateMask?.paths).toEqual(["display_mode", "version_selector", "allowed_origins"]);
    expect(update).toMatchObject({ force: true, fields: { displayMode: "LINK", allowedOrigins: [] } });
    await send("PATCH", `/v1/click/deployments/${id}`, {});
    expect(seen().updates.at(-1)).toMatchObject({ force: false, updateMask: { paths: [] } });
  });

  test("activate and deactivate need no body", async () => {
    const id = await one();
    const activated = await send("POST", `/v1/click/deployments/${id}/activate`);
    expect([activated.status, activated.body.status]).toEqual([200, "ACTIVE"]);
    const deactivated = await send("POST", `/v1/click/deployments/${id}/deactivate`);
    expect([deactivated.status, deactivated.body.status]).toEqual([200, "INACTIVE"]);
  });

  test("removeDeployment answers 204 once, and 400 while it is active", async () => {
    const id = await one({ activate: true });
    const active = await send("DELETE", `/v1/click/deployments/${id}`);
    expect([active.status, active.body.errorCode]).toEqual([400, "CLICK_DEPLOYMENT_ACTIVE"]);
    await send("POST", `/v1/click/deployments/${id}/deactivate`);
    expect((await send("DELETE", `/v1/click/deployments/${id}`)).status).toBe(204);
    expect((await send("DELETE", `/v1/click/deployments/${id}`)).status).toBe(404);
  });
});
