import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { consentActions } from "./consent-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addConsent, read, update } = consentActions(() => click);

describe("the limits of consent", () => {
  test("a user has a thousand purposes at most", async () => {
    const orgId = newOrg();
    const withdraw = (from: number, count: number) =>
      update(
        orgId,
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`purpose-${from + n}`, "WITHDRAW" as const])),
      );
    for (let from = 0; from < 1000; from += 100) await withdraw(from, 100);
    const error = await expectDomainError(withdraw(999, 2), "CLICK_VALIDATION_FAILED");
    expect(error.details).toMatchObject([{ field: "purposes[1].purpose", code: "TOO_MANY" }]);
    expect((await update(orgId, { "purpose-7": "DENY" })).state.consents).toHaveLength(1000);
  });

  test("a time outside of all calendars is refused", async () => {
    const orgId = orgOf(addConsent(["news"]));
    for (const seconds of [2n ** 62n, -(2n ** 62n), 253_402_300_800n]) {
      const time = { $typeName: "google.protobuf.Timestamp", seconds, nanos: 0 } as const;
      const purposes = [{ purpose: "news", decision: "GRANT", expiresAt: time }];
      for (const call of [
        update(orgId, { news: "GRANT" }, { occurredAt: time }),
        click.client.updateConsentState({ userRef: "user-1", purposes }, as(orgId)),
        read(orgId, { at: time }),
        click.client.listAcceptances({ from: time }, as(orgId)),
      ]) {
        await expectDomainError(call, "CLICK_VALIDATION_FAILED");
      }
    }
  });
});
