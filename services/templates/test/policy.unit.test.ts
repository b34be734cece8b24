import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { parsePolicyFlags, resolvePolicyFlags, statedPolicyFlags } from "../domain/policy.ts";
import { defaultPolicyFlags, type StatedPolicyFlags } from "../domain/policy-flags.ts";
import type { TemplateType } from "../domain/type-config.ts";

const resolve = (stated: StatedPolicyFlags, type: TemplateType = "STATIC", typeConfig: JsonObject = {}) =>
  resolvePolicyFlags({ type, typeConfig, stated });

const refusal = (code: string, ...fields: string[]) =>
  expect.objectContaining({ code, details: fields.map((field) => expect.objectContaining({ field })) });

describe("defaultPolicyFlags", () => {
  test("of a contract", () => {
    expect(defaultPolicyFlags("STATIC")).toEqual({
      requireCheckbox: false,
      requireScroll: false,
      requireView: false,
      minDisplaySeconds: 0,
      requireRenderToken: false,
      requireTypedName: false,
      allowDirectAccept: true,
      singleUseSession: true,
      oneAcceptancePerRevision: false,
      requireReacceptance: "ON_MAJOR",
      reacceptIntervalDays: 0,
      showChanges: false,
      allowDecline: false,
      recordDecline: true,
      requireAuthenticatedUser: false,
      verificationMethods: [],
      verificationMode: "ALL",
      minAge: 0,
      sessionTtlSeconds: 3600,
      captureIp: "FULL",
      captureUserAgent: "FULL",
      captureReferrer: "FULL",
      requireSnapshot: false,
      sendCopyToUser: false,
      esignDisclosure: false,
      consentExpiresAfterDays: 0,
      retentionDays: 0,
      legalHold: false,
      honorGpc: false,
    });
    expect(defaultPolicyFlags("GENERATED")).toEqual(defaultPolicyFlags("STATIC"));
  });

  test("of a consent differ in the checkbox and the address", () => {
    const stated = { requireCheckbox: true, captureIp: "TRUNCATED" };
    expect(defaultPolicyFlags("CONSENT")).toEqual({ ...defaultPolicyFlags("STATIC"), ...stated });
  });

  test.each(["STATIC", "GENERATED", "CONSENT"] as const)("of %s are good values without a conflict", (type) => {
    const defaults = defaultPolicyFlags(type);
    expect(parsePolicyFlags({ ...defaults, verificationMethods: [] })).toEqual(defaults);
    expect(resolve({}, type)).toEqual(defaults);
  });
});

describe("parsePolicyFlags", () => {
  test.each<[string, JsonObject]>([
    ["boolean", { requireScroll: true, legalHold: false }],
    ["integer", { minDisplaySeconds: 3600, sessionTtlSeconds: 60, minAge: 120, reacceptIntervalDays: 3650 }],
    ["choice", { requireReacceptance: "NEVER", verificationMode: "ANY", captureReferrer: "NONE" }],
    ["set", { verificationMethods: ["CUSTOMER_SESSION", "TYPED_NAME"] }],
  ])("takes good %s values", (_kind, flags) => {
    expect(parsePolicyFlags(flags)).toEqual(flags);
  });

  test.each<JsonObject>([
    { requireScroll: "true" },
    { requireScroll: 1 },
    { requireScroll: null },
    { minDisplaySeconds: -1 },
    { minDisplaySeconds: 3601 },
    { minDisplaySeconds: 1.5 },
    { minDisplaySeconds: "5" },
    { sessionTtlSeconds: 59 },
    { sessionTtlSeconds: 2_592_001 },
    { requireReacceptance: "on_major" },
    { requireReacceptance: true },
    { verificationMethods: "TYPED_NAME" },
    { verificationMethods: ["SMOKE_SIGNAL"] },
    { verificationMethods: ["TYPED_NAME", "TYPED_NAME"] },
    { verificationMethods: [["TYPED_NAME"]] },
  ])("refuses %j", (flags) => {
    const [name] = Object.keys(flags);
    expect(() => parsePolicyFlags(flags)).toThrow(refusal("CLICK_POLICY_FLAG_INVALID", `policyFlags.${name}`));
  });

  test("names every unknown flag and every bad value", () => {
    const flags = JSON.parse('{"requirescroll":true,"__proto__":true,"toString":1,"minAge":121,"requireView":true}');
    expect(() => parsePolicyFlags(flags)).toThrow(
      refusal(
        "CLICK_POLICY_FLAG_INVALID",
        "policyFlags.requirescroll",
        "policyFlags.__proto__",
        "policyFlags.toString",
        "policyFlags.minAge",
      ),
    );
  });
});

