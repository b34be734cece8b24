import { type Tenant, withOrgSnapshot } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Aftermath } from "../consent/aftermath.ts";
import { mapInTurns } from "../consent/map-in-turns.ts";
import { readAftermath } from "../consent/read-aftermath.ts";
import { rawPublicKey } from "../keys/sealed-columns.ts";
import { findLeaves, type LoggedLeaf } from "../log/log-store.ts";
import type { AcceptanceLeaf } from "../receipts/acceptance-leaf.ts";
import { readAcceptance } from "../receipts/acceptance-receipts.ts";
import type { StoredAcceptance } from "../receipts/acceptance-store.ts";
import { parseJws } from "../receipts/compact-jws.ts";
import { renderTokenForm } from "../render/render-tokens.ts";
import { type FoundSession, readSession, readSessionEvents } from "../sessions/read-session.ts";
import type { PageEvent } from "../sessions/session.ts";
import type { ShownFacts } from "../terms/agreement.ts";
import { findShown, findText } from "../terms/content-store.ts";
import { parseTerms } from "../terms/terms.ts";
import { readSealedRendering } from "../vault/seals.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { collectIntegrity } from "./collect-integrity.ts";
import {
  type Evidence,
  type EvidencedAcceptance,
  type EvidencedShowing,
  hashesOf,
  loggedFacts,
  type ShownText,
} from "./evidence.ts";
import { type ChosenTree, chooseTree, type EvidenceDeps } from "./write-bundle.ts";

export interface EvidenceRequest {
  /** A UUID. */
  readonly sessionId: string;
  /** Whether to open restricted data: only for administrators who gave a reason (GDPR art. 18). */
  readonly openRestricted: boolean;
  readonly generatedAt: Date;
}

/**
 * Collects everything known about a session with its proofs; undefined when there is no such session. Leaves
 * out what was erased, and what is restricted unless it is opened. Must not be called within a transaction.
 */
export async function collectEvidence(
  deps: EvidenceDeps,
  orgId: OrgId,
  { sessionId, openRestricted, generatedAt }: EvidenceRequest,
): Promise<Evidence | undefined> {
  const request = { sessionId, openRestricted, now: generatedAt };
  const stored = await withOrgSnapshot(deps.pool, orgId, (tenant) => readStored(deps.vault, tenant, request));
  if (stored === undefined) return undefined;
  const { found, leaves, tree } = stored;
  const opened = await mapInTurns(found.acceptances, (one) => openOne(deps, one, openRestricted));
  const acceptances = opened.map(({ acceptance }) => acceptance);
  const disclosures = new Map(opened.map((one) => [one.acceptance.receipt.receiptId, one.disclosures]));
  // An acceptance without a session has no completion leaf, and shares its session's id.
  if (!disclosures.has(found.view.id)) disclosures.set(found.view.id, found.closing.disclosures);
  const renderTokens = acceptances.flatMap(({ evidence }) => evidence?.shown?.renderToken ?? []);
  const integrity = await collectIntegrity(deps, orgId, { leaves, disclosures, tree, renderTokens });
  const { terms, policyHash } = parseTerms(found.terms);
  return {
    generatedAt,
    session: found.view,
    reason: found.closing.reason,
    sessionContext: found.context,
    acceptances,
    terms,
    policyHash,
    text: stored.text,
    showing: await readShowing(deps, stored, acceptances.at(-1)),
    events: stored.events,
    aftermath: { ...stored.since, currentRevision: await currentRevision(deps, orgId, stored) },
    integrity,
  };
}

async function openOne(
  deps: EvidenceDeps,
  stored: StoredAcceptance,
  openRestricted: boolean,
): Promise<{ readonly acceptance: EvidencedAcceptance; readonly disclosures: readonly string[] }> {
  const { receipt, evidence, disclosures } = await readAcceptance(deps, stored, openRestricted);
  const leaf = JSON.parse(stored.leaf.toString("utf8")) as AcceptanceLeaf;
  return { acceptance: { receipt, leaf, evidence, checks: evidence?.checks ?? [] }, disclosures };
}

