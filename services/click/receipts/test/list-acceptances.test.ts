import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Receipt } from "#api/receipts.ts";
import type { ListAcceptancesRequestSchema } from "#gen/assent/click/v1/click_pb.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { accepted, as, batchItem, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { padEvidence, padReceipt } from "../../test/stored-acceptances.ts";
import { listRecorded, listAcceptances as listStored } from "../acceptance-list.ts";

let click: ClickHarness;
const orgId = newOrg();
let first: FakeTemplate;
let second: FakeTemplate;
/** Newest first. */
let all: Receipt[] = [];

beforeAll(async () => {
  click = await startClick();
  [first, second] = [click.templates.add(orgId), click.templates.add(orgId)];
  for (let batch = 0; batch < 6; batch += 1) {
    // Acceptances of one batch have the same time more often than not.
    const items = Array.from({ length: 10 }, (_, n) => {
      const { templateId } = n % 3 === 0 ? second : first;
      return batchItem({ orgId, key: `${batch}-${n}`, body: { templateId, userRef: `user-${n % 4}` } });
    });
    const { results } = await click.client.acceptBatch({ items });
    all.push(...results.map((result) => accepted(result).receipt));
    click.clock.advance(60);
  }
  const isNewer = (a: Receipt, b: Receipt) =>
    `${b.acceptedAt} ${b.receiptId}`.localeCompare(`${a.acceptedAt} ${a.receiptId}`);
  all = all.sort(isNewer);
});
afterAll(() => click.close());

type Query = Omit<MessageInitShape<typeof ListAcceptancesRequestSchema>, "$typeName">;

async function page(query: Query, org: OrgId = orgId) {
  const { receiptsJson, nextCursor } = await click.client.listAcceptances(query, as(org));
  return { receipts: receiptsJson.map((json) => JSON.parse(json) as Receipt), nextCursor };
}

/** All pages, one after the other. */
async function list(query: Query): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (let cursor = ""; ; ) {
    const answer = await page({ ...query, cursor });
    receipts.push(...answer.receipts);
    if (answer.nextCursor === "") return receipts;
    cursor = answer.nextCursor;
  }
}

