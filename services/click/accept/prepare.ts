import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import type { EvidenceParts } from "../keys/evidence-parts.ts";
import { findByKeys, findDirect, hasAccepted } from "../receipts/acceptance-store.ts";
import type { MergedText } from "../render/compose.ts";
import { findSessionFacts, type SessionFactsRow } from "../sessions/session-store.ts";
import {
  type Agreement,
  bindDirect,
  bindSession,
  type CurrentTemplate,
  directChoice,
  type PresentedToken,
  type SessionFacts,
  shownFacts,
} from "../terms/agreement.ts";
import { keepSoon } from "../terms/content-keeper.ts";
import { resolveNow, type TemplateName, type TemplateSource, templateKey } from "../terms/template-source.ts";
import type { KeptTerms } from "../terms/terms.ts";
import { openSessionFacts } from "../vault/seals.ts";
import type { KeyHasher } from "../vault/subject-vault.ts";
import type { CheckedItem } from "./accept-body.ts";
import { buildRecord, shownInput, type UnsignedRecord } from "./accept-record.ts";
import { type Assessment, assess } from "./assessment.ts";
import { andThen, mergeDirect, placeAgreement, readToken, type ShownDeps } from "./prepare-shown.ts";
import { asDomainError } from "./recorder.ts";

export interface PrepareDeps extends ShownDeps, EvidenceParts {
  readonly pool: pg.Pool;
  /** Connects as the recorder. */
  readonly recorderPool: pg.Pool;
  readonly templates: TemplateSource;
  readonly keys: KeyHasher;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
}

export type Prepared =
  | { readonly kind: "ready"; readonly record: UnsignedRecord }
  | { readonly kind: "refused"; readonly error: DomainError };

/**
 * Decides a batch of acceptances with one statement for its sessions and one RPC for its templates. Records
 * nothing. Returns one outcome per item, in order. An item that needs further look-ups, such as the first of a
 * new text, is a promise, so that it does not delay the others. Nothing rejects.
 */
export async function prepareBatch(
  deps: PrepareDeps,
  items: readonly CheckedItem[],
): Promise<readonly (Prepared | Promise<Prepared>)[]> {
  try {
    const facts = await gatherFacts(deps, items);
    return items.map((item) => prepareItem(deps, item, facts));
  } catch (error) {
    const shown = asDomainError(error, deps.logger);
    return items.map(() => ({ kind: "refused", error: shown }));
  }
}

interface Facts {
  /** Still sealed, so that a record that cannot be opened does not fail the others. */
  readonly sessions: ReadonlyMap<string, SessionFactsRow>;
  /** Ids of acceptances without a session. Each counts as a session that is already completed. */
  readonly direct: ReadonlySet<string>;
  readonly templates: ReadonlyMap<string, CurrentTemplate>;
  /** When the templates stood like this. */
  readonly now: Date;
}

async function gatherFacts(deps: PrepareDeps, items: readonly CheckedItem[]): Promise<Facts> {
  const names = items.flatMap(({ caller, body }) =>
    body.sessionId === undefined ? [] : [{ organizationId: caller.orgId, sessionId: body.sessionId.toLowerCase() }],
  );
  const rows = await findSessionFacts(deps.recorderPool, names);
  const sessions = new Map(rows.map((row) => [sessionKey(row.organizationId, row.id), row]));
  const missing = names.filter((name) => !sessions.has(sessionKey(name.organizationId, name.sessionId)));
  const direct = await findDirect(
    deps.recorderPool,
    missing.map(({ organizationId, sessionId }) => ({ organizationId, receiptId: sessionId })),
  );
  const wanted = items.flatMap((item) => templateName(item, sessions) ?? []);
  const current = await resolveNow(deps, wanted);
  return { sessions, ...current, direct: new Set(direct.map((row) => sessionKey(row.organizationId, row.receiptId))) };
}

const sessionKey = (organizationId: string, sessionId: string): string =>
  `${organizationId}/${sessionId.toLowerCase()}`;

const sessionOf = ({ caller, body }: CheckedItem, sessions: Facts["sessions"]): SessionFactsRow | undefined =>
  body.sessionId === undefined ? undefined : sessions.get(sessionKey(caller.orgId, body.sessionId));

/** The session's template, or the one that the body names, by id if it gives both. */
function templateName(item: CheckedItem, sessions: Facts["sessions"]): TemplateName | undefined {
  const { body } = item;
  const organizationId = item.caller.orgId;
  const named = body.sessionId === undefined ? body.templateId?.toLowerCase() : sessionOf(item, sessions)?.templateId;
  if (named !== undefined) return { organizationId, template: { case: "templateId", value: named } };
  if (body.sessionId !== undefined || body.templateSlug === undefined) return undefined;
  return { organizationId, template: { case: "templateSlug", value: body.templateSlug } };
}

function prepareItem(deps: PrepareDeps, item: CheckedItem, facts: Facts): Prepared | Promise<Prepared> {
  const refuse = (error: unknown): Prepared => ({ kind: "refused", error: asDomainError(error, deps.logger) });
  try {
    const bound = andThen(readToken(deps, item), (token) => bind(deps, item, facts, token));
    const prepared = andThen(bound, (one) => decide(deps, item, one));
    return prepared instanceof Promise ? prepared.catch(refuse) : prepared;
  } catch (error) {
    return refuse(error);
  }
}

interface Bound {
  readonly agreement: Agreement;
  readonly session: SessionFacts | undefined;
  readonly token: PresentedToken;
  readonly merged: MergedText | DomainError | undefined;
  readonly now: Date;
}

