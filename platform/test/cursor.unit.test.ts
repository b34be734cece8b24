import { describe, expect, test } from "@jest/globals";
import { cursorOf, readCursor } from "../cursor.ts";

describe("readCursor", () => {
  const code = "CLICK_VALIDATION_FAILED";
  const position = { at: new Date("2026-11-20T17:00:00.123Z"), id: "01960000-0000-7000-8000-000000000001" };

  test("reads what cursorOf wrote", () => {
    expect(readCursor(cursorOf(position), code)).toEqual(position);
    expect(readCursor("", code)).toBeUndefined();
  });

  test.each([
    "x",
    "AAAA",
    "%%%",
    `${cursorOf(position)}=`,
    ` ${cursorOf(position)}`,
    Buffer.from("1 1").toString("base64url"),
    Buffer.from(`-1 ${position.id}`).toString("base64url"),
    Buffer.from(`999999999999999 ${position.id}`).toString("base64url"),
    Buffer.from(`1 ${position.id} 1`).toString("base64url"),
  ])("refuses %j", (cursor) => {
    expect(() => readCursor(cursor, code)).toThrow(expect.objectContaining({ code }));
  });
});
