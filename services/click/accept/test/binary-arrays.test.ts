import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { byteaArray, textArray, uuidArray } from "../record-arrays.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const unnest = async (type: string, array: Buffer) =>
  (
    await rows<{ v: unknown }>(click, `select v from unnest($1::${type}[]) with ordinality u (v, n) order by n`, [
      array,
    ])
  ).map(({ v }) => v);

describe("arrays in the binary format", () => {
  test("bring their values, in their order, with those that are missing", async () => {
    const bytes = [Buffer.from([0, 1, 255]), null, Buffer.alloc(0), Buffer.alloc(100_000, 7), undefined];
    expect(await unnest("bytea", byteaArray(bytes))).toEqual(bytes.map((one) => one ?? null));
    const ids = [newId(), null, newId().toUpperCase(), undefined];
    expect(await unnest("uuid", uuidArray(ids))).toEqual(ids.map((one) => one?.toLowerCase() ?? null));
    const texts = ["", "NULL", null, 'a "quoted", {text} \\ and \n lines', "Ünïcödé 😀", "x".repeat(100_000)];
    expect(await unnest("text", textArray(texts))).toEqual(texts);
  });

  test("may be empty", async () => {
    expect(await unnest("bytea", byteaArray([]))).toEqual([]);
    expect(await unnest("uuid", uuidArray([]))).toEqual([]);
  });

  test("refuse what the database could not take", async () => {
    for (const id of ["", "x", newId().slice(1), `${newId()}0`, newId().replace(/.$/, "g")]) {
      expect(() => uuidArray([id])).toThrow("no UUID");
    }
    await expect(unnest("text", textArray(["a\u0000b"]))).rejects.toMatchObject({ code: "22021" });
  });
});
