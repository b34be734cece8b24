import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { isGenerationPath } from "../http/express-app.ts";
import { operations } from "../routes/operations.ts";
import { pathWith } from "./sample-requests.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();

  gateway = await startTestGateway(database.url);
  token = await gateway.auth.token("click:read click:write click:accept");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

describe("addresses and methods", () => {
  test.each([
    "/v1/click/templates/",
    "/V1/click/templates",
    "/v1/click/%74emplates/x/y",
    "//v1/click/templates",
    "/v1/click",
  ])("%s is 404", async (path) => {
    const answer = await gateway.call("GET", path, { token });
    expect([answer.status, answer.body.errorCode]).toEqual([404, "NOT_FOUND"]);
  });

  const id = "0190a000-0000-7000-8000-000000000001";
  const paths = [...Map.groupBy(operations, ({ path }) => path).values()];
  test.each(paths.flatMap(([first, ...others]) => (first ? [[first.path, [first, ...others] as const] as const] : [])))(
    "%s knows its methods only",
    async (path, ofPath) => {
      const methods = ofPath.map(({ method }) => method);
      const filled = pathWith(ofPath[0], () => id);
      const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
      const other = ["PUT", "PATCH", "DELETE", "POST"].find((method) => !methods.some((own) => own === method)) ?? "";
      const answer = await gateway.call(other, filled);
      expect([answer.status, answer.body.errorCode ?? answer.body.code, answer.headers.get("allow")]).toEqual([
        405,
        isGenerationPath(path) ? "method_not_allowed" : "METHOD_NOT_ALLOWED",
        allow,
      ]);
    },
  );

  test("HEAD answers what GET does, without the body", async () => {
    const options = { token, headers: { "X-Request-Id": "head" } };
    const get = await gateway.call("GET", "/v1/click/templates", options);
    const head = await gateway.call("HEAD", "/v1/click/templates", options);
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect((await gateway.call("HEAD", "/v1/click/accept")).status).toBe(405);
  });

  test("a path in capitals hexadecimals is still refused or found by its ids alone", async () => {
    const answer = await gateway.call("GET", `/v1/click/templates/${id}%2Fversions`, { token });
    expect([answer.status, answer.body.errorCode]).toEqual([404, "CLICK_TEMPLATE_NOT_FOUND"]);
  });
});
