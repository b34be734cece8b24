import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Answer, Api } from "../support/api.ts";
import { bodyOf, withScopes } from "../support/journeys.ts";
import { problemsOf } from "../support/shapes.ts";
import { type Mode, type System, scenario } from "../support/system.ts";
import { acceptance, type InterfaceRequest, type InterfaceRow, published } from "./interface-requests.ts";
import { interfaceTable } from "./interface-table.ts";

const clickScopes = ["click:read", "click:write", "click:admin", "click:accept"];

/** All rows with processes of their own; one in six where everything is in one process, which has the same routes. */
const rowsIn = (mode: Mode): readonly InterfaceRow[] =>
  interfaceTable.filter((_, index) => mode === "distributed" || index % 6 === 0);

export const wholeInterface = scenario("the interface", (mode, running) => {
  let system: System;
  let owner: Api;
  const callers = new Map<string, Api>();

  beforeAll(async () => {
    system = running();
    owner = await system.newOrganization();
    for (const scope of clickScopes) callers.set(scope, await withScopes(system, owner, scope));
  });

  const caller = (scope: string): Api => callers.get(scope) ?? owner;
  const send = async (api: Api, { method }: InterfaceRow, request: InterfaceRequest): Promise<Answer> => {
    const answer = await api.call(method, request.path, request.body, request.headers);
    expect(answer.headers.get("x-request-id")).toMatch(/^[\w.-]{1,128}$/);
    expect(answer.headers.get("traceparent")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
    return answer;
  };
  const expectError = ({ status, body, headers }: Answer, expected: number, errorCode: string): void => {
    expect([status, body.errorCode]).toEqual([expected, errorCode]);
    expect(body.requestId).toBe(headers.get("x-request-id"));
    expect(body.message.length).toBeGreaterThan(5);
  };

  describe.each(rowsIn(mode).map((row) => [row.operation, row] as const))("%s", (_operation, row) => {
    const allowed = row.scopes.split(" ");
    const others = clickScopes.filter((scope) => !allowed.includes(scope));

    test.each(allowed)(`${row.status} in its shape with the scope %s alone`, async (scope) => {
      const answer = await send(caller(scope), row, await row.request(owner));
      expect([answer.status, answer.status === row.status ? undefined : answer.body]).toEqual([row.status, undefined]);
      if (row.shape === undefined) expect(answer.body).toBeUndefined();
      else expect(problemsOf(row.shape, answer.body)).toEqual([]);
    });

    test("403 with every other scope, and 401 without a credential", async () => {
      const request = await row.request(owner);
      for (const scope of others) expectError(await send(caller(scope), row, request), 403, "INSUFFICIENT_SCOPE");
      expectError(await send(owner.with({ token: "nonsense" }), row, request), 401, "INVALID_TOKEN");
      const anonymous = await fetch(owner.baseUrl + request.path, {
        method: row.method,
        headers: { "content-type": "application/json", ...request.headers },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      const answer = { status: anonymous.status, headers: anonymous.headers, body: await anonymous.json() };
      expectError(answer, 401, "UNAUTHORIZED");
      expect(answer.headers.get("x-request-id")).not.toBeNull();
      expect(answer.headers.get("traceparent")).not.toBeNull();
    });

    if (row.errors.length > 0) {
      test.each(row.errors)("%s: %i %s", async (_when, status, errorCode, make) => {
        expectError(await send(owner, row, await make(owner)), status, errorCode);
      });
    }
  });

  test("accept beyond the budget of its client: 429, nothing recorded, and the same key works for another client", async () => {
    const other = await system.newOrganization();
    await system.admin.setOrganizationLimits({ organizationId: other.organizationId, limits: { accept: 1 } });
    const { templateId } = await published(other);
    const limited = await withScopes(system, other, "click:accept");
    const row = interfaceTable.find(({ operation }) => operation === "accept") as InterfaceRow;
    // The window may turn over once in between, so three requests meet the limit for certain.
    const answers: Answer[] = [];
    for (const key of ["a", "b", "c"]) answers.push(await send(limited, row, acceptance("u", key, templateId)));
    const refused = answers.findIndex(({ status }) => status === 429);
    const answer = answers[refused] as Answer;
    expectError(answer, 429, "CLICK_RATE_LIMITED");
    expect(answer.headers.get("x-ratelimit-limit")).toBe("1");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(answer.headers.get("x-ratelimit-reset")) * 1_000).toBeGreaterThan(Date.now() - 1_000);
    const next = await withScopes(system, other, "click:accept");
    bodyOf(201, await next.accept(["a", "b", "c"][refused] ?? "", { templateId, userRef: "u" }));
  });
});
