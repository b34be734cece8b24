import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonSchema } from "#api/kinds.ts";
import { isCompatPath } from "../http/express-app.ts";
import { operations } from "../routes/operations.ts";
import { coveredOperations } from "./covered-operations.ts";
import {
  type HostileAnswer,
  type HostileSetup,
  problemsOfAnswer,
  problemsOfRefusal,
  startHostileSetup,
} from "./hostile-gateway.ts";
import { farDates, hostileNumbers, hostileTexts, routeOf, type Target, targetOf, typesOf } from "./hostile-values.ts";

let setup: HostileSetup;

beforeAll(async () => {
  setup = await startHostileSetup();
});

afterAll(async () => {
  await setup?.stop();
});

const ids = coveredOperations.map(({ operationId }) => operationId);
const readIds = coveredOperations.filter(({ method }) => method === "GET").map(({ operationId }) => operationId);

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

const sendPath = (target: Target, address: string): Promise<HostileAnswer> =>
  setup.send(target, { path: address, query: "" });

/** The query with these parameters in place of those of the good request. */
const queryWith = (target: Target, name: string, ...values: string[]): string => {
  const query = new URLSearchParams(target.query);
  query.delete(name);
  return `?${[query.toString(), ...values.map((value) => `${name}=${value}`)].filter((part) => part !== "").join("&")}`;
};

const parametersOf = ({ route }: Target): [string, JsonSchema][] => Object.entries(route.query?.properties ?? {});

/** Lists are all turned and narrowed with the same parameters: in which operation each of them is first. */
const firstWith = new Map<string, string>();
for (const operationId of ids) {
  for (const [name, schema] of Object.entries(routeOf(operationId).query?.properties ?? {})) {
    const parameter = JSON.stringify([name, schema]);
    if (!firstWith.has(parameter)) firstWith.set(parameter, operationId);
  }
}
const isFirstIn = ({ route }: Target, parameter: [string, JsonSchema]): boolean =>
  firstWith.get(JSON.stringify(parameter)) === route.operationId;

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
    const own = parametersOf(target).filter((parameter) => isFirstIn(target, parameter));
    const names = [...own.map(([name]) => name), "unknown"];
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
      // The address of the home page has no letters.
      if (change(target.path) === target.path) continue;
      const answer = await sendPath(target, `${change(target.path)}${target.query}`);
      if (operationId === "getReferencePage" && name === "a slash in percent") continue;
      // Clients of the compatible interface send it: see below.
      if (isCompatPath(target.path) && name === "a slash at the end") continue;
      problems.push(
        ...problemsOfRefusal(answer, { ...target, route: { ...target.route, crossOrigin: true } }).map(
          (problem) => `${name} ${problem}`,
        ),
      );
    }
    expect(problems).toEqual([]);
  });

  const compatIds = operations.filter(({ path }) => isCompatPath(path)).map(({ operationId }) => operationId);
  test.each(compatIds)("%s is at its address with a slash at the end, too", async (operationId) => {
    const unknown = () => "0190a000-0000-7000-8000-0000000000ff";
    // What was deleted is not there to be deleted again, and what was locked is not locked again.
    const isOnce = routeOf(operationId).method === "DELETE" || operationId === "compatCreateLock";
    const target = isOnce ? targetOf(operationId, unknown) : setup.target(operationId);
    const answers = [await sendPath(target, target.path), await sendPath(target, `${target.path}/`)];
    const [plain, slashed] = answers.map(({ status, text }) => [status, /"errorCode":"\w+"/.exec(text)?.[0]]);
    expect(slashed).toEqual(plain);
    expect(slashed).not.toContain('"errorCode":"NOT_FOUND"');
  });

  const withParams = coveredOperations
    .filter(({ pathParams }) => pathParams.length > 0)
    .map(({ operationId }) => operationId);
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
