import { describe, expect, test } from "@jest/globals";
import { canonicalOrigin, originProblems } from "../domain/deployment.ts";

describe("canonicalOrigin", () => {
  test.each([
    ["https://example.com", "https://example.com"],
    ["https://www.example.com:8443", "https://www.example.com:8443"],
    ["HTTPS://Example.COM", "https://example.com"],
    ["https://example.com:443", "https://example.com"],
    ["https://münchen.example", "https://xn--mnchen-3ya.example"],
    ["https://192.0.2.1", "https://192.0.2.1"],
    ["https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"],
    ["https://localhost:3000", "https://localhost:3000"],
    ["http://localhost", "http://localhost"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://localhost:80", "http://localhost"],
  ])("%s is %s", (text, origin) => {
    expect(canonicalOrigin(text)).toBe(origin);
    expect(canonicalOrigin(origin)).toBe(origin);
  });

  test.each([
    "",
    "null",
    "*",
    "example.com",
    "//example.com",
    "https://",
    "https:example.com",
    "https:///example.com",
    "http://example.com",
    "http://localhost.example.com",
    "http://127.0.0.2",
    "http://[::1]:3000",
    "https://example.com/",
    "https://example.com/path",
    "https://example.com?query",
    "https://example.com#fragment",
    "https://example.com\\path",
    "https://user@example.com",
    "https://user:secret@example.com",
    "https://*.example.com",
    "https://example.com;script-src",
    "https://example.com,https://other.example",
    "https://example.com'",
    "https://exa mple.com",
    " https://example.com",
    "https://example.com\n",
    "https://example.com\u0000",
    "https://example.com\u0001",
    "https://exa\u00admple.com",
    "https://example.com:99999",
    "https://example.com:port",
    "https://example..com",
    "https://example.com%2f",
    "ftp://example.com",
    "javascript://example.com",
    "data:text/html,x",
    `https://${"a".repeat(400)}.com`,
    `https://${"a".repeat(1_000_000)}`,
  ])("refuses %j", (text) => {
    expect(canonicalOrigin(text)).toBeUndefined();
  });
});

describe("originProblems", () => {
  test("plain http is for tests only", () => {
    const origins = ["https://example.com", "http://localhost:3000"];
    expect(originProblems(origins, "TEST")).toEqual([]);
    expect(originProblems(origins, "LIVE").map((problem) => problem.field)).toEqual(["allowedOrigins[1]"]);
  });
});
