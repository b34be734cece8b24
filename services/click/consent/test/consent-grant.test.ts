import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { consentActions, isoOf, purposeOf } from "./consent-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addConsent, read, update, acceptConsent } = consentActions(() => click);
const inDays = (days: number) => new Date(click.clock.now().getTime() + days * 86_400_000);

describe("a grant", () => {
  test("grants only what a published CONSENT template asks for", async () => {
    const template = addConsent(["news"]);
    const orgId = orgOf(template);
    const unknown = await expectDomainError(update(orgId, { news: "GRANT", ads: "GRANT" }), "CLICK_PURPOSE_UNKNOWN");
    expect(unknown.details).toMatchObject([{ field: "purposes[1].purpose", code: "UNKNOWN" }]);
    await expectDomainError(update(newOrg(), { news: "GRANT" }), "CLICK_PURPOSE_UNKNOWN");
    const named = (templateId: string) =>
      click.client.updateConsentState(
        { userRef: "user-1", purposes: [{ purpose: "news", decision: "GRANT", templateId }] },
        as(orgId),
      );
    const statement = click.templates.add(orgId);
    for (const id of [newId(), "nonsense", statement.templateId]) {
      await expectDomainError(named(id), "CLICK_PURPOSE_UNKNOWN");
    }
    expect((await read(orgId)).revision).toBe(0n);
    await named(template.templateId.toUpperCase());
    template.archived = true;
    await expectDomainError(update(orgId, { news: "GRANT" }), "CLICK_PURPOSE_UNKNOWN");
    await expectDomainError(named(template.templateId), "CLICK_PURPOSE_UNKNOWN");
    await update(orgId, { news: "WITHDRAW" });
  });

  test("a grant is about the text that was published last, in the locale that is asked for", async () => {
    const older = addConsent(["news"]);
    const orgId = orgOf(older);
    const newer = click.templates.add(orgId, {
      type: older.type,
      typeConfig: { ...older.typeConfig, jurisdiction: "DE" },
    });
    click.templates.addVersion(newer, { locale: "de" });
    const { state } = await update(orgId, { news: "GRANT" }, { locale: "de-AT" });
    expect(purposeOf(state, "news")).toMatchObject({ templateId: newer.templateId, locale: "de", jurisdiction: "DE" });
  });

  test("a renewal stays with the template of the grant, and begins nothing anew", async () => {
    const template = addConsent([{ key: "news", expiresAfterDays: 10 }]);
    const orgId = orgOf(template);
    const { receipt } = await acceptConsent(template, { news: true });
    click.templates.add(orgId, { type: template.type, typeConfig: template.typeConfig });
    click.clock.advance(86_400);
    const renewed = purposeOf((await update(orgId, { news: "RENEW" })).state, "news");
    expect(renewed).toMatchObject({ status: "RENEWED", valid: true, templateId: template.templateId });
    expect(isoOf(renewed.grantedAt)).toBe(receipt.acceptedAt);
    expect(renewed.expiresAt?.seconds).toBe((renewed.updatedAt?.seconds ?? 0n) + 864_000n);
    click.clock.advance(11 * 86_400);
    expect(purposeOf(await read(orgId), "news").status).toBe("EXPIRED");
    expect(purposeOf((await update(orgId, { news: "RENEW" })).state, "news").status).toBe("RENEWED");
  });

  test("what is not granted cannot be renewed", async () => {
    const orgId = orgOf(addConsent(["news"]));
    await expectDomainError(update(orgId, { news: "RENEW" }), "CLICK_CONSENT_CONFLICT");
    await update(orgId, { news: "DENY" });
    await expectDomainError(update(orgId, { news: "RENEW" }), "CLICK_CONSENT_CONFLICT");
  });

  test("a grant ends when its text says so, or sooner if the caller says so", async () => {
    const orgId = orgOf(
      addConsent([{ key: "news", expiresAfterDays: 10 }, "ads"], { policyFlags: { consentExpiresAfterDays: 0 } }),
    );
    const endOf = async (purpose: string, days: number) => {
      const expiresAt = timestampFromDate(inDays(days));
      const request = { userRef: "user-1", purposes: [{ purpose, decision: "GRANT", expiresAt }] };
      const { state } = await click.client.updateConsentState(request, as(orgId));
      const { expiresAt: end, updatedAt } = purposeOf(state ?? (await read(orgId)), purpose);
      return Math.round(Number((end?.seconds ?? 0n) - (updatedAt?.seconds ?? 0n)) / 86_400);
    };
    expect([await endOf("news", 3), await endOf("news", 30), await endOf("ads", 30)]).toEqual([3, 10, 30]);
    await expectDomainError(endOf("ads", -1), "CLICK_VALIDATION_FAILED");
  });

  test("the policy's time holds where the purpose has none of its own", async () => {
    const purposes = ["news", { key: "ads", expiresAfterDays: 5 }];
    const template = addConsent(purposes, { policyFlags: { consentExpiresAfterDays: 20 } });
    await acceptConsent(template, { news: true, ads: true });
    const state = await read(orgOf(template));
    const days = state.consents.map(({ expiresAt, updatedAt }) =>
      Math.round(Number((expiresAt?.seconds ?? 0n) - (updatedAt?.seconds ?? 0n)) / 86_400),
    );
    expect(days).toEqual([5, 20]);
  });
});
