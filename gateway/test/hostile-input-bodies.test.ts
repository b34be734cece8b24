import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { coveredOperations } from "./covered-operations.ts";
import {
  type HostileAnswer,
  type HostileRequest,
  type HostileSetup,
  problemsOfAnswer,
  problemsOfRefusal,
  startHostileSetup,
} from "./hostile-gateway.ts";
import {
  farDates,
  hostileNumbers,
  hostileTexts,
  type Place,
  placesIn,
  routeOf,
  type Target,
  typesOf,
  withValue,
  wrongTypes,
} from "./hostile-values.ts";

let setup: HostileSetup;

beforeAll(async () => {
  setup = await startHostileSetup();
});

afterAll(async () => {
  await setup?.stop();
});

const withBody = coveredOperations.flatMap(({ operationId }) =>
  routeOf(operationId).body === undefined ? [] : [operationId],
);

type Judge = (answer: HostileAnswer, target: Target) => string[];

/** Sends bodies that are wrong in one way each; returns what was not as it has to be. */
async function judge(
  operationId: string,
  judgeAnswer: Judge,
  requests: (target: Target) => readonly (readonly [name: string, request: HostileRequest])[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, request] of requests(setup.target(operationId))) {
    const target = setup.target(operationId);
    const answer = await setup.send(target, request);
    problems.push(...judgeAnswer(answer, target).map((problem) => `${name} ${problem}`));
  }
  return problems;
}

const json = (value: unknown): HostileRequest => ({ body: JSON.stringify(value) });

/** Bodies that are larger than an operation takes: many take equally much, and to write megabytes takes long. */
const largeBodies = new Map<number, Uint8Array<ArrayBuffer>>();
function largeBody(bytes: number): HostileRequest {
  const body = largeBodies.get(bytes) ?? new TextEncoder().encode(JSON.stringify({ padding: "x".repeat(bytes) }));
  largeBodies.set(bytes, body);
  return { body };
}
const at = ({ path }: Place): string => path.join(".");
/**
 * Agreements have the same recipients and tabs in every list of every layer of many operations: below the first level,
 * one place of each kind is enough there, in the first operation that has it.
 */
const placesOfOperations = placesByOperation();
const placesOf = ({ route }: Target): readonly Place[] => placesOfOperations.get(route.operationId) ?? [];

function placesByOperation(): ReadonlyMap<string, readonly Place[]> {
  const known = new Set<string>();
  const isNew = (place: Place): boolean => {
    const kind = `${place.path.at(-1)} ${JSON.stringify(place.schema)}`;
    const found = known.has(kind);
    known.add(kind);
    return !found || place.path.length === 1;
  };
  return new Map(
    withBody.map((operationId) => {
      const { path, body } = routeOf(operationId);
      const places = placesIn(body?.schema ?? {});
      return [operationId, path.startsWith("/v1/sign/") ? places.filter(isNew) : places];
    }),
  );
}

const placesOfType = (target: Target, ...types: string[]): Place[] =>
  placesOf(target).filter(({ schema }) => types.some((type) => typesOf(schema).includes(type)));

/** The JSON text of a body with a value that JSON.stringify cannot write. */
const withJson = (target: Target, place: Place, text: string): HostileRequest => ({
  body: JSON.stringify(withValue(target.body, place.path, "<here>")).replace('"<here>"', () => text),
});

/** Types of bodies that an operation does not take. */
function otherTypes({ body }: Target["route"]): [string, HostileRequest][] {
  if (body?.documents?.raw === "any") return [];
  const text = { body: "{}", headers: { "Content-Type": "text/plain" } };
  const parts = { body: "--a--", headers: { "Content-Type": "multipart/form-data; boundary=a" } };
  return [
    ...(body?.messageTypes?.includes("text/plain") === true ? [] : [["text", text] as [string, HostileRequest]]),
    ["XML", { body: "<a/>", headers: { "Content-Type": "application/xml" } }],
    ...(body?.documents?.multipart === true ? [] : [["a multipart body", parts] as [string, HostileRequest]]),
    ["another charset", { body: "{}", headers: { "Content-Type": "application/json; charset=utf-16" } }],
  ];
}