describe("resolvePolicyFlags", () => {
  test("puts what is stated over the defaults, or over the base when there is one", () => {
    const base = { ...defaultPolicyFlags("STATIC"), requireView: true };
    expect(resolve({ requireScroll: true })).toEqual({ ...defaultPolicyFlags("STATIC"), requireScroll: true });
    expect(resolvePolicyFlags({ type: "STATIC", typeConfig: {}, stated: { requireScroll: true }, base })).toEqual({
      ...base,
      requireScroll: true,
    });
  });

  test("a minimum display time needs a render token or a session", () => {
    const conflict = refusal("CLICK_POLICY_FLAG_CONFLICT", "policyFlags.minDisplaySeconds");
    expect(() => resolve({ minDisplaySeconds: 1 })).toThrow(conflict);
    expect(resolve({ minDisplaySeconds: 1, requireRenderToken: true })).toMatchObject({ minDisplaySeconds: 1 });
    expect(resolve({ minDisplaySeconds: 1, allowDirectAccept: false })).toMatchObject({ minDisplaySeconds: 1 });
  });

  test("a consent needs its checkbox, a contract does not", () => {
    const conflict = refusal("CLICK_POLICY_FLAG_CONFLICT", "policyFlags.requireCheckbox");
    expect(() => resolve({ requireCheckbox: false }, "CONSENT")).toThrow(conflict);
    expect(resolve({ requireCheckbox: false }, "STATIC")).toMatchObject({ requireCheckbox: false });
  });

  test("a text behind a link cannot be scrolled", () => {
    const conflict = refusal("CLICK_POLICY_FLAG_CONFLICT", "policyFlags.requireScroll");
    expect(() => resolve({ requireScroll: true }, "STATIC", { displayMode: "LINK" })).toThrow(conflict);
    expect(resolve({ requireScroll: true }, "STATIC", { displayMode: "MODAL" })).toMatchObject({ requireScroll: true });
  });

  test("asking to record declines needs an offer to decline", () => {
    const conflict = refusal("CLICK_POLICY_FLAG_CONFLICT", "policyFlags.recordDecline");
    expect(() => resolve({ recordDecline: true })).toThrow(conflict);
    expect(() => resolve({ recordDecline: true, allowDecline: false })).toThrow(conflict);
    expect(resolve({ recordDecline: true, allowDecline: true })).toMatchObject({ recordDecline: true });
    expect(resolve({ recordDecline: false })).toMatchObject({ allowDecline: false });
  });

  test("the complete set that was read can be sent back", () => {
    const read = resolve({ requireView: true });
    expect(resolve({ ...read, sessionTtlSeconds: 60 })).toEqual({ ...read, sessionTtlSeconds: 60 });
  });

  test("names all conflicts at once", () => {
    expect(() => resolve({ requireCheckbox: false, minDisplaySeconds: 5 }, "CONSENT")).toThrow(
      refusal("CLICK_POLICY_FLAG_CONFLICT", "policyFlags.minDisplaySeconds", "policyFlags.requireCheckbox"),
    );
  });
});

describe("statedPolicyFlags", () => {
  test("gives what differs from the defaults", () => {
    const flags = resolve({ requireView: true, verificationMethods: ["TYPED_NAME"], captureIp: "FULL" }, "CONSENT");
    expect(statedPolicyFlags("CONSENT", flags)).toEqual({
      requireView: true,
      verificationMethods: ["TYPED_NAME"],
      captureIp: "FULL",
    });
    expect(statedPolicyFlags("STATIC", defaultPolicyFlags("STATIC"))).toEqual({});
  });
});
