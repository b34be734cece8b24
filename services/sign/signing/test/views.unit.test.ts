import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { parseOrgId } from "#platform/ids.ts";
import type { AgreementStatus } from "../../agreement/agreement.ts";
import {
  recipientOf,
  refusalOf,
  sampleDraft,
  sampleRecipient,
  sampleTab,
  sampleTime,
} from "../../agreement/test/lifecycle-samples.ts";
import { seenByRecipient } from "../ceremony.ts";
import { requireFrameAncestors, requireReturnUrl, withEvent } from "../return-url.ts";
import {
  extendedExpiry,
  isOfAgreement,
  newViewToken,
  parseViewToken,
  requireViewRecipient,
  sessionExpiry,
  type View,
} from "../view.ts";

const live = { isSandbox: false };
const sandbox = { isSandbox: true };

describe("a return URL", () => {
  const long = `https://example.com/${"a".repeat(450)}`;

  test("is an absolute https URL, kept letter by letter", () => {
    const good = ["https://example.com", "HTTPS://Example.com/a?b=%20c#d", "https://пример.example/ü?@", long];
    for (const url of good) expect(requireReturnUrl(url, live)).toBe(url);
  });

  test.each([
    "",
    "/back",
    "//example.com",
    "example.com",
    "http://example.com",
    "http://localhost:3000/",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.com",
    "https:example.com",
    "https:///",
    "https://",
    " https://example.com",
    "https://exa mple.com",
    "https://example.com/\r\nSet-Cookie: a=b",
    "ht\ntps://example.com",
    "https://example.com\\@evil.example",
    "https://user@example.com",
    "https://user:secret@example.com",
    "https://@example.com",
    "https://example.com:99999/",
    "https://example.com/\u0000",
    "https://example.com/\ud800",
    `${long}a`,
    "a".repeat(1_000_000),
  ])("is refused when it is %j", (url) => {
    expect(refusalOf(() => requireReturnUrl(url, live)).code).toBe("INVALID_RETURN_URL");
  });

  test("may lead to the developer's own machine in a sandbox alone", () => {
    for (const url of ["http://localhost:3000/ds-return", "http://127.0.0.1/x"]) {
      expect(requireReturnUrl(url, sandbox)).toBe(url);
      expect(refusalOf(() => requireReturnUrl(url, live)).code).toBe("INVALID_RETURN_URL");
    }
    for (const url of ["http://localhost.example.com", "http://127.0.0.2", "http://[::1]/", "http://example.com"]) {
      expect(refusalOf(() => requireReturnUrl(url, sandbox)).code).toBe("INVALID_RETURN_URL");
    }
  });

  test("keeps its query and its fragment when an event is appended", () => {
    expect(withEvent("https://a.example", "cancel")).toBe("https://a.example?event=cancel");
    expect(withEvent("https://a.example/?state=1%202#top", "decline")).toBe(
      "https://a.example/?state=1%202&event=decline#top",
    );
    expect(withEvent("https://a.example/?", "send", "id")).toBe("https://a.example/?event=send&envelopeId=id");
    expect(withEvent("", "send")).toBe("");
  });

  test("is apart from the origins of frames, which are origins alone and cannot change the header", () => {
    expect(requireFrameAncestors(["https://A.example", "https://a.example/", "https://b.example:8443"], live)).toEqual([
      "https://a.example",
      "https://b.example:8443",
    ]);
    expect(requireFrameAncestors(["http://localhost:3000"], sandbox)).toEqual(["http://localhost:3000"]);
    const bad = ["*", "https://*.a.example", "'self'", "https://a.example;script-src *", "https://a.example/x", "a"];
    const more = ["https://a.example?", "https://a.example#", "http://a.example", "http://localhost", "https://a,b"];
    for (const origin of [...bad, ...more]) {
      const { code, fields } = refusalOf(() => requireFrameAncestors(["https://ok.example", origin], live));
      expect([origin, code, fields]).toEqual([origin, "VALIDATION_FAILED", ["frameAncestors[1] INVALID_ORIGIN"]]);
    }
  });
});

