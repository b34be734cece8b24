import type { Tenant } from "#platform/db/pool.ts";
import { listLater } from "../receipts/acceptance-list.ts";
import type { StoredAcceptance } from "../receipts/acceptance-store.ts";
import type { SessionView } from "../sessions/session-view.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import type { Aftermath } from "./aftermath.ts";
import type { ConsentEvent, ExplainedEvent } from "./consent.ts";
import { listEndings, listEventsOfReceipts } from "./consent-store.ts";
import { explainChanges } from "./sealed-change.ts";

export interface AftermathDeps {
  readonly vault: SubjectVault;
}

/** The first of each kind; more would prove nothing new. */
const maxListed = 100;

/** What was recorded since, except for the texts published now; empty when the user is unknown. */
export async function readAftermath(
  { vault }: AftermathDeps,
  tenant: Tenant,
  { view, acceptances }: { readonly view: SessionView; readonly acceptances: readonly StoredAcceptance[] },
): Promise<Omit<Aftermath, "currentRevision">> {
  const { userRef, templateId } = view;
  if (userRef === null) return { consents: [], endings: [], later: [] };
  const subjectIndex = vault.subjectIndex(tenant.orgId, userRef);
  const last = acceptances.at(-1);
  const acceptedAt = last?.acceptedAt ?? view.createdAt;
  const than = { subjectIndex, templateId, acceptedAt, receiptId: last?.receiptId ?? view.id };
  const later = await listLater(tenant, than, maxListed);
  if (view.templateType !== "CONSENT" || last === undefined) return { consents: [], endings: [], later };
  const receiptIds = acceptances.map(({ receiptId }) => receiptId);
  const consents = await listEventsOfReceipts(tenant, subjectIndex, receiptIds);
  return { consents, endings: await listEndingsOf(vault, tenant, { subjectIndex, consents }), later };
}

async function listEndingsOf(
  vault: SubjectVault,
  tenant: Tenant,
  { subjectIndex, consents }: { readonly subjectIndex: Buffer; readonly consents: readonly ConsentEvent[] },
): Promise<ExplainedEvent[]> {
  const granted = consents.filter(({ type }) => type === "GRANTED");
  const [first] = granted;
  if (first === undefined) return [];
  const after = { subjectIndex, revision: first.revision, purposes: granted.map(({ purpose }) => purpose) };
  return explainChanges(vault, tenant.orgId, await listEndings(tenant, after, maxListed));
}
