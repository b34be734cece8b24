import { describe, expect, test } from "@jest/globals";
import type { Agreement } from "../../agreement/agreement.ts";
import { sampleDraft, sampleRecipient } from "../../agreement/test/lifecycle-samples.ts";
import { replaceIn } from "../erased-values.ts";
import { type Beside, planErasure } from "../plan-erasure.ts";

const now = new Date("2026-11-20T10:00:00Z");
const person = { email: "ann@example.com", userRef: "", emailIndex: Buffer.alloc(16, 1), userIndex: null };
const beside: Beside = {
  mailJobs: [],
  jobErrors: [],
  links: 0,
  attachmentIds: [],
  attachments: 0,
  hasProgress: false,
  retryKeysUntil: [],
};
const rest = { keys: [], events: [], beside, isHeld: false, keptUntil: undefined };

const planOf = (changes: Partial<Agreement>) => {
  const agreement = {
    ...sampleDraft([sampleRecipient("1", { email: "Ann@example.com" }), sampleRecipient("2")]),
    ...changes,
  };
  return planErasure({ agreement, ...rest }, person, now);
};
const said = ({ items }: ReturnType<typeof planOf>) =>
  items.map(({ part, name = "", kept = "" }) => `${part}${name}${kept}`);

describe("an address in a text", () => {
  test.each([
    ["Ann@Example.com", "ERASED"],
    ["<ann@example.com>, ann@example.com.", "<ERASED>, ERASED."],
    ["joann@example.com and x.ann@example.com", "joann@example.com and x.ann@example.com"],
    ["For ann@example.com.pdf, ann@example.com.docx.pdf.", "For ERASED.pdf, ERASED.docx.pdf."],
    ["ann@example.com.pdf.au, ann@example.com.zip", "ann@example.com.pdf.au, ann@example.com.zip"],
    ["ann@example.com.au, ann@example.community", "ann@example.com.au, ann@example.community"],
  ])("is replaced when it is that one: %s", (text, wanted) => {
    expect(replaceIn(text, "ann@example.com")).toBe(wanted);
  });

  test("is found however its letters with marks are written", () => {
    const [composed, apart] = ["NFC", "NFD"].map((form) => "jörg@example.com".normalize(form));
    expect(replaceIn(`${composed} ${apart}`, composed ?? "")).toBe("ERASED ERASED");
  });

  test("is found in whatever holds it, and nothing else is touched", () => {
    const other = { at: now, bytes: Buffer.from("ann@example.com"), list: [1, null] };
    const value = { a: [{ "ann@example.com": "to ann@example.com" }], other };
    expect(replaceIn(value, "ann@example.com")).toEqual({ a: [{ ERASED: "to ERASED" }], other });
    expect(replaceIn(other, "ann@example.com")).toBe(other);
    expect(replaceIn("(a|b)+@example.com", "(a|b)+@example.com")).toBe("ERASED");
  });
});

describe("what becomes of an agreement", () => {
  test.each(["sent", "delivered", "completing"] as const)("that is %s: nothing, until it ends", (status) => {
    const plan = planOf({ status, expiresAt: now });
    expect(new Set(plan.items.map(({ kept }) => kept))).toEqual(new Set(["IN_PROGRESS", "FILE_OF_ALL"]));
    expect(plan.items[0]?.until).toBe(now.toISOString());
    expect([plan.erases, plan.keyIds]).toEqual([false, []]);
  });

  test("that has ended: its sender and its texts are about a person as well, and its events go when their time comes", () => {
    const plan = planOf({
      ...{ status: "voided", voidedAt: now, voidedReason: "ann@example.com asked for it" },
      sender: { id: "cl_1", name: "Ann", email: "ANN@example.com" },
      metadata: { who: ["ann@example.com"] },
    });
    expect(said(plan)).toEqual(
      expect.arrayContaining(["SENDER", "FREE_TEXTmetadata", "FREE_TEXTvoidedReason", "EVENTSREPEATABLE"]),
    );
    expect(JSON.stringify(plan.agreement)).not.toMatch(/ann@example/i);
    expect(plan.agreement.sender).toEqual({ id: "cl_1", name: "ERASED", email: "" });
    expect(said(planOf({ status: "voided", voidedAt: new Date(0), voidedReason: "ann@example.com" }))).not.toContain(
      "EVENTSREPEATABLE",
    );
  });

  test("that came to nothing: its files go with the last one, and what was signed is kept", () => {
    const changes = { recipients: [sampleRecipient("1", { email: "Ann@example.com" })] };
    const filesOf = (more: Partial<Agreement>, keptUntil?: Date | null) => {
      const agreement = { ...sampleDraft([]), ...changes, ...more };
      const plan = planErasure({ ...rest, agreement, keptUntil }, person, now);
      return [plan.erasesFiles, ...plan.items.filter(({ part }) => part === "FILES")];
    };
    const kept = { part: "FILES", kept: "FILE_OF_ALL" };
    expect(filesOf({ status: "declined" })).toEqual([true, { part: "FILES" }]);
    const period = { part: "FILES", kept: "RETENTION" };
    expect(filesOf({ status: "declined" }, null)).toEqual([false, period]);
    expect(filesOf({ status: "declined" }, now)).toEqual([false, { ...period, until: now.toISOString() }]);
    expect(filesOf({ status: "completed" })).toEqual([false, kept]);
    expect(filesOf({ status: "voided", recipients: [...changes.recipients, sampleRecipient("2")] })).toEqual([
      ...[false, kept],
    ]);
    const purge = { state: "documents_purged", requestedAt: "", purgedAt: now.toISOString() } as const;
    expect(filesOf({ status: "voided", purge })).toEqual([false]);
  });

  test("that has nobody of that name: nothing", () => {
    const agreement = sampleDraft([sampleRecipient("2")]);
    const plan = planErasure({ agreement, ...rest }, person, now);
    expect([plan.items, plan.agreement]).toEqual([[], agreement]);
  });
});
