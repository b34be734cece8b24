import { describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { leafTime } from "../integrator.ts";

const at = "2026-11-20T17:00:00.123Z";
const random = "1f0e3dad-9990-4345-b743-9f8ffabdffc4";
const leaf = (payload: unknown) => Buffer.from(JSON.stringify(payload));

describe("leafTime", () => {
  test("is what any kind of leaf says of itself", () => {
    for (const name of ["acceptedAt", "recordedAt", "completedAt", "publishedAt", "requestedAt", "openedAt"]) {
      expect(leafTime(random, leaf({ [name]: at, expiresAt: "2099-01-01T00:00:00Z" }))).toEqual(new Date(at));
    }
  });
  test("is the time in the id when the leaf is not known", () => {
    expect(leafTime("0193489d-1234-7000-8000-000000000000")).toEqual(new Date(0x0193489d1234));
    expect(Math.abs(Date.now() - (leafTime(newId())?.getTime() ?? 0))).toBeLessThan(5_000);
  });
  test("is the later one of both", () => {
    const id = "0193489d-1234-7000-8000-000000000000";
    expect(leafTime(id, leaf({ completedAt: at }))).toEqual(new Date(at));
    expect(leafTime(id, leaf({ publishedAt: "2001-01-01T00:00:00Z" }))).toEqual(new Date(0x0193489d1234));
  });
  test("is unknown when nothing tells", () => {
    for (const bytes of [undefined, leaf({}), leaf(null), leaf({ acceptedAt: 5 }), leaf({ acceptedAt: "soon" })]) {
      expect(leafTime(random, bytes)).toBeUndefined();
    }
    expect(leafTime(random, Buffer.from([0xff, 0x00]))).toBeUndefined();
  });
});
