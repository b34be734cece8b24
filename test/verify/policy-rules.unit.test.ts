import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AcceptBody } from "../../services/click/accept/accept-body.ts";
import { checkDeclinePolicy, checkPolicy } from "../../services/click/accept/policy-checks.ts";
import { checkVerification } from "../../services/click/accept/verification.ts";
import { addEvents, type PageEventType } from "../../services/click/sessions/session.ts";
import { effectivePolicy, type Policy } from "../../services/click/terms/policy.ts";
import { expectedChecks, pageFacts } from "../../web/verify/src/check-policy.ts";
import type { Json } from "../../web/verify/src/json.ts";

const methods = fc.subarray(["NONE", "CUSTOMER_ATTESTED", "CUSTOMER_SESSION", "TYPED_NAME", "AGE_STATEMENT", "OIDC"]);
const name = fc.constantFrom("", "  ", "Ada Lovelace", "ada  lovelace ", "Ａda Lovelace", "Charles Babbage");
const flags = fc.record(
  {
    requireCheckbox: fc.boolean(),
    requireScroll: fc.boolean(),
    requireView: fc.boolean(),
    minDisplaySeconds: fc.constantFrom(0, 1, 5, 60),
    requireRenderToken: fc.boolean(),
    requireTypedName: fc.boolean(),
    esignDisclosure: fc.boolean(),
    expectedName: name,
    allowDirectAccept: fc.boolean(),
    allowDecline: fc.boolean(),
    recordDecline: fc.boolean(),
    requireAuthenticatedUser: fc.boolean(),
    verificationMethods: methods,
    verificationMode: fc.constantFrom("ALL", "ANY"),
    minAge: fc.constantFrom(0, 16, 18),
  },
  { requiredKeys: [] },
);
const pageEvents = fc.array(
  fc.record({
    type: fc.constantFrom<PageEventType>("DISPLAYED", "SCROLLED_TO_END", "LINK_OPENED", "CHECKED", "UNCHECKED"),
    target: fc.constantFrom(null, "esignDisclosure", "agree"),
  }),
  { maxLength: 5 },
);
const presentation = fc.option(
  fc.record(
    {
      checkboxInitiallyChecked: fc.boolean(),
      scrolledToEnd: fc.boolean(),
      documentsOpened: fc.array(fc.constant("https://shop.example/prices"), { maxLength: 2 }),
      events: fc.array(
        fc.record({
          type: fc.constantFrom("CHECKED", "UNCHECKED", "BUTTON_PRESSED", "DISPLAYED"),
          target: fc.constantFrom("esignDisclosure", "agree"),
        }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const given = fc.record({
  flags,
  type: fc.constantFrom("STATIC", "GENERATED", "CONSENT"),
  isDecline: fc.boolean(),
  isDirect: fc.boolean(),
  action: fc.constantFrom("CHECKBOX", "BUTTON", "CHECKBOX_AND_BUTTON", "API"),
  presentation,
  purposes: fc.array(fc.record({ purpose: fc.constant("p"), granted: fc.boolean() }), { maxLength: 2 }),
  typedName: fc.option(name, { nil: undefined }),
  methods,
  pageEvents,
  displayedMs: fc.option(fc.nat({ max: 70_000 }), { nil: null }),
});

const acceptedAt = Date.parse("2026-11-20T17:00:00.000Z");

describe("the verifier's rules", () => {
  test("come to what the service's rules come to, for any flags and facts", () => {
    fc.assert(
      fc.property(given, (facts) => {
        const policy = effectivePolicy(facts.type, facts.flags);
        const page = facts.pageEvents.reduce<ReturnType<typeof addEvents> | null>(
          (known, event) => addEvents(known, [event]),
          null,
        );
        const body: AcceptBody = {
          presentation: facts.presentation,
          purposes: facts.purposes,
          typedName: facts.typedName,
          verification: facts.methods.map((method) => ({ method })),
        };
        const displayedSince = facts.displayedMs === null ? undefined : new Date(acceptedAt - facts.displayedMs);
        const { type, action, isDirect } = facts;
        // The service records nothing under the flag that was shown without the disclosure.
        const shown = { isDirect, displayedSince, page, hasDisclosure: true };
        const input = { type, policy, body, action, ...shown, now: new Date(acceptedAt) };
        const expected = facts.isDecline
          ? checkDeclinePolicy(input)
          : [...checkPolicy(input), ...checkVerification(policy, body.verification ?? [], body.typedName)];
        expect(expectedChecks(toVerifier(facts, policy))).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

function toVerifier(facts: typeof given extends fc.Arbitrary<infer F> ? F : never, policy: Policy) {
  return {
    flags: policy as unknown as Json,
    isConsent: facts.type === "CONSENT",
    isDecline: facts.isDecline,
    isDirect: facts.isDirect,
    action: facts.action,
    presentation: (facts.presentation ?? null) as unknown as Json,
    purposes: facts.purposes.length,
    typedName: facts.typedName ?? null,
    methods: facts.methods,
    page: pageFacts(facts.pageEvents),
    displayedSince: facts.displayedMs === null ? null : acceptedAt - facts.displayedMs,
    hasDisclosure: true,
    acceptedAt,
  };
}
