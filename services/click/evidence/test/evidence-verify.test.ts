import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statusesOf } from "../../../../test/verify/support/verifier.ts";
import { type ClickHarness, startClick } from "../../test/harness.ts";
import { evidenceActions, failuresOf } from "./evidence-actions.ts";
import { evidenceJourneys, type Journey, personalIn, personalValues } from "./evidence-journeys.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { bundleText, integrate, anchor, verify, erase, restrict, openedText } = evidenceActions(() => click);
const journeys = Object.entries(evidenceJourneys(() => click));

/** The text of the bundle with what its proofs hold in Base64. */
const decoded = (text: string): string =>
  text + [...text.matchAll(/[A-Za-z0-9+/_-]{40,}/g)].map(([part]) => Buffer.from(part, "base64").toString()).join();

/** What the bundles that hide nothing have told of the person. */
const seen = new Set<string>();

const holds = async ({ orgId }: Journey, text: string) => {
  const result = await verify(orgId, text);
  expect(failuresOf(result)).toEqual([]);
  return result;
};

describe.each(journeys)("the offline verifier finds nothing wrong with %s", (_name, start) => {
  test("from the first moment on, and when it is logged and anchored", async () => {
    const journey = await start();
    const { orgId, sessionId } = journey;
    for (const step of [async () => undefined, () => integrate(orgId), anchor]) {
      await step();
      const text = await bundleText(orgId, sessionId);
      await holds(journey, text);
      for (const value of personalIn(decoded(text))) seen.add(value);
      const undisclosed = await bundleText(orgId, sessionId, { undisclosed: true });
      await holds(journey, undisclosed);
      expect(personalIn(decoded(undisclosed))).toEqual([]);
      const { consents, receipts } = JSON.parse(undisclosed);
      expect([consents, ...receipts.map(({ purposes }: { purposes: object[] }) => purposes)].flat()).toEqual([]);
    }
    const text = await bundleText(orgId, sessionId);
    const result = await verify(orgId, text);
    if (JSON.parse(text).integrity.records.length === 0) return;
    for (const check of ["INCLUSION", "CHECKPOINT", "ANCHOR_INCLUSION", "ANCHOR_CHECKPOINT"]) {
      expect([check, new Set(statusesOf(result, check))]).toEqual([check, new Set(["PASS"])]);
    }
  });

  test("when its person was erased, of whom it then tells nothing", async () => {
    const journey = await start();
    const { orgId, sessionId } = journey;
    await integrate(orgId);
    await anchor();
    await erase(journey);
    for (const undisclosed of [false, true]) {
      const text = await bundleText(orgId, sessionId, { undisclosed });
      const result = await holds(journey, text);
      expect(personalIn(decoded(text))).toEqual([]);
      const { subject, integrity } = JSON.parse(text);
      expect(subject).toMatchObject({ userRef: null, erased: true, restricted: false });
      for (const { disclosures } of integrity.records) expect(disclosures).toEqual([]);
      expect(new Set(statusesOf(result, "DISCLOSURES"))).toEqual(new Set(integrity.records.length ? ["ERASED"] : []));
    }
  });

  test("when its person is restricted, of whom it tells nothing to others than administrators", async () => {
    const journey = await start();
    const { orgId, sessionId } = journey;
    const before = JSON.parse(await bundleText(orgId, sessionId));
    await restrict(journey);
    const text = await bundleText(orgId, sessionId);
    await holds(journey, text);
    expect(personalIn(decoded(text))).toEqual([]);
    expect(JSON.parse(text).subject).toMatchObject({ userRef: null, erased: false, restricted: true });
    const opened = await openedText(journey);
    await holds(journey, opened);
    const { userRef, verification, typedName } = before.subject;
    const after = JSON.parse(opened);
    expect(after.subject).toEqual({ userRef, verification, typedName, erased: false, restricted: true });
    for (const part of ["agreement", "presentation", "context", "policy", "timeline"]) {
      expect(after[part]).toEqual(before[part]);
    }
  });
});

test("what must not show after an erasure does show before", () => {
  expect([...seen].sort()).toEqual([...personalValues].sort());
});
