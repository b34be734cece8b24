import type { JsonObject } from "@bufbuild/protobuf";
import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { AcceptanceEvidence } from "../domain/acceptance-evidence.ts";
import type { Receipt } from "../domain/receipt.ts";
import { type SessionView, viewDirect, viewSession } from "../domain/session-view.ts";
import { type ShownFacts, shownFacts } from "../domain/shown.ts";
import type { Terms } from "../domain/terms.ts";
import { findDirectAcceptance, listBySession, type StoredAcceptance } from "../store/acceptance-store.ts";
import { findSession, type StoredSession } from "../store/session-store.ts";

/** A session with everything that is stored about it. */
export interface FoundSession {
  readonly view: SessionView;
  readonly reason: string | null;
  readonly context: object | null;
  /** JSON of the terms that held. */
  readonly terms: string;
  /** How its text was shown, apart from what acceptances tell. */
  readonly shown: ShownFacts | null;
  /** Oldest first. */
  readonly acceptances: readonly StoredAcceptance[];
}

/** Finds a session by its id; the id of a receipt without a session names the session that it is by itself. */
export async function readSession(
  orgId: OrgId,
  client: pg.ClientBase,
  id: string,
  now: Date,
): Promise<FoundSession | undefined> {
  const session = await findSession(orgId, client, id);
  if (session !== undefined) {
    return {
      view: viewSession(orgId, session, now),
      reason: session.reason,
      context: JSON.parse(session.context) as object | null,
      terms: session.terms,
      shown: sessionShown(session),
      acceptances: session.receiptIds.length === 0 ? [] : await listBySession(orgId, client, id),
    };
  }
  const direct = await findDirectAcceptance(orgId, client, id);
  if (direct === undefined) return undefined;
  const evidence = JSON.parse(direct.evidence) as AcceptanceEvidence;
  const receipt = JSON.parse(direct.receipt) as Receipt;
  return {
    view: viewDirect(receipt, JSON.parse(direct.terms) as Terms, evidence),
    reason: null,
    context: null,
    terms: direct.terms,
    shown: null,
    acceptances: [direct],
  };
}

function sessionShown(session: StoredSession): ShownFacts | null {
  const data = session.data === null ? null : (JSON.parse(session.data) as JsonObject);
  const merged = data === null || session.renderHash === null ? undefined : { renderHash: session.renderHash, data };
  const isGenerated = merged !== undefined;
  return shownFacts({ session, merged, isGenerated, claims: undefined, renderToken: undefined });
}
