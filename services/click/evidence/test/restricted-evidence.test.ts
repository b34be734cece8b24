import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createErasureParts, type ErasureParts, erasureActions } from "../../erasure/test/erasure-actions.ts";
import { leavesOf } from "../../log/test/signed-leaves.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, rows, startClick } from "../../test/harness.ts";

let click: ClickHarness;
let parts: ErasureParts;
beforeAll(async () => {
  click = await startClick();
  parts = createErasureParts(click);
});
afterAll(async () => {
  await parts.close();
  await click.close();
});

const { addTemplate, create, accept, acceptTemplate } = clientActions(() => click);
const { erase } = erasureActions(() => click);

const daySeconds = 86_400;

const open = async (orgId: OrgId, sessionId: string, reason = "lawsuit 4 C 17/26") =>
  JSON.parse((await click.client.openRestrictedEvidence({ sessionId, reason }, as(orgId))).bundleJson);
const bundleOf = async (orgId: OrgId, sessionId: string) =>
  JSON.parse((await click.client.getEvidenceBundle({ sessionId }, as(orgId))).bundleJson);
const accesses = (orgId: OrgId) =>
  rows(
    click,
    `select id, session_id, reason, client_id, request_id, accessed_at from click.restricted_access
     where organization_id = $1`,
    [orgId],
  );

describe("opening restricted evidence", () => {
  test("shows what is personal, and is noted in a row and in the log", async () => {
    const template = addTemplate({ policyFlags: { retentionDays: 30 } });
    const orgId = orgOf(template);
    const session = await create(template, { userRef: "ann" });
    const context = { ip: "198.51.100.7" };
    const { receipt } = await accept(template, { sessionId: session.id, typedName: "Ann Lee", context });
    await erase(orgId, "ann");
    const closed = await bundleOf(orgId, session.id);
    expect(JSON.stringify(closed)).not.toMatch(/Ann Lee|198\.51\.100\.7|"ann"/);
    expect(await accesses(orgId)).toEqual([]);
    const bundle = await open(orgId, session.id.toUpperCase());
    expect(bundle).toMatchObject({
      sessionId: session.id,
      subject: { userRef: "ann", typedName: "Ann Lee", erased: false, restricted: true },
      context: { claimed: context },
    });
    const [access] = await accesses(orgId);
    const leaf = JSON.parse(String((await leavesOf(click, orgId)).at(-1)?.leaf));
    expect(access).toMatchObject({ session_id: session.id, reason: "lawsuit 4 C 17/26", client_id: "cl_test" });
    expect(leaf).toEqual({
      v: 1,
      kind: "click.restricted.opened",
      iss: "https://assent.localhost",
      org: orgId,
      eid: access?.id,
      sid: session.id,
      receipts: [receipt.receiptId],
      openedAt: access?.accessed_at.toISOString(),
    });
    const told = await rows<{ data: string }>(
      click,
      "select data from click.outbox where organization_id = $1 and subject = 'assent.audit.privacy' order by position",
      [orgId],
    );
    const [erased, opened] = told.map(({ data }) => JSON.parse(data));
    expect(erased.auditedPrivacy).toMatchObject({ action: "person.erased", target: { kind: "erasure" } });
    expect(opened).toMatchObject({ id: access?.id, organizationId: orgId });
    expect(opened.auditedPrivacy).toEqual({
      ...{ action: "restricted.opened", outcome: "SUCCESS", changes: [] },
      ...{ actor: { kind: "client", id: "cl_test" }, target: { kind: "session", id: session.id } },
    });
    expect(JSON.stringify(told)).not.toMatch(/ann|Ann Lee|lawsuit/);
    // Whoever asks without saying why still sees nothing.
    expect((await bundleOf(orgId, session.id)).subject.userRef).toBeNull();
  });

  test("works for acceptances without a session, and shows what a GENERATED text was shown with", async () => {
    const template = addTemplate({ type: TemplateType.GENERATED, versions: [], policyFlags: { retentionDays: 30 } });
    click.templates.addVersion(template, { content: "<p>Dear {{fullName}}</p>" });
    const { receipt } = await acceptTemplate(template, { userRef: "ann", data: { fullName: "Ann Lee" } });
    const orgId = orgOf(template);
    await erase(orgId, "ann");
    expect(JSON.stringify(await bundleOf(orgId, receipt.receiptId))).not.toContain("Ann Lee");
    expect(JSON.stringify(await open(orgId, receipt.receiptId))).toContain("<p>Dear Ann Lee</p>");
    expect(await accesses(orgId)).toMatchObject([{ session_id: receipt.receiptId }]);
  });

  test("of which nothing is restricted is reading it, and nothing is noted", async () => {
    const template = addTemplate();
    const orgId = orgOf(template);
    const { receipt } = await acceptTemplate(template, { userRef: "ann" });
    const { receipt: gone } = await acceptTemplate(template, { userRef: "bob" });
    await erase(orgId, "bob");
    const leaves = (await leavesOf(click, orgId)).length;
    expect((await open(orgId, receipt.receiptId)).subject.userRef).toBe("ann");
    expect((await open(orgId, gone.receiptId)).subject).toMatchObject({ userRef: null, erased: true });
    expect(await accesses(orgId)).toEqual([]);
    expect(await leavesOf(click, orgId)).toHaveLength(leaves);
  });

  test("that are another organization's, or nobody's, finds nothing", async () => {
    const [own, other] = [addTemplate(), addTemplate({ policyFlags: { retentionDays: 30 } })];
    const { receipt } = await acceptTemplate(other, { userRef: "ann" });
    await erase(orgOf(other), "ann");
    for (const id of [receipt.receiptId, orgOf(own), "not-a-uuid", ""]) {
      await expectDomainError(open(orgOf(own), id), "CLICK_EVIDENCE_NOT_FOUND");
    }
    expect([...(await accesses(orgOf(own))), ...(await accesses(orgOf(other)))]).toEqual([]);
  });

  test("is not possible any more when they are erased", async () => {
    const template = addTemplate({ policyFlags: { retentionDays: 30 } });
    const orgId = orgOf(template);
    const { receipt } = await acceptTemplate(template, { userRef: "ann", typedName: "Ann Lee" });
    await erase(orgId, "ann");
    click.clock.advance(30 * daySeconds);
    await parts.eraseDue();
    expect(JSON.stringify(await open(orgId, receipt.receiptId))).not.toMatch(/Ann Lee|"ann"/);
  });
});
