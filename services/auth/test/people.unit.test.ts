import { describe, expect, test } from "@jest/globals";
import {
  computedByNode,
  computedByThreads,
  createPasswordStretcher,
  defaultCost,
  type PasswordStretcher,
} from "#platform/password-stretcher.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { makeRecoveryCodes, toBase32, totpCode, totpStep, totpUri } from "../domain/second-factor.ts";
import { beginAttempt, noAttempts } from "../domain/secrets.ts";
import { emailKey, parseLocale, parseTimeZone } from "../domain/user.ts";

const ascii = Buffer.from("12345678901234567890");

describe("one-time codes", () => {
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("are those of RFC 6238, appendix B, at %d s", (seconds, code) => {
    expect(totpCode(ascii, Math.floor(seconds / 30))).toBe(code);
    expect(totpStep(ascii, code, new Date(seconds * 1000), null)).toBe(Math.floor(seconds / 30));
  });

  test("are of one step around now, later than the last one, and of six digits", () => {
    const now = new Date(30_000 * 1000);
    expect([-2, -1, 0, 1, 2].map((n) => totpStep(ascii, totpCode(ascii, 1000 + n), now, null))).toEqual([
      undefined,
      ...[999, 1000, 1001],
      undefined,
    ]);
    expect(totpStep(ascii, totpCode(ascii, 1000), now, 1000)).toBeUndefined();
    for (const text of ["", "12345", "1234567", "12345a", "１２３４５６", " 12345"]) {
      expect(totpStep(ascii, text, now, null)).toBeUndefined();
    }
  });

  test("have their secret in base32 without padding, as RFC 4648, and a URI", () => {
    expect(["f", "fo", "foo", "foob", "fooba", "foobar"].map((text) => toBase32(Buffer.from(text)))).toEqual([
      ...["MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"],
    ]);
    expect(totpUri(ascii, { issuer: "A & B", account: "ann@example.com" })).toBe(
      "otpauth://totp/A%20%26%20B:ann%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30",
    );
  });

  test("are recovered by ten codes that differ", () => {
    const codes = makeRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  });
});

describe("a stretched password", () => {
  test("has the parameters that were decided on, and 32 bytes", async () => {
    const stretcher = createPasswordStretcher();
    expect(defaultCost).toEqual({ memoryKib: 19_456, passes: 2 });
    expect(stretcher.scheme).toBe("argon2id,v=19,m=19456,t=2,p=1");
    const bytes = await stretcher.stretch("pässword", Buffer.alloc(16));
    expect(bytes).toHaveLength(32);
    // Composed and decomposed.
    expect(await stretcher.stretch("pa\u0308ssword", Buffer.alloc(16))).toEqual(bytes);
    await expect(stretcher.stretch("x", Buffer.alloc(16), "md5")).rejects.toThrow("unknown form");
  });

  test("is the same where Node cannot compute it, in a thread", async () => {
    const threads = createPasswordStretcher({ memoryKib: 64, passes: 3 }, computedByThreads());
    const node = createPasswordStretcher({ memoryKib: 64, passes: 3 }, computedByNode);
    const of = (stretcher: PasswordStretcher) => stretcher.stretch("p\u00e4ssword", Buffer.alloc(16, 7));
    expect((await of(threads)).toString("hex")).toBe((await of(node)).toString("hex"));
  });

  test("waits for at most fifty others", async () => {
    const stretcher = createPasswordStretcher({ memoryKib: 8, passes: 1 });
    const stretch = () => stretcher.stretch("password", Buffer.alloc(16));
    const served = Array.from({ length: 52 }, stretch);
    await expectDomainError(stretch(), "SERVICE_UNAVAILABLE");
    await Promise.all(served);
    await stretch();
  });
});

describe("attempts", () => {
  test("are counted within 15 minutes of the first one", () => {
    const at = (minutes: number): Date => new Date(minutes * 60_000);
    let attempts = noAttempts;
    for (let n = 0; n < 9; n += 1) attempts = beginAttempt(attempts, at(n)) ?? noAttempts;
    expect(attempts).toEqual({ failures: 9, failuresSince: at(0), lockedUntil: null });
    expect(beginAttempt(attempts, at(14))).toMatchObject({ failures: 10, lockedUntil: at(29) });
    expect(beginAttempt(attempts, at(15))).toEqual({ failures: 1, failuresSince: at(15), lockedUntil: null });
  });
});

describe("what people say of themselves", () => {
  test("addresses are compared without regard to case, locales and time zones are real ones", async () => {
    expect(emailKey("  Ann@Example.COM ")).toBe("ann@example.com");
    expect(emailKey("ann")).toBeUndefined();
    expect([parseLocale(""), parseLocale("PT-br"), parseTimeZone(""), parseTimeZone("Europe/Berlin")]).toEqual([
      ...["", "pt-BR", "", "Europe/Berlin"],
    ]);
    for (const parse of [() => parseLocale("_"), () => parseTimeZone("Mars/Base"), () => parseTimeZone("+01:00")]) {
      await expectDomainError((async () => parse())(), "VALIDATION_FAILED");
    }
  });
});
