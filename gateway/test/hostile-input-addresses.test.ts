import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operations } from "../routes/operations.ts";
import type { JsonSchema } from "../routes/route.ts";
import {
  type HostileAnswer,
  type HostileSetup,
  problemsOfAnswer,
  problemsOfRefusal,
  startHostileSetup,
} from "./hostile-gateway.ts";
import { farDates, hostileNumbers, hostileTexts, type Target, targetOf, typesOf } from "./hostile-values.ts";
import { sendRaw } from "./raw-http.ts";

let setup: HostileSetup;

beforeAll(async () => {
  setup = await startHostileSetup();
});

afterAll(async () => {
  await setup?.stop();
});

const ids = operations.map(({ operationId }) => operationId);
const readIds = operations.filter(({ method }) => method === "GET").map(({ operationId }) => operationId);

type Judge = (answer: HostileAnswer, target: Target) => string[];

const judgeQueries = async (operationId: string, judge: Judge, queries: readonly string[]): Promise<string[]> => {
  const problems: string[] = [];
  for (const query of queries) {
    const target = setup.target(operationId);
    problems.push(
      ...judge(await setup.send(target, { query }), target).map((problem) => `${query.slice(0, 80)} ${problem}`),
    );
  }
  return problems;
};

/** Without what fetch would do to an address before it is sent. */
async function sendPath(target: Target, path: string): Promise<HostileAnswer> {
  const { route, headers } = target;
  const body = route.body === undefined ? "" : JSON.stringify(target.body ?? {});
  const lines = [
    `${route.method} ${path} HTTP/1.1`,
    "Host: a",
    ...(route.access === "public" ? [] : [`Authorization: Bearer ${setup.token}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "Connection: close",
  ];
  const [answer] = await sendRaw(setup.gateway.port, `${lines.join("\r\n")}\r\n\r\n${body}`);
  return { status: answer?.status ?? 0, headers: new Headers([...(answer?.headers ?? [])]), text: answer?.body ?? "" };
}

/** The query with these parameters in place of those of the good request. */
const queryWith = (target: Target, name: string, ...values: string[]): string => {
  const query = new URLSearchParams(target.query);
  query.delete(name);
  return `?${[query.toString(), ...values.map((value) => `${name}=${value}`)].filter((part) => part !== "").join("&")}`;
};

const parametersOf = ({ route }: Target): [string, JsonSchema][] => Object.entries(route.query?.properties ?? {});

describe("queries", () => {
  test.each(ids)(
    "%s refuses what comes twice, has not the form of its type, or cannot be stored",
    async (operationId) => {
      const target = setup.target(operationId);
      const queries = parametersOf(target).flatMap(([name, schema]) => {
        const [type] = typesOf(schema);
        const wrong = [
          ...(hostileTexts[String(schema.format)] ?? []),
          ...(type === "integer"
            ? [...hostileNumbers.filter((text) => text !== "1e21"), "1e21", "0x10", "%205", "", "9".repeat(400)]
            : []),
          ...(type === "boolean" ? ["yes", "TRUE", ""] : []),
          ...(Array.isArray(schema.enum) ? ["NO_SUCH_VALUE", ""] : []),
          ...(type === "string" ? ["a%00b"] : []),
        ];
        return [
          queryWith(target, name, "a", "a"),
          ...wrong.map((text) =>
            queryWith(target, name, text.startsWith("%") || text.includes("%00") ? text : encodeURIComponent(text)),
          ),
        ];
      });
      expect(await judgeQueries(operationId, problemsOfRefusal, queries)).toEqual([]);
    },
  );

  test.each(ids)("%s survives everything else", async (operationId) => {
    const target = setup.target(operationId);
    const names = [...parametersOf(target).map(([name]) => name), "unknown"];
    const values = [
      "%zz",
      "%ED%A0%80",
      "%FF",
      "x".repeat(8_000),
      "a;b",
      "a%26b",
      "%0d%0aSet-Cookie:a",
      ...farDates.map(encodeURIComponent),
    ];
    const queries = [
      ...names.flatMap((name) => values.map((value) => queryWith(target, name, value))),
      "?__proto__=x&constructor=y&__proto__[polluted]=1&constructor[prototype][polluted]=1",
      "?&&&==&?a=b#c",
      `?${"a=b&".repeat(2_000)}`,
    ];
    expect(await judgeQueries(operationId, problemsOfAnswer, queries)).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test.each(readIds)("%s takes a[b]=1 for a name like any other", async (operationId) => {
    const target = setup.target(operationId);
    const plain = await setup.send(target);
    const names = [...parametersOf(target).map(([name]) => name), "a"];
    const flat = names.map((name) => `${name}[b]=1&${name}[]=2&${name}.c=3`).join("&");
    const answer = await setup.send(target, { query: `${target.query === "" ? "?" : `${target.query}&`}${flat}` });
    expect([answer.status, problemsOfAnswer(answer, target)]).toEqual([plain.status, []]);
  });
});

describe("paths", () => {
  /** What only looks like the path. */
  const others: [string, (path: string) => string][] = [
    ["a slash at the end", (path) => `${path}/`],
    ["capitals", (path) => path.toUpperCase()],
    ["two slashes", (path) => path.replace("/", "//")],
    ["a dot", (path) => `/.${path}`],
    ["two dots", (path) => `/x/..${path}`],
    ["two dots in capitals and percent", (path) => `/x/%2e%2E${path}`],
    ["a slash in percent", (path) => path.replace(/\/(?=[^/]*$)/, "%2F")],
    ["a backslash", (path) => path.replaceAll("/", "\\")],
    ["a parameter before", (path) => `/;a=b${path}`],
    ["NUL before", (path) => `/%00${path}`],
    ["a bad escape before", (path) => `/%zz${path}`],
    ["half an escape before", (path) => `/%${path}`],
    ["bytes that are no UTF-8 before", (path) => `/%FF${path}`],
    ["a long segment before", (path) => `/${"x".repeat(8_000)}${path}`],
    ["a thousand segments before", (path) => `${"/x".repeat(1_000)}${path}`],
  ];

  test.each(ids)("%s is at no other address", async (operationId) => {
    const problems: string[] = [];
    for (const [name, change] of others) {
      const target = setup.target(operationId);
      const answer = await sendPath(target, `${change(target.path)}${target.query}`);
      if (operationId === "getReferencePage" && name === "a slash in percent") continue;
      problems.push(
        ...problemsOfRefusal(answer, { ...target, route: { ...target.route, crossOrigin: true } }).map(
          (problem) => `${name} ${problem}`,
        ),
      );
    }
    expect(problems).toEqual([]);
  });

  const withParams = operations.filter(({ pathParams }) => pathParams.length > 0).map(({ operationId }) => operationId);
  const names = [
    "..%2F..",
    "%00",
    "a%00b",
    "a;b",
    "%F0%9F%98%80",
    "-0",
    "1e400",
    "9".repeat(400),
    "x".repeat(8_000),
    "__proto__",
    "constructor",
    "%0d%0aA:b",
    "'--",
    "%25%32%46",
  ];

  test.each(withParams)("%s survives every name, and a bad escape is a bad request", async (operationId) => {
    const problems: string[] = [];
    for (const name of names) {
      const target = targetOf(operationId, () => "NAME");
      const answer = await sendPath(target, `${target.path.replaceAll("NAME", () => name)}${target.query}`);
      problems.push(
        ...problemsOfAnswer(answer, { ...target, route: { ...target.route, crossOrigin: true } }).map(
          (problem) => `${name.slice(0, 50)} ${problem}`,
        ),
      );
    }
    for (const name of ["%zz", "%", "%FF", "%C0%AF"]) {
      const target = targetOf(operationId, () => "NAME");
      const answer = await sendPath(target, `${target.path.replaceAll("NAME", () => name)}${target.query}`);
      if (answer.status !== 400 && answer.status !== 404) problems.push(`${name} is answered ${answer.status}`);
    }
    expect(problems).toEqual([]);
  });
});

describe("methods", () => {
  const deleteIds = operations.filter(({ method }) => method === "DELETE").map(({ operationId }) => operationId);
  test.each(deleteIds)("%s is not changed by a body on DELETE", async (operationId) => {
    const target = targetOf(operationId, () => "0190a000-0000-7000-8000-0000000000ff");
    const plain = await setup.send(target);
    for (const body of ['{"a":"b"}', "{", "x".repeat(300_000)]) {
      const answer = await setup.send(target, { body });
      expect([answer.status, problemsOfAnswer(answer, target)]).toEqual([plain.status, []]);
    }
  });

  test.each(readIds)(
    "%s answers HEAD as GET without the body, and a body on GET changes nothing",
    async (operationId) => {
      const target = setup.target(operationId);
      const get = await setup.send(target);
      const head = await setup.send(target, { method: "HEAD" });
      expect([head.status, head.text, problemsOfAnswer(head, target)]).toEqual([get.status, "", []]);
      const lines = ["Content-Type: application/json", "Content-Length: 9"];
      const raw = await sendRaw(
        setup.gateway.port,
        [
          `GET ${target.path}${target.query} HTTP/1.1`,
          "Host: a",
          ...(target.route.access === "public" ? [] : [`Authorization: Bearer ${setup.token}`]),
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
