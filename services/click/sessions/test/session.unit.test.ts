import { describe, expect, test } from "@jest/globals";
import {
  outcomeAt,
  planCompletion,
  type SessionStatus,
  type StoredStatus,
  statusAt,
  takesAcceptance,
  transitions,
} from "../session.ts";

const now = new Date("2026-11-20T12:00:00Z");
const at = (status: StoredStatus, expiresAt: string) => ({ status, outcome: null, expiresAt: new Date(expiresAt) });

describe("statusAt", () => {
  test.each<[StoredStatus, SessionStatus]>([
    ["PENDING", "EXPIRED"],
    ["PRESENTED", "EXPIRED"],
    ["ACCEPTED", "ACCEPTED"],
    ["DECLINED", "DECLINED"],
    ["COMPLETED", "COMPLETED"],
    ["CANCELLED", "CANCELLED"],
    ["EXPIRED", "EXPIRED"],
  ])("a %s session is %s once its time is over", (stored, expected) => {
    expect(statusAt(at(stored, "2026-11-20T12:00:00Z"), now)).toBe(expected);
    expect(statusAt(at(stored, "2026-11-20T12:00:00.001Z"), now)).toBe(stored);
  });
  test("an expired session ended without a decision", () => {
    expect(outcomeAt(at("PENDING", "2026-11-20T11:00:00Z"), now)).toBe("NONE");
    expect(outcomeAt(at("PENDING", "2026-11-20T13:00:00Z"), now)).toBeNull();
  });
});

describe("transitions", () => {
  test("nothing leaves a terminal state", () => {
    const left = new Set(Object.values(transitions).flatMap<string>((transition) => transition.from));
    expect([...left].sort()).toEqual(["ACCEPTED", "PENDING", "PRESENTED"]);
  });
});

describe("takesAcceptance", () => {
  test("an accepted session takes another acceptance only when it may be used many times", () => {
    expect(takesAcceptance("ACCEPTED", true)).toBe(false);
    expect(takesAcceptance("ACCEPTED", false)).toBe(true);
    expect(takesAcceptance("COMPLETED", false)).toBe(false);
    expect(takesAcceptance("PRESENTED", true)).toBe(true);
  });
});

describe("planCompletion", () => {
  const plan = (
    status: SessionStatus,
    outcome: "ACCEPTED" | "DECLINED" | null,
    hasAcceptance = false,
    recordsDecline = false,
  ) => {
    const step = planCompletion(status, { outcome, hasAcceptance, recordsDecline });
    if (step.kind === "close") return `close ${step.outcome}`;
    return step.kind === "refuse" ? step.code : step.kind;
  };
  test.each<[SessionStatus, string, string, string]>([
    ["PENDING", "close NONE", "record", "close DECLINED"],
    ["PRESENTED", "close NONE", "record", "close DECLINED"],
    ["ACCEPTED", "close ACCEPTED", "close ACCEPTED", "close ACCEPTED"],
    ["COMPLETED", "answer", "answer", "answer"],
    ["DECLINED", "CLICK_SESSION_CLOSED", "CLICK_SESSION_CLOSED", "answer"],
    ["CANCELLED", "CLICK_SESSION_CLOSED", "CLICK_SESSION_CLOSED", "CLICK_SESSION_CLOSED"],
    ["EXPIRED", "CLICK_SESSION_EXPIRED", "CLICK_SESSION_EXPIRED", "CLICK_SESSION_EXPIRED"],
  ])("a %s session: without outcome %s, ACCEPTED %s, DECLINED %s", (status, none, accepted, declined) => {
    expect([plan(status, null), plan(status, "ACCEPTED"), plan(status, "DECLINED")]).toEqual([
      none,
      accepted,
      declined,
    ]);
  });
  test("a decline is recorded where the policy wants it, and nowhere else", () => {
    expect(plan("PRESENTED", "DECLINED", false, true)).toBe("record");
    expect(plan("PRESENTED", null, false, true)).toBe("close NONE");
    expect(plan("ACCEPTED", "DECLINED", false, true)).toBe("close ACCEPTED");
    expect(plan("DECLINED", "DECLINED", false, true)).toBe("answer");
  });
  test("an acceptance is always looked at, because it may be a retry", () => {
    for (const status of ["PENDING", "ACCEPTED", "COMPLETED", "EXPIRED"] as const) {
      expect(plan(status, null, true)).toBe("record");
    }
  });
});