describe("listAcceptances", () => {
  test("answers all receipts, newest first, as they were first answered", async () => {
    const { receipts, nextCursor } = await page({});
    expect(receipts).toEqual(all);
    expect(nextCursor).toBe("");
  });

  test.each([1, 7, 10, 59, 60, 61])("pages of %d leave nothing out and repeat nothing", async (limit) => {
    expect(await list({ limit })).toEqual(all);
  });

  test("what comes meanwhile does not disturb the pages", async () => {
    const { receipts, nextCursor } = await page({ limit: 30 });
    const body = { templateId: first.templateId, userRef: "late" };
    const { results } = await click.client.acceptBatch({ items: [batchItem({ orgId, key: "late", body })] });
    const rest = await page({ cursor: nextCursor });
    expect([...receipts, ...rest.receipts]).toEqual(all);
    all = [accepted(results[0]).receipt, ...all];
  });

  test("filters by user, template and time, alone and together", async () => {
    const [from, to] = [all[40]?.acceptedAt ?? "", all[10]?.acceptedAt ?? ""];
    const wanted = (receipt: Receipt) =>
      receipt.userRef === "user-1" &&
      receipt.templateId === first.templateId &&
      receipt.acceptedAt >= from &&
      receipt.acceptedAt < to;
    const time = { from: timestampFromDate(new Date(from)), to: timestampFromDate(new Date(to)) };
    const templateId = first.templateId;
    expect(await list({ userRef: "user-1", limit: 4 })).toEqual(all.filter((one) => one.userRef === "user-1"));
    expect(await list({ templateId, limit: 7 })).toEqual(all.filter((one) => one.templateId === templateId));
    expect(await list({ ...time, limit: 3 })).toEqual(
      all.filter((one) => one.acceptedAt >= from && one.acceptedAt < to),
    );
    expect(await list({ ...time, templateId, userRef: "user-1", limit: 2 })).toEqual(all.filter(wanted));
    expect(all.filter(wanted).length).toBeGreaterThan(2);
  });

  test("filters by version and revision, page by page", async () => {
    const org = newOrg();
    const template = click.templates.add(org);
    const recorded: Receipt[] = [];
    for (let revision = 1; revision <= 3; revision += 1) {
      const body = { templateId: template.templateId, userRef: "ann" };
      const items = ["a", "b", "c"].map((key) => batchItem({ orgId: org, key: `${key}-${revision}`, body }));
      const { results } = await click.client.acceptBatch({ items });
      recorded.unshift(...results.map((result) => accepted(result).receipt));
      click.templates.revise(template, `<p>Terms of revision ${revision + 1}.</p>`);
      click.clock.advance(60);
    }
    const { versionId } = recorded[0] ?? { versionId: "" };
    const ids = (receipts: readonly Receipt[]) => receipts.map(({ receiptId }) => receiptId).sort();
    const found = async (query: Query) => {
      const receipts: Receipt[] = [];
      for (let cursor = ""; ; ) {
        const answer = await page({ ...query, cursor, limit: 2 }, org);
        receipts.push(...answer.receipts);
        if (answer.nextCursor === "") return receipts;
        cursor = answer.nextCursor;
      }
    };
    const ofVersion = await found({ versionId });
    expect(ids(ofVersion)).toEqual(ids(recorded));
    const times = ofVersion.map(({ acceptedAt }) => acceptedAt);
    expect(times).toEqual([...times].sort().reverse());
    const revisions = [...new Set(recorded.map(({ revision }) => revision))];
    expect(revisions).toHaveLength(3);
    for (const revision of revisions) {
      const wanted = recorded.filter((one) => one.revision === revision);
      expect(ids(await found({ versionId, revision }))).toEqual(ids(wanted));
    }
    expect(await found({ versionId, revision: 99 })).toEqual([]);
    expect(await found({ versionId, userRef: "bob" })).toEqual([]);
    expect((await found({ versionId, userRef: "ann", templateId: template.templateId })).length).toBe(9);
    expect(await found({ versionId: newId() })).toEqual([]);
    const { details } = await expectDomainError(found({ revision: 1 }), "CLICK_VALIDATION_FAILED");
    expect(details).toMatchObject([{ field: "versionId", code: "REQUIRED" }]);
    expect(await page({ versionId }, newOrg())).toMatchObject({ receipts: [] });
  });

  test("finds nothing for what cannot be, and nothing of another organization", async () => {
    for (const query of [{ userRef: "nobody" }, { userRef: "a\u0000" }, { templateId: newId() }, { templateId: "x" }]) {
      expect(await page(query)).toEqual({ receipts: [], nextCursor: "" });
    }
    expect(await page({}, newOrg())).toEqual({ receipts: [], nextCursor: "" });
    expect(await page({ templateId: first.templateId, userRef: "user-1" }, newOrg())).toMatchObject({ receipts: [] });
  });

  test("refuses cursors that are not its own", async () => {
    for (const cursor of [
      "x",
      "AAAA",
      Buffer.from("1 2").toString("base64url"),
      Buffer.from(`1 ${newId()} 3`).toString("base64url"),
    ]) {
      await expectDomainError(page({ cursor }), "CLICK_VALIDATION_FAILED");
    }
    await expectDomainError(page({ limit: 1001 }), "VALIDATION_FAILED");
  });

  test("a page ends early when its receipts would not fit into one message", async () => {
    const org = newOrg();
    const template = click.templates.add(org);
    for (const key of ["a", "b", "c", "d"]) {
      const body = { templateId: template.templateId, userRef: key };
      const { results } = await click.client.acceptBatch({ items: [batchItem({ orgId: org, key, body })] });
      await padReceipt(click, accepted(results[0]).receipt.receiptId, 1_000_000);
    }
    const { receipts, nextCursor } = await page({}, org);
    expect(receipts).toHaveLength(2);
    expect((await page({ cursor: nextCursor }, org)).receipts).toHaveLength(2);
  });

  test("a page ends early when too much would have to be read for it", async () => {
    const org = newOrg();
    const template = click.templates.add(org);
    const items = ["a", "b", "c"].map((key) =>
      batchItem({ orgId: org, key, body: { templateId: template.templateId, userRef: key } }),
    );
    const { results } = await click.client.acceptBatch({ items });
    for (const result of results) await padEvidence(click, accepted(result).receipt.receiptId, 9_000_000);
    const first = await page({}, org);
    const second = await page({ cursor: first.nextCursor }, org);
    expect([first.receipts.length, second.receipts.length, second.nextCursor]).toEqual([2, 1, ""]);
  });
});

