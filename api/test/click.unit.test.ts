import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { CompleteSessionResponseSchema, SessionSchema, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { flagsToChange } from "../configuration.ts";
import { consentChange } from "../consents.ts";
import { count, list, text } from "../kinds.ts";
import { readOnly } from "../members.ts";
import { receiptToVerify } from "../receipts.ts";
import { completed, completion, session, sessionAnswer } from "../sessions.ts";
import { part, written } from "../written.ts";

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

describe(`what no table says (SEED=${seed})`, () => {
  test("purposes for short ask for the same as purposes in full", () => {
    const purposes = fc.dictionary(fc.string({ minLength: 1, maxLength: 64 }), fc.boolean());
    const hold = fc.property(purposes, (decided) => {
      const full = Object.entries(decided).map(
        ([purpose, granted]) => ({ purpose, decision: granted ? "GRANT" : "DENY" }) as const,
      );
      expect(consentChange.create({ purposes: decided })).toEqual(consentChange.create({ purposes: full }));
    });
    fc.assert(hold, { seed });
  });

  test("flags in an object with nothing but them ask for the same as the flags, and beside others they are one", () => {
    const hold = fc.property(fc.dictionary(fc.string(), fc.integer()), (flags) => {
      expect(flagsToChange.create({ policyFlags: flags })).toEqual({ policyFlags: flags });
      const beside = { ...flags, requireScroll: 1, policyFlags: flags };
      expect(flagsToChange.create(beside)).toEqual({ policyFlags: beside });
    });
    fc.assert(hold, { seed });
  });

  test("an object that travels as bytes comes out as it went in", () => {
    const hold = fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (object) => {
      const { receiptJson } = receiptToVerify.create({ receipt: object as never });
      expect(JSON.parse(new TextDecoder().decode(receiptJson))).toEqual(JSON.parse(JSON.stringify(object)));
    });
    fc.assert(hold, { seed });
  });
});

describe("a session", () => {
  const open = create(SessionSchema, { id: "the-id", status: SessionStatus.PENDING, renderToken: "the-token" });

  test("has the address of its page where the API is reached, and none once it is closed", () => {
    const { renderUrl } = sessionAnswer(open, "https://api.example.com");
    expect(renderUrl).toBe("https://api.example.com/v1/click/render/sessions/the-id?token=the-token");
    const closed = sessionAnswer(create(SessionSchema, { id: "the-id" }), "https://api.example.com");
    expect(closed).toMatchObject({ renderUrl: null, renderToken: null });
    expect(Object.keys(closed)).toEqual(session.schemas.answer.required);
  });

  test("names its template in one of two ways, written as ids are", () => {
    expect(session.create({ templateId: "ABC", userRef: null })).toEqual({
      template: { case: "templateId", value: "abc" },
    });
    expect(session.create({ templateSlug: "Terms" })).toEqual({ template: { case: "templateSlug", value: "Terms" } });
  });

  test("is completed with an acceptance in canonical form, and answers what was written", () => {
    const { acceptanceJson } = completion.create({ acceptance: { b: 1, a: 2 } });
    expect(new TextDecoder().decode(acceptanceJson)).toBe('{"a":2,"b":1}');
    const response = create(CompleteSessionResponseSchema, { receiptsJson: ['{"receiptId":"one"}'] });
    expect(completed.answer(response)).toEqual({ receipts: [{ receiptId: "one" }] });
  });
});

test("what a service writes itself has a schema without a message", () => {
  const inner = written({ words: readOnly(list(text())) });
  const { schemas } = written(
    { inner: readOnly(part(inner)), seen: readOnly(count, { onDemand: true }) },
    "All of it.",
  );
  expect(schemas.answer).toEqual({
    type: "object",
    properties: { inner: inner.schemas.answer, seen: { type: "integer", minimum: 0 } },
    required: ["inner"],
    description: "All of it.",
  });
});
