import type { JsonObject } from "@bufbuild/protobuf";
import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { type Placement, parsePlacement, requireAllowedOrigin } from "../domain/placement.ts";
import { secondsOf } from "../domain/render-claims.ts";
import { viewSession } from "../domain/session-view.ts";
import type { Terms } from "../domain/terms.ts";
import { sessionPresented } from "../events.ts";
import { findSession, presentSession, type StoredSession } from "../store/session-store.ts";
import { findShown } from "../store/shown-store.ts";
import { isAlreadyAccepted } from "./already-accepted.ts";
import type { ShownWords } from "./compose.ts";
import type { RenderDeps } from "./render-deps.ts";
import type { Rendered } from "./rendered.ts";

export interface SessionRendering {
  readonly sessionId: string;
  /** True when the user's browser asks, which has the session's token. */
  readonly isPresented: boolean;
  readonly origin: string | undefined;
}

type Deps = Pick<RenderDeps, "pool" | "clock" | "newId" | "wakeRelay" | "countRendering">;

/**
 * The pinned rendering of a session, from what was stored when the session was created. The first one that the user sees
 * moves the session to PRESENTED, however many browsers ask at once. Throws CLICK_SESSION_NOT_FOUND,
 * CLICK_SESSION_EXPIRED, CLICK_ORIGIN_NOT_ALLOWED.
 */
export async function renderSession(deps: Deps, caller: Caller, wanted: SessionRendering): Promise<Rendered> {
  const now = deps.clock.now();
  const { rendered, isNew } = await withOrg(deps.pool, caller.orgId, async (client) => {
    const session = await requireSession(caller, client, wanted.sessionId, now);
    const pinned = await readPinned(caller, client, session);
    requireAllowedOrigin(pinned.placement, wanted.origin);
    const presented = wanted.isPresented && (await present(deps, caller, client, session, now));
    const { policy } = JSON.parse(session.terms) as Terms;
    const { userRef } = session;
    const alreadyAccepted = await isAlreadyAccepted(caller.orgId, client, { userRef, text: session, policy, now });
    return { rendered: rendering(deps, caller, session, { pinned, alreadyAccepted, now }), isNew: presented };
  });
  if (isNew) deps.wakeRelay();
  deps.countRendering(caller.orgId, rendered.text, now);
  return rendered;
}

async function requireSession(caller: Caller, client: pg.ClientBase, id: string, now: Date): Promise<StoredSession> {
  const session = await findSession(caller.orgId, client, id);
  if (session === undefined) throw new DomainError("CLICK_SESSION_NOT_FOUND");
  const { status } = viewSession(caller.orgId, session, now);
  if (status === "EXPIRED") throw new DomainError("CLICK_SESSION_EXPIRED");
  return session;
}

interface Pinned {
  readonly html: string;
  readonly renderHash: string;
  readonly words: ShownWords;
  readonly placement: Placement | undefined;
}

async function readPinned(
  { orgId }: Caller,
  client: pg.ClientBase,
  { renderHash, wordsHash, deploymentHash }: StoredSession,
): Promise<Pinned> {
  const hashes = [renderHash, wordsHash, deploymentHash].filter((hash) => hash !== null);
  const contents = await findShown(orgId, client, hashes);
  const read = (hash: string | null): string | undefined => contents.get(hash ?? "")?.toString("utf8");
  const [html, words, snapshot] = [read(renderHash), read(wordsHash), read(deploymentHash)];
  // Only sessions that are older than renderings have none.
  if (renderHash === null || html === undefined || words === undefined) throw new DomainError("CLICK_RENDER_NOT_FOUND");
  return {
    html,
    renderHash,
    words: JSON.parse(words) as ShownWords,
    placement: snapshot === undefined ? undefined : parsePlacement(snapshot),
  };
}

async function present(
  { newId }: Deps,
  caller: Caller,
  client: pg.PoolClient,
  session: StoredSession,
  now: Date,
): Promise<boolean> {
  // Asked before the row is locked, because most renderings are repetitions.
  if (session.status !== "PENDING" || !(await presentSession(caller.orgId, client, session.id, now))) return false;
  await insertOutbox(client, "click", [sessionPresented({ caller, eventId: newId(), now }, session.id, session)]);
  return true;
}

function rendering(
  { newId }: Deps,
  { orgId }: Caller,
  session: StoredSession,
  { pinned, alreadyAccepted, now }: { pinned: Pinned; alreadyAccepted: boolean; now: Date },
): Rendered {
  const { templateId, versionId, revision, label, locale, contentHash } = session;
  const { claims } = viewSession(orgId, session, now);
  const renderId = newId();
  return {
    renderId,
    text: { templateId, versionId, revision, label, locale, contentHash },
    terms: JSON.parse(session.terms) as Terms & JsonObject,
    ...pinned,
    sessionId: session.id,
    alreadyAccepted,
    claims: claims && { ...claims, rnd: renderId, iat: secondsOf(now) },
    renderedAt: now,
    expiresAt: session.expiresAt,
    isDraft: false,
  };
}
