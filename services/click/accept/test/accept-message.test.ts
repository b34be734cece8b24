import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AcceptRequestSchema } from "#gen/assent/click/v1/click_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { orgOf } from "../../test/actions.ts";
import { acceptOne, as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { acceptBody } from "../accept-path.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

describe("accept", () => {
  test("is the same request as the body over REST", async () => {
    const template = click.templates.add(newOrg());
    const orgId = orgOf(template);
    const acceptedAt = new Date("2026-11-20T17:00:00.123Z");
    const message = {
      idempotencyKey: "k",
      templateId: template.templateId,
      userRef: "u",
      metadata: { order: "7" },
      acceptedAt: timestampFromDate(acceptedAt),
      presentation: { scrolledToEnd: true },
      context: { gpc: false },
      verification: [{ method: "CUSTOMER_SESSION", verifiedAt: timestampFromDate(acceptedAt) }],
    };
    click.clock.advance((acceptedAt.getTime() - click.clock.now().getTime()) / 1000);
    const observed = { ip: "203.0.113.77", userAgent: "shop/1" };
    const first = await click.client.accept({ ...message, observed }, as(orgId));
    expect(first.replayed).toBe(false);
    const { sessionId } = JSON.parse(first.receiptJson) as { sessionId: string };
    const { bundleJson } = await click.client.getEvidenceBundle({ sessionId }, as(orgId));
    expect(JSON.parse(bundleJson).context.observed).toMatchObject(observed);
    expect(await click.client.accept(message, as(orgId))).toMatchObject({
      replayed: true,
      receiptJson: first.receiptJson,
    });
    const body = {
      templateId: template.templateId,
      userRef: "u",
      metadata: { order: "7" },
      acceptedAt: acceptedAt.toISOString(),
      presentation: { scrolledToEnd: true },
      context: { gpc: false },
      verification: [{ method: "CUSTOMER_SESSION", verifiedAt: acceptedAt.toISOString() }],
    };
    const overRest = await acceptOne(click.client, { orgId, key: "k", body });
    expect(overRest).toMatchObject({ replayed: true, receiptJson: first.receiptJson });
    await expectDomainError(
      click.client.accept({ ...message, userRef: "v" }, as(orgId)),
      "CLICK_IDEMPOTENCY_KEY_REUSED",
    );
  });

  test("leaves out what is not given, and keeps what is false", () => {
    const request = create(AcceptRequestSchema, {
      idempotencyKey: "k",
      sessionId: "s",
      purposes: [
        { purpose: "ads", granted: false },
        { purpose: "terms", granted: true },
      ],
    });
    expect(acceptBody(request)).toEqual({
      sessionId: "s",
      purposes: [
        { purpose: "ads", granted: false },
        { purpose: "terms", granted: true },
      ],
    });
  });

  test("has its shape checked like any other body", async () => {
    const orgId = newOrg();
    const error = await expectDomainError(
      click.client.accept({ idempotencyKey: "k", templateId: "no uuid", userRef: "u" }, as(orgId)),
      "CLICK_VALIDATION_FAILED",
    );
    expect(error.details).toMatchObject([{ field: "templateId", code: "FORMAT" }]);
    await expectDomainError(click.client.accept({ idempotencyKey: "" }, as(orgId)), "VALIDATION_FAILED");
    const tooLate = { seconds: 999_999_999_999n, nanos: 0 };
    const timeless = { idempotencyKey: "k", templateSlug: "t", userRef: "u", acceptedAt: tooLate };
    await expectDomainError(click.client.accept(timeless, as(orgId)), "CLICK_VALIDATION_FAILED");
    const notAscii = { idempotencyKey: "schlüssel", templateSlug: "t", userRef: "u" };
    await expectDomainError(click.client.accept(notAscii, as(orgId)), "CLICK_IDEMPOTENCY_KEY_INVALID");
  });

  test("needs a caller", async () => {
    await expect(click.client.accept({ idempotencyKey: "k", templateSlug: "t", userRef: "u" })).rejects.toThrow(
      "caller metadata",
    );
  });
});
