import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { scopeMeanings } from "../auth/scopes.ts";
import { executeRoute } from "../http/execute-route.ts";
import { createSchemaCompiler } from "../http/validate.ts";
import { allRoutes } from "../routes/index.ts";
import type { Route } from "../routes/route.ts";
import { createResources, idsFor, pathWith, type Resources, sampleRequest } from "./sample-requests.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let ids: Resources;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  ids = await createResources(gateway, await gateway.auth.token("click:write click:accept"));
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

/** The interface's own table, apart from the routes that implement it. */
const documented: Readonly<Record<string, string>> = {
  createSession: "click:write",
  getSession: "click:read",
  completeSession: "click:write",
  getClickEvidenceBundle: "click:read",
  accept: "click:accept click:write click:admin",
  findAllTemplates: "click:read",
  createTemplate: "click:write",
  findOneTemplate: "click:read",
  updateTemplate: "click:write",
  findAllVersions: "click:read",
  createVersion: "click:write",
  findPublishedVersions: "click:read",
  findOneVersion: "click:read",
  publishVersion: "click:write",
  getReceipt: "click:read",
};

const protectedRoutes = allRoutes.filter(({ access }) => access !== "public");
const matrix = protectedRoutes.flatMap(({ operationId, method, path }) =>
  Object.keys(scopeMeanings).map((scope) => [operationId, scope, method, path] as const),
);

describe("scopes", () => {
  test("every protected operation is in the interface's table, and the reverse", () => {
    expect(protectedRoutes.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(documented).sort());
  });

  test.each(matrix)("%s with %s is let in or refused as documented", async (operationId, scope, method, path) => {
    const token = await gateway.auth.token(scope, `cl_${operationId}_${scope}`);
    const answer = await gateway.call(method, pathWith(path, idsFor(path, ids)), {
      token,
      ...sampleRequest(operationId),
    });
    if (documented[operationId]?.split(" ").includes(scope)) {
      // A second version for the locale is refused by the service, behind the check.
      expect([200, 201, 409]).toContain(answer.status);
    } else {
      expect([answer.status, answer.body.errorCode]).toEqual([403, "INSUFFICIENT_SCOPE"]);
      expect(answer.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
    }
  });

  test("a protected route without scopes fails at start-up", () => {
    const route = { ...(protectedRoutes[0] as Route), access: { scopes: [], limitGroup: "other" } as const };
    const deps = { compileSchema: createSchemaCompiler(), logger: createLogger("test", "silent") };
    expect(() => executeRoute(route, deps as never)).toThrow("names no scope");
  });
});
