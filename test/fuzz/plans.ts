import fc from "fast-check";
import { hostileValues, mutated } from "./mutations.ts";
import type { BodyDescription, FuzzOperation, Parameter } from "./operations.ts";
import { isToCome, kindAt, Pick } from "./pool.ts";
import { hostileTexts } from "./texts.ts";
import { type Naming, validValues } from "./values.ts";

/** Who a request says it is from. */
export type Credential = "key" | "token" | "readOnly" | "foreign" | "none" | "rubbish" | "forged" | "revoked";

export type BodyPlan =
  | { readonly kind: "none" }
  | { readonly kind: "value"; readonly value: unknown }
  /** Sent as it is. */
  | { readonly kind: "text"; readonly text: string; readonly cutAt: number };

/** A request but for what only earlier answers can tell. */
export interface Plan {
  readonly operation: FuzzOperation;
  /** Replaces the method of the operation. */
  readonly method: string | undefined;
  readonly credential: Credential;
  readonly rubbish: string;
  readonly topic: number;
  /** By name; those that are left out are undefined. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly repeated: string | undefined;
  readonly extraQuery: string;
  readonly body: BodyPlan;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly isChunked: boolean;
}

/** Requests to any of these operations, most of them right, the others wrong in one way or another. */
export function plansFor(operations: readonly FuzzOperation[]): fc.Arbitrary<Plan> {
  return fc.oneof(...operations.map((operation) => ({ arbitrary: plansOf(operation), weight: weightOf(operation) })));
}

/** One for each operation, so that none is left out. */
export const plansForEach = (operations: readonly FuzzOperation[], seed: number): Plan[] =>
  operations.flatMap((operation) => fc.sample(plansOf(operation), { seed, numRuns: 1 }));

/** What ends something comes less often than what begins it. */
function weightOf({ method, path, parameters }: FuzzOperation): number {
  // What is recorded exactly once is what everything else exists for.
  if (parameters.some(({ name, required }) => name === "X-Idempotency-Key" && required)) return 20;
  if (method === "DELETE" || /archive$/.test(path)) return 1;
  return method === "GET" ? 3 : 6;
}

const credentials = fc.oneof(
  { arbitrary: fc.constant<Credential>("key"), weight: 120 },
  { arbitrary: fc.constantFrom<Credential>("token", "foreign"), weight: 8 },
  { arbitrary: fc.constantFrom<Credential>("readOnly", "none", "rubbish", "forged", "revoked"), weight: 5 },
);

function plansOf(operation: FuzzOperation): fc.Arbitrary<Plan> {
  const parameters = fc.record(
    Object.fromEntries(
      operation.parameters.map((parameter) => [parameter.name, parameterValues(parameter, operation)] as const),
    ),
    { noNullPrototype: true },
  );
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  return fc.record({
    operation: fc.constant(operation),
    method: rarely(50, fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT")),
    credential: credentials,
    rubbish: hostileTexts,
    topic: fc.oneof(fc.nat(20), fc.nat()),
    parameters,
    repeated: rarely(30, inQuery.length === 0 ? fc.constant(undefined) : fc.constantFrom(...inQuery)),
    extraQuery: fc.oneof(
      { arbitrary: fc.constant(""), weight: 20 },
      { arbitrary: fc.constantFrom("x=1", "__proto__=1", "%zz", "a[b]=1", "=", "&&", "%00=%00"), weight: 1 },
    ),
    body: bodyPlans(operation.body),
    contentType: contentTypes(operation.body),
    accept: rarely(5, fc.constantFrom("text/html", "text/plain", "application/json", "*/*", "image/png", "q=;,,")),
    isChunked: fc.oneof({ arbitrary: fc.constant(false), weight: 10 }, { arbitrary: fc.constant(true), weight: 1 }),
  });
}

const rarely = <T>(oneIn: number, values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: oneIn - 1 }, { arbitrary: values, weight: 1 });

/** Names for which any value but one that exists leads nowhere. */
const isReference = (name: string): boolean =>
  !name.startsWith("X-") &&
  /(Ids?|Slug|Key|Ref|IdOrSlug|[tT]oken|^log|^cursor|^client_\w+|^receipt|^purposes?|^If-\w+-?\w*)$/.test(name);

/** Mostly something that exists, where the name is one of a reference; now and then what was told under other names. */
const naming: Naming = (name, values) => {
  if (name === "") return values;
  const picks = fc
    .tuple(fc.nat(), fc.integer({ min: 0, max: 9 }), values)
    .map(([at, n, otherwise]) => new Pick(name, at, n > 0, otherwise));
  const [known, made] = isReference(name) || isToCome(name) ? [9, 1] : [1, 5];
  return fc.oneof({ arbitrary: picks, weight: known }, { arbitrary: values, weight: made });
};

/** What need not be sent is left out while nothing exists that it could name. */
const namingOrNone: Naming = (name, values) => naming(name, isReference(name) ? fc.constant(undefined) : values);

function parameterValues({ name, in: place, required, schema }: Parameter, { path }: FuzzOperation) {
  const names = required ? naming : namingOrNone;
  const valid = validValues(schema, names, place === "path" ? fullName(name, path) : name);
  const values = fc.oneof(
    { arbitrary: valid, weight: 30 },
    { arbitrary: fc.oneof(hostileTexts, hostileValues), weight: 1 },
  );
  if (place === "path") return values;
  const left = required ? 1 : 10;
  return fc.oneof({ arbitrary: values, weight: 10 }, { arbitrary: fc.constant(undefined), weight: left });
}

/** `{id}` after `templates` is a templateId. */
const fullName = (name: string, path: string): string =>
  name === "id" ? `${kindAt(path.slice(0, path.indexOf("{id}")))}Id` : name;

function bodyPlans(body: BodyDescription | undefined): fc.Arbitrary<BodyPlan> {
  const none = fc.constant<BodyPlan>({ kind: "none" });
  if (body === undefined) {
    const unasked = hostileValues.map((value): BodyPlan => ({ kind: "value", value }));
    return fc.oneof({ arbitrary: none, weight: 20 }, { arbitrary: unasked, weight: 1 });
  }
  const made = validValues(body.schema, naming);
  const examples = examplesOf(body);
  const extended = fc.tuple(examples, made, fc.nat()).map(([example, other, at]) => withOneOf(example, other, at));
  const valid =
    body.examples.length === 0
      ? made
      : fc.oneof(
          { arbitrary: made, weight: 4 },
          { arbitrary: extended, weight: 2 },
          { arbitrary: examples, weight: 2 },
        );
  const value = (values: fc.Arbitrary<unknown>) => values.map((of): BodyPlan => ({ kind: "value", value: of }));
  return fc.oneof(
    { arbitrary: value(valid), weight: 20 },
    { arbitrary: value(mutated(valid)), weight: 8 },
    { arbitrary: value(hostileValues), weight: 1 },
    { arbitrary: texts, weight: 1 },
    { arbitrary: none, weight: 1 },
  );
}

/** An example of the document, with things that exist in the places of those that it names. */
function examplesOf({ examples }: BodyDescription): fc.Arbitrary<unknown> {
  const parts = (value: unknown, name: string): fc.Arbitrary<unknown> => {
    if (Array.isArray(value)) return fc.tuple(...value.map((item) => parts(item, name.replace(/s$/, ""))));
    if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value).map(([key, part]) => [key, parts(part, key)] as const);
      return fc.record(Object.fromEntries(entries), { noNullPrototype: true });
    }
    return isReference(name) ? naming(name, fc.constant(value)) : fc.constant(value);
  };
  return examples.length === 0 ? fc.constant({}) : fc.oneof(...examples.map((example) => parts(example, "")));
}

