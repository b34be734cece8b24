import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { hashToken, judgeSession, usedSession } from "../domain/session.ts";
import { makeSessionToken, toPrincipal } from "../logins/open-session.ts";
import { noteChange } from "../store/change-store.ts";
import { type FoundSession, findSession } from "../store/person-lookup.ts";
import {
  deleteSession,
  deleteSessionsOf,
  lockSession,
  replaceToken,
  listSessions as sessionsOf,
  writeSession,
} from "../store/session-store.ts";
import { type Acting, type ActingDeps, actAs, originOf } from "./acting.ts";
import type { AuthDeps, LoginRpcs, UserRpcs } from "./deps.ts";
import { sessionNotFound, toSessionMessage } from "./messages.ts";

type Deps = Pick<AuthDeps, "lookup" | "people" | "keys" | "clock">;

export const authenticateSession = (deps: Deps): LoginRpcs<"authenticateSession"> => ({
  async authenticateSession(request, context) {
    const shownHash = hashToken(request.sessionToken);
    const found = shownHash && (await findSession(deps.lookup, shownHash));
    if (shownHash === undefined || found === undefined) throw ended();
    const use = judgeSession(found, shownHash, deps.clock.now());
    if (use.kind === "ended") throw ended();
    const writes = use.rotates || use.confirms || use.touches;
    const { ip, userAgent } = originOf(context, request.visitor);
    const newSessionToken = writes ? await writeUse(deps, found, shownHash, { ip, userAgent }) : "";
    return { principal: toPrincipal(deps, found), newSessionToken };
  },
});

export const listSessions = (deps: ActingDeps): UserRpcs<"listSessions"> => ({
  listSessions: (_request, context) =>
    actAs(deps, context, {}, async ({ tenant, actor, now }) => ({
      sessions: (await sessionsOf(tenant, actor.id, now)).map(toSessionMessage),
    })),
});

/** The new token, if the use asks for one; decided again on the locked session, for others may show the same token now. */
async function writeUse(
  { people, clock }: Deps,
  { user: { orgId }, sessionId }: FoundSession,
  shownHash: Buffer,
  seen: { readonly ip: string; readonly userAgent: string },
): Promise<string> {
  const { token, tokenHash: newHash } = makeSessionToken();
  return withOrg(people, orgId, async (tenant) => {
    const session = await lockSession(tenant, sessionId);
    const now = clock.now();
    const use = session && judgeSession(session, shownHash, now);
    if (session === undefined || use?.kind !== "valid") throw ended();
    await writeSession(tenant, {
      ...session,
      ...usedSession(session, use, { shownHash, newHash, now }),
      ...(use.touches ? seen : {}),
    });
    // Gateways that remember the old token are to ask again, so that it ends everywhere in time.
    if (use.rotates) await noteChange(tenant.client, "session_changed", sessionId, now);
    return use.rotates ? token : "";
  });
}

const ended = (): DomainError => new DomainError("SESSION_ENDED");

export const revokeSession = (deps: ActingDeps): UserRpcs<"revokeSession"> => ({
  revokeSession: ({ sessionId, visitor }, context) =>
    actAs(deps, context, { visitor }, async ({ tenant, actor, now, audit }) => {
      const living = await sessionsOf(tenant, actor.id, now);
      const id = isUuid(sessionId) ? sessionId.toLowerCase() : "";
      const isLiving = living.some((session) => session.id === id);
      if (!isLiving || !(await deleteSession(tenant, { userId: actor.id, sessionId: id }))) {
        throw sessionNotFound();
      }
      await audit("session.revoked", { id, name: "" });
      await noteChange(tenant.client, "session_changed", id, now);
      return {};
    }),
});

export const revokeOtherSessions = (deps: ActingDeps): UserRpcs<"revokeOtherSessions"> => ({
  revokeOtherSessions: ({ sessionId, visitor }, context) =>
    actAs(deps, context, { visitor }, async ({ tenant, actor, now, audit }) => {
      const revoked = await deleteSessionsOf(tenant, actor.id, sessionId);
      if (revoked === 0) return { revoked };
      await audit("sessions.revoked", actor, { count: String(revoked) });
      await noteChange(tenant.client, "user_changed", actor.id, now);
      return { revoked };
    }),
});

/**
 * Gives the session that calls another token, because its rights have changed, and tells the gateways to forget what they
 * remember of the user. To be called last in a transaction.
 */
export async function renewOwnSession({ tenant, actor, now }: Acting, sessionId: string): Promise<string> {
  const { token, tokenHash } = makeSessionToken();
  const isOurs = await replaceToken(tenant, { id: sessionId, userId: actor.id, tokenHash, now });
  if (!isOurs) throw new DomainError("SESSION_ENDED");
  await noteChange(tenant.client, "user_changed", actor.id, now);
  return token;
}
