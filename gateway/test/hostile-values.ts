import type { JsonSchema } from "#api/kinds.ts";
import { allRoutes } from "../routes/index.ts";
import type { Route } from "../routes/route.ts";
import { operationOf, pathWith, sampleRequest } from "./sample-requests.ts";

/** A place in a body, and what the schema says about it. */
export interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: JsonSchema;
}

/** Every place that a schema names, however deep. */
export function placesIn(schema: JsonSchema, path: Place["path"] = []): Place[] {
  const { properties = {}, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  const below = [
    ...Object.entries(properties).map(([name, property]) => [name, property] as const),
    ...(items === undefined ? [] : [[0, items] as const]),
  ];
  return below.flatMap(([name, property]) => [
    { path: [...path, name], schema: property },
    ...placesIn(property, [...path, name]),
  ]);
}

type Container = Record<string | number, unknown>;

/** A copy of a body with another value at one place; what leads there is made when it is missing. */
export function withValue(body: unknown, path: Place["path"], value: unknown): unknown {
  const copy = structuredClone(body ?? {}) as Container;
  let container = copy;
  for (const [index, name] of path.entries()) {
    if (index === path.length - 1) container[name] = value;
    else {
      const next = container[name];
      if (typeof next !== "object" || next === null) container[name] = typeof path[index + 1] === "number" ? [] : {};
      container = container[name] as Container;
    }
  }
  return copy;
}

export const typesOf = ({ type }: JsonSchema): readonly string[] =>
  type === undefined ? [] : ([type].flat() as string[]);

const valuesOfTypes: Readonly<Record<string, unknown>> = {
  string: "text",
  integer: 5,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

/** One value of each type that the schema does not allow. */
export function wrongTypes(schema: JsonSchema): unknown[] {
  const types = typesOf(schema);
  if (types.length === 0) return [];
  return Object.entries(valuesOfTypes)
    .filter(([type]) => !types.includes(type) && !(type === "integer" && types.includes("number")))
    .map(([, value]) => value);
}

/** Texts that a format must refuse, or a service must survive. */
export const hostileTexts: Readonly<Record<string, readonly string[]>> = {
  uuid: [
    "",
    "not-a-uuid",
    "x".repeat(36),
    "0190a000-0000-7000-8000-00000000000",
    "{0190a000-0000-7000-8000-000000000001}",
  ],
  "date-time": [
    "",
    "yesterday",
    "2026-02-30T00:00:00Z",
    "+275760-09-13T00:00:00Z",
    "2026-01-01T25:00:00Z",
    "-000001-01-01T00:00:00Z",
  ],
  date: ["", "2026-02-30", "20261120", "9999999-01-01"],
  email: [
    "",
    "ann",
    "@example.com",
    "ann@localhost",
    "ann@example.com\r\nBcc: b@example.com",
    `${"a".repeat(100)}@example.com`,
  ],
  "language-tag": ["", "x".repeat(1_000), "en_US", "-", "*"],
  "https-url": ["", "http://a", "javascript:alert(1)", "https://u:p@a", "https://", `https://a/${"x".repeat(3_000)}`],
};

/** Far away, but dates. */
export const farDates = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "9999-12-31T23:59:59-23:59",
];

/** As JSON writes them: 1e400 is no number that JavaScript has. */
export const hostileNumbers = ["1e400", "-1e400", "1e308", "-0", "-1", "0.5", "9007199254740993", "1e21"];

/** The route of an operation, with what is needed to call it. */
export interface Target {
  readonly route: Route;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

export const routeOf = (operationId: string): Route => {
  const route = allRoutes.find((one) => one.operationId === operationId);
  if (route === undefined) throw new Error(`there is no operation ${operationId}`);
  return route;
};

let keys = 0;

/** A good request of an operation; `fill` says what its path names. */
export function targetOf(operationId: string, fill: (resource: string) => string): Target {
  const { query = "", body, headers = {} } = sampleRequest(operationId);
  const route = routeOf(operationId);
  keys += 1;
  const key = route.idempotencyKey === undefined ? {} : { "X-Idempotency-Key": `hostile ${keys}` };
  return { route, path: pathWith(operationOf(operationId), fill), query, body, headers: { ...headers, ...key } };
}