describe("a token", () => {
  test("names its organization, has one form, and is found by the hash of all of it", () => {
    const [one, other] = [parseOrgId(randomUUID()), parseOrgId(randomUUID())];
    if (one === undefined || other === undefined) throw new Error("no organization");
    const token = newViewToken(one);
    const parsed = parseViewToken(token);
    expect(parsed?.orgId).toBe(one);
    const forged = newViewToken(other).slice(0, 20) + token.slice(20);
    expect(parseViewToken(forged)?.hash.equals(parsed?.hash ?? Buffer.alloc(0))).toBe(false);
    const bad = ["", token.slice(1), `${token}A`, `${token.slice(0, 63)}=`, token.replace(/.$/, "+"), "ü".repeat(64)];
    for (const text of bad) expect(parseViewToken(text)).toBeUndefined();
    expect(parseViewToken(randomBytes(1_000_000).toString("base64url"))).toBeUndefined();
  });
});

const person = { recipientId: "", email: "ann@example.com", userName: "Ann", clientUserId: "1000" };

const sentTo = (status: AgreementStatus = "sent") =>
  sampleDraft(
    [
      sampleRecipient("1", { name: "Ann", email: "Ann@Example.com", clientUserId: "1000", status: "sent" }),
      sampleRecipient("2", { name: "Bob", email: "bob@example.com", status: "sent" }),
      sampleRecipient("3", { name: "Eve", email: "eve@example.com", clientUserId: "3000", routingOrder: 2 }),
    ],
    { status },
  );

describe("the recipient of a view", () => {
  test("is found by what the person is called, without case in the address, or by an id", () => {
    const agreement = sentTo();
    const ann = recipientOf(agreement, "1");
    expect(requireViewRecipient(agreement, person)).toBe(ann);
    expect(requireViewRecipient(agreement, { ...person, email: "ANN@EXAMPLE.COM" })).toBe(ann);
    const byId = { recipientId: "1", email: "", userName: "", clientUserId: "" };
    expect(requireViewRecipient(agreement, byId)).toBe(ann);
    expect(requireViewRecipient(agreement, { ...byId, recipientId: ann.id.toUpperCase() })).toBe(ann);
  });

  test.each([
    ["another name", { userName: "ann" }, "RECIPIENT_NOT_FOUND"],
    ["another address", { email: "annn@example.com" }, "RECIPIENT_NOT_FOUND"],
    ["a wrong clientUserId", { clientUserId: "1001" }, "RECIPIENT_NOT_FOUND"],
    ["no clientUserId", { clientUserId: "" }, "RECIPIENT_NOT_FOUND"],
    ["a wrong clientUserId beside the id", { recipientId: "1", clientUserId: "1001" }, "RECIPIENT_NOT_FOUND"],
    ["nothing", { email: "", userName: "", clientUserId: "" }, "RECIPIENT_NOT_FOUND"],
    ["a remote person", { email: "bob@example.com", userName: "Bob" }, "RECIPIENT_NOT_EMBEDDED"],
    ["a remote person by id", { recipientId: "2", clientUserId: "" }, "RECIPIENT_NOT_EMBEDDED"],
    ["somebody later", { recipientId: "3", clientUserId: "3000" }, "RECIPIENT_NOT_IN_SEQUENCE"],
  ])("is refused for %s", (_what, given, code) => {
    expect(refusalOf(() => requireViewRecipient(sentTo(), { ...person, ...given })).code).toBe(code);
  });

  test("may sign in person on the device of a host who names themselves, without a clientUserId", () => {
    const host = { hostName: "Hal", hostEmail: "hal@example.com", clientUserId: "" };
    const inPerson = sampleRecipient("1", {
      ...host,
      name: "Sam",
      email: "",
      role: "in-person-signer",
      status: "sent",
    });
    const agreement = sampleDraft([inPerson], { status: "sent" });
    const asked = { recipientId: "", email: "HAL@example.com", userName: "Hal", clientUserId: "" };
    expect(requireViewRecipient(agreement, asked)).toBe(agreement.recipients[0]);
    const wrong = refusalOf(() => requireViewRecipient(agreement, { ...asked, clientUserId: "1000" }));
    expect(wrong.code).toBe("RECIPIENT_NOT_FOUND");
  });

  test("gets a view of what is going on or completed, and of nothing else", () => {
    for (const status of ["created", "voided", "declined", "expired"] as const) {
      expect(refusalOf(() => requireViewRecipient(sentTo(status), person)).code).toBe("INVALID_ENVELOPE_STATUS");
    }
    for (const status of ["sent", "delivered", "completing", "completed"] as const) {
      expect(requireViewRecipient(sentTo(status), person).recipientId).toBe("1");
    }
  });

  test("is the entry that waits, when a person has several", () => {
    const ann = { name: "Ann", email: "ann@example.com", clientUserId: "1000" };
    const agreement = sampleDraft(
      [sampleRecipient("1", { ...ann, status: "completed" }), sampleRecipient("2", { ...ann, status: "sent" })],
      { status: "sent" },
    );
    expect(requireViewRecipient(agreement, person).recipientId).toBe("2");
  });
});

