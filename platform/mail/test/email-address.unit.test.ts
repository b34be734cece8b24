import { describe, expect, test } from "@jest/globals";
import { addressesIn, isEmailAddress } from "../mail.ts";

describe("isEmailAddress", () => {
  test.each([
    "ann@example.com",
    "ann.b+tag@mail.example.co.uk",
    "o'hara_1@example-site.org",
    "jörg@müller.de",
    "用户@例子.广告",
    "अजय@डाटा.भारत",
    `${"a".repeat(64)}@example.com`,
  ])("accepts %s", (address) => {
    expect(isEmailAddress(address)).toBe(true);
  });

  test.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    "ann@localhost",
    "ann@@example.com",
    "ann@b@example.com",
    ".ann@example.com",
    "ann.@example.com",
    "a..b@example.com",
    "ann@example..com",
    "ann@-example.com",
    "ann@example-.com",
    "ann@example.com.",
    "ann@192.0.2.1",
    "ann@[192.0.2.1]",
    '"ann b"@example.com',
    "ann b@example.com",
    "ann@exam ple.com",
    "ann@example.com\r\nBcc: all@example.com",
    "Ann <ann@example.com>",
    "ann@example.com\0",
    `ann@example.${"c".repeat(64)}`,
    `${"a".repeat(65)}@example.com`,
    `ann@${"a.".repeat(50)}com`,
  ])("refuses %j", (address) => {
    expect(isEmailAddress(address)).toBe(false);
  });

  test("takes no longer for an address that is made to take long", () => {
    const started = performance.now();
    isEmailAddress(`${"a.".repeat(1_000_000)}@${"a-".repeat(1_000_000)}`);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

test("addresses are found in texts, JSON and URLs, as they stand there", () => {
  const text = String.raw`{"a":"Ann.B+x@Example.com","b":"see\nbo@example.org.","c":"mailto%3Acy@example.net?x=dee@example.com"} <eve@xn--bcher-kva.example> fay@example.com.docx.pdf`;
  expect(addressesIn(text)).toEqual(
    expect.arrayContaining([
      ...["Ann.B+x@Example.com", "bo@example.org", "cy@example.net", "dee@example.com"],
      ...["eve@xn--bcher-kva.example", "fay@example.com"],
    ]),
  );
  expect(addressesIn("user-17 @ nobody, a@ b, @c")).toEqual([]);
});
