import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Receipt } from "#api/receipts.ts";
import {
  AcceptanceFormat,
  type AcceptancesToExport,
  type ExportOrganizationResponseSchema,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { csvLine, csvMark } from "#platform/csv.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { shownState } from "../campaigns/campaign.ts";
import { openPerson } from "../campaigns/campaign-people.ts";
import { findCampaign, listPeople } from "../campaigns/campaign-store.ts";
import type { ClickDeps } from "../deps.ts";
import { findLogSize, type LogRange, listRecorded } from "../receipts/acceptance-list.ts";
import { writeReceipts } from "../receipts/acceptance-receipts.ts";
import { readFilter } from "../receipts/acceptances.ts";

type Page = MessageInitShape<typeof ExportOrganizationResponseSchema>;

/**
 * How much one answer looks at. Whoever wants few of many would otherwise wait for a statement that reads the whole log;
 * records of a user have an index of their own, and nobody has many.
 */
const leavesOfPage = 20_000;
const rowsOfPage = 1_000;
/** With room to spare in a message of gRPC. */
const pageBytes = 2 * 1024 * 1024;

/**
 * The receipts that are wanted, page by page, in the order of the log. The first page looks how far the log reaches: the
 * export ends there, so it has everything that was recorded by then, each receipt once, and nothing that came later. What
 * is erased or restricted while it is made is told as it is when its turn comes.
 */
export async function exportAcceptances(
  deps: ClickDeps,
  orgId: OrgId,
  wanted: AcceptancesToExport,
  cursor: string,
): Promise<Page> {
  if (wanted.campaignId !== undefined) return exportOutstanding(deps, orgId, wanted, cursor);
  const filter = readFilter(wanted, (userRef) => deps.vault.subjectIndex(orgId, userRef));
  const within = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> => withOrg(deps.pool, orgId, work);
  const isCsv = wanted.format === AcceptanceFormat.CSV;
  const isFirst = cursor === "";
  const size = isFirst ? await within(findLogSize) : 0;
  const asked = Number(wanted.fromLeafIndex);
  // A log that was put back ends before the leaf that was asked for: rather everything again than something never.
  const left = isFirst ? { from: asked > size ? 0 : asked, until: size } : rangeIn(cursor);
  const end = filter?.subjectIndex ? left.until : Math.min(left.until, left.from + leavesOfPage);
  const query = filter && { ...filter, range: { from: left.from, until: end }, limit: rowsOfPage };
  const found = query === undefined ? [] : await within((tenant) => listRecorded(tenant, query));
  const receipts = await writeReceipts(deps, found, pageBytes);
  const last = found[receipts.length - 1];
  const isMore = last !== undefined && (last.found > receipts.length || last.found === rowsOfPage);
  const next = query === undefined ? left.until : isMore ? last.leafIndex + 1 : end;
  const heads = isFirst && isCsv ? csvMark + csvLine(columns.map(([name]) => name)) : "";
  const text = heads + receipts.map((one) => (isCsv ? lineOf(JSON.parse(one) as Receipt) : `${one}\n`)).join("");
  const content = Buffer.from(text);
  const path = `acceptances/${left.from}.${isCsv ? "csv" : "jsonl"}`;
  return {
    files: content.length === 0 ? [] : [{ path, title: "Receipts", content }],
    nextCursor: next < left.until ? `${next}.${left.until}` : "",
    fromLeafIndex: BigInt(asked > left.until ? 0 : asked),
    untilLeafIndex: BigInt(left.until),
  };
}

/** Who was asked and has not accepted, page by page, as it is when the turn of each page comes. */
async function exportOutstanding(
  { pool, vault, clock }: ClickDeps,
  orgId: OrgId,
  { campaignId = "", format }: AcceptancesToExport,
  cursor: string,
): Promise<Page> {
  const isCsv = format === AcceptanceFormat.CSV;
  const id = campaignId.toLowerCase();
  if (!/^([0-9a-f]{2})*$/.test(cursor)) throw unknownCursor();
  const after = Buffer.from(cursor, "hex");
  const { campaign, people } = await withOrg(pool, orgId, async (tenant) => ({
    campaign: await findCampaign(tenant, id),
    people: await listPeople(tenant, id, {
      ...{ states: ["ASKED", "DECLINED", "WITHDRAWN"], after, only: undefined, limit: peopleOfPage },
    }),
  }));
  const rows = people.map((person) => ({
    userRef: openPerson(vault, orgId, id, person),
    state: campaign === undefined ? person.state : shownState(person.state, campaign, clock.now()),
    decidedAt: person.decidedAt?.toISOString() ?? null,
    receiptId: person.receiptId,
  }));
  const heads = cursor === "" && isCsv ? csvMark + csvLine(["userRef", "state", "decidedAt", "receiptId"]) : "";
  const lineOfPerson = (row: (typeof rows)[number]): string =>
    isCsv ? csvLine(Object.values(row).map((value) => value ?? "")) : `${JSON.stringify(row)}\n`;
  const content = Buffer.from(heads + rows.map(lineOfPerson).join(""));
  const next = people.length < peopleOfPage ? undefined : people.at(-1)?.subjectIndex.toString("hex");
  const path = `people/${cursor === "" ? "first" : cursor}.${isCsv ? "csv" : "jsonl"}`;
  return {
    files: content.length === 0 ? [] : [{ path, title: "People", content }],
    nextCursor: next ?? "",
  };
}

const peopleOfPage = 5_000;

function rangeIn(cursor: string): LogRange {
  const [, from, until] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (from !== undefined && until !== undefined) return { from: Number(from), until: Number(until) };
  throw refusedField("cursor", "INVALID", "must be a next_cursor of this export");
}

const lineOf = (receipt: Receipt): string => csvLine(columns.map(([, read]) => String(read(receipt) ?? "")));

type Cell = string | number | boolean | null;

/** By the names of the API. Columns are only ever added, at the end. */
const columns: readonly (readonly [name: string, read: (receipt: Receipt) => Cell])[] = [
  ["receiptId", ({ receiptId }) => receiptId],
  ["acceptedAt", ({ acceptedAt }) => acceptedAt],
  ["decision", ({ decision }) => decision],
  ["userRef", ({ userRef }) => userRef],
  ["templateId", ({ templateId }) => templateId],
  ["templateSlug", ({ templateSlug }) => templateSlug],
  ["templateName", ({ templateName }) => templateName],
  ["templateType", ({ templateType }) => templateType],
  ["versionId", ({ versionId }) => versionId],
  ["versionLabel", ({ versionLabel }) => versionLabel],
  ["revision", ({ revision }) => revision],
  ["locale", ({ locale }) => locale],
  ["contentHash", ({ contentHash }) => contentHash],
  ["action", ({ action }) => action],
  ["assertedBy", ({ assertedBy }) => assertedBy],
  [
    "purposes",
    ({ purposes }) => purposes.map(({ purpose, granted }) => `${purpose}: ${granted ? "yes" : "no"}`).join("; "),
  ],
  ["expiresAt", ({ expiresAt }) => expiresAt],
  ["reacceptBy", ({ reacceptBy }) => reacceptBy],
  ["superseded", ({ superseded }) => superseded],
  ["deploymentId", ({ deploymentId }) => deploymentId],
  ["sessionId", ({ sessionId }) => sessionId],
  ["erased", ({ erased }) => erased],
  ["restricted", ({ restricted }) => restricted],
  ["leafIndex", ({ log }) => log.leafIndex],
  ["evidenceUrl", ({ evidenceUrl }) => evidenceUrl],
];