describe("the list of an organization with many acceptances", () => {
  const many = newOrg();
  const templateId = newId();
  const subjectIndex = Buffer.alloc(16, 7);
  const versionId = newId();
  const nothing = {
    ...{ subjectIndex: undefined, templateId: undefined, versionId: undefined, revision: undefined },
    ...{ from: undefined, to: undefined },
  };
  const tenant = {
    orgId: many,
    client: { query: (text: string, values: unknown[]) => click.superuser.query(`explain ${text}`, values) },
  } as unknown as Tenant;
  const planOf = async (rows: Promise<unknown>): Promise<string> =>
    ((await rows) as Record<string, string>[]).map((row) => row["QUERY PLAN"]).join("\n");
  beforeAll(async () => {
    await click.superuser.query(
      `insert into click.acceptance (organization_id, idempotency_hash, body_hash, receipt_id, template_id, version_id,
         revision, terms_hash, subject_index, decision, accepted_at)
       select $1, sha256(n::text::bytea), sha256(''), gen_random_uuid(),
         case when n % 40 = 7 then $2 else md5((n % 40)::text)::uuid end,
         case when n % 40 = 7 then $4 else md5((n % 80)::text)::uuid end, 1 + n % 3, '',
         case when n % 3000 = 7 then $3 else substr(sha256((n % 3000)::text::bytea), 1, 16) end, 'ACCEPT',
         now() - make_interval(secs => n)
       from generate_series(1, 20000) n`,
      [many, templateId, subjectIndex, versionId],
    );
    await click.superuser.query(
      `insert into click.agreement_text (organization_id, version_id, revision, template_id, label, locale, content,
         format, content_hash, texts, published_by)
       select organization_id, version_id, revision, template_id, '1', 'en', '', 'TEXT',
         'sha256:' || encode(sha256(''), 'hex'), '{}', 'cl'
       from (
         select distinct organization_id, version_id, revision, template_id from click.acceptance
         where organization_id = $1
         union all select $1, gen_random_uuid(), 1, gen_random_uuid() from generate_series(1, 5000)
       ) texts`,
      [many],
    );
    // As many of these, so that the plan does not depend on when Postgres looked at the tables last.
    await click.superuser.query(
      `insert into click.log_leaf (organization_id, leaf_index, record_id, leaf_hash, leaf)
       select organization_id, row_number() over () - 1, receipt_id, sha256(''), 'leaf'
       from click.acceptance where organization_id = $1`,
      [many],
    );
    await click.superuser.query(
      `insert into click.subject_key (organization_id, record_id, seed)
       select organization_id, receipt_id, sha256('') from click.acceptance where organization_id = $1`,
      [many],
    );
    await click.superuser.query("analyze click.acceptance, click.agreement_text, click.log_leaf, click.subject_key");
  });

  test.each([
    ["everything", {}, "acceptance_newest"],
    ["one template", { templateId }, "acceptance_template"],
    ["one user", { subjectIndex }, "acceptance_subject"],
    ["one version", { versionId }, "acceptance_text"],
    ["one revision", { versionId, revision: 2 }, "acceptance_text"],
    ["a time", { from: new Date(Date.now() - 60_000), to: new Date() }, "acceptance_newest"],
  ])("%s comes from indexes, not from reading everything", async (_, filter, index) => {
    const text = await planOf(listStored(tenant, { ...nothing, ...filter, after: undefined, limit: 10 }));
    expect(text).toContain(index);
    expect(text).toContain("log_leaf_record");
    expect(text).not.toContain("Seq Scan");
  });

  test.each([
    ["everything", {}, "log_leaf_pkey"],
    ["one user", { subjectIndex }, "acceptance_subject"],
  ])("a part of the log with %s comes from indexes, too", async (_, filter, index) => {
    const range = { from: 500, until: 600 };
    const text = await planOf(listRecorded(tenant, { ...nothing, ...filter, range, limit: 100 }));
    expect(text).toContain(index);
    expect(text).not.toMatch(/Seq Scan on (acceptance|log_leaf)/);
  });
});
