import { expect, test } from "@jest/globals";
import { parseJson } from "../http/body.ts";

const parse = (text: string) => () => parseJson(Buffer.from(text), "VALIDATION_FAILED");

test.each(["1e400", '{"a":[-1e999]}'])("%s has a number that no JSON could tell again", (text) => {
  expect(parse(text)).toThrow("The body has a number that is too large.");
});

test.each(["1e308", '{"a":[5e-324,-0]}'])("%s has numbers that can be told again", (text) => {
  expect(parse(text)).not.toThrow();
});
