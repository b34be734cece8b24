import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { createLogger } from "#platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

let database: TestDatabase;
let gateway: TestGateway;
let token: string;
const logged: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const logger = createLogger("gateway", "info", { write: (line: string) => void logged.push(line) });
  gateway = await startTestGateway(database.url, { logger });
  token = await gateway.auth.token("click:read click:write click:accept");
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

describe("errors of the services", () => {
  const failWith = async (error: unknown) => {
    gateway.templates.fail.with = error;
    try {
      return await gateway.call("GET", "/v1/click/templates", { token });
    } finally {
      gateway.templates.fail.with = undefined;
    }
  };

  test.each([
    ["unavailable", Code.Unavailable, 503, "SERVICE_UNAVAILABLE"],
    ["too late", Code.DeadlineExceeded, 503, "SERVICE_UNAVAILABLE"],
    ["cancelled", Code.Canceled, 503, "SERVICE_UNAVAILABLE"],
    ["not implemented", Code.Unimplemented, 500, "INTERNAL_ERROR"],
    ["unauthenticated, which is our own fault", Code.Unauthenticated, 500, "INTERNAL_ERROR"],
  ])("%s", async (_name, code, status, errorCode) => {
    const answer = await failWith(new ConnectError("internal detail", code));
    expect([answer.status, answer.body.errorCode]).toEqual([status, errorCode]);
    expect(answer.text).not.toContain("internal detail");
    if (status === 503) expect(answer.headers.get("retry-after")).toBe("1");
  });

  test("a defect is logged with its request and told to nobody", async () => {
    const answer = await failWith(new Error("password=hunter2"));
    expect([answer.status, answer.body.errorCode]).toEqual([500, "INTERNAL_ERROR"]);
    expect(answer.text).not.toContain("hunter2");
    const requestId = answer.headers.get("x-request-id") ?? "";
    const line = logged.find((text) => text.includes(requestId) && text.includes("request failed"));
    expect(JSON.parse(line ?? "{}")).toMatchObject({
      level: "error",
      err: { stack: expect.any(String) },
      route: "/v1/click/templates",
    });
  });

  test("problems that only the service finds are named as the interface names them", async () => {
    const { body } = await gateway.call("POST", "/v1/click/templates", {
      token,
      body: { name: "Large", type: "STATIC" },
    });
    const answer = await gateway.call("POST", `/v1/click/templates/${body.id}/versions`, {
      token,
      body: { locale: "en", content: "ä".repeat(600_000) },
    });
    expect([answer.status, answer.body.errorCode]).toEqual([400, "CLICK_VALIDATION_FAILED"]);
    expect(answer.body.details[0].field).toBe("content");
  });

  test("fields of messages are named as in bodies", async () => {
    const details = [{ field: "changes.default_locale", code: "string.max_len", message: "is too long" }];
    const answer = await failWith(new DomainError("VALIDATION_FAILED", { details }));
    expect(answer.body.details).toEqual([{ field: "defaultLocale", code: "string.max_len", message: "is too long" }]);
  });
});
