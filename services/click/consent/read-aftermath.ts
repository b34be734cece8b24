import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Aftermath } from "../domain/aftermath.ts";
import type { ConsentEvent } from "../domain/consent.ts";
import type { SessionView } from "../domain/session-view.ts";
import { listLater } from "../store/acceptance-list.ts";
import type { StoredAcceptance } from "../store/acceptance-store.ts";
import { listEndings, listEventsOfReceipts } from "../store/consent-store.ts";

/** The first of each kind; more would prove nothing else. */
const maxListed = 100;

/** What has been recorded since, all but the texts that are published now. */
export async function readAftermath(
  orgId: OrgId,
  client: pg.ClientBase,
  { view, acceptances }: { readonly view: SessionView; readonly acceptances: readonly StoredAcceptance[] },
): Promise<Omit<Aftermath, "currentRevision">> {
  const { userRef, templateId } = view;
  if (userRef === null) return { consents: [], endings: [], later: [] };
  const last = acceptances.at(-1);
  const acceptedAt = last?.acceptedAt ?? view.createdAt;
  const than = { userRef, templateId, acceptedAt, receiptId: last?.receiptId ?? view.id };
  const later = await listLater(orgId, client, than, maxListed);
  if (view.templateType !== "CONSENT" || last === undefined) return { consents: [], endings: [], later };
  const receiptIds = acceptances.map(({ receiptId }) => receiptId);
  const consents = await listEventsOfReceipts(orgId, client, userRef, receiptIds);
  return { consents, endings: await listEndingsOf(orgId, client, userRef, consents), later };
}

async function listEndingsOf(
  orgId: OrgId,
  client: pg.ClientBase,
  userRef: string,
  consents: readonly ConsentEvent[],
): Promise<ConsentEvent[]> {
  const granted = consents.filter(({ type }) => type === "GRANTED");
  const [first] = granted;
  if (first === undefined) return [];
  const after = { userRef, revision: first.revision, purposes: granted.map(({ purpose }) => purpose) };
  return listEndings(orgId, client, after, maxListed);
}