describe.each(withBody)("%s", (operationId) => {
  test("refuses what is no JSON, too deep, or cannot be stored", async () => {
    const bodies: [string, string][] = [
      ["a brace", "{"],
      ["a byte order mark", "\ufeff{}"],
      ["a trailing comma", '{"a":1,}'],
      ["a comment", '{} // "a"'],
      ["NaN", '{"a":NaN}'],
      ["a list", "[]"],
      ["a text", '"text"'],
      ["null", "null"],
      ["100,000 nested lists", "[".repeat(100_000) + "]".repeat(100_000)],
      ["10,000 nested objects", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
      ["NUL", '{"a":"\\u0000"}'],
      ["NUL in a name", '{"\\u0000":1}'],
      ["half a surrogate pair", '{"a":"\\ud800"}'],
      ["half a surrogate pair in a name", '{"\\udc00":1}'],
    ];
    expect(await judge(operationId, problemsOfRefusal, () => bodies.map(([name, body]) => [name, { body }]))).toEqual(
      [],
    );
  });

  test("refuses what is too large, compressed, or of another type", async () => {
    const problems = await judge(operationId, problemsOfRefusal, ({ route }) => [
      ["a large body", largeBody(Math.max(300_000, route.body?.maxBytes ?? 0))],
      ["bytes that are no UTF-8", { body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }],
    ]);
    const unsupported: Judge = (answer, target) => [
      ...problemsOfRefusal(answer, target),
      ...(answer.status === 415 ? [] : [`is answered ${answer.status}`]),
    ];
    problems.push(
      ...(await judge(operationId, unsupported, ({ body, route }) => [
        [
          "gzip",
          { body: new Uint8Array(gzipSync(JSON.stringify(body ?? {}))), headers: { "Content-Encoding": "gzip" } },
        ],
        ...otherTypes(route),
      ])),
    );
    expect(problems).toEqual([]);
  });

  test("refuses values of another type in every place", async () => {
    const problems = await judge(operationId, problemsOfRefusal, (target) =>
      placesOf(target).flatMap((place) =>
        wrongTypes(place.schema).map(
          (value) =>
            [`${at(place)} = ${JSON.stringify(value)}`, json(withValue(target.body, place.path, value))] as const,
        ),
      ),
    );
    expect(problems).toEqual([]);
  });

  test("refuses texts that have not the form that their place wants", async () => {
    const problems = await judge(operationId, problemsOfRefusal, (target) =>
      placesOf(target).flatMap((place) =>
        (hostileTexts[String(place.schema.format)] ?? []).map(
          (text) => [`${at(place)} = ${text.slice(0, 50)}`, json(withValue(target.body, place.path, text))] as const,
        ),
      ),
    );
    expect(problems).toEqual([]);
  });

  test("survives huge numbers, far dates and long texts in every place", async () => {
    const problems = await judge(operationId, problemsOfAnswer, (target) => [
      ...placesOfType(target, "integer", "number", "object").flatMap((place) =>
        hostileNumbers.map((text) => {
          const value = typesOf(place.schema).includes("object") ? `{"a":${text},"b":[${text}]}` : text;
          return [`${at(place)} = ${value}`, withJson(target, place, value)] as const;
        }),
      ),
      ...placesOfType(target, "string").flatMap((place) => [
        [`${at(place)} is long`, json(withValue(target.body, place.path, "ä".repeat(60_000)))] as const,
        ...farDates.map((text) => [`${at(place)} = ${text}`, json(withValue(target.body, place.path, text))] as const),
      ]),
    ]);
    expect(problems).toEqual([]);
  });

  test("is not polluted by names that JavaScript gives a meaning", async () => {
    const polluting =
      '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prototype":{"polluted":true}';
    const problems = await judge(operationId, problemsOfAnswer, (target) => [
      ["nothing else", { body: `{${polluting}}` }],
      [
        "a good body",
        {
          body: JSON.stringify(target.body ?? {})
            .replace("{", () => `{"toString":1,"hasOwnProperty":1,${polluting},`)
            .replace(/,}$/, "}"),
        },
      ],
      ...placesOfType(target, "object").map((place) => [at(place), withJson(target, place, `{${polluting}}`)] as const),
    ]);
    expect(problems).toEqual([]);
    for (const value of [{}, [], () => undefined]) expect((value as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
