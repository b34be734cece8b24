import { describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { genErrorBody } from "../http/error-dialect.ts";
import { attachment, readRange } from "../http/file-reply.ts";
import { zipStream } from "../http/zip-stream.ts";

describe("a range of bytes", () => {
  test.each([
    [undefined, 10, "whole"],
    ["bytes=0-0", 10, { first: 0, last: 0 }],
    ["bytes=9-", 10, { first: 9, last: 9 }],
    ["bytes=10-", 10, "unsatisfiable"],
    ["bytes=-10", 10, { first: 0, last: 9 }],
    ["bytes=-11", 10, { first: 0, last: 9 }],
    ["bytes=0-", 0, "unsatisfiable"],
    ["bytes=-1", 0, "unsatisfiable"],
    [`bytes=0-${"9".repeat(15)}`, 10, { first: 0, last: 9 }],
    [`bytes=${"9".repeat(16)}-`, 10, "whole"],
    ["bytes=0-1 \t", 10, { first: 0, last: 1 }],
  ] as const)("%p of %p bytes is %p", (header, size, expected) => {
    expect(readRange(header, size)).toEqual(expected);
  });
});

test("the files of an archive have the time of the clock, in UTC, wherever it is made", async () => {
  const zone = process.env.TZ;
  const only = async function* () {
    yield { name: "a.pdf", bytes: new Uint8Array(1) };
  };
  try {
    for (const other of ["UTC", "Asia/Tokyo", "America/Los_Angeles"]) {
      process.env.TZ = other;
      const { value: head } = await zipStream(only(), new Date("2026-11-20T17:04:02.123Z")).next();
      // APPNOTE 4.4.6: what is since 1980, month and day, and hours, minutes and pairs of seconds.
      const stamp = Buffer.from(head ?? []).readUInt32LE(10);
      expect(stamp).toBe((46 << 25) | (11 << 21) | (20 << 16) | (17 << 11) | (4 << 5) | 1);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

describe("the name of an attachment", () => {
  test.each([
    ["a.pdf", `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`],
    ['a"b%41\\c.pdf', `attachment; filename="a_b_41_c.pdf"; filename*=UTF-8''a%22b%2541_c.pdf`],
    ["../../etc/passwd", `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`],
    ["a\r\nSet-Cookie: b", `attachment; filename="a__Set-Cookie: b"; filename*=UTF-8''a__Set-Cookie%3A%20b`],
    ["it's (1)*.pdf", `attachment; filename="it's (1)*.pdf"; filename*=UTF-8''it%27s%20%281%29%2A.pdf`],
    ["\ud800", `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
    ["gnp\u202efdp.exe", `attachment; filename="gnp_fdp.exe"; filename*=UTF-8''gnp_fdp.exe`],
    [" ", `attachment; filename="file"; filename*=UTF-8''file`],
  ])("%p", (name, expected) => {
    expect(attachment(name)).toBe(expected);
  });
});

describe("the body of an error", () => {
  test("has numbers where clients reckon, and texts elsewhere", () => {
    const metadata = { reason: "too_many_pages", pages: "201", documentId: "7", resetAt: "5", limit: "many" };
    expect(genErrorBody(new DomainError("GEN_RENDER_FAILED", { metadata })).details).toEqual({
      reason: "too_many_pages",
      pages: 201,
      documentId: "7",
      limit: "many",
    });
  });

  test("has findings of a template without a place as null", () => {
    const details = [{ field: "content:0:0", code: "too_large", message: "is too large" }];
    expect(genErrorBody(new DomainError("GEN_TEMPLATE_ERROR", { details })).details).toEqual({
      errors: [{ code: "too_large", message: "is too large", line: null, column: null }],
    });
  });
});
