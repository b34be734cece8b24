import { describe, expect, test } from "@jest/globals";
import type { AcceptBody } from "../../accept/accept-body.ts";
import { checkPolicy, failedChecks } from "../../accept/policy-checks.ts";
import { checkVerification } from "../../accept/verification.ts";
import type { PageFacts } from "../../sessions/session.ts";
import { effectivePolicy, type TemplateType } from "../policy.ts";

const now = new Date("2026-11-20T12:00:00Z");

interface Case {
  readonly type?: TemplateType;
  readonly flags?: Record<string, boolean | number | string | string[]>;
  readonly body?: AcceptBody;
  readonly action?: string;
  readonly displayedSince?: Date;
  readonly page?: PageFacts | null;
}

const failing = ({
  type = "STATIC",
  flags = {},
  body = {},
  action = "BUTTON",
  displayedSince,
  page = null,
}: Case): string[] => {
  const policy = effectivePolicy(type, flags);
  const isDirect = displayedSince === undefined;
  const facts = { type, policy, body, action, isDirect, displayedSince, page, hasDisclosure: false, now };
  const checks = checkPolicy(facts);
  return failedChecks(checks).map((problem) => problem.field);
};
const session = { displayedSince: new Date("2026-11-20T11:59:30Z") };

describe("checkPolicy", () => {
  test("asks for nothing by default", () => {
    expect(failing({})).toEqual([]);
    expect(failing({ type: "CONSENT", body: { purposes: [{ purpose: "p", granted: true }] } })).toEqual([]);
  });
  test("allowDirectAccept false asks for a session", () => {
    expect(failing({ flags: { allowDirectAccept: false } })).toEqual(["allowDirectAccept"]);
    expect(failing({ flags: { allowDirectAccept: false }, ...session })).toEqual([]);
  });
  test("requireCheckbox asks for a box that the user ticked", () => {
    const flags = { requireCheckbox: true };
    expect(failing({ flags })).toEqual(["requireCheckbox"]);
    expect(failing({ flags, action: "CHECKBOX_AND_BUTTON" })).toEqual([]);
    const events = [{ type: "CHECKED" }];
    expect(failing({ flags, body: { presentation: { events } } })).toEqual([]);
    const unticked = [...events, { type: "UNCHECKED" }, { type: "BUTTON_PRESSED" }];
    expect(failing({ flags, body: { presentation: { events: unticked } } })).toEqual(["requireCheckbox"]);
    const body = { presentation: { checkboxInitiallyChecked: true } };
    expect(failing({ flags, action: "CHECKBOX", body })).toEqual(["checkboxInitiallyChecked"]);
  });
  test("consent is never given by a box that was ticked before", () => {
    const body = { purposes: [{ purpose: "p", granted: true }], presentation: { checkboxInitiallyChecked: true } };
    expect(failing({ type: "CONSENT", body })).toEqual(["checkboxInitiallyChecked"]);
  });
  test("requireScroll and requireView ask for facts that are given and true", () => {
    const flags = { requireScroll: true, requireView: true };
    expect(failing({ flags })).toEqual(["requireScroll", "requireView"]);
    expect(failing({ flags, body: { presentation: { scrolledToEnd: false, documentsOpened: [] } } })).toHaveLength(2);
    expect(failing({ flags, body: { presentation: { scrolledToEnd: true, documentsOpened: ["a"] } } })).toEqual([]);
  });
  test("minDisplaySeconds counts by our clock and needs a session", () => {
    expect(failing({ flags: { minDisplaySeconds: 30 }, ...session })).toEqual([]);
    expect(failing({ flags: { minDisplaySeconds: 31 }, ...session })).toEqual(["minDisplaySeconds"]);
    const body = { presentation: { displayedMs: 99_000 } };
    expect(failing({ flags: { minDisplaySeconds: 1 }, body })).toEqual(["minDisplaySeconds"]);
  });
  test("requireTypedName compares names as people do", () => {
    const flags = { requireTypedName: true };
    expect(failing({ flags, body: { typedName: "   " } })).toEqual(["requireTypedName"]);
    expect(failing({ flags, body: { typedName: "Ann" } })).toEqual([]);
    const expecting = { ...flags, expectedName: "Ann  Müller" };
    expect(failing({ flags: expecting, body: { typedName: " ann mu\u0308ller " } })).toEqual([]);
    expect(failing({ flags: expecting, body: { typedName: "Bob" } })).toEqual(["requireTypedName"]);
  });
  test("what the page told us while the session was open needs no claim, and outweighs one", () => {
    const seen = { scrolledToEnd: true, linksOpened: 2, ticked: true };
    const flags = { requireCheckbox: true, requireScroll: true, requireView: true };
    expect(failing({ flags, page: seen, ...session })).toEqual([]);
    const unticked = { ...seen, ticked: false };
    expect(failing({ flags, page: unticked, action: "CHECKBOX", ...session })).toEqual(["requireCheckbox"]);
    const silent = { scrolledToEnd: false, linksOpened: 0, ticked: null };
    const body = { presentation: { scrolledToEnd: true, documentsOpened: ["a"] } };
    expect(failing({ flags, page: silent, action: "CHECKBOX", body, ...session })).toEqual([]);
  });
  test("names every flag that is not satisfied", () => {
    const flags = { requireCheckbox: true, requireScroll: true, requireView: true, requireTypedName: true };
    expect(failing({ flags })).toEqual(["requireCheckbox", "requireScroll", "requireView", "requireTypedName"]);
  });
});

describe("checkVerification", () => {
  const isPassed = (flags: Case["flags"], methods: string[], typedName?: string): boolean => {
    const claims = methods.map((method) => ({ method }));
    return checkVerification(effectivePolicy("STATIC", flags ?? {}), claims, typedName).every((check) => check.ok);
  };
  test("requireAuthenticatedUser needs the customer's session or stronger", () => {
    const flags = { requireAuthenticatedUser: true };
    expect(isPassed(flags, [])).toBe(false);
    expect(isPassed(flags, ["CUSTOMER_ATTESTED", "TYPED_NAME"])).toBe(false);
    expect(isPassed(flags, ["CUSTOMER_SESSION"])).toBe(true);
    expect(isPassed(flags, ["PASSKEY"])).toBe(true);
  });
  test("all methods, or any of them", () => {
    const flags = { verificationMethods: ["CUSTOMER_SESSION", "AGE_STATEMENT"] };
    expect(isPassed(flags, ["CUSTOMER_SESSION"])).toBe(false);
    expect(isPassed(flags, ["CUSTOMER_SESSION", "AGE_STATEMENT"])).toBe(true);
    expect(isPassed({ ...flags, verificationMode: "ANY" }, ["AGE_STATEMENT"])).toBe(true);
  });
  test("a typed name is proof enough of a typed name", () => {
    expect(isPassed({ verificationMethods: ["TYPED_NAME"] }, [], "Ann")).toBe(true);
    expect(isPassed({ verificationMethods: ["TYPED_NAME"] }, [], " ")).toBe(false);
  });
  test("a claim does not stand for a method that we carry out ourselves", () => {
    expect(isPassed({ verificationMethods: ["EMAIL_OTP"] }, ["EMAIL_OTP"])).toBe(false);
  });
});
