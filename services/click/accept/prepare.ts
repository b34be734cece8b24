import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import {
  type Agreement,
  bindDirect,
  bindSession,
  type CurrentTemplate,
  type SessionFacts,
} from "../domain/agreement.ts";
import { type Assessment, assess } from "../domain/assessment.ts";
import { findDirect, hasAccepted } from "../store/acceptance-store.ts";
import type { AcceptanceRecord } from "../store/record-statement.ts";
import { findSessionFacts } from "../store/session-store.ts";
import type { CheckedItem } from "./accept-item.ts";
import { buildRecord } from "./accept-record.ts";
import type { ContentKeeper } from "./content-keeper.ts";
import { asDomainError } from "./failures.ts";
import type { KeyHasher } from "./key-hasher.ts";
import { type TemplateName, type TemplateSource, templateKey } from "./template-source.ts";

export interface PrepareDeps {
  readonly pool: pg.Pool;
  /** Connects as the recorder. */
  readonly recorderPool: pg.Pool;
  readonly templates: TemplateSource;
  readonly content: ContentKeeper;
  readonly keys: KeyHasher;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
}

export type Prepared =
  | { readonly kind: "ready"; readonly record: AcceptanceRecord }
  | { readonly kind: "refused"; readonly error: DomainError };

/**
 * Decides about a batch of acceptances with one statement for its sessions and one RPC for its templates. Records
 * nothing. One outcome per item, in their order; never rejects.
 */
export async function prepareBatch(deps: PrepareDeps, items: readonly CheckedItem[]): Promise<Prepared[]> {
  try {
    const facts = await gatherFacts(deps, items);
    return await Promise.all(items.map((item) => prepareItem(deps, item, facts)));
  } catch (error) {
    const shown = asDomainError(error, deps.logger);
    return items.map(() => ({ kind: "refused", error: shown }));
  }
}

interface Facts {
  readonly sessions: ReadonlyMap<string, SessionFacts>;
  /** Ids of acceptances that are sessions of their own, and as such long completed. */
  readonly direct: ReadonlySet<string>;
  readonly templates: ReadonlyMap<string, CurrentTemplate>;
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
  const templates = await deps.templates.resolve(items.flatMap((item) => templateName(item, sessions) ?? []));
  return { sessions, templates, direct: new Set(direct.map((row) => sessionKey(row.organizationId, row.receiptId))) };
}

const sessionKey = (organizationId: string, sessionId: string): string =>
  `${organizationId}/${sessionId.toLowerCase()}`;

const sessionOf = ({ caller, body }: CheckedItem, sessions: Facts["sessions"]): SessionFacts | undefined =>
  body.sessionId === undefined ? undefined : sessions.get(sessionKey(caller.orgId, body.sessionId));

/** With a session its template; otherwise the one that the body names, by its id if it has both. */
function templateName(item: CheckedItem, sessions: Facts["sessions"]): TemplateName | undefined {
  const { body } = item;
  const organizationId = item.caller.orgId;
  const named = body.sessionId === undefined ? body.templateId?.toLowerCase() : sessionOf(item, sessions)?.templateId;
  if (named !== undefined) return { organizationId, template: { case: "templateId", value: named } };
  if (body.sessionId !== undefined || body.templateSlug === undefined) return undefined;
  return { organizationId, template: { case: "templateSlug", value: body.templateSlug } };
}

async function prepareItem(deps: PrepareDeps, item: CheckedItem, facts: Facts): Promise<Prepared> {
  try {
    const session = sessionOf(item, facts.sessions);
    const name = templateName(item, facts.sessions);
    const template = name === undefined ? undefined : facts.templates.get(templateKey(name));
    if (item.body.sessionId !== undefined && session === undefined) throw noSession(item, facts);
    const now = deps.clock.now();
    const agreement =
      session === undefined
        ? await bindToTemplate(deps, item, template)
        : bindSession(item.body, session, await pinnedTerms(deps, item, session, template), template, now);
    const assessment = assess({ body: item.body, agreement, session, now });
    if (agreement.terms.terms.policy.oneAcceptancePerRevision) await requireFirst(deps, item, agreement, assessment);
    if (session === undefined) await deps.content.keep(item.caller, agreement, agreement.terms);
    return { kind: "ready", record: buildRecord({ item, agreement, session, assessment, now }, deps) };
  } catch (error) {
    return { kind: "refused", error: asDomainError(error, deps.logger) };
  }
}

const noSession = ({ caller, body }: CheckedItem, { direct }: Facts): DomainError =>
  new DomainError(
    direct.has(sessionKey(caller.orgId, body.sessionId ?? "")) ? "CLICK_SESSION_CLOSED" : "CLICK_SESSION_NOT_FOUND",
  );

/** Only a version that is not published costs a further RPC: it may be unknown. */
async function bindToTemplate(
  deps: PrepareDeps,
  { caller, body }: CheckedItem,
  template: CurrentTemplate | undefined,
): Promise<Agreement> {
  const versionId = body.versionId?.toLowerCase();
  const isPublished = versionId === undefined || template?.published.some((version) => version.versionId === versionId);
  const isKnown =
    isPublished ||
    template === undefined ||
    (await deps.templates.hasVersion(caller, template.terms.terms.templateId, versionId));
  return bindDirect(body, template, isKnown);
}

/** What held when the session was created; usually that is what holds now. */
async function pinnedTerms(
  { content }: PrepareDeps,
  { caller }: CheckedItem,
  session: SessionFacts,
  template: CurrentTemplate | undefined,
) {
  if (template?.terms.hash.equals(session.termsHash) === true) return template.terms;
  return content.loadTerms(caller.orgId, session.termsHash);
}

/** Sees acceptances from before the flag was set; the unique index decides between those that come at once. */
async function requireFirst(
  { pool }: PrepareDeps,
  { caller }: CheckedItem,
  { versionId, revision }: Agreement,
  { userRef, decision }: Assessment,
): Promise<void> {
  if (decision === "DECLINE") return;
  const { orgId } = caller;
  const isTaken = await withOrg(pool, orgId, (client) => hasAccepted(orgId, client, { userRef, versionId, revision }));
  if (isTaken) throw new DomainError("CLICK_ALREADY_ACCEPTED");
}
