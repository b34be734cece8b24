import type { JsonObject } from "@bufbuild/protobuf";
import type { Caller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { sessionPresented } from "../events.ts";
import { findSession, presentSession, type StoredSession } from "../sessions/session-store.ts";
import { type SessionView, viewSession } from "../sessions/session-view.ts";
import { findShown } from "../terms/content-store.ts";
import { type Placement, parsePlacement, requireAllowedOrigin } from "../terms/placement.ts";
import type { Terms } from "../terms/terms.ts";
import { openSession, readSealedRendering } from "../vault/seals.ts";
import { readChanges } from "./changes.ts";
import type { Rendered, ShownWords } from "./compose.ts";
import type { RenderDeps } from "./render-deps.ts";
import { isAlreadyAccepted } from "./render-published.ts";
import { secondsOf } from "./render-tokens.ts";

export interface SessionRendering {
  readonly sessionId: string;
  /** True when the request comes from the user's browser, which has the session's token. */
  readonly isPresented: boolean;
  readonly origin: string | undefined;
}

type Deps = Pick<RenderDeps, "pool" | "vault" | "clock" | "newId" | "wakeRelay" | "countRendering">;

/**
 * The pinned rendering of a session, from what was stored when the session was created. The first rendering that the
 * user sees moves the session to PRESENTED, however many browsers ask at the same time. Throws CLICK_SESSION_NOT_FOUND,
 * CLICK_SESSION_EXPIRED, CLICK_ORIGIN_NOT_ALLOWED, and CLICK_RENDER_NOT_FOUND once its user was erased or is
 * restricted.
 */
export async function renderSession(deps: Deps, caller: Caller, wanted: SessionRendering): Promise<Rendered> {
  const now = deps.clock.now();
  const { rendered, isNew } = await withOrg(deps.pool, caller.orgId, async (tenant) => {
    const session = await requireSession(deps, tenant, wanted.sessionId, now);
    const pinned = await readPinned(deps, tenant, session);
    requireAllowedOrigin(pinned.placement, wanted.origin);
    const presented = wanted.isPresented && (await present(deps, caller, tenant, session, now));
    const { row, terms } = session;
    const question = { subjectIndex: row.subjectIndex, text: row, policy: terms.policy, now };
    const alreadyAccepted = await isAlreadyAccepted(tenant, question);
    return { rendered: rendering(deps, session, { pinned, alreadyAccepted, now }), isNew: presented };
  });
  if (isNew) deps.wakeRelay();
  deps.countRendering(caller.orgId, rendered.text, now);
  return rendered;
}

/** The file that a session shows. Throws as renderSession does, and CLICK_RENDER_NOT_FOUND when its text is no file. */
export async function readSessionPdf(
  deps: Pick<RenderDeps, "pool" | "vault" | "clock">,
  { orgId }: Caller,
  wanted: Pick<SessionRendering, "sessionId" | "origin">,
): Promise<{ hash: string; content: Buffer }> {
  return withOrg(deps.pool, orgId, async (tenant) => {
    const { words, placement } = await readPinned(
      deps,
      tenant,
      await requireSession(deps, tenant, wanted.sessionId, deps.clock.now()),
    );
    requireAllowedOrigin(placement, wanted.origin);
    const hash = words.pdf?.hash ?? "";
    const content = hash === "" ? undefined : (await findShown(tenant, [hash])).get(hash);
    if (content === undefined) throw new DomainError("CLICK_RENDER_NOT_FOUND");
    return { hash, content };
  });
}

interface ShownSession {
  readonly row: StoredSession;
  readonly terms: Terms & JsonObject;
  readonly view: SessionView;
}

async function requireSession(
  { vault }: Pick<Deps, "vault">,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<ShownSession> {
  const { orgId } = tenant;
  const row = await findSession(tenant, id);
  if (row === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
  const opened = openSession(vault, orgId, row);
  const view = viewSession(orgId, row, opened, now);
  if (view.status === "EXPIRED") throw new DomainError("CLICK_SESSION_EXPIRED");
  if (opened.seed === null) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  return { row, terms: JSON.parse(row.terms) as Terms & JsonObject, view };
}

interface Pinned {
  readonly html: string;
  readonly renderHash: string;
  readonly words: ShownWords;
  readonly changesHtml?: string;
  readonly placement: Placement | undefined;
}

async function readPinned(
  { vault }: Pick<Deps, "vault">,
  tenant: Tenant,
  { row, terms }: ShownSession,
): Promise<Pinned> {
  const { renderHash, wordsHash, deploymentHash } = row;
  const isMerged = terms.type === "GENERATED";
  const hashes = [isMerged ? null : renderHash, wordsHash, deploymentHash].filter((hash) => hash !== null);
  const contents = await findShown(tenant, hashes);
  const read = (hash: string | null): string | null => contents.get(hash ?? "")?.toString("utf8") ?? null;
  const html = isMerged ? await readSealedRendering(vault, tenant, row.id) : read(renderHash);
  const [wordsJson, snapshot] = [read(wordsHash), read(deploymentHash)];
  // Missing only for sessions that were created before renderings were stored.
  if (renderHash === null || html === null || wordsJson === null) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  const words = JSON.parse(wordsJson) as ShownWords;
  const changesHtml = await readChanges(tenant, words);
  return {
    html,
    renderHash,
    words,
    ...(changesHtml === undefined ? {} : { changesHtml }),
    placement: snapshot === null ? undefined : parsePlacement(snapshot),
  };
}

async function present(
  { newId }: Deps,
  caller: Caller,
  tenant: Tenant,
  { row }: ShownSession,
  now: Date,
): Promise<boolean> {
  // Checked before the row is locked, because most renderings are repetitions.
  if (row.status !== "PENDING" || !(await presentSession(tenant, row.id, now))) return false;
  await insertOutbox(tenant.client, "click", [sessionPresented({ caller, eventId: newId(), now }, row.id, row)]);
  return true;
}

function rendering(
  { newId }: Deps,
  { row, terms, view }: ShownSession,
  { pinned, alreadyAccepted, now }: { pinned: Pinned; alreadyAccepted: boolean; now: Date },
): Rendered {
  const { templateId, versionId, revision, label, locale, contentHash } = row;
  const renderId = newId();
  return {
    renderId,
    text: { templateId, versionId, revision, label, locale, contentHash },
    terms,
    ...pinned,
    sessionId: row.id,
    alreadyAccepted,
    claims: view.claims && { ...view.claims, rnd: renderId, iat: secondsOf(now) },
    renderedAt: now,
    expiresAt: row.expiresAt,
    isDraft: false,
  };
}
