import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Receipt } from "#api/receipts.ts";
import { AcceptanceFormat, type AcceptancesToExportSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { accepted, as, batchItem, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";
import { eraseAcceptance, padEvidence, restrictAcceptance } from "../../test/stored-acceptances.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

type Wanted = Omit<MessageInitShape<typeof AcceptancesToExportSchema>, "$typeName" | "format">;
const { CSV, JSONL } = AcceptanceFormat;

async function record(template: FakeTemplate, userRefs: readonly string[], key = "k"): Promise<Receipt[]> {
  const { templateId, organizationId: orgId } = template;
  const items = userRefs.map((userRef, n) =>
    batchItem({ orgId: orgId as OrgId, key: `${key} ${n}`, body: { templateId, userRef } }),
  );
  return (await click.client.acceptBatch({ items })).results.map((result) => accepted(result).receipt);
}

const page = (org: OrgId, format: AcceptanceFormat, wanted: Wanted, cursor = "") =>
  click.people.exportOrganization({ cursor, acceptances: { ...wanted, format } }, as(org));

/** The whole text, with how many answers it took; `between` is called after each. */
async function textOf(org: OrgId, format: AcceptanceFormat, wanted: Wanted = {}, between = async () => {}) {
  const paths: string[] = [];
  let text = "";
  for (let cursor = "", pages = 1; ; pages += 1) {
    const { files, nextCursor } = await page(org, format, wanted, cursor);
    paths.push(...files.map(({ path }) => path));
    text += files.map(({ content }) => Buffer.from(content).toString("utf8")).join("");
    await between();
    if (nextCursor === "") return { text, pages, paths };
    cursor = nextCursor;
  }
}

const linesOf = ({ text }: { readonly text: string }): Receipt[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Receipt);

const byPlace = (receipts: readonly Receipt[]) => [...receipts].sort((a, b) => a.log.leafIndex - b.log.leafIndex);

describe("the export of acceptances", () => {
  test("has each receipt as the API answers it, in the order of the log", async () => {
    const org = newOrg();
    const template = click.templates.add(org);
    const receipts = await record(template, ["ann", "bob", "cem"]);
    receipts.push(...(await record(template, ["dan"], "later")));
    expect(linesOf(await textOf(org, JSONL))).toEqual(byPlace(receipts));
    expect((await textOf(newOrg(), JSONL)).text).toBe("");
  });

  test("as a table has a line of names, quotes, and nothing that a spreadsheet would run", async () => {
    const org = newOrg();
    const formulas = ['=HYPERLINK("https://example.com")', "+1", "-1", "@sum", "＝1", "ann;=1;bob"];
    const users = [...formulas, 'ann, the "first"', "élodie", "a-b; c=d"];
    const receipts = await record(click.templates.add(org), users);
    const { text } = await textOf(org, CSV);
    expect(text.startsWith('\uFEFF"receiptId","acceptedAt","decision","userRef",')).toBe(true);
    const [, ...lines] = text.split("\r\n");
    expect(lines.pop()).toBe("");
    expect(lines).toHaveLength(receipts.length);
    const cells = lines.map((line) => [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell]) => cell));
    expect(cells.map(([id]) => id)).toEqual(byPlace(receipts).map(({ receiptId }) => receiptId));
    expect(cells.map((line) => line[3]).sort()).toEqual(
      [
        ...['\'=HYPERLINK(""https://example.com"")', "'+1", "'-1", "'@sum", "'＝1", "ann;'=1;bob"],
        ...['ann, the ""first""', "élodie", "a-b; c=d"],
      ].sort(),
    );
    expect((await textOf(newOrg(), CSV)).text.split("\r\n")).toHaveLength(2);
  });

  test("has what was recorded when it was begun, once, and nothing that came later", async () => {
    const org = newOrg();
    const template = click.templates.add(org);
    const before: Receipt[] = [];
    for (let batch = 0; batch < 21; batch += 1) {
      const users = Array.from({ length: 50 }, (_, n) => `user-${n}`);
      before.push(...(await record(template, users, `batch ${batch}`)));
    }
    let later = 0;
    const made = await textOf(org, JSONL, {}, async () => {
      later += 1;
      await record(template, ["later"], `later ${later}`);
    });
    expect(made.pages).toBeGreaterThan(1);
    expect(new Set(made.paths).size).toBe(made.paths.length);
    expect(linesOf(made).map(({ receiptId }) => receiptId)).toEqual(byPlace(before).map(({ receiptId }) => receiptId));
    // A page that is asked for again, because its answer was lost, is the same.
    const first = await page(org, JSONL, {});
    const [second, again] = [
      await page(org, JSONL, {}, first.nextCursor),
      await page(org, JSONL, {}, first.nextCursor),
    ];
    expect(again).toEqual(second);
  });

  test("goes on at the leaf where an earlier one ended, also when the log was put back behind it", async () => {
    const org = newOrg();
    const template = click.templates.add(org);
    const begun = await page(org, JSONL, {});
    expect([begun.fromLeafIndex, begun.untilLeafIndex]).toEqual([0n, 0n]);
    await record(template, ["ann", "bob", "cem"]);
    const first = await page(org, JSONL, {});
    const later = await record(template, ["dan", "eve"], "later");
    const fromLeafIndex = first.untilLeafIndex ?? 0n;
    const second = await page(org, JSONL, { fromLeafIndex });
    expect(linesOf({ text: Buffer.from(second.files[0]?.content ?? []).toString("utf8") })).toEqual(byPlace(later));
    expect([second.fromLeafIndex, second.untilLeafIndex]).toEqual([fromLeafIndex, fromLeafIndex + 2n]);
    const behind = await page(org, JSONL, { fromLeafIndex: 1_000n });
    expect(behind).toMatchObject({ nextCursor: "", fromLeafIndex: 0n, untilLeafIndex: fromLeafIndex + 2n });
    const everything = linesOf({ text: Buffer.from(behind.files[0]?.content ?? []).toString("utf8") });
    expect(everything).toHaveLength(5);
  });

  test("is narrowed by user, text, revision and time", async () => {
    const org = newOrg();
    const [one, two] = [click.templates.add(org), click.templates.add(org)];
    const old = await record(one, ["ann", "bob"], "old");
    const others = await record(two, ["ann"], "two");
    click.clock.advance(3_600);
    const late = await record(one, ["ann"], "late");
    const { versionId = "", revision = 0 } = old[0] ?? {};
    const ids = async (wanted: Wanted) => linesOf(await textOf(org, JSONL, wanted)).map(({ receiptId }) => receiptId);
    const idsOf = (receipts: readonly Receipt[]) => byPlace(receipts).map(({ receiptId }) => receiptId);
    const since = timestampFromDate(new Date(late[0]?.acceptedAt ?? ""));
    const ofAnn = [...old, ...others, ...late].filter(({ userRef }) => userRef === "ann");
    expect(await ids({ userRef: "ann" })).toEqual(idsOf(ofAnn));
    expect(await ids({ templateId: one.templateId })).toEqual(idsOf([...old, ...late]));
    expect(await ids({ versionId, revision })).toEqual(idsOf([...old, ...late]));
    expect(await ids({ versionId, revision: 99 })).toEqual([]);
    expect(await ids({ from: since })).toEqual(idsOf(late));
    expect(await ids({ to: since })).toEqual(idsOf([...old, ...others]));
    expect(await ids({ userRef: "ann", templateId: two.templateId })).toEqual(idsOf(others));
    expect(await ids({ templateId: newId() })).toEqual([]);
    expect(await ids({ revision: 1 })).toEqual([]);
  });

  test("names nobody who was erased or is restricted, and is bounded when records are large", async () => {
    const org = newOrg();
    const receipts = byPlace(await record(click.templates.add(org), ["ann", "bob", "cem", "dan"]));
    const [ann, bob, cem, dan] = receipts.map(({ receiptId }) => receiptId) as [string, string, string, string];
    await eraseAcceptance(click, ann);
    await restrictAcceptance(click, bob);
    await padEvidence(click, cem, 9_000_000);
    await padEvidence(click, dan, 9_000_000);
    const made = linesOf(await textOf(org, JSONL));
    expect(made.map(({ receiptId, erased, restricted }) => [receiptId, erased, restricted])).toEqual([
      [ann, true, false],
      [bob, false, true],
      [cem, false, false],
      [dan, false, false],
    ]);
    expect(made.slice(0, 2).map(({ userRef }) => userRef)).toEqual([null, null]);
    expect(made.slice(2).every(({ userRef }) => userRef !== null)).toBe(true);
    expect(linesOf(await textOf(org, JSONL, { userRef: receipts[1]?.userRef ?? "" }))).toEqual([]);
  });

  test("refuses cursors that are not its own, and forms that it does not know", async () => {
    const org = newOrg();
    for (const cursor of ["x", "1", "1.x", "-1.5"]) {
      await expectDomainError(page(org, CSV, {}, cursor), "VALIDATION_FAILED");
    }
    await expectDomainError(page(org, AcceptanceFormat.UNSPECIFIED, {}), "VALIDATION_FAILED");
    await expectDomainError(page(org, CSV, { templateId: "x" }), "VALIDATION_FAILED");
  });
});
