import { describe, expect, test } from "@jest/globals";
import { type Json, resolver } from "../support/openapi.ts";
import { brokenOnPurpose } from "./broken-on-purpose.ts";
import { brokenPromises, promisesOf } from "./interface-promises.ts";
import { interfaceOfNow, releasedInterface } from "./released-interface.ts";

const now = interfaceOfNow();

describe("the interface of the last release", () => {
  const then = promisesOf(releasedInterface());

  test("holds: whoever was written for it finds everything and is asked for nothing else", () => {
    const broken = brokenPromises(then, promisesOf(now));
    expect(broken.filter((line) => !(line in brokenOnPurpose)).slice(0, 50)).toEqual([]);
    expect(Object.keys(brokenOnPurpose).filter((line) => !broken.includes(line))).toEqual([]);
    expect(then.kept.length).toBeGreaterThan(10_000);
  });
});

describe("the check of the interface", () => {
  const accept = "/v1/click/accept";
  const then = promisesOf(only(accept));

  // biome-ignore lint/suspicious/noExplicitAny: each case spoils another place of the document
  const cases: [string, (operation: any) => void, string][] = [
    ["an answer that is gone", ({ responses }) => delete responses["409"], "gone: POST /v1/click/accept 409"],
    [
      "a field of an answer that is gone",
      ({ responses }) => delete schemaOf(responses["201"]).properties.receiptId,
      "gone: POST /v1/click/accept 201 application/json.receiptId",
    ],
    [
      "a field of an answer that may be missing",
      ({ responses }) => schemaOf(responses["201"]).required.splice(0),
      "gone: POST /v1/click/accept 201 application/json.receiptId is always there",
    ],
    [
      "a field of an answer with another type",
      ({ responses }) => Object.assign(schemaOf(responses["201"]).properties, { receiptId: { type: "integer" } }),
      "new: POST /v1/click/accept 201 application/json.receiptId type integer",
    ],
    [
      "a field that is no longer taken",
      ({ requestBody }) => delete schemaOf(requestBody).properties.userRef,
      "gone: POST /v1/click/accept takes application/json.userRef",
    ],
    [
      "a field that must be sent from now on",
      ({ requestBody }) => Object.assign(schemaOf(requestBody), { required: ["locale"] }),
      "new: POST /v1/click/accept takes application/json .locale",
    ],
    [
      "a value that is no longer taken",
      ({ requestBody }) => schemaOf(requestBody).properties.action.enum.splice(0, 1),
      'gone: POST /v1/click/accept takes application/json.action = "CHECKBOX"',
    ],
    [
      "a narrower bound",
      ({ requestBody }) => Object.assign(schemaOf(requestBody).properties.userRef, { maxLength: 100 }),
      "narrower: POST /v1/click/accept takes application/json.userRef maxLength 100",
    ],
    [
      "a parameter that is gone",
      ({ parameters }) => parameters.splice(0, 1),
      "gone: POST /v1/click/accept takes header X-Idempotency-Key",
    ],
    [
      "a scope that is not enough any more",
      ({ security }) => security.splice(0, 1),
      "gone: POST /v1/click/accept lets in oauth click:accept",
    ],
  ];
  test.each(cases)("finds %s", (_, spoil, line) => {
    const spoilt = only(accept);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    spoil((spoilt.paths as any)[accept].post);
    expect(brokenPromises(then, promisesOf(spoilt))).toContain(line);
  });

  test("finds an operation that is gone, and lets new ones and wider ones be", () => {
    expect(brokenPromises(then, promisesOf({ ...now, paths: {} }))).toContain("gone: POST /v1/click/accept");
    const wider = only(accept);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const { requestBody, responses } = (wider.paths as any)[accept].post;
    Object.assign(schemaOf(requestBody).properties.userRef, { maxLength: 10_000 });
    Object.assign(schemaOf(requestBody).properties, {
      more: { type: "object", required: ["a"], properties: { a: {} } },
    });
    Object.assign(schemaOf(responses["201"]).properties, { more: { type: "string" } });
    expect(brokenPromises(then, promisesOf(wider))).toEqual([]);
    expect(brokenPromises(then, promisesOf(now))).toEqual([]);
  });

  /** A copy with one address and the schemas of all. */
  function only(path: string): Json {
    const copy = structuredClone(now) as { paths: Record<string, unknown>; webhooks: unknown };
    return { ...copy, paths: { [path]: copy.paths[path] }, webhooks: {} };
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  const schemaOf = (holder: any): any => {
    const json = holder.content["application/json"];
    if (json.schema.$ref === undefined) return json.schema;
    // The schema itself comes where a reference to it stands, so that no other place is spoilt.
    json.schema = structuredClone(resolver(now)(json.schema));
    return json.schema;
  };
});
