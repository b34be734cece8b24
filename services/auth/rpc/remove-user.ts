import type { ServiceImpl } from "@connectrpc/connect";
import type { UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { isActiveOwner } from "../domain/user.ts";
import { noteChange } from "../store/change-store.ts";
import { deleteUser, hasOtherActiveOwner, lockUser } from "../store/user-store.ts";
import { type ActingDeps, actAs } from "./acting.ts";
import { userNotFound } from "./user-messages.ts";

export const removeUser = (deps: ActingDeps): Pick<ServiceImpl<typeof UserService>, "removeUser"> => ({
  removeUser: ({ userId, visitor }, context) =>
    actAs(deps, context, { visitor, role: "owner", managesUsers: true }, async ({ orgId, client, now, audit }) => {
      const user = isUuid(userId) ? await lockUser(orgId, client, userId) : undefined;
      if (user === undefined) throw userNotFound();
      if (isActiveOwner(user) && !(await hasOtherActiveOwner(orgId, client, user.id))) {
        throw new DomainError("LAST_OWNER");
      }
      await deleteUser(orgId, client, user.id);
      await audit("user.removed", user, { email: user.email });
      await noteChange(client, "user_changed", user.id, now);
      return {};
    }),
});
