import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operations } from "../routes/operations.ts";
import { isForPeople } from "../routes/route.ts";
import { coveredOperations } from "./covered-operations.ts";
import { type HostileSetup, problemsOfAnswer, startHostileSetup } from "./hostile-gateway.ts";
import { routeOf, targetOf } from "./hostile-values.ts";
import { sendRaw } from "./raw-http.ts";

let setup: HostileSetup;

beforeAll(async () => {
  setup = await startHostileSetup();
});

afterAll(async () => {
  await setup?.stop();
});

const ids = coveredOperations.map(({ operationId }) => operationId);
const readIds = coveredOperations.filter(({ method }) => method === "GET").map(({ operationId }) => operationId);

describe("methods", () => {
  const deleteIds = operations
    .filter(({ method, operationId }) => method === "DELETE" && routeOf(operationId).body === undefined)
    .map(({ operationId }) => operationId);
  test.each(deleteIds)("%s is not changed by a body on DELETE", async (operationId) => {
    const target = targetOf(operationId, () => "0190a000-0000-7000-8000-0000000000ff");
    const plain = await setup.send(target);
    for (const body of ['{"a":"b"}', "{", "x".repeat(300_000)]) {
      const answer = await setup.send(target, { body });
      expect([answer.status, problemsOfAnswer(answer, target)]).toEqual([plain.status, []]);
    }
  });

  /** A link is opened once, so HEAD, with which programs only look, opens nothing. */
  const headStatuses: ReadonlyMap<string, number> = new Map([["openSigningLink", 200]]);

  test.each(readIds)(
    "%s answers HEAD as GET without the body, and a body on GET changes nothing",
    async (operationId) => {
      const target = setup.target(operationId);
      const get = await setup.send(target);
      const head = await setup.send(target, { method: "HEAD" });
      expect([head.status, head.text, problemsOfAnswer(head, target)]).toEqual([
        headStatuses.get(operationId) ?? get.status,
        "",
        [],
      ]);
      const lines = ["Content-Type: application/json", "Content-Length: 9"];
      const raw = await sendRaw(
        setup.gateway.port,
        [
          `GET ${target.path}${target.query} HTTP/1.1`,
          "Host: a",
          ...(target.route.access === "public" || isForPeople(target.route)
            ? []
            : [`Authorization: Bearer ${setup.token}`]),
          ...Object.entries(target.headers).map(([name, value]) => `${name}: ${value}`),
          ...lines,
          "Connection: close",
          "",
          '{"a":"b"}',
        ].join("\r\n"),
      );
      // What comes in chunks is not taken apart here: only its head is looked at.
      expect(raw.slice(0, 1).map(({ status }) => status)).toEqual([get.status]);
    },
  );

  test.each(ids)("%s knows no other method, and tells a browser of no permission", async (operationId) => {
    const target = setup.target(operationId);
    const own = operations.filter(({ path }) => path === target.route.path).map(({ method }) => String(method));
    const problems: string[] = [];
    for (const method of ["PUT", "POST", "PATCH", "DELETE", "OPTIONS"].filter((one) => !own.includes(one))) {
      const preflight = {
        Origin: "https://evil.example",
        "Access-Control-Request-Method": target.route.method,
        "Access-Control-Request-Headers": "authorization",
      };
      const answer = await setup.send(target, { method, body: undefined, headers: preflight });
      if (answer.status !== 405) problems.push(`${method} is answered ${answer.status}`);
      if (answer.headers.get("allow")?.includes(target.route.method) !== true) problems.push(`${method} gets no Allow`);
      for (const [name] of answer.headers)
        if (name.startsWith("access-control-")) problems.push(`${method} gets ${name}`);
    }
    expect(problems).toEqual([]);
  });
});
