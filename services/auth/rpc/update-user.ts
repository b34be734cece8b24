import type { ServiceImpl } from "@connectrpc/connect";
import { UserStatus as StatusMessage, type UpdateUserRequest, type UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { parseName } from "../domain/organization.ts";
import {
  endsSessions,
  isPersonal,
  losesOwner,
  parseLocale,
  parseTimeZone,
  realChange,
  type User,
  type UserChange,
} from "../domain/user.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteLinksOf } from "../store/link-store.ts";
import { deleteChallengesOf } from "../store/second-factor-store.ts";
import { deleteSessionsOf } from "../store/session-store.ts";
import { findUser, hasOtherActiveOwner, lockUser, updateUser as store } from "../store/user-store.ts";
import { type Acting, type ActingDeps, actAs, requireRole } from "./acting.ts";
import { renewOwnSession } from "./own-session.ts";
import { toRole, toUserMessage, userNotFound } from "./user-messages.ts";

export const updateUser = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "updateUser"> => ({
  updateUser: (request, context) =>
    actAs(deps, context, { visitor: request.visitor, managesUsers: true }, async (acting) => {
      const { orgId, client, actor } = acting;
      const wished = parseChange(request);
      const isOwn = request.userId.toLowerCase() === actor.id;
      if (!isOwn || !isPersonal(wished)) requireRole(actor, "owner");
      const user = isUuid(request.userId) ? await lockUser(orgId, client, request.userId) : undefined;
      if (user === undefined) throw userNotFound();
      const change = realChange(user, wished);
      if (losesOwner(user, change) && !(await hasOtherActiveOwner(orgId, client, user.id))) {
        throw new DomainError("LAST_OWNER");
      }
      const newSessionToken = await apply(acting, user, change, request.sessionId);
      return { user: toUserMessage((await findUser(orgId, client, user.id)) ?? user), newSessionToken };
    }),
});

/** The new token of the calling session, if it got one. */
async function apply(acting: Acting, user: User, change: UserChange, sessionId: string): Promise<string> {
  const { orgId, client, actor, now } = acting;
  if (Object.keys(change).length === 0) return "";
  await store(orgId, client, user.id, change);
  await acting.audit("user.updated", user, Object.fromEntries(Object.entries(change)));
  const isOwn = user.id === actor.id;
  if (change.status === "disabled") await deleteLinksOf(orgId, client, user.id);
  if (endsSessions(change)) {
    // A session whose user is disabled does not live on, whoever disabled it.
    const staying = isOwn && change.status === undefined ? sessionId : null;
    await deleteChallengesOf(orgId, client, user.id);
    await deleteSessionsOf(orgId, client, user.id, staying);
    if (staying !== null) return renewOwnSession(acting, staying);
  }
  await noteChange(client, "user_changed", user.id, now);
  return "";
}

function parseChange({ name, role, status, locale, timeZone }: UpdateUserRequest): UserChange {
  return {
    ...(name !== undefined && { name: parseName(name) }),
    ...(role !== undefined && { role: toRole(role) }),
    ...(status !== undefined && { status: status === StatusMessage.DISABLED ? "disabled" : "active" }),
    ...(locale !== undefined && { locale: parseLocale(locale) }),
    ...(timeZone !== undefined && { timeZone: parseTimeZone(timeZone) }),
  };
}
