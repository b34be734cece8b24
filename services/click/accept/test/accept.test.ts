import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import type { ErrorCode, FieldProblem } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { accepted, acceptOne, batchItem, type ClickHarness, rows, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, acceptTemplate } = clientActions(() => click);

async function expectRefusal(promise: Promise<unknown>, code: ErrorCode): Promise<readonly FieldProblem[]> {
  return (await expectDomainError(promise, code)).details;
}

describe("acceptBatch", () => {
  test("records an acceptance of a template and answers its receipt", async () => {
    const template = addTemplate();
    const { receipt, replayed } = await acceptTemplate(template, { metadata: { order: "7" } });
    expect(replayed).toBe(false);
    expect(Object.keys(receipt)).toEqual([
      "receiptId",
      "status",
      "decision",
      "organizationId",
      "sessionId",
      "userRef",
      "templateId",
      "templateSlug",
      "templateName",
      "templateType",
      "versionId",
      "revision",
      "versionLabel",
      "locale",
      "contentHash",
      "renderHash",
      "deploymentId",
      "action",
      "assertedBy",
      "purposes",
      "acceptedAt",
      "clientAcceptedAt",
      "expiresAt",
      "reacceptBy",
      "superseded",
      "verification",
      "policy",
      "idempotencyKey",
      "evidenceUrl",
      "erased",
      "restricted",
      "log",
      "signature",
    ]);
    expect(receipt).toMatchObject({
      status: "RECORDED",
      decision: "ACCEPT",
      organizationId: template.organizationId,
      userRef: "user-1",
      sessionId: receipt.receiptId,
      templateId: template.templateId,
      templateSlug: template.slug,
      versionId: template.versions[0]?.versionId,
      revision: 1,
      versionLabel: "1.0",
      locale: "en",
      action: "API",
      contentHash: sha256Label("<p>The terms.</p>"),
      renderHash: null,
      deploymentId: null,
      superseded: false,
      assertedBy: "BACKEND",
      purposes: [],
      verification: [],
      expiresAt: null,
      reacceptBy: null,
      evidenceUrl: `/v1/click/evidence/${receipt.receiptId}`,
      erased: false,
      restricted: false,
    });
    expect(receipt.policy).toEqual({ hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), satisfied: true });
  });

  test("the policy hash is that of the canonical effective flags", async () => {
    const { receipt } = await acceptTemplate(addTemplate({ policyFlags: { reacceptIntervalDays: 30 } }));
    const [stored] = await rows<{ terms: string }>(
      click,
      "select t.terms from click.template_terms t join click.acceptance a using (organization_id, terms_hash) where a.receipt_id = $1",
      [receipt.receiptId],
    );
    const { policy } = JSON.parse(stored?.terms ?? "") as { policy: object };
    expect(policy).toMatchObject({ reacceptIntervalDays: 30, singleUseSession: true });
    expect(receipt.policy.hash).toBe(sha256Label(canonicalJson(policy)));
    expect(Date.parse(receipt.reacceptBy ?? "") - Date.parse(receipt.acceptedAt)).toBe(30 * 86_400_000);
  });

  test("stores neither keys nor bodies that could be read", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template);
    const [row] = await rows<Record<string, Buffer>>(
      click,
      "select idempotency_hash, body_hash from click.acceptance where receipt_id = $1",
      [receipt.receiptId],
    );
    expect(row?.idempotency_hash).toHaveLength(32);
    expect(row?.idempotency_hash).not.toEqual(row?.body_hash);
  });

  test.each([["with a space inside"], ["~!@#$%^&*()"], ["k".repeat(255)]])("takes the key %s", async (key) => {
    const template = addTemplate();
    const body = { templateId: template.templateId, userRef: "u" };
    const { receipt } = await acceptOne(click.client, { orgId: orgOf(template), key, body });
    expect(receipt.idempotencyKey).toBe(key);
  });

  test.each([["schlüssel"], ["tab\t"], ["new\nline"], ["\u007f"]])("refuses the key %j", async (key) => {
    const template = addTemplate();
    const body = { templateId: template.templateId, userRef: "u" };
    const item = { orgId: orgOf(template), key, body };
    await expectDomainError(acceptOne(click.client, item), "CLICK_IDEMPOTENCY_KEY_INVALID");
  });

  test("refuses bodies of the wrong shape with a detail for each field", async () => {
    const details = await expectRefusal(
      acceptTemplate(addTemplate(), { action: "WINK", userRef: 7 }),
      "CLICK_VALIDATION_FAILED",
    );
    expect(details.map((detail) => detail.field).sort()).toEqual(["action", "userRef"]);
  });

  test("one bad item fails alone, and organizations do not mix", async () => {
    const [mine, theirs] = [addTemplate(), addTemplate()];
    const item = (template: FakeTemplate, body: object) => batchItem({ orgId: orgOf(template), key: "same key", body });
    const good = (template: FakeTemplate) => item(template, { templateId: template.templateId, userRef: "u" });
    const { results } = await click.client.acceptBatch({
      items: [
        good(mine),
        { ...good(mine), idempotencyKey: "broken", body: Buffer.from("{") },
        good(theirs),
        { ...item(mine, { templateId: theirs.templateId, userRef: "u" }), idempotencyKey: "foreign" },
        { ...good(mine), idempotencyKey: "schlüssel" },
        good(mine),
      ],
    });
    const codes = results.map(({ outcome }) => (outcome.case === "error" ? outcome.value.errorCode : outcome.case));
    expect(codes).toEqual([
      "receipt",
      "CLICK_VALIDATION_FAILED",
      "receipt",
      "CLICK_TEMPLATE_NOT_FOUND",
      "CLICK_IDEMPOTENCY_KEY_INVALID",
      "receipt",
    ]);
    expect(accepted(results[5]).receipt.receiptId).toBe(accepted(results[0]).receipt.receiptId);
    expect(accepted(results[5]).replayed).toBe(true);
    expect(accepted(results[2]).receipt.organizationId).toBe(theirs.organizationId);
    expect(accepted(results[2]).receipt.receiptId).not.toBe(accepted(results[0]).receipt.receiptId);
  });

  test("one call resolves the templates of all its items with one RPC, and unchanged ones travel as an etag", async () => {
    const templates = [addTemplate(), addTemplate(), addTemplate()];
    const before = { ...click.templates.calls };
    const items = templates.flatMap((template) =>
      [1, 2, 3].map((n) =>
        batchItem({
          orgId: orgOf(template),
          key: `etag-${n}`,
          body: { templateId: template.templateId, userRef: `u${n}` },
        }),
      ),
    );
    await click.client.acceptBatch({ items });
    await click.client.acceptBatch({
      items: items.map((item) => ({ ...item, idempotencyKey: `${item.idempotencyKey}-again` })),
    });
    const after = click.templates.calls;
    expect(after.resolve - before.resolve).toBe(2);
    expect(after.resolved - before.resolved).toBe(6);
    expect(after.snapshots - before.snapshots).toBe(3);
    expect(after.revision - before.revision).toBe(3);
  });

  test("the first acceptance of a new text does not hold up those of known ones", async () => {
    const [known, fresh] = [addTemplate(), addTemplate()];
    await acceptTemplate(known);
    const release = click.templates.holdRevisions();
    let isAnswered = false;
    const late = Promise.all([1, 2, 3].map(() => acceptTemplate(fresh))).finally(() => {
      isAnswered = true;
    });
    try {
      for (let n = 0; n < 10; n += 1) await acceptTemplate(known);
      expect(isAnswered).toBe(false);
    } finally {
      release();
    }
    const receipts = (await late).map(({ receipt }) => receipt.receiptId);
    expect(new Set(receipts).size).toBe(3);
  });
});
