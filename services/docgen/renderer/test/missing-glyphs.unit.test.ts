import { describe, expect, test } from "@jest/globals";
import { placeMissingGlyphs } from "../render.ts";
import type { RenderWarning } from "../render-job.ts";

const missing = (char: string): RenderWarning => ({ code: "missing_glyph", char, message: "No font has it." });

const pathsOf = (chars: readonly string[], data: Record<string, unknown>): (string | undefined)[] =>
  placeMissingGlyphs(chars.map(missing), data).map(({ path }) => path);

describe("placeMissingGlyphs", () => {
  test("names the first text of the data that has the character", () => {
    const data = { first: "a", people: [{ name: "b" }, { name: "漢", "full name": "字" }], last: "漢" };
    expect(pathsOf(["U+6F22", "U+5B57"], data)).toEqual(["data.people[1].name", 'data.people[1]["full name"]']);
  });

  test("names none when the character comes from elsewhere", () => {
    expect(pathsOf(["U+6F22"], { name: "a", 漢: 1 })).toEqual([undefined]);
  });

  test("knows characters beyond the first plane", () => {
    expect(pathsOf(["U+1F600"], { text: "a 😀" })).toEqual(["data.text"]);
  });

  test("leaves other warnings as they are", () => {
    const warnings: RenderWarning[] = [{ code: "other", char: "U+0061", message: "m" }, missing("no code")];
    expect(placeMissingGlyphs(warnings, { text: "a" })).toEqual(warnings);
  });

  test("reads data of any depth", () => {
    let data: Record<string, unknown> = { name: "漢" };
    for (let depth = 0; depth < 10_000; depth += 1) data = { a: data };
    expect(pathsOf(["U+6F22"], data)[0]).toMatch(/\.a\.name$/);
  });
});