describe("a session", () => {
  const unnamed: View = {
    tokenHash: Buffer.alloc(32),
    kind: "recipient",
    isReusable: false,
    agreementId: null,
    recipientId: null,
    returnUrl: "",
    frameAncestors: [],
    createdBy: "client",
    createdAt: sampleTime,
    expiresAt: sampleTime,
    openedAt: sampleTime,
    sessionExpiresAt: sessionExpiry(sampleTime),
    endedAt: null,
    seenAt: null,
    proofs: {},
  };
  const later = new Date(sampleTime.getTime() + 1);

  test("ends with an agreement that is not completed, or that has somebody else instead; what was completed may be read", () => {
    const completed = { ...sentTo("completed"), statusChangedAt: later };
    const recipientId = completed.recipients[0]?.id ?? "";
    const view: View = { ...unnamed, recipientId };
    // A correction has put somebody else in their place.
    expect(isOfAgreement({ ...view, recipientId: "another" }, { ...completed, status: "sent" })).toBe(false);
    // Whether they were there before it was completed, and whether they are led somewhere, does not matter.
    for (const openedAt of [null, view.openedAt, later]) {
      expect(isOfAgreement({ ...view, openedAt }, completed)).toBe(true);
      expect(isOfAgreement({ ...view, openedAt, returnUrl: "https://app.example/" }, completed)).toBe(true);
    }
    for (const status of ["voided", "declined", "expired"] as const) {
      expect(isOfAgreement(view, { ...completed, status })).toBe(false);
      expect(isOfAgreement({ ...view, openedAt: null }, sentTo(status))).toBe(false);
    }
    expect(isOfAgreement({ ...view, kind: "send" }, sentTo("sent"))).toBe(false);
    expect(isOfAgreement({ ...view, kind: "look" }, sentTo("voided"))).toBe(true);
  });

  test("is extended at most once a minute", () => {
    const msAfter = (ms: number) => new Date(sampleTime.getTime() + ms);
    expect(extendedExpiry(unnamed, msAfter(59_999))).toBeUndefined();
    expect(extendedExpiry(unnamed, msAfter(60_000))).toEqual(sessionExpiry(msAfter(60_000)));
  });
});

test("a recipient sees the own tabs and shared ones, and of the others who they are", () => {
  const agreement = sampleDraft(
    [
      sampleRecipient("1", { clientUserId: "1000", tabs: [sampleTab("signature")] }),
      sampleRecipient("2", {
        clientUserId: "2000",
        note: "secret",
        tabs: [sampleTab("text", { value: "secret" }), sampleTab("text", { value: "shown", shared: true })],
      }),
    ],
    { metadata: { a: "secret" }, subscription: { url: "secret" }, transactionId: "secret" },
  );
  const seen = seenByRecipient(agreement, recipientOf(agreement, "1").id);
  expect(recipientOf(seen, "1").tabs).toEqual(recipientOf(agreement, "1").tabs);
  expect(recipientOf(seen, "2")).toMatchObject({ name: "Person 2", role: "signer", email: "", clientUserId: "" });
  expect(recipientOf(seen, "2").tabs.map(({ value }) => value)).toEqual(["shown"]);
  expect(JSON.stringify(seen)).not.toContain("secret");
});
