import type pg from "pg";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { findLastAcceptances, type LastQuery } from "../receipts/acceptance-list.ts";
import type { SealedAcceptance } from "../receipts/acceptance-store.ts";
import type { RecordedReceipt } from "../receipts/receipt.ts";
import { type AgreementState, agreementAt, type LastAcceptance, type TemplateOffer } from "../terms/agreement-state.ts";
import { openReceipt } from "../vault/seals.ts";
import { readSeed, type SubjectVault } from "../vault/subject-vault.ts";
import { type ConsentEvent, type HistoryEntry, historyOf, type PurposeState, stateAt } from "./consent.ts";
import { findLastEvents, listHistory, type StoredChange } from "./consent-store.ts";
import type { TemplateOffers } from "./purpose-offers.ts";
import { explainChanges } from "./sealed-change.ts";

export interface ConsentQuery {
  readonly userRef: string;
  readonly purpose: string | undefined;
  readonly templateId: string | undefined;
  readonly includeHistory: boolean;
  /** A moment in the past; null for now. */
  readonly at: Date | null;
  readonly now: Date;
}

/** A user's consents and agreements. */
export interface ConsentView {
  readonly userRef: string;
  readonly organizationId: OrgId;
  readonly asOf: Date;
  readonly updatedAt: Date | null;
  /** The latest revision, regardless of filters. */
  readonly revision: number;
  readonly consents: readonly PurposeState[];
  readonly agreements: readonly AgreementState[];
  /** Newest first; undefined unless requested. */
  readonly history: readonly HistoryEntry[] | undefined;
}

export interface ReadConsentDeps {
  readonly pool: pg.Pool;
  readonly vault: SubjectVault;
  readonly templateOffers: TemplateOffers;
}

/** Limit for agreements and for history entries; the newest are kept. */
const maxListed = 1_000;

/** A user without records has an empty state. */
export async function readConsent(deps: ReadConsentDeps, orgId: OrgId, query: ConsentQuery): Promise<ConsentView> {
  const { userRef, at, now } = query;
  const { acceptances, events, history } = await readRecords(deps, orgId, query);
  const offers = await deps.templateOffers.find(orgId, acceptances, at);
  const explained = history && (await explainChanges(deps.vault, orgId, history));
  const last = events.reduce((a, b) => (b.revision > a.revision ? b : a), nothingYet);
  // The process that recorded the latest change may have a clock ahead of ours.
  const asOf = at ?? latest(now, last.recordedAt);
  const states = new Map(events.map((event) => [event.purpose, stateAt(event, asOf)]));
  const agreements = acceptances.map((acceptance) =>
    agreementAt(acceptance, offers.get(acceptance.templateId) ?? nothingOffered, states, asOf),
  );
  const times = [...[...states.values()].map((state) => state.updatedAt), ...acceptances.map((one) => one.acceptedAt)];
  return {
    userRef,
    organizationId: orgId,
    asOf,
    updatedAt: times.length === 0 ? null : times.reduce(latest),
    revision: last.revision,
    consents: [...states.values()].filter((state) => isWanted(state.event, query)),
    agreements,
    history: explained && historyOf(explained, asOf, (event) => isWanted(event, query)).slice(0, maxListed),
  };
}

const nothingYet = { revision: 0, recordedAt: new Date(0) };

/** The offer of a template that no longer exists. */
const nothingOffered: TemplateOffer = {
  published: [],
  policy: { requireReacceptance: "NEVER", reacceptIntervalDays: 0 },
};

interface Records {
  readonly acceptances: readonly LastAcceptance[];
  readonly events: readonly ConsentEvent[];
  readonly history: readonly StoredChange[] | undefined;
}

/** Consent changes are read after the acceptances, so that every acceptance is seen with its changes. */
async function readRecords({ pool, vault }: ReadConsentDeps, orgId: OrgId, query: ConsentQuery): Promise<Records> {
  const { userRef, purpose, templateId, includeHistory, at } = query;
  // Such references cannot have been recorded, and the database rejects some of them.
  if (/[\p{Cc}\p{Cs}]/u.test(userRef)) return { acceptances: [], events: [], history: includeHistory ? [] : undefined };
  const subjectIndex = vault.subjectIndex(orgId, userRef);
  return withOrg(pool, orgId, async (tenant) => {
    const isPossible = templateId === undefined || isUuid(templateId);
    const acceptances = isPossible
      ? await readLastAcceptances(vault, tenant, { subjectIndex, templateId, at, limit: maxListed })
      : [];
    const events = await findLastEvents(tenant, subjectIndex, at);
    if (!includeHistory) return { acceptances, events, history: undefined };
    const revision = events.reduce((max, event) => Math.max(max, event.revision), 0);
    const wanted = { subjectIndex, revision, purpose: purpose?.includes("\u0000") ? "" : purpose, limit: maxListed };
    return { acceptances, events, history: await listHistory(tenant, wanted) };
  });
}

const isWanted = (event: ConsentEvent, { purpose, templateId }: ConsentQuery): boolean =>
  (purpose === undefined || event.purpose === purpose) &&
  (templateId === undefined || event.text?.templateId === templateId.toLowerCase());

const latest = (a: Date, b: Date): Date => (a > b ? a : b);

/** The latest acceptance or decline of each template, newest first, except for those that may not be read. */
async function readLastAcceptances(vault: SubjectVault, tenant: Tenant, query: LastQuery): Promise<LastAcceptance[]> {
  const found = await findLastAcceptances(tenant, query);
  return found.flatMap((acceptance) => openLast(vault, acceptance) ?? []);
}

/** Undefined when nobody may read it any more. */
export function openLast(
  vault: SubjectVault,
  { organizationId, receiptId: recordId, sealed, seed: stored }: SealedAcceptance,
): LastAcceptance | undefined {
  const record = { organizationId, recordId };
  const { seed } = readSeed(vault, record, stored);
  if (seed === null || sealed === null) return undefined;
  return lastAcceptance(JSON.parse(openReceipt(vault, record, seed, sealed)) as RecordedReceipt);
}

const lastAcceptance = (receipt: RecordedReceipt): LastAcceptance => ({
  templateId: receipt.templateId,
  templateSlug: receipt.templateSlug,
  versionId: receipt.versionId,
  revision: receipt.revision,
  label: receipt.versionLabel,
  locale: receipt.locale,
  decision: receipt.decision,
  acceptedAt: new Date(receipt.acceptedAt),
  receiptId: receipt.receiptId,
  purposes: receipt.purposes,
  superseded: receipt.superseded,
});