/** The first object with one property of the second. */
function withOneOf(object: unknown, other: unknown, at: number): unknown {
  const entries = Object.entries(Object(other));
  const chosen = entries[at % Math.max(entries.length, 1)];
  return chosen === undefined ? object : Object.fromEntries([...Object.entries(Object(object)), chosen]);
}

/** Bodies that no JSON value is written as, or not by everybody. */
const texts: fc.Arbitrary<BodyPlan> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        "{",
        "{}x",
        "nul",
        "\ufeff{}",
        '{"name":1e400}',
        '{"name":-0,"ttlSeconds":60.0}',
        '{"name":"a","name":"b"}',
        '{"name":"\\ud800"}',
        '{"name":"\\u0000"}',
        '{"__proto__":{"name":"x"},"constructor":null}',
        "{'name':'x'}",
        "[".repeat(100_000),
        `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
        `{"name":"${"x".repeat(300_000)}"}`,
        "name=x&name=y",
        "grant_type=client_credentials&client_id=%00&client_secret=%ff",
        "<?xml version='1.0'?><a/>",
        "\0",
      ),
      fc.json(),
      hostileTexts,
    ),
    fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, { arbitrary: fc.integer({ min: 1, max: 3 }), weight: 1 }),
  )
  .map(([text, cutAt]) => ({ kind: "text", text, cutAt }));

function contentTypes(body: BodyDescription | undefined): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...(body?.types ?? ["application/json"])), weight: 30 },
    { arbitrary: fc.constant("application/json; charset=UTF-8"), weight: 2 },
    {
      arbitrary: fc.constantFrom(
        undefined,
        "",
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin1",
        "application/json, text/plain",
        "application/merge-patch+json",
        "\u00ff",
      ),
      weight: 1,
    },
  );
}
