import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Receipt } from "#api/receipts.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { type Accepted, acceptOne, as, type ClickHarness, type ClickInstance, startClick } from "../../test/harness.ts";
import { eraseAcceptance, restrictAcceptance } from "../../test/stored-acceptances.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addTemplate } = clientActions(() => click);

const itemOf = (template: FakeTemplate, body: object = {}) => ({
  orgId: orgOf(template),
  key: "key of ann",
  body: { templateId: template.templateId, userRef: "ann", verification: [{ method: "EMAIL_OTP" }], ...body },
});

const read = async ({ client }: ClickInstance, { receipt }: Accepted): Promise<Receipt> => {
  const name = { receiptId: receipt.receiptId };
  return JSON.parse((await client.getReceipt(name, as(receipt.organizationId as never))).receiptJson) as Receipt;
};

const list = async (receipt: Receipt, query: { userRef?: string } = {}): Promise<Receipt[]> => {
  const { receiptsJson } = await click.client.listAcceptances(query, as(receipt.organizationId as never));
  return receiptsJson.map((json) => JSON.parse(json) as Receipt);
};

describe.each([
  ["erased", eraseAcceptance, { erased: true, restricted: false }],
  ["restricted", restrictAcceptance, { erased: false, restricted: true }],
] as const)("a receipt that is %s", (_, withhold, state) => {
  test("keeps its members, its place and its signature, and loses what is personal", async () => {
    const template = addTemplate();
    const first = await acceptOne(click.client, itemOf(template));
    await withhold(click, first.receipt.receiptId);
    const expected = { ...first.receipt, ...state, userRef: null, idempotencyKey: null, verification: [] };
    for (const instance of [click, other]) {
      const receipt = await read(instance, first);
      expect(receipt).toEqual(expected);
      expect(Object.keys(receipt)).toEqual(Object.keys(first.receipt));
    }
    expect(await list(first.receipt)).toEqual([expected]);
    expect(await list(first.receipt, { userRef: "ann" })).toEqual([]);
  });

  test("is still what a retry of its request is answered, and its key is still used up", async () => {
    const template = addTemplate();
    const item = itemOf(template);
    const first = await acceptOne(click.client, item);
    await withhold(click, first.receipt.receiptId);
    for (const { client } of [click, other]) {
      const { receipt, replayed } = await acceptOne(client, item);
      expect(replayed).toBe(true);
      expect(receipt).toMatchObject({ receiptId: first.receipt.receiptId, userRef: null, ...state });
      const reused = { ...item, body: { ...item.body, userRef: "bob" } };
      await expectDomainError(acceptOne(client, reused), "CLICK_IDEMPOTENCY_KEY_REUSED");
    }
  });

  test("does not tell the hash of a GENERATED text, and tells that of any other", async () => {
    const template = addTemplate({ type: TemplateType.GENERATED, versions: [] });
    click.templates.addVersion(template, { content: "<p>Dear {{name}}</p>" });
    const first = await acceptOne(click.client, itemOf(template, { data: { name: "Ann" } }));
    expect(first.receipt.renderHash).not.toBeNull();
    await withhold(click, first.receipt.receiptId);
    expect(await read(click, first)).toMatchObject({ renderHash: null, templateType: "GENERATED" });
  });

  test("does not tell what was consented to", async () => {
    const template = addTemplate({
      type: TemplateType.CONSENT,
      typeConfig: { purposes: [{ key: "ads", name: "ads" }] },
      policyFlags: { requireCheckbox: false },
    });
    const first = await acceptOne(click.client, itemOf(template, { purposes: [{ purpose: "ads", granted: true }] }));
    expect(first.receipt.purposes).toHaveLength(1);
    await withhold(click, first.receipt.receiptId);
    expect(await read(click, first)).toMatchObject({ purposes: [], decision: "ACCEPT" });
  });
});
