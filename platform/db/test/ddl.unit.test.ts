import { describe, expect, test } from "@jest/globals";
import { identifier, literal } from "../ddl.ts";
import { startupOptions } from "../pool.ts";

describe("identifier and literal", () => {
  test("quotes within a name or a text are doubled", () => {
    expect(identifier('a"b')).toBe('"a""b"');
    expect(literal("it's")).toBe("'it''s'");
  });
});

describe("startupOptions", () => {
  test("blanks and backslashes of a value are escaped", () => {
    expect(startupOptions({ role: "a b\\c" })).toContain("-c role=a\\ b\\\\c");
  });

  test("an empty role and a dash are no role", () => {
    expect(startupOptions({ role: "" })).not.toContain("role");
    expect(startupOptions({ role: "-" })).not.toContain("role");
  });
});
