import { Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import type { Request } from "express";
import { parseJson, readBody } from "../http/body.ts";
import { standardDialect } from "../http/error-dialect.ts";

const parse = (text: string) => () => parseJson(Buffer.from(text), "VALIDATION_FAILED");

test.each(["1e400", '{"a":[-1e999]}'])("%s has a number that no JSON could tell again", (text) => {
  expect(parse(text)).toThrow("The body has a number that is too large.");
});

test.each(["1e308", '{"a":[5e-324,-0]}'])("%s has numbers that can be told again", (text) => {
  expect(parse(text)).not.toThrow();
});

test("the error of a body that is too large is made only for one that is", async () => {
  let made = 0;
  const dialect = {
    ...standardDialect,
    get payloadTooLarge() {
      made += 1;
      return "PAYLOAD_TOO_LARGE" as const;
    },
  };
  const read = (text: string) => {
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const request = Object.assign(Readable.from([Buffer.from(text)]), { headers });
    return readBody(request as unknown as Request, { maxBytes: 10, form: false }, dialect);
  };
  expect(await read('{"a":1}')).toEqual({ a: 1 });
  expect(made).toBe(0);
  await expect(read('{"a":12345678}')).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  expect(made).toBe(1);
});