async function readShowing(
  { renderKeys }: EvidenceDeps,
  { found, contents, rendering }: StoredEvidence,
  last: EvidencedAcceptance | undefined,
): Promise<EvidencedShowing> {
  const facts = factsOf(found.shown, last);
  const shown = new Map(contents);
  if (rendering !== null && facts?.renderHash != null) shown.set(facts.renderHash, Buffer.from(rendering));
  return { facts, contents: shown, key: await readTokenKey(renderKeys, facts) };
}

/** The facts of the latest acceptance, or those of the session itself while there is none. */
function factsOf(session: ShownFacts | null, last: EvidencedAcceptance | undefined): ShownFacts | null {
  if (last === undefined) return session;
  if (last.evidence === null) return loggedFacts(last.leaf);
  const facts = last.evidence.shown ?? null;
  return facts && { ...facts, data: facts.data ?? session?.data ?? null };
}

/** The key that verifies an acceptance's render token. */
async function readTokenKey(renderKeys: EvidenceDeps["renderKeys"], facts: ShownFacts | null): Promise<object | null> {
  const kid = facts?.renderToken == null ? undefined : parseJws(facts.renderToken, renderTokenForm)?.kid;
  const key = kid === undefined ? undefined : await renderKeys.find(kid);
  if (key === undefined) return null;
  const x = rawPublicKey(key).toString("base64url");
  return { kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA" };
}

async function currentRevision({ templateOffers }: EvidenceDeps, orgId: OrgId, { found }: StoredEvidence) {
  const { templateId, versionId } = found.view;
  const published = await templateOffers.published(orgId, templateId);
  return published.find((text) => text.versionId === versionId)?.revision ?? null;
}

/** A session's stored data, read from one snapshot. */
interface StoredEvidence {
  /** Its acceptances are in log order. */
  readonly found: FoundSession;
  readonly text: ShownText;
  /** Content shown to everybody, by hash. */
  readonly contents: ReadonlyMap<string, Buffer>;
  /** Content with a user's values; null when there is none or it may not be read. */
  readonly rendering: string | null;
  readonly events: readonly PageEvent[];
  readonly since: Omit<Aftermath, "currentRevision">;
  /** In log order. */
  readonly leaves: readonly LoggedLeaf[];
  readonly tree: ChosenTree | undefined;
}

interface StoredRequest {
  readonly sessionId: string;
  readonly openRestricted: boolean;
  readonly now: Date;
}

/** Undefined when there is no such session. Throws when a record was sealed with another master key. */
async function readStored(
  vault: SubjectVault,
  tenant: Tenant,
  { sessionId, openRestricted, now }: StoredRequest,
): Promise<StoredEvidence | undefined> {
  const reading = { vault, opensRestricted: openRestricted };
  const session = await readSession(reading, tenant, sessionId, now);
  if (session === undefined) return undefined;
  const text = await findText(tenant, session.view);
  if (text === undefined) throw new Error("the text of a session is not stored");
  const found = { ...session, acceptances: session.acceptances.toSorted((a, b) => a.leafIndex - b.leafIndex) };
  const leaves = await readLeaves(tenant, found);
  const isPersonalized = session.view.templateType === "GENERATED";
  return {
    found,
    text,
    contents: await findShown(tenant, shownHashes(found)),
    rendering: isPersonalized ? await readSealedRendering(vault, tenant, session.view.id, openRestricted) : null,
    events: await readSessionEvents(reading, tenant, session),
    since: await readAftermath(reading, tenant, session),
    leaves,
    tree: await chooseTree(tenant, leaves),
  };
}

/** The leaves of the acceptances and of the session's completion. */
async function readLeaves(tenant: Tenant, { view, acceptances }: FoundSession) {
  const recordIds = [...acceptances.map(({ receiptId }) => receiptId), view.id];
  const leaves = await findLeaves(tenant, recordIds);
  return [...leaves.values()].sort((a, b) => a.leafIndex - b.leafIndex);
}

/** An acceptance's leaf names the hashes that are not personal; personal hashes are left out here. */
function shownHashes({ acceptances, shown }: FoundSession): string[] {
  const last = acceptances.at(-1);
  return hashesOf(last === undefined ? shown : (JSON.parse(last.leaf.toString("utf8")) as AcceptanceLeaf));
}
