import { type Tenant, withOrgSnapshot } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Aftermath } from "../consent/aftermath.ts";
import type { ConsentEvent, ExplainedEvent } from "../consent/consent.ts";
import { listEndings, listEventsOfReceipts } from "../consent/consent-store.ts";
import { explainChanges, mapInTurns } from "../consent/sealed-change.ts";
import type { Copy } from "../copies/copy.ts";
import { listCopies } from "../copies/copy-store.ts";
import { rawPublicKey } from "../keys/sealed-columns.ts";
import { findLeaves, type LoggedLeaf } from "../log/log-store.ts";
import { listLater } from "../receipts/acceptance-list.ts";
import { readAcceptance } from "../receipts/acceptance-receipts.ts";
import { findStoredAcceptance, type StoredAcceptance } from "../receipts/acceptance-store.ts";
import { parseJws } from "../receipts/compact-jws.ts";
import type { AcceptanceLeaf } from "../receipts/receipt.ts";
import { renderTokenForm } from "../render/render-tokens.ts";
import { type FoundSession, readSession, readSessionEvents } from "../sessions/read-session.ts";
import type { PageEvent } from "../sessions/session.ts";
import type { SessionView } from "../sessions/session-view.ts";
import type { ShownFacts } from "../terms/agreement.ts";
import { findShown, findText } from "../terms/content-store.ts";
import { parseTerms } from "../terms/terms.ts";
import { readSealedRendering } from "../vault/seals.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { collectIntegrity } from "./collect-integrity.ts";
import {
  changesHashesOf,
  type Evidence,
  type EvidencedAcceptance,
  type EvidencedShowing,
  hashesOf,
  loggedFacts,
  pdfTextOf,
  type ShownText,
  screenshotHashesOf,
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
    copies: stored.copies,
    aftermath: { ...stored.since, currentRevision: await currentRevision(deps, orgId, stored) },
    integrity,
  };
}

/** An acceptance with the text that it is about. */
export interface Accepted extends Pick<Evidence, "generatedAt" | "terms" | "text" | "showing"> {
  readonly acceptance: EvidencedAcceptance;
  readonly locale: string;
}

/**
 * What one acceptance was about, without proofs and whatever else its session has, which may have thousands of others.
 * Personal data as above; undefined when there is no such acceptance. Must not be called within a transaction.
 */
export async function collectAccepted(
  deps: EvidenceDeps,
  orgId: OrgId,
  name: { readonly sessionId: string; readonly receiptId: string; readonly generatedAt: Date },
): Promise<Accepted | undefined> {
  const { vault, pool } = deps;
  const stored = await withOrgSnapshot(pool, orgId, async (tenant) => {
    const found = await findStoredAcceptance(tenant, name.receiptId);
    if (found === undefined) return undefined;
    const text = await findText(tenant, found);
    if (text === undefined) throw new Error("the text of an acceptance is not stored");
    const { terms } = parseTerms(found.terms);
    const contents = await findShown(tenant, [...hashesOf(leafOf(found)), ...pdfHashesOf(text)]);
    const rendering = terms.type === "GENERATED" ? await readSealedRendering(vault, tenant, name.sessionId) : null;
    return { found, text, terms, contents, rendering };
  });
  if (stored === undefined) return undefined;
  const { found, text, terms, contents, rendering } = stored;
  const { acceptance } = await openOne(deps, found, false);
  const showing = await readShowing(deps, { found: { shown: null }, contents, rendering }, acceptance);
  return { generatedAt: name.generatedAt, terms, text, showing, acceptance, locale: text.locale };
}

const leafOf = ({ leaf }: StoredAcceptance): AcceptanceLeaf => JSON.parse(leaf.toString("utf8")) as AcceptanceLeaf;

async function openOne(
  deps: EvidenceDeps,
  stored: StoredAcceptance,
  openRestricted: boolean,
): Promise<{ readonly acceptance: EvidencedAcceptance; readonly disclosures: readonly string[] }> {
  const { receipt, evidence, disclosures } = await readAcceptance(deps, stored, openRestricted);
  return { acceptance: { receipt, leaf: leafOf(stored), evidence, checks: evidence?.checks ?? [] }, disclosures };
}

async function readShowing(
  { renderKeys }: EvidenceDeps,
  {
    found,
    contents,
    rendering,
  }: Pick<StoredEvidence, "contents" | "rendering"> & {
    readonly found: Pick<FoundSession, "shown">;
  },
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
  readonly copies: readonly Copy[];
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
    contents: await readContents(tenant, found, text),
    rendering: isPersonalized ? await readSealedRendering(vault, tenant, session.view.id, openRestricted) : null,
    events: await readSessionEvents(reading, tenant, session),
    since: await readAftermath(reading, tenant, session),
    copies: await listCopies(
      tenant,
      found.acceptances.map(({ receiptId }) => receiptId),
    ),
    leaves,
    tree: await chooseTree(tenant, leaves),
  };
}

/** What was shown, and what the words around it and the deployment name in turn. */
async function readContents(
  tenant: Tenant,
  found: FoundSession,
  text: ShownText,
): Promise<ReadonlyMap<string, Buffer>> {
  const { hashes, wordsHash, deploymentHash } = shownHashes(found);
  const contents = await findShown(tenant, hashes);
  const named = await findShown(tenant, [
    ...changesHashesOf(contents.get(wordsHash ?? "")),
    ...screenshotHashesOf(contents.get(deploymentHash ?? "")),
    ...pdfHashesOf(text),
  ]);
  return new Map([...contents, ...named]);
}

const pdfHashesOf = (text: ShownText): string[] => [pdfTextOf(text)?.hash ?? []].flat();

/** The leaves of the acceptances and of the session's completion. */
async function readLeaves(tenant: Tenant, { view, acceptances }: FoundSession) {
  const recordIds = [...acceptances.map(({ receiptId }) => receiptId), view.id];
  const leaves = await findLeaves(tenant, recordIds);
  return [...leaves.values()].sort((a, b) => a.leafIndex - b.leafIndex);
}

/** An acceptance's leaf names the hashes that are not personal; personal hashes are left out here. */
function shownHashes({ acceptances, shown }: FoundSession) {
  const last = acceptances.at(-1);
  const facts = last === undefined ? shown : leafOf(last);
  return { hashes: hashesOf(facts), wordsHash: facts?.wordsHash, deploymentHash: facts?.deploymentHash };
}

export interface AftermathDeps {
  readonly vault: SubjectVault;
}

/** The first of each kind; more would prove nothing new. */
const maxListed = 100;

/** What was recorded since, except for the texts published now; empty when the user is unknown. */
async function readAftermath(
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
