import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { allRoutes } from "../routes/index.ts";
import { orgA, orgB } from "./fake-auth.ts";
import { createResources, idsFor, pathWith, type Resources, sampleRequest } from "./sample-requests.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let tokenOfA: string;
let tokenOfB: string;
let idsOfA: Resources;

const everything = "click:read click:write click:admin click:accept";

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database.url);
  tokenOfA = await gateway.auth.token(everything, "cl_a", orgA);
  tokenOfB = await gateway.auth.token(everything, "cl_b", orgB);
  idsOfA = await createResources(gateway, tokenOfA);
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

const withIds = allRoutes.filter(({ path, access }) => path.includes("{") && access !== "public");

describe("ids in paths", () => {
  test.each(withIds.map(({ operationId, method, path }) => [operationId, method, path] as const))(
    "%s answers an id of another organization as an unknown and as a malformed one",
    async (operationId, method, path) => {
      const ask = async (ids: Record<string, string>) => {
        const { status, body } = await gateway.call(method, pathWith(path, ids), {
          token: tokenOfB,
          ...sampleRequest(operationId),
        });
        return { status, errorCode: body.errorCode, message: body.message };
      };
      const unknown = Object.fromEntries(Object.keys(idsFor(path, idsOfA)).map((name) => [name, newId()]));
      const malformed = Object.fromEntries(Object.keys(unknown).map((name) => [name, "not-a-uuid"]));
      const expected = await ask(unknown);
      expect(expected.status).toBe(404);
      expect(expected.errorCode).toMatch(/^CLICK_\w+_NOT_FOUND$/);
      expect(await ask(idsFor(path, idsOfA))).toEqual(expected);
      expect(await ask(malformed)).toEqual(expected);
    },
  );

  test("an id in capitals is the same id", async () => {
    const answer = await gateway.call("GET", `/v1/click/templates/${idsOfA.templateId.toUpperCase()}`, {
      token: tokenOfA,
    });
    expect([answer.status, answer.body.id]).toEqual([200, idsOfA.templateId]);
  });
});

describe("accept", () => {
  test("two organizations may use one idempotency key", async () => {
    const send = (token: string) =>
      gateway.call("POST", "/v1/click/accept", {
        token,
        body: { templateSlug: "terms", userRef: "user-1" },
        headers: { "X-Idempotency-Key": "shared by chance" },
      });
    const [a, b] = await Promise.all([send(tokenOfA), send(tokenOfB)]);
    expect([a.status, b.status]).toEqual([201, 201]);
    expect(a.body.receiptId).not.toBe(b.body.receiptId);
  });
});
