import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { clientActions, orgOf } from "../../test/actions.ts";
import { type ClickHarness, startClick } from "../../test/harness.ts";
import { evidenceActions } from "./evidence-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, accept, acceptTemplate, complete } = clientActions(() => click);
const { bundleOf } = evidenceActions(() => click);

describe("an evidence bundle", () => {
  test("says plainly what is proven and what is not", async () => {
    const template = addTemplate();
    const { receipt } = await acceptTemplate(template);
    const { proves, limitations, assertedBy } = (await bundleOf(orgOf(template), receipt.sessionId)).statement;
    expect(assertedBy).toBe(receipt.assertedBy);
    expect(proves).toEqual([expect.stringMatching(/^That this text, these terms, this decision .* signed record\.$/)]);
    expect(limitations[0]).toMatch(/^Who acted is not proven.*\(assertedBy: BACKEND\)/);
    expect(limitations.some((one: string) => one.includes("stolen a signing key"))).toBe(true);
  });

  test("leaves out what is personal on request", async () => {
    const template = addTemplate({ policyFlags: { requireScroll: true } });
    const sessionId = (await create(template)).id;
    const presentation = { scrolledToEnd: true, events: [{ type: "CHECKED" }] };
    const { receipt } = await accept(template, { sessionId, typedName: "Ann", presentation });
    await complete(template, sessionId, { reason: "checkout done" });
    const bundle = await bundleOf(orgOf(template), sessionId, { undisclosed: true });
    const { log, signature } = receipt;
    expect(bundle).toMatchObject({
      disclosed: false,
      receipts: [{ userRef: null, idempotencyKey: null, erased: false, restricted: false, log, signature }],
      subject: { userRef: null, typedName: null, verification: [], erased: false },
      session: { userRef: null, status: "COMPLETED", erased: false },
      presentation: { scrolledToEnd: null, events: [] },
      context: { claimed: null, observed: null, metadata: {}, session: null },
      agreement: { content: "<p>The terms.</p>" },
      policy: {
        flags: { requireScroll: true },
        checks: [{ flag: "requireScroll", required: true, observed: null, ok: true }],
      },
    });
    expect(bundle.timeline.map(({ type, detail }: Record<string, string>) => [type, detail])).toEqual([
      ["SESSION_CREATED", null],
      ["ACCEPTED", receipt.receiptId],
      ["SESSION_COMPLETED", "ACCEPTED"],
    ]);
    expect(bundle.statement.limitations.at(-1)).toMatch(/left out on request/);
  });
});
