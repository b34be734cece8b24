import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { acceptBodyParser, schemaFile } from "../accept-body.ts";

const parse = acceptBodyParser();
const id = "01890a5d-ac96-774b-bcce-b302099a8057";
const good = { templateId: id, userRef: "user-1" };

const fields = (body: unknown): string[] => {
  const parsed = parse(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));
  return parsed.kind === "valid" ? [] : parsed.problems.map((problem) => `${problem.field} ${problem.code}`);
};

describe("accept body", () => {
  test("has a schema that is valid", () => {
    expect(new Ajv2020().validateSchema(JSON.parse(readFileSync(schemaFile, "utf8")))).toBe(true);
  });

  test("takes the smallest and the fullest body", () => {
    expect(fields(good)).toEqual([]);
    expect(
      fields({
        ...good,
        sessionId: id.toUpperCase(),
        templateSlug: "terms",
        locale: "en-US",
        versionId: id,
        renderToken: "token",
        contentHash: `sha256:${"0".repeat(64)}`,
        action: "CHECKBOX",
        decision: "DECLINE",
        typedName: "Ann",
        purposes: [{ purpose: "marketing", granted: false }],
        presentation: {
          surface: "WEB",
          wrapType: "CLICKWRAP",
          displayMode: "MODAL",
          noticeText: "n",
          buttonText: "b",
          checkboxText: "c",
          checkboxInitiallyChecked: false,
          scrolledToEnd: true,
          displayedMs: 12.5,
          documentsOpened: ["terms"],
          viewport: { w: 1, h: 2 },
          screenshotHash: `sha256:${"f".repeat(64)}`,
          events: [{ type: "CHECKED", at: "2026-11-20T17:00:00Z", target: "#box" }],
        },
        context: { ip: "::1", userAgent: "a", pageUrl: "p", pageTitle: "t", referrer: "r", timezone: "z", gpc: true },
        verification: [{ method: "CUSTOMER_SESSION", verifiedAt: "2026-11-20T17:00:00Z", reference: "r" }],
        data: { any: ["thing"] },
        acceptedAt: "2026-11-20T17:00:00+01:00",
        metadata: { order: "7" },
      }),
    ).toEqual([]);
  });
  test("ignores what it does not know", () => {
    expect(fields({ ...good, colour: { deep: [1, { deeper: null }] }, presentation: { mood: 7 } })).toEqual([]);
  });
  test.each<[string, unknown, string[]]>([
    ["no reference", {}, ["sessionId REQUIRED"]],
    ["no user", { templateSlug: "terms" }, ["userRef REQUIRED"]],
    ["an id that is no UUID", { ...good, versionId: "v1" }, ["versionId FORMAT"]],
    ["an empty user", { ...good, userRef: "" }, ["userRef MIN_LENGTH"]],
    ["a long user", { ...good, userRef: "u".repeat(256) }, ["userRef MAX_LENGTH"]],
    ["a user with a NUL", { ...good, userRef: "a\u0000b" }, ["userRef PATTERN"]],
    ["a user with half a surrogate pair", { ...good, userRef: "a\ud800" }, ["userRef PATTERN"]],
    ["a user that is a number", { ...good, userRef: 7 }, ["userRef TYPE"]],
    ["a null", { ...good, typedName: null }, ["typedName TYPE"]],
    ["an unknown action", { ...good, action: "WINK" }, ["action ENUM"]],
    ["a bad hash", { ...good, contentHash: "sha256:xyz" }, ["contentHash PATTERN"]],
    ["a bad locale", { ...good, locale: "not a locale" }, ["locale FORMAT"]],
    ["a bad time", { ...good, acceptedAt: "yesterday" }, ["acceptedAt FORMAT"]],
    ["an impossible day", { ...good, acceptedAt: "2026-02-30T00:00:00Z" }, ["acceptedAt FORMAT"]],
    ["half a purpose", { ...good, purposes: [{ purpose: "p" }] }, ["purposes[0].granted REQUIRED"]],
    [
      "too many events",
      { ...good, presentation: { events: Array(101).fill({ type: "CHECKED" }) } },
      ["presentation.events MAX_ITEMS"],
    ],
    [
      "too many documents",
      { ...good, presentation: { documentsOpened: Array(51).fill("d") } },
      ["presentation.documentsOpened MAX_ITEMS"],
    ],
    ["long metadata", { ...good, metadata: { note: "n".repeat(501) } }, ["metadata.note MAX_LENGTH"]],
    ["metadata that is no text", { ...good, metadata: { n: 1 } }, ["metadata.n TYPE"]],
    [
      "much metadata",
      { ...good, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, "v"])) },
      ["metadata MAX_PROPERTIES"],
    ],
    ["several problems", { ...good, locale: "?", action: "?" }, ["locale FORMAT", "action ENUM"]],
    ["a list", [], [" TYPE"]],
    ["no JSON", "{", [" JSON"]],
  ])("refuses %s", (_, body, expected) => {
    expect(fields(body)).toEqual(expected);
  });
  test("refuses bytes that are not UTF-8", () => {
    expect(parse(Buffer.from([0x22, 0xff, 0x22])).kind).toBe("invalid");
  });
  test("does not climb over a body that is nested a hundred thousand times", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(fields(`{"templateId":"${id}","userRef":"u","unknown":${deep}}`)).toEqual([]);
  });
  test("a huge bad body costs little", () => {
    const start = performance.now();
    const body = { ...good, presentation: { documentsOpened: Array(60_000).fill(1) } };
    expect(fields(body)).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
