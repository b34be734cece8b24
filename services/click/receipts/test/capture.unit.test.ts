import { describe, expect, test } from "@jest/globals";
import { effectivePolicy } from "../../terms/policy.ts";
import { captureClaimed, captureObserved, truncateIp, truncateUserAgent } from "../acceptance-evidence.ts";

const chrome =
  "Mozilla/5.0 (X11; Linux (x86_64)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.71 Safari/537.36";

describe("truncateIp", () => {
  test.each([
    ["203.0.113.77", "203.0.113.0"],
    ["2001:DB8:1:2:3:4:5:6", "2001:db8:1::"],
    ["2001:db8::1", "2001:db8:0::"],
    ["::1", "0:0:0::"],
    ["::ffff:203.0.113.77", "203.0.113.0"],
    ["fe80::1%eth0", "fe80:0:0::"],
    ["not an address", null],
  ])("keeps the network of %s", (ip, expected) => {
    expect(truncateIp(ip)).toBe(expected);
  });
});

describe("truncateUserAgent", () => {
  test("keeps products and major versions", () => {
    expect(truncateUserAgent(chrome)).toBe("Mozilla/5 AppleWebKit/537 Chrome/120 Safari/537");
  });
  test("takes hostile text in a moment", () => {
    const start = performance.now();
    for (const text of ["(".repeat(1000), "1.".repeat(500), `${" ".repeat(999)}x`]) truncateUserAgent(text);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe("captureClaimed", () => {
  const context = {
    ip: "203.0.113.77",
    userAgent: chrome,
    referrer: "https://shop.example/cart?id=7",
    pageUrl: "https://shop.example/",
  };

  test("keeps everything by default", () => {
    expect(captureClaimed(context, effectivePolicy("STATIC", {}))).toMatchObject(context);
  });
  test("truncates the address for consent by default", () => {
    expect(captureClaimed(context, effectivePolicy("CONSENT", {}))?.ip).toBe("203.0.113.0");
  });
  test("keeps of each what its flag allows", () => {
    const flags = { captureIp: "NONE", captureUserAgent: "NONE", captureReferrer: "TRUNCATED" };
    expect(captureClaimed(context, effectivePolicy("STATIC", flags))).toEqual({
      ip: undefined,
      userAgent: undefined,
      pageUrl: "https://shop.example/",
      referrer: "https://shop.example",
    });
  });
});

describe("captureObserved", () => {
  test("follows the same flags and turns what is missing into null", () => {
    const policy = effectivePolicy("STATIC", { captureIp: "TRUNCATED" });
    expect(captureObserved("203.0.113.77", "", policy)).toEqual({ ip: "203.0.113.0", userAgent: null });
  });
});
