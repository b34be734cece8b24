import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, countAcceptances, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, type ClickInstance, startClick } from "../../test/harness.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addTemplate, create } = clientActions(() => click);
const createSession = async (template: FakeTemplate) => (await create(template)).id;

describe("a retry", () => {
  test("with the same key and body is answered with the same bytes", async () => {
    const template = addTemplate();
    const item = {
      orgId: orgOf(template),
      key: "k",
      body: { templateId: template.templateId, userRef: "u", metadata: { a: "1" } },
    };
    const first = await acceptOne(click.client, item);
    for (const client of [click.client, other.client]) {
      const again = await acceptOne(client, item);
      expect(again).toEqual({ ...first, replayed: true });
    }
    expect(await countAcceptances(click, item.orgId)).toBe(1);
  });

  test("with another body is refused, even when only an unknown field differs", async () => {
    const template = addTemplate();
    const body = { templateId: template.templateId, userRef: "u" };
    const item = { orgId: orgOf(template), key: "k", body };
    const { receiptJson } = await acceptOne(click.client, item);
    for (const changed of [
      { ...body, userRef: "v" },
      { ...body, unknown: 1 },
      { ...body, templateId: newId() },
    ]) {
      await expectDomainError(acceptOne(other.client, { ...item, body: changed }), "CLICK_IDEMPOTENCY_KEY_REUSED");
    }
    expect(await countAcceptances(click, item.orgId)).toBe(1);
    expect((await acceptOne(click.client, item)).receiptJson).toBe(receiptJson);
  });

  test("is answered although the template was archived, changed, deleted or cannot be asked for", async () => {
    const template = addTemplate();
    const [version] = template.versions;
    const item = {
      orgId: orgOf(template),
      key: "k",
      body: { templateId: template.templateId, userRef: "u", versionId: version?.versionId },
    };
    const first = await acceptOne(click.client, item);
    const changes = [
      () => {
        template.archived = true;
      },
      () => {
        template.policyFlags = { allowDirectAccept: false };
      },
      () => click.templates.remove(template),
      () => click.templates.fail(Code.Unavailable),
    ];
    try {
      for (const change of changes) {
        change();
        expect(await acceptOne(click.client, item)).toEqual({ ...first, replayed: true });
        const reused = { ...item, body: { ...item.body, userRef: "v" } };
        await expectDomainError(acceptOne(click.client, reused), "CLICK_IDEMPOTENCY_KEY_REUSED");
      }
    } finally {
      click.templates.fail(undefined);
    }
  });

  test("is answered although the session was accepted, completed or has expired", async () => {
    const template = addTemplate();
    const sessionId = await createSession(template);
    const item = { orgId: orgOf(template), key: "k", body: { sessionId } };
    const first = await acceptOne(click.client, item);
    expect(await acceptOne(click.client, item)).toEqual({ ...first, replayed: true });
    await click.client.completeSession({ sessionId }, as(item.orgId));
    click.clock.advance(7200);
    expect(await acceptOne(click.client, item)).toEqual({ ...first, replayed: true });
    await expectDomainError(acceptOne(click.client, { ...item, key: "l" }), "CLICK_SESSION_CLOSED");
  });

  test("a refused acceptance does not use up its key", async () => {
    const template = addTemplate({ policyFlags: { requireScroll: true } });
    const body = { templateId: template.templateId, userRef: "u" };
    const item = { orgId: orgOf(template), key: "k", body };
    await expectDomainError(acceptOne(click.client, item), "CLICK_POLICY_NOT_SATISFIED");
    const better = { ...item, body: { ...body, presentation: { scrolledToEnd: true } } };
    expect((await acceptOne(click.client, better)).replayed).toBe(false);
  });

  test("a key belongs to one organization", async () => {
    const [mine, theirs] = [addTemplate(), addTemplate()];
    const accept = (template: FakeTemplate) =>
      acceptOne(click.client, {
        orgId: orgOf(template),
        key: "k",
        body: { templateId: template.templateId, userRef: "u" },
      });
    const receipts = [await accept(mine), await accept(theirs)];
    expect(new Set(receipts.map(({ receipt }) => receipt.receiptId)).size).toBe(2);
  });
});
