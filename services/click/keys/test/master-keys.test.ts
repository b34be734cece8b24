import { randomBytes } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { keyId } from "#platform/secrets.ts";
import { resealAll } from "#platform/testing/database-dump.ts";
import { until } from "#platform/testing/until.ts";
import { createErasureParts, type ErasureParts, erasureActions } from "../../erasure/test/erasure-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, type ClickInstance, codeOf, rows, startClick } from "../../test/harness.ts";

let click: ClickHarness;
let parts: ErasureParts;
/** The process that calls go to. */
let current: ClickInstance;
const former = (): string => click.masterKey.toString("base64");
const newer = randomBytes(32);
const newest = newer.toString("base64");
const third = randomBytes(32).toString("base64");

beforeAll(async () => {
  click = await startClick();
  current = click;
  parts = createErasureParts(click);
});
afterAll(async () => {
  await parts.close();
  await click.close();
});

const { addTemplate, create, acceptTemplate, accept } = clientActions(() => ({ ...click, ...current }));
const { erase } = erasureActions(() => ({ ...click, ...current }));

const resealer = (of: ClickInstance) => {
  const found = of.service.resealer;
  if (found === undefined) throw new Error("the service seals nothing anew");
  return found;
};
const resealed = (of: ClickInstance) => resealAll(of.service.resealer);

const bundleOf = async (orgId: ReturnType<typeof orgOf>, sessionId: string) =>
  JSON.parse((await current.client.getEvidenceBundle({ sessionId }, as(orgId))).bundleJson);

describe("replacing the master key", () => {
  let template: FakeTemplate;
  let sessionId: string;
  const key = { orgId: "" as ReturnType<typeof orgOf>, key: "a key of before", body: {} };
  let restrictedId: string;
  let answer: string;

  test("what was recorded under the former key is there for processes that have both", async () => {
    template = addTemplate({ policyFlags: { retentionDays: 30 } });
    const orgId = orgOf(template);
    const session = await create(template, { userRef: "ann", metadata: { order: "4711" } });
    sessionId = session.id;
    const events = [{ type: "LINK_OPENED", target: "#terms-of-ann" }];
    await current.client.appendSessionEvents({ sessionId, events }, as(orgId));
    await accept(template, { sessionId, typedName: "Ann Lee" });
    restrictedId = (await acceptTemplate(template, { userRef: "bob", typedName: "Bob Roe" })).receipt.receiptId;
    await erase(orgId, "bob");
    Object.assign(key, { orgId, body: { templateId: template.templateId, userRef: "cleo" } });
    answer = (await acceptOne(current.client, key)).receiptJson;

    current = await click.startAnother(undefined, `${newest},${former()}`);
    expect(await acceptOne(current.client, key)).toMatchObject({ receiptJson: answer, replayed: true });
    expect(JSON.stringify(await bundleOf(orgId, sessionId))).toContain("Ann Lee");
    const fresh = await acceptTemplate(template, { userRef: "dan", typedName: "Dan Poe" });
    expect(JSON.stringify(await bundleOf(orgId, fresh.receipt.receiptId))).toContain("Dan Poe");
  });

  test("everything is sealed anew while acceptances go on, also by a process that still seals with the former key", async () => {
    const orgId = orgOf(template);
    const late = { templateId: template.templateId, userRef: "eve", typedName: "Eve Moe" };
    const dueAt = timestampFromDate(new Date("2099-12-31T23:00:00Z"));
    const wish = { name: "Terms", templateId: template.templateId, dueAt };
    const campaignId = (await click.client.createCampaign(wish, as(orgId))).campaign?.id ?? "";
    await click.client.addCampaignPeople({ campaignId, userRefs: ["asked with the former key"] }, as(orgId));
    const accepts = Array.from({ length: 300 }, (_, index) =>
      acceptOne(index % 2 === 0 ? current.client : click.client, {
        orgId,
        key: `while-${index}`,
        body: { ...late, userRef: `eve-${index}` },
      }),
    );
    const first = await resealed(current);
    const recorded = await Promise.all(accepts);
    const last = await resealed(current);
    expect(first).toMatchObject({ keyId: keyId(newer), unreadable: 0 });
    expect(first.resealed).toBeGreaterThan(0);
    expect(last.unreadable).toBe(0);

    current = await click.startAnother(undefined, newest);
    for (const { receipt } of [recorded[0], recorded[299]] as typeof recorded) {
      expect(JSON.stringify(await bundleOf(orgId, receipt.receiptId))).toContain("Eve Moe");
    }
    const { people } = await current.client.listCampaignPeople({ campaignId }, as(orgId));
    expect(people.map(({ userRef }) => userRef)).toEqual(["asked with the former key"]);
  });

  test("with the newest key alone retries are recognised, people are found, and nothing is lost", async () => {
    const orgId = orgOf(template);
    expect(await acceptOne(current.client, key)).toMatchObject({ receiptJson: answer, replayed: true });
    const bundle = JSON.stringify(await bundleOf(orgId, sessionId));
    for (const text of ["Ann Lee", "4711", "#terms-of-ann"]) expect(bundle).toContain(text);
    const opened = await current.client.openRestrictedEvidence(
      { sessionId: restrictedId, reason: "a lawsuit" },
      as(orgId),
    );
    expect(opened.bundleJson).toContain("Bob Roe");
    const listed = await current.client.listAcceptances({ userRef: "ann" }, as(orgId));
    expect(listed.receiptsJson).toHaveLength(1);
    expect(await codeOf(current.service.checkReady())).toBe("ok");
  });

  test("the former key alone opens nothing any more, and its process is not ready", async () => {
    const before = await click.startAnother(undefined, former());
    await expect(before.service.checkReady()).rejects.toThrow(/the master key is not the one|no master key is the one/);
    expect(await codeOf(acceptOne(before.client, { ...key, key: "another" }))).not.toBe("ok");
  });

  test("a run that was left half-way is gone on with by another process", async () => {
    const [one, two] = [
      await click.startAnother(undefined, `${third},${newest}`),
      await click.startAnother(undefined, `${third},${newest}`),
    ];
    await rows(click, "update click.reseal_run set finished_at = now() where finished_at is null");
    await resealer(one).start();
    await until(async () => ((await resealer(one).state()).run?.seen ?? 0) > 0);
    await resealer(one).worker.stop();
    const left = (await resealer(two).state()).run;
    const run = await resealed(two);
    expect(run.startedAt).toEqual(left?.startedAt);
    expect(run.unreadable).toBe(0);
    current = await click.startAnother(undefined, third);
    expect(JSON.stringify(await bundleOf(orgOf(template), sessionId))).toContain("Ann Lee");
    expect(await acceptOne(current.client, key)).toMatchObject({ receiptJson: answer, replayed: true });
  });

  test("what is erased while it runs stays erased", async () => {
    const others = addTemplate();
    const gone = await acceptTemplate(others, { userRef: "gus", typedName: "Gus Hoe" });
    const ring = `${randomBytes(32).toString("base64")},${third}`;
    const process = await click.startAnother(undefined, ring);
    const [, run] = await Promise.all([erase(orgOf(others), "gus"), resealed(process)]);
    expect(run.unreadable).toBe(0);
    const left = await rows(click, "select sealed from click.acceptance where receipt_id = $1", [
      gone.receipt.receiptId,
    ]);
    expect(left).toEqual([{ sealed: null }]);
  });
});
