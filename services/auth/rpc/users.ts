import type { ServiceImpl } from "@connectrpc/connect";
import { UserStatus as StatusMessage, type UpdateUserRequest, type UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withHolds } from "#platform/db/hold-marks.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { parseName } from "../domain/organization.ts";
import {
  endsSessions,
  isActiveOwner,
  isPersonal,
  losesOwner,
  parseEmail,
  parseLocale,
  parseTimeZone,
  realChange,
  type User,
  type UserChange,
} from "../domain/user.ts";
import { createUser, sendInvitation } from "../logins/mailed-links.ts";
import { type AskDeps, findPersonHold } from "../privacy/ask-holders.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteLinksOf, deleteMailJobsOf } from "../store/mail-store.ts";
import { deleteChallengesOf } from "../store/second-factor-store.ts";
import { deleteSessionsOf } from "../store/session-store.ts";
import {
  deleteUser,
  findUser,
  hasOtherActiveOwner,
  listUsers as list,
  lockUser,
  nameUsers as nameThem,
  updateUser as store,
} from "../store/user-store.ts";
import { type Acting, type ActingDeps, actAs, requireRole } from "./acting.ts";
import type { AuthDeps } from "./deps.ts";
import { noticesOf, toRole, toUserMessage, userNotFound } from "./messages.ts";
import { renewOwnSession } from "./sessions.ts";

export const listUsers = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "listUsers"> => ({
  listUsers: (_request, context) =>
    actAs(deps, context, { role: "owner" }, async ({ tenant }) => ({
      users: (await list(tenant)).map(toUserMessage),
    })),
});

export const nameUsers = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "nameUsers"> => ({
  nameUsers: ({ userIds }, context) =>
    actAs(deps, context, {}, async ({ tenant }) => ({ users: await nameThem(tenant, userIds) })),
});

type Deps = ActingDeps & Pick<AuthDeps, "keys" | "mail" | "publicUrl" | "wakeMails">;

export const inviteUser = (deps: Deps): Pick<ServiceImpl<typeof UserService>, "inviteUser"> => ({
  async inviteUser(request, context) {
    const options = { visitor: request.visitor, role: "owner", managesUsers: true } as const;
    const answer = await actAs(deps, context, options, async ({ tenant, audit }) => {
      const role = toRole(request.role);
      const invited = { ...parseEmail(request.email), name: parseName(request.name), role };
      const userId = await createUser(deps, tenant, { ...invited, locale: parseLocale(request.locale) });
      const inviteUrl = await sendInvitation(deps, tenant, userId);
      const user = await findUser(tenant, userId);
      if (user === undefined) throw userNotFound();
      await audit("user.invited", user, { role, email: user.email });
      return { user: toUserMessage(user), inviteUrl };
    });
    deps.wakeMails();
    return answer;
  },
});

export const inviteUserAgain = (deps: Deps): Pick<ServiceImpl<typeof UserService>, "inviteUserAgain"> => ({
  async inviteUserAgain({ userId, visitor }, context) {
    const options = { visitor, role: "owner", managesUsers: true } as const;
    const answer = await actAs(deps, context, options, async ({ tenant, audit }) => {
      const user = isUuid(userId) ? await lockUser(tenant, userId) : undefined;
      if (user === undefined) throw userNotFound();
      if (user.status !== "invited") throw new DomainError("USER_NOT_INVITED");
      await deleteLinksOf(tenant, user.id);
      await deleteMailJobsOf(tenant, user.id);
      const inviteUrl = await sendInvitation(deps, tenant, user.id);
      await audit("user.invited-again", user);
      return { user: toUserMessage(user), inviteUrl };
    });
    deps.wakeMails();
    return answer;
  },
});

export const updateUser = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "updateUser"> => ({
  updateUser: (request, context) =>
    actAs(deps, context, { visitor: request.visitor, managesUsers: true }, async (acting) => {
      const { tenant, actor } = acting;
      const wished = parseChange(request);
      const isOwn = request.userId.toLowerCase() === actor.id;
      if (!isOwn || !isPersonal(wished)) requireRole(actor, "owner");
      const user = isUuid(request.userId) ? await lockUser(tenant, request.userId) : undefined;
      if (user === undefined) throw userNotFound();
      const change = realChange(user, wished);
      if (losesOwner(user, change) && !(await hasOtherActiveOwner(tenant, user.id))) {
        throw new DomainError("LAST_OWNER");
      }
      const newSessionToken = await apply(acting, user, change, request.sessionId);
      return { user: toUserMessage((await findUser(tenant, user.id)) ?? user), newSessionToken };
    }),
});

/** The new token of the calling session, if it got one. */
async function apply(acting: Acting, user: User, change: UserChange, sessionId: string): Promise<string> {
  const { tenant, actor, now } = acting;
  if (Object.keys(change).length === 0) return "";
  await store(tenant, user.id, change);
  await acting.audit("user.updated", user, Object.fromEntries(Object.entries(change)));
  const isOwn = user.id === actor.id;
  if (change.status === "disabled") await deleteLinksOf(tenant, user.id);
  if (endsSessions(change)) {
    // A session whose user is disabled does not live on, whoever disabled it.
    const staying = isOwn && change.status === undefined ? sessionId : null;
    await deleteChallengesOf(tenant, user.id);
    await deleteSessionsOf(tenant, user.id, staying);
    if (staying !== null) return renewOwnSession(acting, staying);
  }
  await noteChange(tenant.client, "user_changed", user.id, now);
  return "";
}

function parseChange({ name, role, status, locale, timeZone, notices }: UpdateUserRequest): UserChange {
  return {
    ...(name !== undefined && { name: parseName(name) }),
    ...(role !== undefined && { role: toRole(role) }),
    ...(status !== undefined && { status: status === StatusMessage.DISABLED ? "disabled" : "active" }),
    ...(locale !== undefined && { locale: parseLocale(locale) }),
    ...(timeZone !== undefined && { timeZone: parseTimeZone(timeZone) }),
    ...(notices !== undefined && { notices: noticesOf(notices) }),
  };
}

export const removeUser = (deps: ActingDeps & AskDeps): Pick<ServiceImpl<typeof UserService>, "removeUser"> => ({
  async removeUser({ userId, visitor }, context) {
    const found = async (tenant: Tenant, find = lockUser) => {
      const user = isUuid(userId) ? await find(tenant, userId) : undefined;
      if (user === undefined) throw userNotFound();
      return user;
    };
    // Asked before anything is locked.
    const { email } = await actAs(deps, context, { role: "owner" }, ({ tenant }) => found(tenant, findUser));
    const findHold = () => findPersonHold(deps, requireCaller(context), { email, userRef: userId });
    return withHolds(findHold, ({ isHeld, mark }) => {
      if (isHeld) throw new DomainError("LEGAL_HOLD");
      const acting = { visitor, role: "owner", managesUsers: true, holdMark: mark } as const;
      return actAs(deps, context, acting, async ({ tenant, now, audit }) => {
        const user = await found(tenant);
        if (isActiveOwner(user) && !(await hasOtherActiveOwner(tenant, user.id))) {
          throw new DomainError("LAST_OWNER");
        }
        await deleteUser(tenant, user.id);
        await audit("user.removed", user, { email: user.email });
        await noteChange(tenant.client, "user_changed", user.id, now);
        return {};
      });
    });
  },
});
