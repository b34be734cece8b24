import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { consentState } from "#api/consents.ts";
import { type ExportedSession, exportedCampaigns, exportedSession } from "#api/exported.ts";
import { consentReceipt } from "#api/receipts.ts";
import { ConsentStateSchema } from "#gen/assent/click/v1/click_pb.ts";
import type { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { type ExportItem, exportPage, type FileToExport, jsonFile, schemaFile } from "#platform/export-page.ts";
import type { OrgId } from "#platform/ids.ts";
import { shownState } from "../campaigns/campaign.ts";
import { listCampaignsOf } from "../campaigns/campaign-store.ts";
import { withLeaves, writeConsentReceipts } from "../consent/consent-receipts.ts";
import { consentStateMessage } from "../consent/consent-state.ts";
import { listHistory } from "../consent/consent-store.ts";
import { readConsent } from "../consent/read-consent.ts";
import type { ClickDeps } from "../deps.ts";
import { referencesOf } from "../erasure/personal-data.ts";
import { collectEvidence } from "../evidence/collect-evidence.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { writeBundle } from "../evidence/write-bundle.ts";

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
