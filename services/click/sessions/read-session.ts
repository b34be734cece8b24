import type { Tenant } from "#platform/db/pool.ts";
import { findDirectAcceptance, listBySession, type StoredAcceptance } from "../receipts/acceptance-store.ts";
import { type AcceptanceLeaf, type ReadableReceipt, withheldReceipt } from "../receipts/receipt.ts";
import { type ShownFacts, shownFacts } from "../terms/agreement.ts";
import type { Terms } from "../terms/terms.ts";
import { openAcceptance, openEvents, openSession, type SessionClosing } from "../vault/seals.ts";
import { readSeed, type SubjectVault } from "../vault/subject-vault.ts";
import type { PageEvent } from "./session.ts";
import { listSessionEvents } from "./session-event-store.ts";
import { findSession, type StoredSession } from "./session-store.ts";
import { type SessionView, viewDirect, viewSession } from "./session-view.ts";

/** A session with everything that is stored about it; its acceptances are still sealed. */
export interface FoundSession {
  readonly view: SessionView;
  readonly closing: SessionClosing;
  readonly context: object | null;
  /** JSON of the terms that applied. */
  readonly terms: string;
  /** How its text was shown, not counting what its acceptances record. */
  readonly shown: ShownFacts | null;
  /** The session's own key; null when its personal data may not be read or added to. */
  readonly seed: Buffer | null;
  /** Oldest first. */
  readonly acceptances: readonly StoredAcceptance[];
}

export interface SessionReading {
  readonly vault: SubjectVault;
  /** For an administrator who may see restricted data. */
  readonly opensRestricted?: boolean;
}

/**
 * Finds a session by its id; the id of a receipt without a session names the session that the receipt stands for.
 * Throws when it was sealed with another master key.
 */
export async function readSession(
  reading: SessionReading,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<FoundSession | undefined> {
  const session = await findSession(tenant, id);
  if (session === undefined) {
    const direct = await findDirectAcceptance(tenant, id);
    return direct && readDirect(reading, direct);
  }
  const acceptances = session.receiptIds.length === 0 ? [] : await listBySession(tenant, id);
  const opened = openSession(reading.vault, tenant.orgId, session, reading.opensRestricted);
  const { person, seed, closing } = opened;
  const isAnonymous = seed !== null && person.userRef === null;
  const userRef = isAnonymous ? acceptedBy(reading, acceptances) : person.userRef;
  const view = viewSession(tenant.orgId, session, { ...opened, person: { ...person, userRef } }, now);
  return {
    view,
    closing,
    context: person.context,
    terms: session.terms,
    shown: sessionShown(session, view),
    seed,
    acceptances,
  };
}

/** The user of a session that was created without one; all its acceptances are by the same user. */
function acceptedBy(reading: SessionReading, [acceptance]: readonly StoredAcceptance[]): string | null {
  return acceptance === undefined ? null : (openContent(reading, acceptance).opened?.receipt.userRef ?? null);
}

function openContent({ vault, opensRestricted }: SessionReading, acceptance: StoredAcceptance) {
  const { organizationId, receiptId, sealed } = acceptance;
  const record = { organizationId, recordId: receiptId };
  const known = readSeed(vault, record, acceptance.seed, opensRestricted);
  const opened = known.seed && sealed ? openAcceptance(vault, record, known.seed, sealed) : undefined;
  return { known, opened };
}

function readDirect(reading: SessionReading, direct: StoredAcceptance): FoundSession {
  const { known, opened } = openContent(reading, direct);
  const terms = JSON.parse(direct.terms) as Terms;
  const receipt = opened?.receipt ?? withheld(direct, terms);
  return {
    view: viewDirect(receipt, terms, opened?.evidence ?? null, known),
    closing: { reason: null, disclosures: [] },
    context: null,
    terms: direct.terms,
    shown: null,
    seed: null,
    acceptances: [direct],
  };
}

const withheld = ({ leaf }: StoredAcceptance, terms: Terms): ReadableReceipt =>
  withheldReceipt(JSON.parse(leaf.toString("utf8")) as AcceptanceLeaf, terms);

function sessionShown(session: StoredSession, { renderHash, data }: SessionView): ShownFacts | null {
  const merged = data === null || renderHash === null ? undefined : { renderHash, data };
  const isGenerated = merged !== undefined;
  const shown = { ...session, renderHash };
  return shownFacts({ session: shown, merged, isGenerated, claims: undefined, renderToken: undefined });
}

/**
 * The events that the page of a session reported, in the order of arrival; none when its user was erased or is
 * restricted.
 */
export async function readSessionEvents(
  { vault }: SessionReading,
  tenant: Tenant,
  { view, seed }: Pick<FoundSession, "view" | "seed">,
): Promise<PageEvent[]> {
  if (seed === null) return [];
  const events = await listSessionEvents(tenant, view.id);
  return openEvents(vault, { organizationId: tenant.orgId, recordId: view.id }, seed, events);
}
