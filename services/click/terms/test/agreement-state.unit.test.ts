import { describe, expect, test } from "@jest/globals";
import type { ConsentStatus, PurposeState } from "../../consent/consent.ts";
import { agreementAt, type LastAcceptance, type PublishedText, type TemplateOffer } from "../agreement-state.ts";

const acceptedAt = new Date("2026-01-01T00:00:00Z");
const days = (n: number) => new Date(acceptedAt.getTime() + n * 86_400_000);

const accepted: LastAcceptance = {
  templateId: "t",
  templateSlug: "terms",
  versionId: "v",
  revision: 2,
  label: "2.0",
  locale: "en",
  decision: "ACCEPT",
  acceptedAt,
  receiptId: "r",
  purposes: [],
  superseded: false,
};

interface Case {
  readonly acceptance?: Partial<LastAcceptance>;
  readonly published?: readonly Partial<PublishedText>[];
  readonly policy?: Partial<TemplateOffer["policy"]>;
  readonly purposes?: Readonly<Record<string, ConsentStatus>>;
  readonly now?: Date;
}

function judge({ acceptance, published = [{}], policy, purposes = {}, now = days(1) }: Case) {
  const offer: TemplateOffer = {
    published: published.map((text) => ({ versionId: "v", revision: 2, label: "2.0", locale: "en", ...text })),
    policy: { requireReacceptance: "ON_MAJOR", reacceptIntervalDays: 0, ...policy },
  };
  const states = new Map(
    Object.entries(purposes).map(([purpose, status]) => [
      purpose,
      { status, valid: status === "GRANTED" || status === "RENEWED" } as PurposeState,
    ]),
  );
  const { status, isLatest, reacceptanceRequired, reacceptBy } = agreementAt(
    { ...accepted, ...acceptance },
    offer,
    states,
    now,
  );
  return { status, isLatest, reacceptanceRequired, reacceptBy };
}

describe("isLatest and reacceptanceRequired", () => {
  test.each<[string, Partial<PublishedText>[], string, boolean, boolean]>([
    ["the same revision", [{}], "ALWAYS", true, false],
    ["a minor revision", [{ revision: 3, label: "2.1" }], "ON_MAJOR", false, false],
    ["a minor revision", [{ revision: 3, label: "2.1" }], "ALWAYS", false, true],
    ["a major revision", [{ revision: 3, label: "3.0" }], "ON_MAJOR", false, true],
    ["a minor one after a major one", [{ revision: 4, label: "3.1" }], "ON_MAJOR", false, true],
    ["ten after nine", [{ revision: 11, label: "10.0" }], "ON_MAJOR", false, true],
    ["a major revision", [{ revision: 3, label: "3.0" }], "NEVER", false, false],
    ["another version of the locale", [{ versionId: "w", revision: 1, label: "1.0" }], "ON_MAJOR", false, true],
    ["another version of the locale", [{ versionId: "w", revision: 1, label: "1.0" }], "NEVER", false, false],
    ["other locales only", [{ versionId: "w", locale: "de", label: "9.0" }], "ALWAYS", false, false],
    ["the version beside others", [{ versionId: "w", locale: "de", label: "9.0" }, {}], "ALWAYS", true, false],
    ["nothing", [], "ALWAYS", false, false],
  ])("with %s published (%j) under %s", (_, published, rule, isLatest, reacceptanceRequired) => {
    const policy = { requireReacceptance: rule as "ALWAYS" };
    expect(judge({ published, policy })).toMatchObject({ status: "ACCEPTED", isLatest, reacceptanceRequired });
  });

  test("an interval asks anew once it is over, whatever was published", () => {
    const policy = { requireReacceptance: "NEVER", reacceptIntervalDays: 30 } as const;
    expect(judge({ policy, now: days(29.9) })).toMatchObject({ reacceptanceRequired: false, reacceptBy: days(30) });
    expect(judge({ policy, now: days(30) })).toMatchObject({
      reacceptanceRequired: true,
      isLatest: true,
      status: "ACCEPTED",
    });
    expect(judge({ policy, now: days(31), published: [] }).reacceptanceRequired).toBe(false);
  });

  test("who declined is not asked for what was never agreed", () => {
    const policy = { requireReacceptance: "ALWAYS", reacceptIntervalDays: 1 } as const;
    const judged = judge({ acceptance: { decision: "DECLINE" }, policy, published: [{ revision: 3 }], now: days(9) });
    expect(judged).toEqual({ status: "DECLINED", isLatest: false, reacceptanceRequired: false, reacceptBy: null });
  });
});

describe("the status of an agreement about purposes", () => {
  const acceptance = {
    purposes: [
      { purpose: "a", granted: true },
      { purpose: "b", granted: true },
      { purpose: "c", granted: false },
    ],
  };
  test.each<[Record<string, ConsentStatus>, string, boolean]>([
    [{ a: "GRANTED", b: "GRANTED", c: "DENIED" }, "ACCEPTED", false],
    [{ a: "GRANTED", b: "WITHDRAWN" }, "ACCEPTED", false],
    [{ a: "RENEWED", b: "EXPIRED" }, "ACCEPTED", false],
    [{ a: "WITHDRAWN", b: "WITHDRAWN" }, "WITHDRAWN", false],
    [{ a: "WITHDRAWN", b: "DENIED", c: "GRANTED" }, "WITHDRAWN", false],
    [{ a: "EXPIRED", b: "EXPIRED" }, "EXPIRED", true],
    [{ a: "EXPIRED", b: "WITHDRAWN" }, "EXPIRED", true],
  ])("%j is %s", (purposes, status, reacceptanceRequired) => {
    expect(judge({ acceptance, purposes })).toMatchObject({ status, reacceptanceRequired });
  });

  test("one that granted nothing stands as it is", () => {
    expect(
      judge({ acceptance: { purposes: [{ purpose: "c", granted: false }] }, purposes: { c: "DENIED" } }).status,
    ).toBe("ACCEPTED");
  });
});
