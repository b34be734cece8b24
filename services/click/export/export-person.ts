import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { consentState } from "#api/consents.ts";
import { type ExportedSession, exportedCampaigns, exportedSession } from "#api/exported.ts";
import { consentReceipt, type Receipt } from "#api/receipts.ts";
import { ConsentStateSchema } from "#gen/assent/click/v1/click_pb.ts";
import {
  AcceptanceFormat,
  type AcceptancesToExport,
  type ExportOrganizationResponseSchema,
  type PersonalDataService,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { csvLine, csvMark } from "#platform/csv.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { type ExportItem, exportPage, type FileToExport, jsonFile, schemaFile } from "#platform/export-page.ts";
import type { OrgId } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { shownState } from "../campaigns/campaign.ts";
import { openPerson } from "../campaigns/campaign-people.ts";
import { findCampaign, listCampaignsOf, listPeople } from "../campaigns/campaign-store.ts";
import { withLeaves, writeConsentReceipts } from "../consent/consent-receipts.ts";
import { listHistory } from "../consent/consent-store.ts";
import { readConsent } from "../consent/read-consent.ts";
import { consentStateMessage } from "../consent/update-consent-state.ts";
import type { ClickDeps } from "../deps.ts";
import { referencesOf } from "../erasure/personal-data.ts";
import { collectEvidence } from "../evidence/collect-evidence.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { writeBundle } from "../evidence/write-bundle.ts";
import { findLogSize, type LogRange, listRecorded } from "../receipts/acceptance-list.ts";
import { writeReceipts } from "../receipts/acceptance-receipts.ts";
import { readFilter } from "../receipts/acceptances.ts";

/** Sessions come first, in the order of their ids; consent is the last item. */
const consentId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const firstId = "00000000-0000-0000-0000-000000000000";

export const exportPerson = (deps: ClickDeps): Pick<ServiceImpl<typeof PersonalDataService>, "exportPerson"> => ({
  exportPerson({ person, cursor }, context) {
    const { orgId } = requireCaller(context);
    const references = referencesOf(person);
    const indexes = references.map((reference) => deps.vault.subjectIndex(orgId, reference));
    return exportPage(cursor, async (after) => {
      if (after === consentId) return undefined;
      const id = await withOrg(deps.pool, orgId, (tenant) => findNext(tenant, indexes, after || firstId));
      return id === undefined ? consentItem(deps, orgId, references) : sessionItem(deps, orgId, id);
    });
  },
});

/** The next session, or acceptance without one. */
async function findNext(
  { orgId, client }: Tenant,
  indexes: readonly Buffer[],
  after: string,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `select id from click.session where organization_id = $1 and subject_index = any($2) and id > $3
     union select coalesce(session_id, receipt_id) from click.acceptance
       where organization_id = $1 and subject_index = any($2) and coalesce(session_id, receipt_id) > $3
         and decision <> 'CONSENT'
     order by id limit 1`,
    [orgId, indexes, after],
  );
  return rows[0]?.id;
}

/** What is restricted or was erased is left out of it, as in all answers. */
export async function sessionItem(deps: ClickDeps, orgId: OrgId, id: string): Promise<ExportItem> {
  const evidence = await collectEvidence(deps, orgId, {
    ...{ sessionId: id, openRestricted: false, generatedAt: deps.clock.now() },
  });
  if (evidence === undefined) return { id, files: [] };
  const title = evidence.text.title ?? evidence.session.templateSlug;
  return {
    id,
    files: [
      schemaFile("acceptance", "What was accepted or refused", exportedSession.schemas.answer),
      jsonFile(`data/acceptances/${id}.json`, title, () => recordOf(evidence)),
      {
        path: `proofs/acceptances/${id}/bundle.json`,
        title: `Evidence of: ${title}`,
        read: async () => {
          const bundle = await writeBundle(deps, evidence, { bundleId: deps.newId(), disclosed: true });
          return Buffer.from(bundle.json);
        },
      },
    ],
  };
}