/** Checks existence and state. */
function bind(deps: PrepareDeps, item: CheckedItem, facts: Facts, token: PresentedToken): Bound | Promise<Bound> {
  const { body } = item;
  const { now } = facts;
  const name = templateName(item, facts.sessions);
  const template = name === undefined ? undefined : facts.templates.get(templateKey(name));
  if (body.sessionId === undefined) {
    const choice = directChoice(body, template, token);
    const agreed = andThen(isKnownVersion(deps, item, template), (isKnown) =>
      placeAgreement(deps, item, bindDirect(body, template, choice, isKnown), token),
    );
    return andThen(agreed, (agreement) =>
      andThen(mergeDirect(deps, item, agreement), (merged) => ({ agreement, session: undefined, token, merged, now })),
    );
  }
  const row = sessionOf(item, facts.sessions);
  if (row === undefined) throw noSession(item, facts);
  const session = openSessionFacts(deps.vault, row);
  return andThen(pinnedTerms(deps, item, session, template), (terms) => ({
    agreement: bindSession(body, session, terms, template, now),
    session,
    token,
    merged: undefined,
    now,
  }));
}

const noSession = ({ caller, body }: CheckedItem, { direct }: Facts): DomainError =>
  new DomainError(
    direct.has(sessionKey(caller.orgId, body.sessionId ?? "")) ? "CLICK_SESSION_CLOSED" : "CLICK_SESSION_NOT_FOUND",
  );

/** Only an unpublished version needs a further RPC, because it may not exist. */
function isKnownVersion(
  deps: PrepareDeps,
  { caller, body }: CheckedItem,
  template: CurrentTemplate | undefined,
): boolean | Promise<boolean> {
  const versionId = body.versionId?.toLowerCase();
  if (versionId === undefined || template === undefined) return true;
  if (template.published.some((version) => version.versionId === versionId)) return true;
  return deps.templates.hasVersion(caller, template.terms.terms.templateId, versionId);
}

/** The terms when the session was created, which usually still apply. */
function pinnedTerms(
  { content }: PrepareDeps,
  { caller }: CheckedItem,
  session: SessionFacts,
  template: CurrentTemplate | undefined,
): KeptTerms | Promise<KeptTerms> {
  if (template?.terms.hash.equals(session.termsHash) === true) return template.terms;
  return content.loadTerms(caller.orgId, session.termsHash);
}

function decide(deps: PrepareDeps, item: CheckedItem, bound: Bound): Prepared | Promise<Prepared> {
  if (!bound.agreement.terms.terms.policy.esignDisclosure) return decideKnowing(deps, item, bound, false);
  const wordsHash = shownFacts(shownInput({ item, ...bound }))?.wordsHash ?? null;
  return andThen(deps.shown.hasDisclosure(item.caller.orgId, wordsHash), (hasDisclosure) =>
    decideKnowing(deps, item, bound, hasDisclosure),
  );
}

/** Applies the rules of meaning, and stores what must exist before the record is written. */
function decideKnowing(
  deps: PrepareDeps,
  item: CheckedItem,
  bound: Bound,
  hasDisclosure: boolean,
): Prepared | Promise<Prepared> {
  const { agreement } = bound;
  const organizationId = item.caller.orgId;
  const userKey = (userRef: string) => deps.keys.userKey(organizationId, userRef).toString("base64url");
  const assessment = assess({ body: item.body, organizationId, userKey, hasDisclosure, ...bound });
  const sealing = { receiptId: deps.newId(), seed: newSeed() };
  const ready = (): Prepared => ({
    kind: "ready",
    record: buildRecord({ item, assessment, ...bound, ...sealing }, deps),
  });
  const isOnce = agreement.terms.terms.policy.oneAcceptancePerRevision && assessment.decision === "ACCEPT";
  return andThen(isOnce ? requireFirst(deps, item, agreement, assessment) : undefined, () =>
    andThen(keepShown(deps, item, bound, sealing), ready),
  );
}

/** What a session shows was stored when it was created. */
function keepShown(deps: PrepareDeps, item: CheckedItem, { agreement, session, merged }: Bound, sealing: Sealing) {
  if (session !== undefined) return undefined;
  return andThen(keepSoon(deps.content, [item.caller, agreement, agreement.terms]), () =>
    merged === undefined || merged instanceof DomainError ? undefined : keepMerged(deps, item, merged, sealing),
  );
}

interface Sealing {
  readonly receiptId: string;
  readonly seed: Buffer;
}

/** A retry already has a stored rendering, under the receipt it will be answered with. */
async function keepMerged(
  { recorderPool, shown }: PrepareDeps,
  { caller, idempotencyHash }: CheckedItem,
  { html }: MergedText,
  { receiptId, seed }: Sealing,
): Promise<void> {
  const known = await findByKeys(recorderPool, [{ organizationId: caller.orgId, idempotencyHash }]);
  if (known.length === 0) await shown.keepSealedRendering(caller.orgId, receiptId, seed, html);
}

/** Finds acceptances from before the flag was set; the unique index decides between concurrent ones. */
async function requireFirst(
  { pool, vault }: PrepareDeps,
  { caller }: CheckedItem,
  { versionId, revision }: Agreement,
  { userRef }: Assessment,
): Promise<void> {
  const { orgId } = caller;
  const text = { subjectIndex: vault.subjectIndex(orgId, userRef), versionId, revision };
  const isTaken = await withOrg(pool, orgId, (tenant) => hasAccepted(tenant, text));
  if (isTaken) throw new DomainError("CLICK_ALREADY_ACCEPTED");
}
