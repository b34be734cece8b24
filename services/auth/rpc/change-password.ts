import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { checkPassword } from "../domain/password.ts";
import { emailKey } from "../domain/user.ts";
import type { CheckLoginDeps } from "../logins/check-login.ts";
import { provePassword, storedPassword } from "../logins/prove-password.ts";
import { deleteLinksOf } from "../store/link-store.ts";
import { deleteChallengesOf } from "../store/second-factor-store.ts";
import { deleteSessionsOf } from "../store/session-store.ts";
import { findOrganizationName, findPassword, lockUser, setPassword } from "../store/user-store.ts";
import { actAs, callingUser, originOf } from "./acting.ts";
import { renewOwnSession } from "./own-session.ts";

export const changePassword = (deps: CheckLoginDeps): Pick<ServiceImpl<typeof UserService>, "changePassword"> => ({
  async changePassword(request, context) {
    const { sessionId, visitor } = request;
    const caller = callingUser(context);
    const proven = await provePassword(deps, caller, request.currentPassword, originOf(context, visitor));
    const owner = await actAs(deps, context, {}, async ({ actor, orgId, client }) => ({
      ...actor,
      organizationName: await findOrganizationName(orgId, client),
    }));
    checkPassword(request.newPassword, owner, "newPassword");
    const key = emailKey(owner.email) ?? "";
    const password = await storedPassword(deps, { id: owner.id, emailKey: key }, request.newPassword);
    return actAs(deps, context, { visitor }, async (acting) => {
      const { orgId, client, actor } = acting;
      await lockUser(orgId, client, actor.id);
      const current = await findPassword(orgId, client, actor.id);
      // Changed by somebody else since it was proven.
      if (current?.hash.equals(proven.hash) !== true) throw new DomainError("PASSWORD_WRONG");
      await setPassword(orgId, client, actor.id, password);
      await deleteLinksOf(orgId, client, actor.id);
      await deleteChallengesOf(orgId, client, actor.id);
      await deleteSessionsOf(orgId, client, actor.id, sessionId);
      await acting.audit("password.changed");
      return { newSessionToken: await renewOwnSession(acting, sessionId) };
    });
  },
});