function recordOf({ session, text, acceptances, copies }: Evidence): ExportedSession {
  const { id: sessionId, status, userRef, templateSlug, locale, metadata, data } = session;
  return {
    ...{ sessionId, status, userRef, title: text.title, templateSlug, locale },
    createdAt: session.createdAt.toISOString(),
    presentedAt: session.presentedAt?.toISOString() ?? null,
    acceptedAt: session.acceptedAt?.toISOString() ?? null,
    metadata: JSON.stringify(metadata),
    data: data === null ? null : JSON.stringify(data),
    receipts: acceptances.map(({ receipt }) => receipt),
    copies: acceptances.flatMap(({ receipt: { receiptId }, evidence }) => {
      const copy = copies.find((one) => one.receiptId === receiptId);
      if (copy === undefined) return [];
      const at = copy.endedAt?.toISOString() ?? null;
      return [{ receiptId, to: evidence?.copyTo ?? null, status: copy.status, at }];
    }),
  };
}

/** Where the person stands with campaigns; nothing when they are in none. */
async function campaignFiles(deps: ClickDeps, orgId: OrgId, userRef: string, index: number): Promise<FileToExport[]> {
  const subjectIndex = deps.vault.subjectIndex(orgId, userRef);
  const found = await withOrg(deps.pool, orgId, (tenant) => listCampaignsOf(tenant, subjectIndex));
  if (found.length === 0) return [];
  const campaigns = found.map(({ campaign, state, receiptId, decidedAt }) => ({
    ...{ campaignId: campaign.id, name: campaign.name, templateId: campaign.templateId },
    ...{ dueAt: campaign.dueAt.toISOString(), state: shownState(state, campaign, deps.clock.now()) },
    ...{ receiptId, decidedAt: decidedAt?.toISOString() ?? null },
  }));
  return [
    schemaFile("campaigns", "Campaigns that asked the person", exportedCampaigns.schemas.answer),
    jsonFile(`data/campaigns/${index + 1}.json`, "Campaigns", () => ({ campaigns })),
  ];
}

const maxChanges = 10_000;

async function consentItem(deps: ClickDeps, orgId: OrgId, references: readonly string[]): Promise<ExportItem> {
  const files: FileToExport[] = [];
  for (const [index, userRef] of references.entries()) {
    files.push(...(await campaignFiles(deps, orgId, userRef, index)));
    const query = { purpose: undefined, templateId: undefined, includeHistory: true, at: null, now: deps.clock.now() };
    const view = await readConsent(deps, orgId, { userRef, ...query });
    if (view.consents.length + view.agreements.length === 0) continue;
    const subjectIndex = deps.vault.subjectIndex(orgId, userRef);
    const changes = await withOrg(deps.pool, orgId, async (tenant) => {
      const wanted = { subjectIndex, revision: view.revision, purpose: undefined, limit: maxChanges };
      const found = await listHistory(tenant, wanted);
      // The others were made by acceptances, or erased.
      return withLeaves(
        tenant,
        found.filter(({ sealed }) => sealed !== null),
      );
    });
    files.push(
      schemaFile("consent", "What was consented to", consentState.schemas.answer),
      jsonFile(`data/consent/${index + 1}.json`, "Consent", () =>
        consentState.answer(create(ConsentStateSchema, consentStateMessage(view)), { history: true }),
      ),
    );
    if (changes.length === 0) continue;
    files.push(
      schemaFile("consent-receipt", "A change of consent", consentReceipt.schemas.answer),
      jsonFile(`proofs/consent/${index + 1}.json`, "Receipts of changes of consent", async () => {
        const receipts = await writeConsentReceipts(deps, orgId, changes);
        return receipts.map((one) => JSON.parse(one) as unknown);
      }),
    );
  }
  return { id: consentId, files };
}

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
